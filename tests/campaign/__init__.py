"""The long adversary: random jobs on hostile tables, judged by code that knows nothing of nymity's models."""
