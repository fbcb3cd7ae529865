"""The snow of a winter: what falls and melts, what the wind drifts, and what slides off steep slopes."""
