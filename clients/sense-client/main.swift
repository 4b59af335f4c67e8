// Replaced by the real entry point.
