"""Landscapes as packages from which a game engine builds a level.

Each engine is one file with one record of the class `engine.Engine`; `package.ENGINES` lists them.
"""
