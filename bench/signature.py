"""One number per variant that changes when its plays do.

A signature is a hash of all ends, in order, of 100,000 decisions of random play, and of the
decisions themselves. ``data/signature.json`` holds them; the test suite compares. A difference is a
change of behaviour: where it is meant, ``python bench/signature.py`` writes the new numbers.
"""

import json
from hashlib import blake2b
from pathlib import Path

import tavli_fast as tavli

DATA = Path(__file__).parent / "data" / "signature.json"
DECISIONS = 100_000
SEED = 1


def signature(name: str) -> str:
    """Hash of the decisions of a variant and of their plays, as 16 hexadecimal digits."""
    variant = tavli.variant(name)
    rows, dice = variant.sample(DECISIONS, seed=SEED)
    plays = variant.plays(rows, dice)
    digest = blake2b(digest_size=8)
    for array in (rows, dice, plays.offsets.astype("<i8"), plays.rows):
        digest.update(array.tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    found = {name: signature(name) for name in tavli.variants()}
    DATA.write_text(json.dumps(found, indent=2) + "\n")
