"""The launcher in a terminal: a live picture with keys; else plain lines."""
