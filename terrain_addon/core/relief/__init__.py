"""A surface out of nothing, or out of a measured one."""
