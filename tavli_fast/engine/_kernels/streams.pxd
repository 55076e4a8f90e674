"""Random streams keyed by (seed, game), bit for bit those of ``streams.py``."""

from libc.stdint cimport uint32_t, uint64_t

cdef enum:
    PAIRS = 36

cdef struct Stream:
    uint64_t key
    uint64_t counter


cdef inline uint64_t golden() noexcept nogil:
    return <uint64_t> 0x9E3779B97F4A7C15


cdef inline uint64_t mix(uint64_t x) noexcept nogil:
    x = (x ^ x >> 30) * <uint64_t> 0xBF58476D1CE4E5B9
    x = (x ^ x >> 27) * <uint64_t> 0x94D049BB133111EB
    return x ^ x >> 31


cdef inline Stream open_stream(uint64_t seed, uint64_t game) noexcept nogil:
    cdef Stream stream
    stream.key = mix(mix(seed + golden()) + game * golden())
    stream.counter = 0
    return stream


cdef inline uint64_t choice_seed(uint64_t seed) noexcept nogil:
    """The seed of what policies draw, apart from the dice of the seed."""
    return mix(seed ^ <uint64_t> 0x9FB21C651E98DF25)


cdef inline double unit(Stream* stream) noexcept nogil:
    """A number 0 <= x < 1, a multiple of 2**-53."""
    stream.counter += golden()
    return <double> (mix(stream.key + stream.counter) >> 11) * (1.0 / (<uint64_t> 1 << 53))


cdef inline uint32_t below(Stream* stream, uint32_t n) noexcept nogil:
    """A number 0 <= x < n, n at least 1, without bias."""
    cdef uint64_t product
    cdef uint32_t surplus = <uint32_t> (0 - n) % n
    while True:
        stream.counter += golden()
        product = (mix(stream.key + stream.counter) >> 32) * n
        if <uint32_t> product >= surplus:
            return <uint32_t> (product >> 32)
