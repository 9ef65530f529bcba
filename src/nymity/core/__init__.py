"""What every other package stands on: errors, parameter checks, progress, randomness, optional imports."""
