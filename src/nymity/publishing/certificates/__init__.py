"""What is told of a release: verification, the certificate and its form, and where one contradicts itself."""
