"""No command loads this file."""
VALUE = 1 + 1
