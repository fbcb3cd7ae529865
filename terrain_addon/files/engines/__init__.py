"""Landscapes as packages from which a game engine builds a level."""
