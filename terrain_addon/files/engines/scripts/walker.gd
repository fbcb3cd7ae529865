# Walks over the land: W, A, S, D or the arrows, the mouse while its right button is down, Shift to run.
extends Camera3D

const EYE := 1.7  # metres above the ground
const WALK := 2.5  # metres a second
const RUN := 25.0

@export var start_height := 1000.0  # metres from which the ground is looked for at first
@export_flags_3d_physics var ground := 1  # layers of the bodies that it stands on


func _ready() -> void:
	position.y = start_height


func _physics_process(delta: float) -> void:
	var along := Vector3.ZERO
	along.z = _pressed(KEY_S, KEY_DOWN) - _pressed(KEY_W, KEY_UP)
	along.x = _pressed(KEY_D, KEY_RIGHT) - _pressed(KEY_A, KEY_LEFT)
	var speed := RUN if Input.is_physical_key_pressed(KEY_SHIFT) else WALK
	position += Basis(Vector3.UP, rotation.y) * along.limit_length(1.0) * speed * delta
	var hit := _ground_below(position.y)
	if hit.is_empty():
		# Where it is steep, one step can lead into the land.
		hit = _ground_below(start_height)
	if not hit.is_empty():
		position.y = hit["position"].y + EYE


# From the eye and not from the sky: under a bridge it stays under the bridge.
func _ground_below(height: float) -> Dictionary:
	var above := Vector3(position.x, height, position.z)
	var ray := PhysicsRayQueryParameters3D.create(above, above - Vector3(0.0, 20000.0, 0.0), ground)
	return get_world_3d().direct_space_state.intersect_ray(ray)


func _unhandled_input(event: InputEvent) -> void:
	var motion := event as InputEventMouseMotion
	if motion != null and motion.button_mask & MOUSE_BUTTON_MASK_RIGHT:
		rotation.y -= 0.004 * motion.relative.x
		rotation.x = clampf(rotation.x - 0.004 * motion.relative.y, -1.4, 1.4)


func _pressed(key: Key, other: Key) -> float:
	return 1.0 if Input.is_physical_key_pressed(key) or Input.is_physical_key_pressed(other) else 0.0
