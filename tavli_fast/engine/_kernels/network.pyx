"""Values of small networks, row by row.

The value of a row is computed from the row alone, always by the same operations in the same order;
a matrix product of a BLAS would depend, in its last bits, on how many rows it is given. Inputs that
are 0 are left out: of the features of a position some 30 are not.
"""

from libc.math cimport exp, expf, tanh, tanhf
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

# the code of an activation is its place in ACTIVATIONS of network.py
cdef enum:
    IDENTITY
    RELU
    SIGMOID
    TANH

cdef struct Network:
    const float* parameters  # layer by layer: weights [n_in, n_out], then biases [n_out]
    const int64_t* widths    # of the input and of every layer, int64[layers + 1]
    Py_ssize_t layers
    int hidden, output       # activations
    double scale

cdef struct Scratch:         # as wide as the widest layer, the input included
    float* sums              # two layers: of one the outputs, of the next the sums
    int32_t* used            # which inputs are not 0
    Py_ssize_t width


cdef inline void add_inputs(
    float* sums, const float* x, Py_ssize_t n_in, const float* weights, Py_ssize_t n_out,
    int32_t* used,
) noexcept nogil:
    """Add the products of a layer to its sums, input after input."""
    cdef const float* w0
    cdef const float* w1
    cdef const float* w2
    cdef const float* w3
    cdef float x0, x1, x2, x3
    cdef Py_ssize_t i, j, n_used = 0
    for i in range(n_in):                # no branch: which inputs are 0 cannot be guessed
        used[n_used] = <int32_t> i
        n_used += x[i] != 0
    i = 0
    while i + 4 <= n_used:               # four at a time: a sum is loaded and stored once for all
        w0, x0 = weights + n_out * used[i], x[used[i]]
        w1, x1 = weights + n_out * used[i + 1], x[used[i + 1]]
        w2, x2 = weights + n_out * used[i + 2], x[used[i + 2]]
        w3, x3 = weights + n_out * used[i + 3], x[used[i + 3]]
        for j in range(n_out):
            sums[j] = (((sums[j] + x0 * w0[j]) + x1 * w1[j]) + x2 * w2[j]) + x3 * w3[j]
        i += 4
    while i < n_used:
        w0, x0 = weights + n_out * used[i], x[used[i]]
        for j in range(n_out):
            sums[j] += x0 * w0[j]
        i += 1


cdef inline void activate(float* sums, Py_ssize_t n, int activation) noexcept nogil:
    cdef Py_ssize_t j
    if activation == RELU:
        for j in range(n):
            sums[j] = 0 if sums[j] < 0 else sums[j]      # what is no number stays so
    elif activation == SIGMOID:
        for j in range(n):
            sums[j] = 1 / (1 + expf(-sums[j]))
    elif activation == TANH:
        for j in range(n):
            sums[j] = tanhf(sums[j])


cdef inline double value_of(double sum, int activation) noexcept nogil:
    """The last sum as a value; a sigmoid is the probability to win, 1 against -1."""
    if activation == SIGMOID:
        return 2 / (1 + exp(-sum)) - 1
    return tanh(sum) if activation == TANH else sum


cdef double evaluate_row(
    const Network* network, const float* features, Scratch* scratch
) noexcept nogil:
    cdef const float* parameters = network.parameters
    cdef const float* x = features
    cdef float* sums = scratch.sums
    cdef Py_ssize_t layer, n_in, n_out
    for layer in range(network.layers):
        n_in, n_out = network.widths[layer], network.widths[layer + 1]
        sums = scratch.sums + scratch.width * (layer & 1)
        memcpy(sums, parameters + n_in * n_out, n_out * sizeof(float))
        add_inputs(sums, x, n_in, parameters, n_out, scratch.used)
        if layer < network.layers - 1:
            activate(sums, n_out, network.hidden)
        parameters += n_in * n_out + n_out
        x = sums
    return network.scale * value_of(sums[0], network.output)


cdef Py_ssize_t widest_layer(
    const float[:, ::1] features, const float[::1] parameters, const int64_t[::1] widths
) except -1:
    """Its width; a ValueError if the arrays do not fit each other."""
    cdef int64_t size = 0, widest = 0
    cdef Py_ssize_t layer, layers = widths.shape[0] - 1
    for layer in range(layers + 1):
        if not 1 <= widths[layer] < 1 << 24:
            raise ValueError(f"a layer has {widths[layer]} units")
        widest = max(widest, widths[layer])
    for layer in range(layers):
        size += (widths[layer] + 1) * widths[layer + 1]
    if layers < 1 or widths[layers] != 1 or size != parameters.shape[0]:
        raise ValueError(f"{parameters.shape[0]} parameters do not fit the widths {list(widths)}")
    if features.shape[1] != widths[0]:
        raise ValueError(f"{features.shape[1]} features for a network of {widths[0]} inputs")
    return widest


def evaluate(
    const float[:, ::1] features, const float[::1] parameters, const int64_t[::1] widths,
    int hidden, int output, double scale, double[::1] out,
) -> None:
    """Write the value of every row of features.

    Parameters
    ----------
    features : float32[n, widths[0]]
    parameters : float32
        Layer by layer the weights [n_in, n_out] and the biases [n_out].
    widths : int64[layers + 1]
        Of the input and every layer; the last is 1.
    hidden, output : int
        Codes of activations.
    scale : float
        What the output is multiplied by.
    out : float64[n]
    """
    cdef Py_ssize_t i, n = features.shape[0]
    cdef Network network
    cdef Scratch scratch
    scratch.width = widest_layer(features, parameters, widths)
    if out.shape[0] != n:
        raise ValueError(f"room for {out.shape[0]} values of {n} rows")
    if n == 0:
        return
    network.parameters, network.widths = &parameters[0], &widths[0]
    network.layers, network.scale = widths.shape[0] - 1, scale
    network.hidden, network.output = hidden, output
    scratch.sums = <float*> malloc(2 * scratch.width * sizeof(float))
    scratch.used = <int32_t*> malloc(scratch.width * sizeof(int32_t))
    try:
        if not scratch.sums or not scratch.used:
            raise MemoryError("no memory for the layers of a network")
        with nogil:
            for i in range(n):
                out[i] = evaluate_row(&network, &features[i, 0], &scratch)
    finally:
        free(scratch.sums)
        free(scratch.used)
