"""Where water flows: directions, depressions, drainage area, lakes and rivers."""
