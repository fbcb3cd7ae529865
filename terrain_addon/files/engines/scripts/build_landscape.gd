# Builds the scene of a landscape package: land with levels of detail, collision, water, roads, plants.
#
# import_godot.gd saves it.  A game takes the saved scene: the files it is built from are not exported with a game.
extends RefCounted

const LOD_DISTANCE := 2.0  # extents of a piece of land at which its next level of detail begins

const TONE_MAPPER_AGX := 4  # Environment.TONE_MAPPER_AGX

const SHADOWS := 7000.0  # metres from the eye to which things cast shadows

const START_TRIES := 40  # places along each side of a tile at which a walker could start
const START_SLOPE := 0.25

const LARGEST_PICTURE := 2048  # of the ground; eight layers of this size take half a gigabyte

# Layers of collision: all bodies are on the first one, land and roads also on a layer of their own, and stems, too.
const GROUND_LAYER := 1 << 30
const STEM_LAYER := 1 << 31
const EVERY_BODY := 1

# The corners of the two triangles of a cell, clockwise from above, as samples to the east and south of its first one.
const CELL_CORNERS: Array[Vector2i] = [
	Vector2i(0, 1), Vector2i(0, 0), Vector2i(1, 0), Vector2i(0, 1), Vector2i(1, 0), Vector2i(1, 1)
]

const EXACT_POSITIONS := 64  # EditorSceneFormatImporter.IMPORT_FORCE_DISABLE_MESH_COMPRESSION, which games do not know


static func build(folder: String, is_streamed := false) -> Node3D:
	var manifest: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(folder.path_join("manifest.json")))
	if manifest.get("format") != "landscape package" or manifest["engine"] != "godot":
		push_error("%s holds no landscape package for Godot" % folder)
		return null
	var root := Node3D.new()
	root.name = manifest["name"]
	var plants := _plant_meshes(folder, manifest)
	var ground := {}
	if is_streamed:
		_save_tiles(root, folder, manifest, plants)
	else:
		for tile: Dictionary in manifest["tiles"]:
			root.add_child(_tile(folder, manifest, tile, ground, plants))
	for file: String in manifest["water"]:
		if not file.begins_with("meshes/water_"):
			var water := _water(folder.path_join(file))
			water.name = "Sea around" if file.ends_with("sea_around.glb") else "Water"
			root.add_child(water)
	if manifest.has("roads"):
		var roads := load_glb(folder.path_join(manifest["roads"]))
		roads.name = "Roads"
		for part in roads.find_children("*", "MeshInstance3D", true, false):
			roads.add_child(_ground_body((part as MeshInstance3D).mesh.create_trimesh_shape()))
		root.add_child(roads)
	if manifest.has("road_records"):
		var records: Dictionary = JSON.parse_string(
			FileAccess.get_file_as_string(folder.path_join(manifest["road_records"]))
		)
		for road: Dictionary in records["roads"]:
			root.add_child(road_path(road))
	var navigation := Node3D.new()
	navigation.name = "Navigation"
	navigation.set_script(load(folder.path_join("navigation.gd")))
	var walker: Dictionary = manifest["walker"]
	navigation.agent_height = walker["height_m"]
	navigation.agent_radius = walker["radius_m"]
	navigation.agent_step = walker["step_m"]
	navigation.steepest = walker["steepest_deg"]
	navigation.low = manifest["height"]["lowest_m"]
	navigation.high = manifest["height"]["highest_m"]
	root.add_child(navigation)
	_own(root, root)
	return root


# A tile with its land, plants, details and water.
static func _tile(
	folder: String, manifest: Dictionary, tile: Dictionary, ground: Dictionary, plants: Array[Mesh]
) -> Node3D:
	var node := Node3D.new()
	node.name = "Tile %d %d" % [tile["row"], tile["column"]]
	_add_land(node, folder, manifest, tile, ground)
	node.add_child(_land_body(folder, manifest, tile))
	if tile["files"].has("instances"):
		_add_plants(node, folder, manifest, tile, plants)
	_add_details(node, folder, manifest, tile)
	if tile["files"].has("water"):
		node.add_child(_water(folder.path_join(tile["files"]["water"])))
	return node


static func _water(path: String) -> Node3D:
	var water := load_glb(path)
	water.name = "Water"
	return water


