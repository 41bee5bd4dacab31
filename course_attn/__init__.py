"""The attention mechanism, from one weighted sum to a working transformer.

Every function of the course exists twice, under the same name and with the same arguments: in NumPy
(``from course_attn.in_numpy import attention``) and in PyTorch (``course_attn.in_torch``, where the
modules are, too). ``course_attn.costs`` counts parameters, operations and bytes. These three are
the public promise; ``check``, ``hint``, ``solution`` and ``progress`` of ``course_attn.exercises``
are the learner's; all else belongs to the book.

What many arguments mean
------------------------
X, Z
    Elements, one per row: the query sequence, and its context, which gives the keys and values.
    ``Z=None`` means X: self-attention.
Q, K, V
    Queries, keys and values, one per row; value j belongs to key j.
W_Q, W_K, W_V, W_O
    Learned matrices, applied on the right: ``Q = X @ W_Q``. W_O mixes what the heads found.
mask
    Booleans; True = the query may attend to the key. Broadcasts to the scores; None allows all.
bias
    Numbers that are added: to the scores after scaling, where it broadcasts and -inf excludes a
    key, or to the features (`layer_norm`).
causal
    Whether to hide the keys after a query's own position, as `causal_mask` does: the last query
    stands at the last key (aligned to the bottom right). With a mask, both must allow a key.
scale
    What the dot products are multiplied by, any finite number: 0 gives equal weights, a negative
    one prefers what is least alike. None means 1/sqrt(d_k).
n_heads
    The number of heads; it divides the widths that are split among them.
need_weights
    Whether a module returns the attention weights, too.

Shapes stand in the annotations: ``"*batch n_q d_k"`` has any number of leading axes. Results have
the dtype of the arguments; what is narrower than 32 bits is computed in 32.

What is refused
---------------
A call that does not fit raises an error that names the argument, what it got and what it needs:
`TypeError` for what is not an array of the right library and dtype, for floating-point arguments of
different dtypes, and for numbers and flags of the wrong kind; `ValueError` for shapes that do not
fit (an axis of length 1 against a longer one included, but in `mask` and `bias`) and for numbers
out of range.
"""

__version__ = "0.2.0.dev0"

__all__ = ["__version__"]
