"""Commands of the lab: ``nymity bench`` and ``nymity study``."""
