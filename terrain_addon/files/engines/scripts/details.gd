# Strews tufts, ferns and stones of a tile around the camera, in square cells.  The same cell always has the same ones.
extends Node3D

const CELL := 8.0  # metres
const NEAR := 10.0  # metres from here on coarser meshes are enough
const REACH := 48.0  # metres to the farthest cells; the shader lets things grow out of the ground before

@export var kinds: Array[Dictionary] = []  # meshes, far_meshes, density as Image, per_m2, height_m, smallest
@export var corner := Vector2.ZERO  # metres to the east and south of the north-western corner of the tile
@export var size := Vector2.ONE  # metres to the east and south
@export var samples := Vector2i.ONE  # of the heights
@export var heights := PackedFloat32Array()  # metres, row by row from the north-west

var _cells := {}


func _process(_delta: float) -> void:
	var camera := get_viewport().get_camera_3d()
	if camera != null:
		show_around(to_local(camera.global_position), 1)


# Makes at most so many cells that are missing around a place, the nearest first, and removes those that are far.
func show_around(eye: Vector3, most: int) -> void:
	for cell: Vector2i in _cells.keys():
		if _distance(cell, eye) > REACH + CELL:
			_cells[cell].queue_free()
			_cells.erase(cell)
	var missing: Array[Vector2i] = []
	var here := Vector2i(((Vector2(eye.x, eye.z) - corner) / CELL).floor())
	var reach := ceili(REACH / CELL)
	for row in range(here.y - reach, here.y + reach + 1):
		for column in range(here.x - reach, here.x + reach + 1):
			var cell := Vector2i(column, row)
			if not _cells.has(cell) and _distance(cell, eye) < REACH and _is_inside(cell):
				missing.append(cell)
	missing.sort_custom(func(one: Vector2i, other: Vector2i) -> bool: return _distance(one, eye) < _distance(other, eye))
	for cell in missing.slice(0, most):
		_cells[cell] = _strew(cell)


func _distance(cell: Vector2i, eye: Vector3) -> float:
	return (corner + CELL * (Vector2(cell) + Vector2(0.5, 0.5))).distance_to(Vector2(eye.x, eye.z))


func _is_inside(cell: Vector2i) -> bool:
	return cell.x >= 0 and cell.y >= 0 and CELL * cell.x < size.x and CELL * cell.y < size.y


func _strew(cell: Vector2i) -> Node3D:
	var made := Node3D.new()
	made.name = "Cell %d %d" % [cell.x, cell.y]
	for number in kinds.size():
		var kind := kinds[number]
		var random := RandomNumberGenerator.new()
		random.seed = hash(Vector3i(cell.x, cell.y, number))
		var places: Array[Array] = []
		for mesh: Mesh in kind["meshes"]:
			places.append([])
		for i in roundi(kind["per_m2"] * CELL * CELL):
			var at := CELL * (Vector2(cell) + Vector2(random.randf(), random.randf()))
			var turn := random.randf_range(0.0, TAU)
			var scale_of := random.randf_range(kind["smallest"], 1.0)
			var variant := random.randi_range(0, places.size() - 1)
			if at.x < size.x and at.y < size.y and random.randf() < density_at(kind["density"], at):
				var foot := Vector3(corner.x + at.x, height_at(at), corner.y + at.y)
				places[variant].append(Transform3D(Basis(Vector3.UP, turn).scaled(Vector3.ONE * scale_of), foot))
		for variant in places.size():
			if not places[variant].is_empty():
				var near := _stand(kind["meshes"][variant], places[variant])
				var far := _stand(kind["far_meshes"][variant], places[variant])
				# Godot measures from the middle of a box.
				near.visibility_range_end = NEAR + 0.5 * sqrt(2.0) * CELL
				far.visibility_range_begin = near.visibility_range_end
				made.add_child(near)
				made.add_child(far)
	add_child(made)
	return made


func _stand(mesh: Mesh, places: Array) -> MultiMeshInstance3D:
	var stand := MultiMesh.new()
	stand.transform_format = MultiMesh.TRANSFORM_3D
	stand.mesh = mesh
	stand.instance_count = places.size()
	for i in places.size():
		stand.set_instance_transform(i, places[i])
	var node := MultiMeshInstance3D.new()
	node.multimesh = stand
	node.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
	return node


# Share of the things of a kind that stand at a place, in metres from the north-western corner.
func density_at(density: Image, at: Vector2) -> float:
	var places := Vector2(density.get_width(), density.get_height())
	var pixel := Vector2i((at / size * places).clamp(Vector2.ZERO, places - Vector2.ONE))
	return density.get_pixelv(pixel).r


# Height of the ground there, whose cells are divided from south-west to north-east.
func height_at(at: Vector2) -> float:
	var place := (at / size * Vector2(samples - Vector2i.ONE)).clamp(Vector2.ZERO, Vector2(samples - Vector2i.ONE))
	var column := mini(int(place.x), samples.x - 2)
	var row := mini(int(place.y), samples.y - 2)
	var first := row * samples.x + column
	var within := place - Vector2(column, row)
	var north_east := heights[first + 1]
	var south_west := heights[first + samples.x]
	if within.x + within.y < 1.0:
		var north_west := heights[first]
		return north_west + within.x * (north_east - north_west) + within.y * (south_west - north_west)
	var south_east := heights[first + samples.x + 1]
	return south_east + (1.0 - within.x) * (south_west - south_east) + (1.0 - within.y) * (north_east - south_east)
