"""Random streams keyed by (seed, game), the same bit for bit in Python and in the kernels.

Draw number i of a stream depends on seed, game and i alone, so results never depend on threads,
chunks or on what else is running. Each draw is the splitmix64 finaliser over a counter.
"""

MASK64 = (1 << 64) - 1
CHOICES = 0x9FB21C651E98DF25
GOLDEN = 0x9E3779B97F4A7C15  # 2**64 / golden ratio: the increment of splitmix64
INVERSE = pow(GOLDEN, -1, 1 << 64)


def mix(x: int) -> int:
    """Finaliser of splitmix64: a bijection of 64-bit words that spreads every input bit."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK64
    return x ^ (x >> 31)


def choice_seed(seed: int) -> int:
    """The seed of what policies draw, apart from the dice of the seed."""
    return mix(seed ^ CHOICES)


class Stream:
    """The stream of one game of one seed.

    Parameters
    ----------
    seed, game : int
        0 to 2**64 - 1; every bit counts.
    drawn : int
        How many words have been drawn before.

    Examples
    --------
    >>> from tavli_fast.engine.streams import Stream
    >>> Stream(1, 0).roll() == Stream(1, 0).roll()
    True
    """

    def __init__(self, seed: int, game: int, drawn: int = 0) -> None:
        self.key = mix((mix((seed + GOLDEN) & MASK64) + game * GOLDEN) & MASK64)
        self.drawn = drawn

    @classmethod
    def resume(cls, key: int, counter: int) -> "Stream":
        """A stream that goes on from the two words that the kernels keep of it."""
        stream = cls.__new__(cls)
        stream.key, stream.drawn = key, counter * INVERSE & MASK64
        return stream

    @property
    def counter(self) -> int:
        """What the kernels keep of the words drawn."""
        return self.drawn * GOLDEN & MASK64

    def word(self) -> int:
        """The next 64 random bits."""
        self.drawn += 1
        return mix((self.key + self.drawn * GOLDEN) & MASK64)

    def below(self, n: int) -> int:
        """A number 0 <= x < n (1 <= n < 2**32), without bias: surplus words are redrawn."""
        while True:
            word = self.word() >> 32
            product = word * n
            # the low half is below 2**32 % n exactly for the surplus words
            if (product & 0xFFFFFFFF) >= (1 << 32) % n:
                return product >> 32

    def unit(self) -> float:
        """A number 0 <= x < 1, a multiple of 2**-53."""
        return (self.word() >> 11) * 2.0**-53

    def roll(self) -> tuple[int, int]:
        """Two dice, all 36 pairs equally likely."""
        pair = self.below(36)
        return pair // 6 + 1, pair % 6 + 1
