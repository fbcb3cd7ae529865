"""Arrays become geometry: plants, triangles, sheets of water, detail below the mesh."""
