"""The terminal face of hkgpu."""
