# Makes a Terrain3D of the landscape package that this script lies in, with its layers, and saves it there as
# terrain3d.scn; its regions are in the folder terrain3d.  It needs the add-on Terrain3D, 1.0 or later:
#
#     godot --headless --path PROJECT --script res://FOLDER/import_terrain3d.gd
extends SceneTree

const REGIONS := [2048, 1024, 512, 256, 128, 64]


func _initialize() -> void:
	var script: Script = get_script()
	var folder := script.resource_path.get_base_dir()
	var manifest: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(folder.path_join("manifest.json")))
	if not ClassDB.class_exists("Terrain3D"):
		_stop("the add-on Terrain3D is not in this project")
		return
	var land: Dictionary = manifest["land"]
	if not is_equal_approx(land["spacing_east_m"], land["spacing_north_m"]):
		_stop("Terrain3D has square cells, but those of this land are oblong; export it as a square")
		return
	var region := region_of(manifest)
	if region == 0:
		_stop("borders of this land are not borders of regions of Terrain3D; export it as a square")
		return
	var terrain: Node3D = ClassDB.instantiate("Terrain3D")
	terrain.name = "Terrain3D"
	root.add_child(terrain)
	await process_frame
	terrain.vertex_spacing = land["spacing_east_m"]
	terrain.change_region_size(region)
	if manifest["layers"][0].has("ground"):
		terrain.assets = _assets(folder, manifest["layers"])
	for tile: Dictionary in manifest["tiles"]:
		var images: Array[Image] = [_cells(folder, tile, "height"), _cells(folder, tile, "control"), null]
		var north: float = float(tile["south_m"]) + float(manifest["tile"]["depth_m"])
		terrain.data.import_images(images, Vector3(tile["west_m"], 0.0, -north), 0.0, 1.0)
	terrain.data.calc_height_range(true)
	var regions := folder.path_join("terrain3d")
	DirAccess.make_dir_recursive_absolute(regions)
	terrain.data.save_directory(regions)
	terrain.data_directory = regions
	var scene := PackedScene.new()
	var failed := scene.pack(terrain)
	if not failed:
		failed = ResourceSaver.save(scene, folder.path_join("terrain3d.scn"), ResourceSaver.FLAG_COMPRESS)
	if failed:
		_stop(error_string(failed))
		return
	print("saved %s" % folder.path_join("terrain3d.scn"))
	quit()


func _stop(reason: String) -> void:
	push_error(reason)
	quit(1)


# The largest region whose borders lie on those of all tiles, in samples; 0 if there is none.
static func region_of(manifest: Dictionary) -> int:
	for size: int in REGIONS:
		var fits := (int(manifest["tile"]["rows"]) - 1) % size == 0 and (int(manifest["tile"]["columns"]) - 1) % size == 0
		for tile: Dictionary in manifest["tiles"]:
			for metres: float in [tile["west_m"], tile["south_m"]]:
				var samples := metres / float(manifest["land"]["spacing_east_m"])
				fits = fits and absf(samples / size - roundf(samples / size)) < 1e-4
		if fits:
			return size
	return 0


# Without the last row and column, which the next tile has, too.
func _cells(folder: String, tile: Dictionary, kind: String) -> Image:
	var image := Image.new()
	image.load(folder.path_join(tile["files"][kind]))
	image.convert(Image.FORMAT_RF)
	return image.get_region(Rect2i(0, 0, image.get_width() - 1, image.get_height() - 1))


# One texture for each layer: colours with heights, and normals with roughness.
func _assets(folder: String, layers: Array) -> Resource:
	var assets: Resource = ClassDB.instantiate("Terrain3DAssets")
	for number in layers.size():
		var ground: Dictionary = layers[number]["ground"]
		var packed := Image.load_from_file(folder.path_join(ground["packed"]))
		var texture: Resource = ClassDB.instantiate("Terrain3DTextureAsset")
		texture.name = layers[number]["name"]
		texture.id = number
		texture.albedo_texture = ImageTexture.create_from_image(
			with_alpha(folder.path_join(ground["colour"]), packed, 2)
		)
		texture.normal_texture = ImageTexture.create_from_image(
			with_alpha(folder.path_join(ground["normal"]), packed, 1)
		)
		texture.uv_scale = 1.0 / float(ground["side_m"])
		assets.set_texture(number, texture)
	return assets


# A picture whose alpha is a channel of another one.
static func with_alpha(path: String, packed: Image, channel: int) -> Image:
	var image := Image.load_from_file(path)
	image.convert(Image.FORMAT_RGBA8)
	if packed.get_size() != image.get_size():
		packed.resize(image.get_width(), image.get_height())
	packed.convert(Image.FORMAT_RGB8)
	var texels := image.get_data()
	var numbers := packed.get_data()
	for i in image.get_width() * image.get_height():
		texels[4 * i + 3] = numbers[3 * i + channel]
	var joined := Image.create_from_data(image.get_width(), image.get_height(), false, Image.FORMAT_RGBA8, texels)
	joined.generate_mipmaps()
	return joined
