"""Flow over land that is cut into blocks: each block is summarised, one graph joins them, each block is completed."""
