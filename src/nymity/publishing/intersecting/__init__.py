"""What is left of the promises when a release is intersected with earlier ones of the same people."""
