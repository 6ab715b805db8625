"""What helps people to write personas, cards, communities and settings: schemas, checks, drafts and imports."""
