"""Tables as nymity sees them: roles, schema, hierarchies, encoded columns, classes, recodings."""
