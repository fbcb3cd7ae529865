"""Climate of a landscape: rain that the wind brings, temperature, moisture and snow."""
