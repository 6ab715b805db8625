"""Newcomers: the contract, adapters, loading, and reference newcomers."""