# Saves each tile as a scene in the folder `tiles`, and lets stream.gd load those near the camera.  What tiles share lies
# there in files of its own.
static func _save_tiles(root: Node3D, folder: String, manifest: Dictionary, plants: Array[Mesh]) -> void:
	var tiles := folder.path_join("tiles")
	DirAccess.make_dir_recursive_absolute(tiles)
	var kept: Array[Resource] = []
	for mesh in plants:
		for surface in mesh.get_surface_count():
			var material := mesh.surface_get_material(surface) as ShaderMaterial
			for uniform: Dictionary in material.shader.get_shader_uniform_list():
				_keep(material.get_shader_parameter(uniform["name"]), tiles, kept)
			_keep(material, tiles, kept)
		_keep(mesh, tiles, kept)
	root.set_script(load(folder.path_join("stream.gd")))
	var measures: Dictionary = manifest["tile"]
	root.size = Vector2(measures["width_m"], measures["depth_m"])
	var scenes := PackedStringArray()
	var corners := PackedVector2Array()
	var ground := {}
	for tile: Dictionary in manifest["tiles"]:
		var node := _tile(folder, manifest, tile, ground, plants)
		for images: Array[Image] in ground.values():
			for image in images:
				_keep(image, tiles, kept)
		_own(node, node)
		var scene := PackedScene.new()
		scene.pack(node)
		scenes.append(tiles.path_join("tile_%d_%d.scn" % [tile["row"], tile["column"]]))
		corners.append(Vector2(tile["west_m"], -float(tile["south_m"]) - float(measures["depth_m"])))
		ResourceSaver.save(scene, scenes[-1], ResourceSaver.FLAG_COMPRESS)
		node.free()
	root.scenes = scenes
	root.corners = corners


# Gives a resource a file of its own, so that scenes refer to it.
static func _keep(thing: Variant, folder: String, kept: Array[Resource]) -> void:
	if not thing is Resource or (thing as Resource).resource_path.begins_with("res://"):
		return
	var resource := thing as Resource
	kept.append(resource)
	var path := folder.path_join("shared_%d.res" % kept.size())
	ResourceSaver.save(resource, path, ResourceSaver.FLAG_COMPRESS)
	resource.take_over_path(path)  # FLAG_CHANGE_PATH gives it back its old one


# A scene with a landscape, sun, sky, haze and a walker: what one sees first.
static func preview(folder: String, land: PackedScene) -> Node3D:
	var manifest: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(folder.path_join("manifest.json")))
	var light: Dictionary = manifest["daylight"]
	var root := Node3D.new()
	root.name = "Preview"
	root.add_child(land.instantiate())
	var sun := DirectionalLight3D.new()
	sun.name = "Sun"
	sun.rotation_degrees = Vector3(-float(light["sun_elevation_deg"]), 180.0 - float(light["sun_bearing_deg"]), 0.0)
	sun.light_color = _colour(light["sun_linear_colour"])
	sun.light_energy = light["sun_radiance"]
	sun.light_angular_distance = 0.53
	sun.shadow_enabled = true
	# Fine shadows near the walker, and mountains that shade valleys.
	sun.directional_shadow_max_distance = SHADOWS
	sun.directional_shadow_split_1 = 0.02
	sun.directional_shadow_split_2 = 0.08
	sun.directional_shadow_split_3 = 0.3
	root.add_child(sun)
	var air := Environment.new()
	air.background_mode = Environment.BG_SKY
	air.sky = Sky.new()
	air.sky.sky_material = ShaderMaterial.new()
	air.sky.sky_material.shader = load(folder.path_join("sky.gdshader"))
	for part: String in light["sky"]:
		var shade: Array = light["sky"][part]
		air.sky.sky_material.set_shader_parameter(part, Vector3(shade[0], shade[1], shade[2]))
	# AgX is known from 4.4 on.
	air.tonemap_mode = TONE_MAPPER_AGX if Engine.get_version_info()["hex"] >= 0x040400 else Environment.TONE_MAPPER_ACES
	if "tonemap_agx_contrast" in air:  # from 4.6 on
		air.tonemap_agx_contrast = 1.5
	air.fog_enabled = true
	air.fog_light_color = _colour(light["haze_linear_colour"])
	air.fog_density = light["haze_above_per_m"]
	air.fog_aerial_perspective = 0.5
	air.fog_sky_affect = 0.0
	var world := WorldEnvironment.new()
	world.name = "Air"
	world.environment = air
	root.add_child(world)
	var walker := Camera3D.new()
	walker.name = "Walker"
	walker.set_script(load(folder.path_join("walker.gd")))
	walker.far = 4.0 * maxf(manifest["land"]["width_m"], manifest["land"]["depth_m"])
	walker.start_height = manifest["height"]["highest_m"] + 10.0
	walker.ground = GROUND_LAYER
	var start := start_of(folder, manifest)
	walker.position = Vector3(start.x, 0.0, start.y)
	walker.rotation_degrees.y = start.z
	root.add_child(walker)
	for child in root.get_children():
		child.owner = root
	return root


