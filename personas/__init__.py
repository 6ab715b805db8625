"""Authored YAML: personas, norm cards, settings and communities."""
