"""Mutants of the code that decides privacy: small wrong edits that some test must notice."""
