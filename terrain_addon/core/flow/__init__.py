"""Where water goes."""
