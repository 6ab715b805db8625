"""Worlds: settings, transition model, tasks, planner, evidence, sampling and certificates. Pure."""
