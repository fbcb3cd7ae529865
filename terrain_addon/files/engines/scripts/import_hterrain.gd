# Makes hterrain.scn, an HTerrain of the landscape package in this folder, with its maps in the folder hterrain.  It
# needs a window, and the add-on HTerrain, 1.8 or later, in a project that the editor has opened:
#     godot --path PROJECT --script res://FOLDER/import_hterrain.gd
extends SceneTree


func _initialize() -> void:
	quit(1)  # unless all goes well
	var folder := (get_script() as Script).resource_path.get_base_dir()
	var manifest: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(folder.path_join("manifest.json")))
	var land: Dictionary = manifest["land"]
	var layers: Array = manifest["layers"]
	var cell: float = land["spacing_east_m"]
	var fits: bool = is_equal_approx(cell, land["spacing_north_m"]) and land["rows"] == land["columns"]
	var is_hterrain := func(known: Dictionary) -> bool: return known["class"] == "HTerrain"
	if not ProjectSettings.get_global_class_list().any(is_hterrain) or DisplayServer.get_name() == "headless":
		push_error("this needs a window, and the add-on HTerrain in a project that the editor has opened")
	elif not fits or manifest["tiles"].size() > 1 or not layers[0].has("ground"):
		push_error("this needs a square land of one tile with square cells, and textures of the ground")
	else:
		var terrain: Node3D = load("res://addons/zylann.hterrain/hterrain.gd").new()
		root.add_child(terrain)
		terrain.centered = true
		terrain.map_scale = Vector3.ONE * cell
		terrain.set_shader_type("MultiSplat16")
		terrain.set_shader_param("u_ground_uv_scale", layers[0]["ground"]["side_m"] / cell)
		terrain.get_texture_set().set_mode(1)  # arrays of textures
		for kind: Array in [[0, "colour", 2], [1, "normal", 1]]:  # with height and roughness as alpha
			var images: Array[Image] = []
			for layer: Dictionary in layers:
				var packed := Image.load_from_file(folder.path_join(layer["ground"]["packed"]))
				var path := folder.path_join(layer["ground"][kind[1]])
				images.append(preload("import_terrain3d.gd").with_alpha(path, packed, kind[2]))
			var textures := Texture2DArray.new()
			textures.create_from_images(images)
			terrain.get_texture_set().set_texture_array(kind[0], textures)
		terrain.set_data(_data(folder, manifest["tiles"][0]["files"], cell))
		var scene := PackedScene.new()
		scene.pack(terrain)
		print("saving %s" % folder.path_join("hterrain.scn"))
		quit(ResourceSaver.save(scene, folder.path_join("hterrain.scn"), ResourceSaver.FLAG_COMPRESS))


# Heights in cells, not metres: so normals keep their angles, for which HTerrain has eight bits.
func _data(folder: String, files: Dictionary, cell: float) -> Resource:
	var data: Resource = load("res://addons/zylann.hterrain/hterrain_data.gd").new()
	for map: Array in [["height", 0, 0], ["normal", 1, 0], ["weights_0", 2, 0], ["weights_1", 2, 1]]:  # kind, number
		var image := Image.load_from_file(folder.path_join(files[map[0]]))
		image.convert(data.get_channel_format(map[1]))
		if map[0] == "height":
			image.adjust_bcs(1.0 / cell, 1.0, 1.0)
			data.resize(image.get_width())
		while data.get_map_count(2) < 4:  # which its shader reads
			data._edit_add_map(2)
		data.get_image(map[1], map[2]).copy_from(image)
		data.notify_region_change(Rect2i(Vector2i.ZERO, image.get_size()), map[1], map[2])
	DirAccess.make_dir_absolute(folder.path_join("hterrain"))
	data.save_data(folder.path_join("hterrain"))
	data.take_over_path(folder.path_join("hterrain/data.hterrain"))
	return data
