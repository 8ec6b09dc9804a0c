"""Checks a compiled odds model that came over the wire, before anybody plays with it.

The host compiles and checks models; this is for what got lost or was sent by something else.
"""

KEYS = (
    "name",
    "chances",
    "max_blanks",
    "max_launches",
    "rapid",
    "sequence",
    "length",
    "reset_on",
    "cards",
)


def is_sound(model, most_cards):
    """Whether `model` has the form that `odds.Odds` describes, within `most_cards` a launch."""
    try:
        return _sound(model, most_cards)
    except (TypeError, KeyError, ValueError, IndexError, AttributeError):
        return False


def _sound(model, most_cards):
    if set(model) != set(KEYS) or not isinstance(model["name"], str):
        return False
    rapid, sequence = model["rapid"], model["sequence"]
    if rapid is not None and not (rapid["within_s"] > 0 and _chances(rapid["factors"])):
        return False
    if sequence:
        places = all(isinstance(place, int) and 1 <= place <= model["length"] for place in sequence)
        if not places:
            return False
    elif not _chances(model["chances"]):
        return False
    most = model["max_launches"]
    bounds = model["max_blanks"] >= 0 and (most is None or most >= 1)
    resets = all(reason in ("lid", "power") for reason in model["reset_on"])
    laws = model["cards"]
    return bounds and resets and len(laws) > 0 and all(_law(law, most_cards) for law in laws)


def _chances(values):
    return len(values) > 0 and all(0 <= value <= 1 for value in values)


def _law(law, most_cards):
    """Rising counts with rising chances, the last one 1."""
    last, chance = 0, 0
    for count, up_to in law:
        if not isinstance(count, int) or not last < count <= most_cards or not chance <= up_to <= 1:
            return False
        last, chance = count, up_to
    return len(law) > 0 and chance == 1
