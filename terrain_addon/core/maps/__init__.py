"""Maps: fields that are measured on a surface, such as slope, curvature, light and wetness."""
