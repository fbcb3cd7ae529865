"""What users see: the sidebar, menus, and Blender's command on a terminal.

`panels` lists and registers all panels.  Each other file shows one subject.
"""