# Where a walker starts, in metres to the east and south, and to which side it looks, in degrees to the left of the north:
# in a clearing of a wood on gentle ground, with the sun aside or behind and the highest mountains ahead.
static func start_of(folder: String, manifest: Dictionary) -> Vector3:
	var tiles: Array = manifest["tiles"]
	var tile: Dictionary = tiles[tiles.size() / 2]
	var measures: Dictionary = manifest["tile"]
	var size := Vector2(measures["width_m"], measures["depth_m"])
	var corner := Vector2(tile["west_m"], -float(tile["south_m"]) - size.y)
	var samples := Vector2i(int(measures["columns"]), int(measures["rows"]))
	var heights := load_heights(folder, tile)
	var crowns: Image = null
	if tile["files"].has("canopy"):
		crowns = Image.load_from_file(folder.path_join(tile["files"]["canopy"]))
	var best := Vector2(0.5, 0.5)
	var most := -INF
	for number in START_TRIES * START_TRIES if crowns != null else 0:
		var place := Vector2(number % START_TRIES + 0.5, number / START_TRIES + 0.5) / START_TRIES * 0.8 + Vector2(0.1, 0.1)
		var wood := _crowns_around(crowns, place, 6)
		var score := wood * (1.0 - wood) - 2.0 * _crowns_around(crowns, place, 0) - _crowns_around(crowns, place, 1)
		if score > most:
			var at := Vector2i((place * Vector2(samples - Vector2i.ONE)).round())
			var rise := _sample(heights, samples, at + Vector2i(1, 0)) - _sample(heights, samples, at - Vector2i(1, 0))
			var fall := _sample(heights, samples, at + Vector2i(0, 1)) - _sample(heights, samples, at - Vector2i(0, 1))
			if Vector2(rise * samples.x / size.x, fall * samples.y / size.y).length() < 2.0 * START_SLOPE:
				most = score
				best = place
	var eye := _sample(heights, samples, Vector2i((best * Vector2(samples - Vector2i.ONE)).round()))
	var turn := 0.0
	var highest := -1.0
	for number in 24:
		var bearing := 15.0 * number
		var from_sun := absf(wrapf(bearing - float(manifest["daylight"]["sun_bearing_deg"]), -180.0, 180.0))
		var ahead := Vector2(sin(deg_to_rad(bearing)), -cos(deg_to_rad(bearing)))
		var skyline := 0.0
		for step in range(1, 40):
			var there := best + ahead * 100.0 * step / size
			if Rect2(0.0, 0.0, 1.0, 1.0).has_point(there):
				var at := Vector2i((there * Vector2(samples - Vector2i.ONE)).round())
				skyline = maxf(skyline, (_sample(heights, samples, at) - eye) / (100.0 * step))
		if from_sun > 75.0 and skyline > highest:
			highest = skyline
			turn = -bearing
	return Vector3(corner.x + best.x * size.x, corner.y + best.y * size.y, turn)


# Mean share of crowns in so many cells around a place, whose parts are shares of the tile.
static func _crowns_around(crowns: Image, place: Vector2, reach: int) -> float:
	var middle := Vector2i(place * Vector2(crowns.get_size()))
	var around := Rect2i(middle - Vector2i.ONE * reach, Vector2i.ONE * (2 * reach + 1))
	around = around.intersection(Rect2i(Vector2i.ZERO, crowns.get_size()))
	var sum := 0.0
	for y in range(around.position.y, around.end.y):
		for x in range(around.position.x, around.end.x):
			sum += crowns.get_pixel(x, y).r
	return sum / maxi(around.get_area(), 1)


