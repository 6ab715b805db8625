from __future__ import annotations

from hypothesis import settings

# How long an example takes is the machine's affair: what is shown here is what norms mean.
settings.register_profile("norms", deadline=None)
settings.load_profile("norms")
