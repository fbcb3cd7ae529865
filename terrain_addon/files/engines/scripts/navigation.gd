# Where somebody can walk, as navigation meshes in square chunks.  Baking all of a large land takes long, so a chunk is
# baked when it is asked for, or when the camera comes near, if `follows_camera` is on.  Water is no obstacle.
extends Node3D

const BORDER := 2.0  # metres around a chunk that are looked at, so that chunks fit together; whole cells of the mesh

@export var chunk := 128.0  # metres along its side
@export var cell := 0.5  # metres of a cell of the mesh
@export var agent_height := 1.8  # metres
@export var agent_radius := 0.5
@export var agent_step := 0.5  # metres that it climbs at once
@export var steepest := 40.0  # degrees
@export var low := -1000.0  # metres between which the land lies
@export var high := 9000.0
@export var follows_camera := false

var _chunks := {}
var _is_busy := false


func _ready() -> void:
	NavigationServer3D.map_set_cell_size(get_world_3d().navigation_map, cell)


func _process(_delta: float) -> void:
	var camera := get_viewport().get_camera_3d()
	if follows_camera and camera != null:
		bake_at(to_local(camera.global_position))


# Bakes the chunk at a place, unless it is there; returns whether it has begun to.
func bake_at(place: Vector3) -> bool:
	var at := Vector2i(floori(place.x / chunk), floori(place.z / chunk))
	if _is_busy or _chunks.has(at):
		return false
	_is_busy = true
	var region := NavigationRegion3D.new()
	region.name = "Chunk %d %d" % [at.x, at.y]
	add_child(region)
	_chunks[at] = region
	var mesh := mesh_of(at)
	var source := NavigationMeshSourceGeometryData3D.new()
	NavigationServer3D.parse_source_geometry_data(mesh, source, get_parent())
	NavigationServer3D.bake_from_source_geometry_data_async(
		mesh,
		source,
		func() -> void:
			region.navigation_mesh = mesh
			_is_busy = false
	)
	return true


func mesh_of(at: Vector2i) -> NavigationMesh:
	var mesh := NavigationMesh.new()
	mesh.geometry_parsed_geometry_type = NavigationMesh.PARSED_GEOMETRY_STATIC_COLLIDERS
	mesh.cell_size = cell
	mesh.cell_height = 0.25
	mesh.agent_height = agent_height
	mesh.agent_radius = agent_radius
	mesh.agent_max_climb = agent_step
	mesh.agent_max_slope = steepest
	mesh.border_size = BORDER
	var corner := Vector3(chunk * at.x - BORDER, low - 10.0, chunk * at.y - BORDER)
	mesh.filter_baking_aabb = AABB(corner, Vector3(chunk + 2.0 * BORDER, high - low + 20.0, chunk + 2.0 * BORDER))
	return mesh
