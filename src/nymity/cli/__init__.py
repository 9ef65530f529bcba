"""The command line: thin. Each command reads files, calls one function of nymity and shows what came back."""
