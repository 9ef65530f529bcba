"""Where a release and what only the custodian may see of it lie: custody and its end, logs, the keys of draws."""
