"""What is stored in a .blend: recipes as properties, arrays as meshes, attributes and images."""
