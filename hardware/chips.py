"""The GPIO chips that drive a Raspberry Pi's 40-pin header, by what the kernel calls them.

The number of such a chip has changed between kernels; its label has not.
"""

from __future__ import annotations

HEADER_LABELS = ("pinctrl-rp1", "pinctrl-bcm2835", "pinctrl-bcm2711")  # Pi 5, Pi 0 to 3, Pi 4
