# The pictures of the ground of a tile as arrays of textures.  Without a window Godot has no such arrays to save, so the
# scene holds the images, and the arrays are made when it is loaded, once for all tiles that share them.
@tool
extends Node

@export var material: ShaderMaterial
@export var colours: Array[Image] = []  # of all layers, of one size, with smaller copies
@export var normals: Array[Image] = []
@export var numbers: Array[Image] = []

static var _made := {}


func _enter_tree() -> void:
	_set_array("colours", colours)
	_set_array("normals", normals)
	_set_array("numbers", numbers)


func _set_array(uniform: String, images: Array[Image]) -> void:
	if material == null or images.is_empty():
		return
	if not _made.has(images[0]):
		var pictures := Texture2DArray.new()
		pictures.create_from_images(images)
		_made[images[0]] = pictures
	material.set_shader_parameter(uniform, _made[images[0]])