static func _sample(heights: PackedFloat32Array, samples: Vector2i, at: Vector2i) -> float:
	at = at.clamp(Vector2i.ZERO, samples - Vector2i.ONE)
	return heights[at.y * samples.x + at.x]


static func _colour(linear: Array) -> Color:
	return Color(linear[0], linear[1], linear[2]).linear_to_srgb()


# The middle of a road as a curve, for cars that follow it and meshes that are laid along it.
static func road_path(road: Dictionary) -> Path3D:
	var x: Array = road["points_m"]["x"]
	var y: Array = road["points_m"]["y"]
	var z: Array = road["points_m"]["z"]
	var points := PackedVector3Array()
	for i in x.size():
		points.append(Vector3(x[i], z[i], -y[i]))
	var path := Path3D.new()
	path.name = "Road %s" % road["name"]
	path.curve = Curve3D.new()
	for i in points.size():
		var along := (points[mini(i + 1, points.size() - 1)] - points[maxi(i - 1, 0)]) / 6.0
		path.curve.add_point(points[i], -along, along)
	return path


static func load_glb(path: String) -> Node3D:
	var document := GLTFDocument.new()
	var state := GLTFState.new()
	var failed := document.append_from_file(path, state, EXACT_POSITIONS)
	if failed:
		push_error("%s: %s" % [path, error_string(failed)])
		return Node3D.new()
	return document.generate_scene(state)


# Metres above 0 in the tile's samples, row by row from the north-west.
static func load_heights(folder: String, tile: Dictionary) -> PackedFloat32Array:
	var image := Image.new()
	image.load(folder.path_join(tile["files"]["height"]))
	image.convert(Image.FORMAT_RF)
	return image.get_data().to_float32_array()


static func _add_land(node: Node3D, folder: String, manifest: Dictionary, tile: Dictionary, ground: Dictionary) -> void:
	var level := 0
	var material: Material = null
	while tile["files"].has("land_lod%d" % level):
		var land := load_glb(folder.path_join(tile["files"]["land_lod%d" % level]))
		land.name = "Land LOD%d" % level
		node.add_child(land)
		var last: bool = not tile["files"].has("land_lod%d" % (level + 1))
		for piece in land.find_children("*", "MeshInstance3D", true, false):
			var mesh := piece as MeshInstance3D
			if material == null:
				material = _land_material(mesh.mesh.surface_get_material(0), folder, manifest, tile)
				if material is ShaderMaterial:
					node.add_child(_ground(material, folder, manifest, ground))
			mesh.mesh.surface_set_material(0, material)
			var box := mesh.get_aabb()
			_show_between(mesh, level, last, LOD_DISTANCE * maxf(box.size.x, box.size.z))
		level += 1


# The shader of the ground, or if the package has no pictures of it the given material.
static func _land_material(
	given: StandardMaterial3D, folder: String, manifest: Dictionary, tile: Dictionary
) -> Material:
	var colours := _mipmapped(given.albedo_texture)
	if not manifest["layers"][0].has("ground"):
		given.albedo_texture = colours
		given.texture_filter = BaseMaterial3D.TEXTURE_FILTER_LINEAR_WITH_MIPMAPS_ANISOTROPIC
		return given
	var material := ShaderMaterial.new()
	material.resource_name = "Land"
	material.shader = load(folder.path_join("land.gdshader"))
	material.set_shader_parameter("macro", colours)
	for number in 2:
		var weights := _picture(folder.path_join(tile["files"]["weights_%d" % number]), {})
		material.set_shader_parameter("weights_%d" % number, weights)
	material.set_shader_parameter("normal_map", _picture(folder.path_join(tile["files"]["normal"]), {}))
	material.set_shader_parameter("tile_size", Vector2(manifest["tile"]["width_m"], manifest["tile"]["depth_m"]))
	if tile["files"].has("canopy"):
		material.set_shader_parameter("canopy", _picture(folder.path_join(tile["files"]["canopy"]), {}))
	var sides: Array = manifest["layers"].map(func(layer: Dictionary) -> float: return layer["ground"]["side_m"])
	material.set_shader_parameter("sides_0", Vector4(sides[0], sides[1], sides[2], sides[3]))
	material.set_shader_parameter("sides_1", Vector4(sides[4], sides[5], sides[6], sides[7]))
	return material


