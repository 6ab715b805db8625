"""What connects a run to observability tools: collector config, compose file, saved queries, recipes."""
