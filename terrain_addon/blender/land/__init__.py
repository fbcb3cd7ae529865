"""Landscapes as objects: how they are built, shown, and kept together with their water and plants."""
