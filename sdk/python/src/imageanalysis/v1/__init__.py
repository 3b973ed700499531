"""Messages and stubs, generated from the protos."""
