"""nymity: publish tables about people with a guarantee that is stated, proved and measured."""
