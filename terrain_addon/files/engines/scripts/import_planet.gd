# Builds a scene of the planet that lies beside this script, and saves it there as planet.scn:
#
#     godot --headless --path PROJECT --script res://FOLDER/import_planet.gd
#
# The faces of the cube have their levels of detail by distance and the materials of the GLB file; their sea is part of
# them.  A shell around them is the air.
extends SceneTree

const FACES := 6
const LOD_DISTANCE := 2.0  # radii at which the next level of detail of a face begins, doubled for each
const AIR_RADIUS := 1.035  # of the shell, in radii
const AIR_COLOURS := {
	"living": Color(0.22, 0.48, 1.0),
	"rust": Color(0.85, 0.52, 0.30),
	"grey": Color(0.6, 0.6, 0.65),
	"frost": Color(0.45, 0.70, 1.0),
}
const EXACT_POSITIONS := 64  # EditorSceneFormatImporter.IMPORT_FORCE_DISABLE_MESH_COMPRESSION, which games do not know
const AIR_SHADER := "
shader_type spatial;
render_mode blend_add, depth_draw_never, shadows_disabled, specular_disabled, ambient_light_disabled;
uniform vec3 colour : source_color;
uniform float amount;
void fragment() {
	float rim = 1.0 - clamp(dot(NORMAL, VIEW), 0.0, 1.0);
	ALBEDO = colour;
	ALPHA = clamp(amount * (0.08 + 0.7 * rim * rim * rim) * smoothstep(0.0, 0.3, 1.0 - rim), 0.0, 1.0);
}
void light() {
	DIFFUSE_LIGHT += clamp(0.25 + dot(NORMAL, LIGHT), 0.0, 1.0) * ATTENUATION * LIGHT_COLOR;
}
"


func _init() -> void:
	var script: Script = get_script()
	var folder: String = script.resource_path.get_base_dir()
	var state := GLTFState.new()
	var failed := GLTFDocument.new().append_from_file(folder.path_join("planet.glb"), state, EXACT_POSITIONS)
	var root := Node3D.new()
	root.name = "Planet"
	if not failed:
		var recipe: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(folder.path_join("planet.json")))
		_add_air(root, recipe["look"], _add_faces(root, state))
		var scene := PackedScene.new()
		failed = scene.pack(root)
		if not failed:
			failed = ResourceSaver.save(scene, folder.path_join("planet.scn"), ResourceSaver.FLAG_COMPRESS)
	if failed:
		push_error(error_string(failed))
	else:
		print("saved %s" % folder.path_join("planet.scn"))
	root.free()
	quit(1 if failed else 0)


# Returns the radius.  The file holds the levels of each face one after the other, the finest first.
func _add_faces(root: Node3D, state: GLTFState) -> float:
	var meshes := state.get_meshes()
	var levels := meshes.size() / FACES
	var radius := 0.0
	for number in meshes.size():
		var level := number % levels
		var face := MeshInstance3D.new()
		face.name = "Face %d LOD%d" % [number / levels, level]
		face.mesh = (meshes[number] as GLTFMesh).mesh.get_mesh()
		if level == 0:
			var box := face.mesh.get_aabb()
			for corner: Vector3 in [box.position.abs(), box.end.abs()]:
				radius = maxf(radius, maxf(corner.x, maxf(corner.y, corner.z)))
		root.add_child(face)
		face.owner = root
	for number in meshes.size():
		var level := number % levels
		var face := root.get_child(number) as MeshInstance3D
		face.visibility_range_begin = 0.0 if level == 0 else LOD_DISTANCE * radius * pow(2.0, level - 1)
		face.visibility_range_end = 0.0 if level == levels - 1 else LOD_DISTANCE * radius * pow(2.0, level)
	return radius


func _add_air(root: Node3D, look: Dictionary, radius: float) -> void:
	if float(look["atmosphere"]) <= 0.0:
		return
	var shader := Shader.new()
	shader.code = AIR_SHADER
	var material := ShaderMaterial.new()
	material.shader = shader
	material.set_shader_parameter("colour", AIR_COLOURS[look["colours"]])
	material.set_shader_parameter("amount", float(look["atmosphere"]))
	var ball := SphereMesh.new()
	ball.radius = AIR_RADIUS * radius
	ball.height = 2.0 * ball.radius
	ball.radial_segments = 128
	ball.rings = 64
	ball.material = material
	var air := MeshInstance3D.new()
	air.name = "Air"
	air.mesh = ball
	air.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
	root.add_child(air)
	air.owner = root
