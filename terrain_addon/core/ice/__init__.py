"""Glaciers: how ice flows, and what it lives on."""
