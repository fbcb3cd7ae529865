# Loads the scenes of tiles that are near the camera, and lets those go that are far.
extends Node3D

const KEPT := 1.25  # times the reach at which a tile goes

@export var scenes := PackedStringArray()
@export var corners := PackedVector2Array()  # metres to the east and south of their north-western corners
@export var size := Vector2.ONE  # metres of a tile
@export var reach := 2000.0  # metres to the border of a tile at which it is loaded

var _shown := {}
var _asked := {}


func _process(_delta: float) -> void:
	var camera := get_viewport().get_camera_3d()
	if camera == null:
		return
	var eye := to_local(camera.global_position)
	for tile in scenes.size():
		var away := distance_to(tile, Vector2(eye.x, eye.z))
		if _shown.has(tile) and away > KEPT * reach:
			_shown[tile].queue_free()
			_shown.erase(tile)
		elif not _shown.has(tile) and away < reach:
			_load(tile)


# Metres from a place to the border of a tile, 0 inside.
func distance_to(tile: int, place: Vector2) -> float:
	return place.distance_to(place.clamp(corners[tile], corners[tile] + size))


func _load(tile: int) -> void:
	if not _asked.has(tile):
		_asked[tile] = true
		ResourceLoader.load_threaded_request(scenes[tile])
	elif ResourceLoader.load_threaded_get_status(scenes[tile]) == ResourceLoader.THREAD_LOAD_LOADED:
		_asked.erase(tile)
		var scene: PackedScene = ResourceLoader.load_threaded_get(scenes[tile])
		_shown[tile] = scene.instantiate()
		add_child(_shown[tile])
