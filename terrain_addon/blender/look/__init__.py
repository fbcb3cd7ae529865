"""How a land looks: materials, light, air, cameras, maps as colours."""
