"""Glaciers: how ice flows, and where it lies today."""
