# Shows the plants of a tile around the camera: whole groups, each of one model in one cell.  Stems stop bodies that are
# near the camera.
#
# Godot measures visibility ranges from the middle of a box.  A group therefore ends half its diagonal later than a
# plant would, so that no plant is shown coarser than it should be.
@tool
extends Node3D

const BATCH := 2000  # groups that are looked at in a frame, one batch after the other, so that no frame is late
const AHEAD := 40.0  # metres beyond its end at which a group is made: a car comes that far until its turn
const TOUCH := 30.0  # metres from the box of a group to the camera within which its stems stop bodies

@export var meshes: Array[Mesh] = []  # for each model its levels of detail, from fine to coarse
@export var levels := 1
@export var level_ends := PackedFloat32Array()  # metres at which each level but the last ends
@export var fade := 0.0  # metres beyond the end of the last but one level over which its shader hides plants
@export var trunks := PackedFloat32Array()  # for each model radius and height of its stem in metres, 0 for none
@export var groups := PackedInt32Array()  # for each group its model, its first plant, and the end of its plants
@export var boxes := PackedFloat32Array()  # for each group the corners of its box, and the metres to which it is seen
@export var matrices := PackedFloat32Array()  # for each plant three rows of a matrix of 3 x 4
@export var wind := Vector2(4.0, 1.5):  # metres a second to the east and to the south
	set(value):
		wind = value
		_blow()

var _next := -1
var _shown := {}
var _solid := {}


func _ready() -> void:
	_blow()


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
		var stops := trunks[2 * groups[3 * group]] > 0.0 and eye.distance_to(eye.clamp(low, high)) < TOUCH
		if stops and not _solid.has(group):
			_solid[group] = _make_solid(group)
		elif not stops and _solid.has(group):
			_solid[group].queue_free()
			_solid.erase(group)


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
		var reach := range_of(level, half, boxes[7 * group + 6])
		node.visibility_range_begin = reach.x
		node.visibility_range_end = reach.y
		add_child(node)
		nodes.append(node)
	return nodes


# Metres from the middle of a group at which a level begins and ends, for half the diagonal of its box.  The last two
# levels overlap wherever the group can have plants at which one goes over into the other.
func range_of(level: int, half: float, seen: float) -> Vector2:
	var begin := 0.0 if level == 0 else level_ends[level - 1] + half
	var fades := levels > 2 and fade > 0.0
	if level == levels - 1:
		if fades:
			begin = maxf(level_ends[level - 2] + half, level_ends[level - 1] - half)
		return Vector2(begin, half + seen)
	return Vector2(begin, half + level_ends[level] + (fade if fades and level == levels - 2 else 0.0))


# A capsule for the stem of each plant of a group.
func _make_solid(group: int) -> StaticBody3D:
	var model := groups[3 * group]
	var body := StaticBody3D.new()
	body.name = "Stems %d" % group
	for plant in range(groups[3 * group + 1], groups[3 * group + 2]):
		var at := 12 * plant
		var size := Vector3(matrices[at], matrices[at + 4], matrices[at + 8]).length()
		var capsule := CapsuleShape3D.new()
		capsule.radius = size * trunks[2 * model]
		capsule.height = size * trunks[2 * model + 1]
		var stem := CollisionShape3D.new()
		stem.shape = capsule
		stem.position = Vector3(matrices[at + 3], matrices[at + 7] + 0.5 * capsule.height, matrices[at + 11])
		body.add_child(stem)
	add_child(body)
	return body


# Materials are shared by all plants, so the wind is the same on all tiles.
func _blow() -> void:
	for mesh in meshes:
		for surface in mesh.get_surface_count():
			var material := mesh.surface_get_material(surface) as ShaderMaterial
			if material != null:
				material.set_shader_parameter("wind", wind)
