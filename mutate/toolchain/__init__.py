"""CUDA's own tools without a GPU: NVRTC to compile, cubins to read, a cache for both."""
