"""Wild cases: files, frames, jobs, parameters, tampering and surroundings that nobody foresaw, each judged."""
