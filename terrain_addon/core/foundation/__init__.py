"""What every model stands on: grids and fields, parameters, compiled kernels, hashes, progress."""
