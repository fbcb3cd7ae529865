"""Erosion: processes that change the surface of a land by moving rock and sediment."""
