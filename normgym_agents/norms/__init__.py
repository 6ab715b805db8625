"""Norms: the language, cards, the hypothesis space and the ideal observer. Pure."""
