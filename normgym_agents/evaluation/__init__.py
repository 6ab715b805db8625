"""Evaluation: suites become episodes, episodes become records, records become numbers with intervals."""
