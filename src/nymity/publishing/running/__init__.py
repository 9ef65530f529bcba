"""The way of a job to its release, in memory or in an engine; as a call, and as a transformer of scikit-learn."""
