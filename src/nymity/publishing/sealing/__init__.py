"""What ties a release to those who made it: fingerprints of tables and files, signatures of certificates."""
