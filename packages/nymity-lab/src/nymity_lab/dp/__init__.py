"""Private methods to compare with: as published, baselines, and those of others."""
