# Builds the scene of the landscape package that this script lies in, and saves it there as landscape.scn, and as
# preview.scn with a sun, a sky, haze and somebody who walks:
#
#     godot --headless --path PROJECT --script res://FOLDER/import_godot.gd
#
# After `--` may follow another folder that holds a package, and `--stream`: then each tile becomes a scene of its own,
# which is loaded when the camera comes near.
extends SceneTree


func _init() -> void:
	var arguments := OS.get_cmdline_user_args()
	var script: Script = get_script()
	var is_streamed := "--stream" in arguments
	arguments = PackedStringArray(Array(arguments).filter(func(one: String) -> bool: return not one.begins_with("--")))
	var folder: String = arguments[0] if arguments.size() > 0 else script.resource_path.get_base_dir()
	var builder: GDScript = load(script.resource_path.get_base_dir().path_join("build_landscape.gd"))
	var land: Node3D = builder.build(folder, is_streamed)
	if land == null:
		quit(1)
		return
	var scene := PackedScene.new()
	var failed := scene.pack(land)
	if not failed:
		failed = ResourceSaver.save(scene, folder.path_join("landscape.scn"), ResourceSaver.FLAG_COMPRESS)
	if not failed:
		# Loaded again, so that the preview refers to the file and does not hold the land itself.
		var shown: Node3D = builder.preview(folder, load(folder.path_join("landscape.scn")))
		var preview := PackedScene.new()
		failed = preview.pack(shown)
		if not failed:
			failed = ResourceSaver.save(preview, folder.path_join("preview.scn"))
		shown.free()
	if failed:
		push_error(error_string(failed))
	else:
		print("saved %s" % folder.path_join("landscape.scn"))
	land.free()
	quit(1 if failed else 0)
