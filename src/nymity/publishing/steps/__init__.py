"""What a run does to a table besides recoding it: where its search begins, transforms, pseudonyms, shifted dates."""
