"""What every other module uses: grids and fields, parameters, compiled kernels, hashes, progress."""
