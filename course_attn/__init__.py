"""The attention mechanism, from one weighted sum to a working transformer.

The functions of the course exist twice, under the same names and with the same arguments: in NumPy
(``from course_attn.in_numpy import attention``) and in PyTorch (``course_attn.in_torch``). Only
PyTorch has the modules, and what copies layers from and to ``torch.nn``. A module that attends
returns its outputs; its method ``forward_with_weights`` returns the attention weights as well.
``course_attn.costs`` counts parameters, operations and bytes. These three are the public interface;
``check``, ``hint``, ``solution`` and ``progress`` of ``course_attn.exercises`` are for the learner;
the rest serves the book. ``course_attn.text`` has the text of the course's language model,
``course_attn.weights`` the trained model, and ``python -m course_attn.train`` trains one.

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

Shapes are in the annotations: ``"*batch n_q d_k"`` has any number of leading axes, and ``#`` marks
axes that broadcast. Results have the dtype of the arguments. Softmaxes, attention weights, norms,
`gelu`, `rotary`, `tiled_attention` and `linear_attention` compute 16-bit arguments in 32 bits or
more. Products such as those of `dot_scores` and `project_qkv` do not: in float16 they overflow
above 65504. NaN and infinite entries follow the rules of floating-point arithmetic unless a
function says otherwise.

What is refused
---------------
A call that does not fit raises an error that names the argument, what it got and what it needs:
`TypeError` for what is not an array of the right library and dtype, for floating-point arguments of
different dtypes, and for numbers and flags of the wrong kind; `ValueError` for shapes that do not
fit (an axis of length 1 against a longer one included, except in `mask` and `bias`) and for numbers
out of range. Inside `torch.compile` and `torch.export` nothing is checked.
"""

__version__ = "0.2.0.dev0"

__all__ = ["__version__"]
