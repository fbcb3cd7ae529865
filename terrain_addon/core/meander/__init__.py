"""Wandering rivers: how the centre line of a river migrates over the years."""
