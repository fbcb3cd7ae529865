"""Work while Blender runs: jobs, lands that follow their recipes, previews, animation, undo, opened files."""
