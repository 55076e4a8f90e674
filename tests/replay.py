"""Steps played out on a row, trusting that they are legal; for tests only."""

from collections.abc import Iterable

from positions import BAR, OFF, OPP_BAR, Row, pin_mask, with_pins


def replay(contact: str, row: Row, steps: Iterable[tuple[int, int]]) -> Row:
    """The row after steps (from, die)."""
    counts, mask = list(row[:28]), pin_mask(row)
    for source, die in steps:
        target = source - die
        assert counts[source] > 0, f"nobody to move on {source}"
        counts[source] -= 1
        if source != BAR and not counts[source] and mask >> source & 1:
            counts[source] = -1
            mask ^= 1 << source
        if target <= 0:
            counts[OFF] += 1
            continue
        assert counts[target] >= -1, f"landing on {-counts[target]} opposing checkers on {target}"
        taken = counts[target] == -1
        counts[target] = 1 if taken else counts[target] + 1
        if taken and contact == "pin":
            assert not mask >> target & 1, f"a second checker pinned on {target}"
            mask ^= 1 << target
        elif taken:
            assert contact == "hit"
            counts[OPP_BAR] += 1
    return with_pins(counts, mask)
