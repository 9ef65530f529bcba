"""Settings to publish with, tried on the custodian's own table: the front of risk against usefulness."""