# The node that gives a material the pictures of all layers, which tiles share.
static func _ground(material: ShaderMaterial, folder: String, manifest: Dictionary, ground: Dictionary) -> Node:
	if ground.is_empty():
		for kind: String in ["colour", "normal", "packed"]:
			ground[kind] = _images_of_one_size(
				manifest["layers"].map(func(layer: Dictionary) -> String: return folder.path_join(layer["ground"][kind]))
			)
	var node := Node.new()
	node.name = "Ground"
	node.set_script(load(folder.path_join("ground.gd")))
	node.material = material
	node.colours = ground["colour"]
	node.normals = ground["normal"]
	node.numbers = ground["packed"]
	return node


# Pictures of all layers, as large as the largest of them: the user's own have any size.
static func _images_of_one_size(paths: Array) -> Array[Image]:
	var images: Array[Image] = []
	for path: String in paths:
		images.append(Image.load_from_file(path))
	var sides := images.map(func(image: Image) -> int: return maxi(image.get_width(), image.get_height()))
	var side := mini(sides.max(), LARGEST_PICTURE)
	for image in images:
		if image.get_width() != side or image.get_height() != side:
			image.resize(side, side, Image.INTERPOLATE_LANCZOS)
		image.generate_mipmaps()
	return images


static func _land_body(folder: String, manifest: Dictionary, tile: Dictionary) -> StaticBody3D:
	var land: Dictionary = manifest["land"]
	var size: Dictionary = manifest["tile"]
	var samples := Vector2i(int(size["columns"]), int(size["rows"]))
	var cell := Vector2(land["spacing_east_m"], land["spacing_north_m"])
	var middle := Vector3(
		float(tile["west_m"]) + float(size["width_m"]) / 2.0, 0.0, -float(tile["south_m"]) - float(size["depth_m"]) / 2.0
	)
	var heights := load_heights(folder, tile)
	if not is_equal_approx(cell.x, cell.y):
		# Godot knows no height map with cells that are not square.
		var corner := Vector2(middle.x - float(size["width_m"]) / 2.0, middle.z - float(size["depth_m"]) / 2.0)
		var shape := ConcavePolygonShape3D.new()
		shape.set_faces(land_triangles(heights, samples, corner, cell))
		return _ground_body(shape)
	# A height map has cells of 1 m, and is scaled evenly.
	for i in heights.size():
		heights[i] /= cell.x
	var map := HeightMapShape3D.new()
	map.map_width = samples.x
	map.map_depth = samples.y
	map.map_data = heights
	var body := _ground_body(map)
	var collision := body.get_child(0) as CollisionShape3D
	collision.scale = Vector3.ONE * cell.x
	collision.position = middle
	return body


# Corners of the triangles of a land.  `corner` is its north-western one, in metres to the east and south.  Cells are
# divided from south-west to north-east, as those of height maps and of the land that is shown.
static func land_triangles(
	heights: PackedFloat32Array, samples: Vector2i, corner: Vector2, cell: Vector2
) -> PackedVector3Array:
	var corners := PackedVector3Array()
	corners.resize(6 * (samples.x - 1) * (samples.y - 1))
	var next := 0
	for row in samples.y - 1:
		for column in samples.x - 1:
			for step in CELL_CORNERS:
				var at := Vector2i(column, row) + step
				var place := corner + cell * Vector2(at)
				corners[next] = Vector3(place.x, heights[at.y * samples.x + at.x], place.y)
				next += 1
	return corners


# A body that one stands on.
static func _ground_body(shape: Shape3D) -> StaticBody3D:
	var body := StaticBody3D.new()
	body.name = "Collision"
	body.collision_layer = EVERY_BODY | GROUND_LAYER
	var collision := CollisionShape3D.new()
	collision.shape = shape
	body.add_child(collision)
	return body


