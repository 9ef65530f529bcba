"""What a release lost, and what a table reaches: losses, metrics, estimates and privacy parameters."""
