"""Everything that talks to Blender: the only part of the package that imports bpy."""
