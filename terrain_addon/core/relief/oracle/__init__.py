"""Slow, plain, trusted definitions of noise, one point at a time, against which the fast row kernels are tested.

Nothing that makes a landscape imports from this folder.
"""
