"""What helps to write a job: a first look at the table, its levels, what promises cost, and the first job file."""
