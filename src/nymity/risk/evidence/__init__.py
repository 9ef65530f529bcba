"""Evidence: what a column's name, values, distribution and company say about its role. One kind per file."""
