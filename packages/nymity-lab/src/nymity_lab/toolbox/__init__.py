"""What statistics offices use today, written from its description, to compare with."""
