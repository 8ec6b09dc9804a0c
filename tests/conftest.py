"""For all tests: hypothesis sets no deadlines, since a busy machine could break them."""

from hypothesis import settings

settings.register_profile("no deadlines", deadline=None)
settings.load_profile("no deadlines")
