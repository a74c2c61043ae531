"""Where hkgpu speaks: thin faces over `advisor.consult`, with no advice of their own."""
