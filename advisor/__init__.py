"""The house of hkgpu: what we know, how we estimate, what the rules conclude. No user interface."""
