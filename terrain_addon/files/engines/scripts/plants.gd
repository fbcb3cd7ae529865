# Shows the plants of a tile around the camera: whole groups, each of one model in one cell.  Stems stop bodies that are
# near the camera.
#
# Godot measures visibility ranges from the middle of a box.  A group therefore ends half its diagonal later than a
# plant would, so that no plant is shown coarser than it should be.
@tool
extends Node3D

const BLOCK := 144.0  # metres of the squares that show their last level together
const CELL_SPARE := 70.0  # metres: more than half the diagonal of a group
const BATCH := 2000  # blocks that are looked at in a frame, one batch after the other, so that no frame is late
const AHEAD := 40.0  # metres beyond its end at which a group is made: a car comes that far until its turn
const TOUCH := 30.0  # metres from the box of a group to the camera within which its stems stop bodies

@export var meshes: Array[Mesh] = []  # for each model its levels of detail, from fine to coarse
@export var levels := 1
@export var level_ends := PackedFloat32Array()  # metres at which each level but the last ends
@export var fade := 0.0  # metres beyond the end of the last but one level over which its shader hides plants
@export var trunks := PackedFloat32Array()  # for each model radius and height of its stem in metres, 0 for none
@export_flags_3d_physics var stem_layers := 1  # of collision
@export var groups := PackedInt32Array()  # for each group its model, its first plant, and the end of its plants
@export var boxes := PackedFloat32Array()  # for each group the corners of its box, and the metres to which it is seen
@export var matrices := PackedFloat32Array()  # for each plant three rows of a matrix of 3 x 4
@export var wind := Vector2(4.0, 1.5):  # metres a second to the east and to the south
	set(value):
		wind = value
		_blow()

var _next := -1
var _blocks: Array[Block] = []
var _far := {}
var _near := {}
var _solid := {}


class Block:
	var groups := PackedInt32Array()
	var box := AABB()
	var seen := 0.0
	var is_near := false


func _ready() -> void:
	_find_blocks()
	_blow()


func _process(_delta: float) -> void:
	var camera := get_viewport().get_camera_3d()
	if Engine.is_editor_hint():
		camera = Engine.get_singleton("EditorInterface").get_editor_viewport_3d(0).get_camera_3d()
	if camera == null:
		return
	var eye := to_local(camera.global_position)
	var count := _blocks.size()
	if _next < 0:
		show_around(eye, AHEAD, 0, count)
		_next = 0
		return
	show_around(eye, AHEAD, _next, mini(_next + BATCH, count))
	_next = 0 if _next + BATCH >= count else _next + BATCH


# Of the blocks `first` to before `last`, makes what can be seen from a place, or from `further` metres around it, and
# removes all else.
func show_around(eye: Vector3, further: float, first: int, last: int) -> void:
	for number in range(first, mini(last, _blocks.size())):
		var block := _blocks[number]
		var half := 0.5 * block.box.size.length()
		_keep(_far, number, eye.distance_to(block.box.get_center()) < block.seen + half + further, func() -> Array[Node]:
			return _make_far(number))
		var reach := maxf(level_ends[levels - 2] + fade, TOUCH) if levels > 1 else TOUCH
		var is_near := eye.distance_to(eye.clamp(block.box.position, block.box.end)) < reach + CELL_SPARE + further
		if is_near or block.is_near:
			for group: int in block.groups:
				_show_group(eye, further, group, is_near)
		block.is_near = is_near


func _show_group(eye: Vector3, further: float, group: int, is_near: bool) -> void:
	var box := _box_of(group)
	var half := 0.5 * box.size.length()
	var end := level_ends[levels - 2] + fade + half + further if levels > 1 else 0.0
	_keep(_near, group, is_near and eye.distance_to(box.get_center()) < end, func() -> Array[Node]:
		return _make_near(group, box, half))
	var stops := trunks[2 * groups[3 * group]] > 0.0 and eye.distance_to(eye.clamp(box.position, box.end)) < TOUCH
	_keep(_solid, group, is_near and stops, func() -> Array[Node]: return [_make_solid(group)])


func _box_of(group: int) -> AABB:
	var low := Vector3(boxes[7 * group], boxes[7 * group + 1], boxes[7 * group + 2])
	return AABB(low, Vector3(boxes[7 * group + 3], boxes[7 * group + 4], boxes[7 * group + 5]) - low)


