"""kmutate: what limits a CUDA kernel, found by experiment."""

__version__ = "0.1.0"
