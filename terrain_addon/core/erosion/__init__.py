"""A surface out of a surface: processes that move rock and sediment."""
