"""Holding a release that somebody received against its certificate or a job."""