# The meshes of all variants of all species, each from fine to coarse.
static func _plant_meshes(folder: String, manifest: Dictionary) -> Array[Mesh]:
	var meshes: Array[Mesh] = []
	var pictures := {}
	for species: Dictionary in manifest["species"]:
		var materials := {}
		for variant: Dictionary in species["variants"]:
			for level in variant["lods"].size():
				var file: String = variant["lods"][level]
				var shown := _shown(manifest, level, variant["lods"].size())
				var scene := load_glb(folder.path_join(file))
				var mesh := (scene.find_children("*", "MeshInstance3D", true, false)[0] as MeshInstance3D).mesh
				for surface in mesh.get_surface_count():
					var given := mesh.surface_get_material(surface) as BaseMaterial3D
					var part := given.resource_name.get_slice(" ", given.resource_name.get_slice_count(" ") - 1)
					var key := "%s %s" % [part, shown]
					if not materials.has(key):
						materials[key] = _plant_material(folder, species, part, given.albedo_color, pictures)
						materials[key].set_shader_parameter("shown", shown)
					mesh.surface_set_material(surface, materials[key])
				meshes.append(mesh)
				scene.free()
	return meshes


# Metres at which a plant begins to show, has begun, ends to show and has ended: the last two levels go over into each
# other plant by plant.
static func _shown(manifest: Dictionary, level: int, levels: int) -> Vector4:
	var ends: Array = manifest["placement"]["plant_level_ends_m"]
	var fade: float = manifest["placement"]["plant_fade_m"]
	var all := Vector4(-2.0, -1.0, 1e9, 2e9)
	if levels <= ends.size() or level < levels - 2:
		return all
	var end: float = ends[levels - 2]
	return Vector4(all.x, all.y, end, end + fade) if level == levels - 2 else Vector4(end, end + fade, all.z, all.w)


# A material of the shader beside this script; `pictures` are those that other species have loaded.
static func _plant_material(
	folder: String, species: Dictionary, part: String, colour: Color, pictures: Dictionary
) -> ShaderMaterial:
	var material := ShaderMaterial.new()
	material.resource_name = "%s %s" % [species["name"], part]
	material.set_shader_parameter("height", species["height_m"])
	if part == "far" and species.has("views"):
		var views: Dictionary = species["views"]
		material.shader = load(folder.path_join("far_plants.gdshader"))
		material.set_shader_parameter("picture", _picture(folder.path_join(views["colour"]), pictures))
		material.set_shader_parameter("surface", _picture(folder.path_join(views["surface"]), pictures))
		var cylinder: Array = views["cylinder_m"]
		material.set_shader_parameter("cylinder", Vector3(cylinder[0], cylinder[1], cylinder[2]))
		material.set_shader_parameter("views", views["along"])
		material.set_shader_parameter("margin", views["margin_texels"])
		material.set_shader_parameter("variants", float(views["variants"]))
		material.set_shader_parameter("cutoff", views["cutoff"])
		material.set_shader_parameter("glow", views["glow"])
		return material
	material.shader = load(folder.path_join("plants.gdshader"))
	var linear := colour.srgb_to_linear()
	material.set_shader_parameter("colour", Vector3(linear.r, linear.g, linear.b))
	material.set_shader_parameter("glow", 0.4 if part == "foliage" else 0.0)
	if species["skins"].has(part):
		var skin: Dictionary = species["skins"][part]
		material.set_shader_parameter("picture", _picture(folder.path_join(skin["colour"]), pictures))
		material.set_shader_parameter("normals", _picture(folder.path_join(skin["normal"]), pictures))
		material.set_shader_parameter("cutoff", skin["cutoff"])
		material.set_shader_parameter("one_sided", not skin["double_sided"])
	return material


static func _picture(path: String, pictures: Dictionary) -> Texture2D:
	if not pictures.has(path):
		var image := Image.load_from_file(path)
		image.generate_mipmaps()
		pictures[path] = ImageTexture.create_from_image(image)
	return pictures[path]


