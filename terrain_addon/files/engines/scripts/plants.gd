# Shows the plants of a tile around the camera: whole groups, each of one model in one cell.
#
# Godot measures visibility ranges from the middle of a box.  A group therefore ends half its diagonal later than a
# plant would, so that no plant is shown coarser than it should be.
@tool
extends Node3D

const BATCH := 2000  # groups that are looked at in a frame, one batch after the other, so that no frame is late
const AHEAD := 40.0  # metres beyond its end at which a group is made: a car comes that far until its turn

@export var meshes: Array[Mesh] = []  # for each model its levels of detail, from fine to coarse
@export var levels := 1
@export var level_ends := PackedFloat32Array()  # metres at which each level but the last ends
@export var groups := PackedInt32Array()  # for each group its model, its first plant, and the end of its plants
@export var boxes := PackedFloat32Array()  # for each group the corners of its box, and the metres to which it is seen
@export var matrices := PackedFloat32Array()  # for each plant three rows of a matrix of 3 x 4

var _next := -1
var _shown := {}


func _process(_delta: float) -> void:
	var camera := get_viewport().get_camera_3d()
	if Engine.is_editor_hint():
		camera = Engine.get_singleton("EditorInterface").get_editor_viewport_3d(0).get_camera_3d()
	if camera == null:
		return
	var eye := to_local(camera.global_position)
	var count := groups.size() / 3
	if _next < 0:
		show_around(eye, AHEAD, 0, count)
		_next = 0
		return
	show_around(eye, AHEAD, _next, mini(_next + BATCH, count))
	_next = 0 if _next + BATCH >= count else _next + BATCH


# Of the groups `first` to before `last`, makes those that can be seen from a place, or from `further` metres around it,
# and removes all others.
func show_around(eye: Vector3, further: float, first: int, last: int) -> void:
	for group in range(first, last):
		var low := Vector3(boxes[7 * group], boxes[7 * group + 1], boxes[7 * group + 2])
		var high := Vector3(boxes[7 * group + 3], boxes[7 * group + 4], boxes[7 * group + 5])
		var half := 0.5 * low.distance_to(high)
		var is_near := eye.distance_to(0.5 * (low + high)) < boxes[7 * group + 6] + half + further
		if is_near and not _shown.has(group):
			_shown[group] = _make(group, AABB(low, high - low), half)
		elif not is_near and _shown.has(group):
			for node: Node in _shown[group]:
				node.queue_free()
			_shown.erase(group)


func _make(group: int, box: AABB, half: float) -> Array[Node]:
	var first := groups[3 * group + 1]
	var end := groups[3 * group + 2]
	var nodes: Array[Node] = []
	for level in levels:
		var stand := MultiMesh.new()
		stand.transform_format = MultiMesh.TRANSFORM_3D
		stand.mesh = meshes[levels * groups[3 * group] + level]
		stand.instance_count = end - first
		stand.buffer = matrices.slice(12 * first, 12 * end)
		var node := MultiMeshInstance3D.new()
		node.name = "Group %d LOD%d" % [group, level]
		node.multimesh = stand
		node.custom_aabb = box
		node.visibility_range_begin = 0.0 if level == 0 else level_ends[level - 1] + half
		node.visibility_range_end = half + (boxes[7 * group + 6] if level == levels - 1 else level_ends[level])
		add_child(node)
		nodes.append(node)
	return nodes
