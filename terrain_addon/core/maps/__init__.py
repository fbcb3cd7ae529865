"""What a surface tells: slope, light, water."""