static func _add_plants(node: Node3D, folder: String, manifest: Dictionary, tile: Dictionary, meshes: Array[Mesh]) -> void:
	var first_model := []
	var models := 0
	var trunks := PackedFloat32Array()
	for species: Dictionary in manifest["species"]:
		first_model.append(models)
		models += species["variants"].size()
		for variant: Dictionary in species["variants"]:
			var trunk: Dictionary = variant.get("trunk", {"radius_m": 0.0, "height_m": 0.0})
			trunks.append_array(PackedFloat32Array([trunk["radius_m"], trunk["height_m"]]))
	var plants := Node3D.new()
	plants.name = "Plants"
	plants.set_script(load(folder.path_join("plants.gd")))
	plants.meshes = meshes
	plants.levels = meshes.size() / models
	plants.trunks = trunks
	plants.stem_layers = EVERY_BODY | STEM_LAYER
	plants.fade = manifest["placement"]["plant_fade_m"]
	plants.level_ends = PackedFloat32Array(manifest["placement"]["plant_level_ends_m"])
	plants.matrices = FileAccess.get_file_as_bytes(folder.path_join(tile["files"]["instances"])).to_float32_array()
	plants.boxes = FileAccess.get_file_as_bytes(folder.path_join(tile["files"]["plant_boxes"])).to_float32_array()
	var kinds := FileAccess.get_file_as_bytes(folder.path_join(tile["files"]["plant_groups"])).to_int32_array()
	var groups := PackedInt32Array()
	for at in range(0, kinds.size(), 6):
		groups.append_array(PackedInt32Array([first_model[kinds[at]] + kinds[at + 1], kinds[at + 4], kinds[at + 5]]))
	plants.groups = groups
	node.add_child(plants)


# Tufts, ferns and stones, which details.gd strews around the camera; their colours are those of the ground of the tile.
static func _add_details(node: Node3D, folder: String, manifest: Dictionary, tile: Dictionary) -> void:
	var details := Node3D.new()
	details.name = "Details"
	details.set_script(load(folder.path_join("details.gd")))
	var measures: Dictionary = manifest["tile"]
	details.size = Vector2(measures["width_m"], measures["depth_m"])
	details.corner = Vector2(tile["west_m"], -float(tile["south_m"]) - float(measures["depth_m"]))
	details.samples = Vector2i(int(measures["columns"]), int(measures["rows"]))
	details.heights = load_heights(folder, tile)
	var macro := _picture(folder.path_join(tile["files"]["colour"]), {})
	var kinds: Array[Dictionary] = []
	for kind: Dictionary in manifest["details"]:
		var material := ShaderMaterial.new()
		material.resource_name = kind["name"]
		material.shader = load(folder.path_join("details.gdshader"))
		material.set_shader_parameter("macro", macro)
		var corner: Vector2 = details.corner
		material.set_shader_parameter("tile", Vector4(corner.x, corner.y, details.size.x, details.size.y))
		material.set_shader_parameter("height", kind["height_m"])
		material.set_shader_parameter("sways", kind["sways"])
		var strewn := kind.duplicate()
		for part: String in ["meshes", "far_meshes"]:
			var meshes: Array[Mesh] = []
			for file: String in kind[part]:
				var scene := load_glb(folder.path_join(file))
				var mesh := (scene.find_children("*", "MeshInstance3D", true, false)[0] as MeshInstance3D).mesh
				for surface in mesh.get_surface_count():
					mesh.surface_set_material(surface, material)
				meshes.append(mesh)
				scene.free()
			strewn[part] = meshes
		strewn["density"] = Image.load_from_file(folder.path_join(tile["files"]["density_" + kind["name"]]))
		kinds.append(strewn)
	details.kinds = kinds
	node.add_child(details)


# The colours of a tile, once for all levels, with smaller copies for what is far.
static func _mipmapped(texture: Texture2D) -> Texture2D:
	var image := texture.get_image()
	if image.is_compressed():
		image.decompress()
	image.generate_mipmaps()
	return ImageTexture.create_from_image(image)


# Level 0 reaches to `distance`, each further one twice as far, the last one to the end of sight.
static func _show_between(node: GeometryInstance3D, level: int, last: bool, distance: float) -> void:
	node.visibility_range_begin = 0.0 if level == 0 else distance * pow(2.0, level - 1)
	node.visibility_range_end = 0.0 if last else distance * pow(2.0, level)


# Only nodes that have an owner are saved with a scene.
static func _own(node: Node, root: Node) -> void:
	for child in node.get_children():
		child.owner = root
		_own(child, root)
