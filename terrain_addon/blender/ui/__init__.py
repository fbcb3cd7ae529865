"""What users see: the sidebar, menus, and the command of Blender on a terminal."""
