"""From a raw file to a checked release, as a user goes."""
