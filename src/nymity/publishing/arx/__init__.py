"""Projects of ARX as jobs of ours."""
