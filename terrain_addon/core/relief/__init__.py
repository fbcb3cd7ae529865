"""The sources of a surface: noise, displaced midpoints, a volcano, measured elevation; and its shaping as a whole."""
