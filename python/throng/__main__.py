"""``python -m throng`` is the command ``throng``."""

from ._command import main

main()
