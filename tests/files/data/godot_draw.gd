# Draws pictures of the preview of a package, and says what is in each: `draw.json` in the project names the scene, the
# folder of the pictures, and the places of the eye (east, above the ground, south, degrees to the left of the north,
# degrees upwards, the vertical field of view, and perhaps 1 for an altitude instead of metres above the ground).
# Without places a walker goes 200 m ahead.
extends SceneTree

const WALK := 200.0  # metres
const EYE := 1.7


func _initialize() -> void:
	var told: Dictionary = JSON.parse_string(FileAccess.get_file_as_string("res://draw.json"))
	var level: Node3D = load(told["scene"]).instantiate()
	root.add_child(level)
	# What a node does each frame begins only then.
	await process_frame
	await process_frame
	var walker: Camera3D = level.get_node("Walker")
	walker.set_physics_process(false)
	walker.make_current()
	var views: Array = told.get("views", [])
	if views.is_empty():
		var ahead := -walker.global_basis.z
		for step in int(told["steps"]):
			var at := walker.position + ahead * WALK * step / maxf(told["steps"] - 1.0, 1.0)
			views.append([at.x, EYE, at.z, walker.rotation_degrees.y, 0.0, 75.0])
	var said: Array[Dictionary] = []
	for number in views.size():
		var view: Array = views[number]
		var is_altitude: bool = view.size() > 6 and view[6]
		var ground := 0.0 if is_altitude else ground_at(level, view[0], view[2])
		walker.position = Vector3(view[0], ground + float(view[1]), view[2])
		walker.rotation_degrees = Vector3(view[4], view[3], 0.0)
		walker.fov = view[5]
		for plants: Node3D in level.find_children("Plants", "Node3D", true, false):
			plants.show_around(plants.to_local(walker.global_position), 40.0, 0, plants.groups.size() / 3)
		for details: Node3D in level.find_children("Details", "Node3D", true, false):
			details.show_around(details.to_local(walker.global_position), 1000)
		for frame in 4:
			await process_frame
		await RenderingServer.frame_post_draw
		var image := root.get_texture().get_image()
		image.save_png(String(told["out"]).path_join("frame_%02d.png" % number))
		var near := near_plants(level, walker.global_position)
		said.append({
			"place": [walker.position.x, walker.position.y, walker.position.z],
			"seen": root.get_render_info(Viewport.RENDER_INFO_TYPE_VISIBLE, Viewport.RENDER_INFO_PRIMITIVES_IN_FRAME),
			"shadows": root.get_render_info(Viewport.RENDER_INFO_TYPE_SHADOW, Viewport.RENDER_INFO_PRIMITIVES_IN_FRAME),
			"draws": RenderingServer.get_rendering_info(RenderingServer.RENDERING_INFO_TOTAL_DRAW_CALLS_IN_FRAME),
			"near": near.x,
			"fine": near.y,
			"stems": stems_hit(level),
		})
	print("SAID ", JSON.stringify(said))
	quit()


func ground_at(level: Node3D, east: float, south: float) -> float:
	var above := Vector3(east, 9e3, south)
	var ray := PhysicsRayQueryParameters3D.create(above, above - Vector3(0, 18e3, 0))
	var hit := level.get_world_3d().direct_space_state.intersect_ray(ray)
	return hit["position"].y if hit else 0.0


# How many plants stand within 10 m, and how many of them Godot draws at the finest level.
func near_plants(level: Node3D, eye: Vector3) -> Vector2i:
	var found := Vector2i.ZERO
	for node: MultiMeshInstance3D in level.find_children("Group * LOD0", "MultiMeshInstance3D", true, false):
		var away := node.to_global(node.custom_aabb.get_center()).distance_to(eye)
		var buffer := node.multimesh.buffer
		for at in range(0, buffer.size(), 12):
			if Vector3(buffer[at + 3], buffer[at + 7], buffer[at + 11]).distance_to(eye) < 10.0:
				found += Vector2i(1, int(away < node.visibility_range_end))
	return found


# How many stems there are that stop bodies, and how many of them a ray hits at their surface.
func stems_hit(level: Node3D) -> Array:
	var stems := 0
	var hits := 0
	for body: StaticBody3D in level.find_children("Stems*", "StaticBody3D", true, false):
		for stem: CollisionShape3D in body.get_children():
			stems += 1
			var middle := stem.global_position
			var ray := PhysicsRayQueryParameters3D.create(middle + Vector3(2.0, 0.0, 0.0), middle)
			var hit := level.get_world_3d().direct_space_state.intersect_ray(ray)
			if hit and hit["collider"] == body:
				hits += 1
	return [stems, hits]
