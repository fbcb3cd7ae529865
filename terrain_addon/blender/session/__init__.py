"""What happens while Blender runs: jobs, live following, undo, loading."""