# The groups of each model in large squares, which show their last level together.
func _find_blocks() -> void:
	var found := {}
	for group in groups.size() / 3:
		var box := _box_of(group)
		var middle := box.get_center()
		var key := Vector3i(groups[3 * group], floori(middle.x / BLOCK), floori(middle.z / BLOCK))
		if not _fades():
			key = Vector3i(group, 0, 0)  # Godot changes levels of a whole box
		if not found.has(key):
			found[key] = Block.new()
			found[key].box = box
			_blocks.append(found[key])
		found[key].groups.append(group)
		found[key].box = found[key].box.merge(box)
		found[key].seen = maxf(found[key].seen, boxes[7 * group + 6])


# Makes or removes nodes: what nobody sees needs none.
func _keep(kept: Dictionary, number: int, wanted: bool, make: Callable) -> void:
	if wanted and not kept.has(number):
		kept[number] = make.call()
	elif not wanted and kept.has(number):
		for node: Node in kept[number]:
			node.queue_free()
		kept.erase(number)


# All levels of a group but the last.
func _make_near(group: int, box: AABB, half: float) -> Array[Node]:
	var model := levels * groups[3 * group]
	var part := _matrices_of(group)
	var nodes: Array[Node] = []
	for level in levels - 1:
		var reach := range_of(level, half, boxes[7 * group + 6])
		var node := _stand("Group %d LOD%d" % [group, level], meshes[model + level], part, box, reach)
		nodes.append(node)
		if level == 0 and levels > 2:
			# The next level is fine enough for shadows, and has a fifth of the triangles.
			node.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
			var shade := _stand("Group %d shade" % group, meshes[model + 1], part, box, reach)
			shade.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_SHADOWS_ONLY
			nodes.append(shade)
	return nodes


# The last level of a block.  Where it goes over into the level before, its shader hides plants that are nearer; only
# whole groups that have another level are left out by Godot.
func _make_far(number: int) -> Array[Node]:
	var block := _blocks[number]
	var half := 0.5 * block.box.size.length()
	var parts := PackedFloat32Array()
	for group: int in block.groups:
		parts.append_array(_matrices_of(group))
	var mesh := meshes[levels * groups[3 * block.groups[0]] + levels - 1]
	return [_stand("Block %d LOD%d" % [number, levels - 1], mesh, parts, block.box, range_of(levels - 1, half, block.seen))]


func _matrices_of(group: int) -> PackedFloat32Array:
	return matrices.slice(12 * groups[3 * group + 1], 12 * groups[3 * group + 2])


func _stand(called: String, mesh: Mesh, part: PackedFloat32Array, box: AABB, reach: Vector2) -> MultiMeshInstance3D:
	var stand := MultiMesh.new()
	stand.transform_format = MultiMesh.TRANSFORM_3D
	stand.mesh = mesh
	stand.instance_count = part.size() / 12
	stand.buffer = part
	var node := MultiMeshInstance3D.new()
	node.name = called
	node.multimesh = stand
	node.custom_aabb = box
	node.visibility_range_begin = reach.x
	node.visibility_range_end = reach.y
	add_child(node)
	return node


# Metres from the middle of a box at which a level begins and ends, for half the diagonal of the box.  The last two levels
# overlap wherever there can be plants at which one goes over into the other.
func range_of(level: int, half: float, seen: float) -> Vector2:
	if level == levels - 1:
		return Vector2(maxf(level_ends[level - 1] - half, 0.0) if _fades() else _begin_of(level, half), half + seen)
	return Vector2(_begin_of(level, half), half + level_ends[level] + (fade if _fades() and level == levels - 2 else 0.0))


func _begin_of(level: int, half: float) -> float:
	return 0.0 if level == 0 else level_ends[level - 1] + half


# Whether shaders show and hide the last levels plant by plant.
func _fades() -> bool:
	return levels > 2 and fade > 0.0


# A capsule for the stem of each plant of a group.
func _make_solid(group: int) -> StaticBody3D:
	var model := groups[3 * group]
	var body := StaticBody3D.new()
	body.name = "Stems %d" % group
	body.collision_layer = stem_layers
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
