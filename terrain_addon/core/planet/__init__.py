"""Planets: relief, climate and colours on a sphere of six square faces."""
