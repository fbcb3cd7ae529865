"""What grows where."""
