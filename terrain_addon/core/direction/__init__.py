"""What somebody draws on a land, and how the land follows it: courses, forms, fixed levels, roads."""
