"""Local recoding: partitions of the records into classes, each published with cells of its own."""
