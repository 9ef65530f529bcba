"""What is asked: the job, its parts and tables, how it is read, written and checked, and all that it may name."""
