"""Releases: one that was made, one that lies somewhere and was opened, and the files of both."""
