"""Plants as instances: their models, the nodes that place them, and edits by hand."""
