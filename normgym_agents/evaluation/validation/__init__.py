"""Do the metrics recover the truth? Simulated learners whose truth is known, measured like anybody else."""
