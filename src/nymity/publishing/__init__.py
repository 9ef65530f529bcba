"""From a job to a verified release: job, pipeline, release, certificate, check, measure, compare."""
