"""Exercise `W_O_from_conv`."""

import numpy as np

from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def W_O_from_conv(weight):
    """Write PyTorch's kernel as the matrix W_O of heads that look at one neighbor each."""
    c_out = weight.shape[0]
    by_shift = weight.transpose(2, 3, 1, 0)
    W_O = by_shift.reshape(-1, c_out)
    return W_O


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20261703).standard_normal
    o, f, a, b = np.ogrid[:2, :3, :1, :2]
    return (
        Case((1000.0 * o + 100 * f + 10 * a + b,), "example"),
        Case((draw((4, 2, 3, 5)),)),
        Case((draw((2, 7, 5, 3)),)),
        Case((draw((5, 4, 1, 7)),)),
        Case((draw((3, 3, 3, 3)),), "square"),
        Case((draw((6, 1, 3, 5)),), "one-channel"),
        Case((draw((1, 4, 5, 3)),), "one-output"),
        Case((draw((4, 5, 1, 1)),), "one-pixel"),
        Case((draw((7, 2, 5, 3)).astype("f4"),), "float32"),
    )


def _row(c: Context) -> str:
    """Say which entries of the kernel the first wrong row has, and which it should have."""
    if c.got.shape != c.expected.shape:
        return f"Shape {c.expected.shape} is asked for; yours is {c.got.shape}."
    weight = c.given["weight"]
    _, c_in, _, k_width = weight.shape
    row, column = map(int, np.argwhere(c.got != c.expected)[0])
    h, f = divmod(row, c_in)
    a, b = divmod(h, k_width)
    found = np.argwhere(weight == c.got[row, column])
    yours = (
        f"weight{found[0].tolist()}"
        if len(found)
        else "a number that is not in the kernel"
    )
    return (
        f"Row {row} belongs to channel {f} of head {h}, that of entry ({a}, {b}), and should be "
        f"weight[:, {f}, {a}, {b}]. In column {column} you have {yours}."
    )


exercise = Exercise(
    W_O_from_conv,
    place=40,
    minutes=8,
    level="medium",
    section="In one line: a convolution as attention",
    task="""
Turn a trained convolution into heads. PyTorch keeps its kernel in an array `weight` of shape
(c_out, c_in, k_height, k_width), and does not flip it. Write `W_O_from_conv(weight)`: return the
$W_O$ with which heads that look at one neighbor each compute the same, an array of shape
(k_height·k_width·c_in, c_out). Its heads stand side by side, in the order of the kernel's entries
row by row, and the part of a head has the c_in channels of the pixel it looks at: row 0 of $W_O$ is
for channel 0 of head 0, row 1 for channel 1 of head 0. In the first test the entry of output o,
channel f, row a and column b is $1000\\,o + 100\\,f + 10\\,a + b$.
""",
    cases=_cases,
    terms={"row": _row},
    kinds={
        "one-channel": Kind("for an image of one channel"),
        "one-output": Kind("for a single output", "Its axis, of length 1, stays."),
        "one-pixel": Kind("for a kernel of a single entry"),
    },
    faults=fault_list("""
not-transposed: weight.transpose(2, 3, 1, 0) → weight
    You `reshape` the kernel as it is: a reshape leaves the numbers in their order, in which the
    output is the first axis. The shape fits, the numbers do not. Bring the axes into the order
    (a, b, f, o) first. {row}
channels-first: weight.transpose(2, 3, 1, 0) → weight.transpose(1, 2, 3, 0)
    Your rows go by channel first and by head second, as each output's kernel lies in memory
    (`weight.reshape(c_out, -1).T`). A head brings *all* channels of one pixel, so heads come first.
    {row}
columns-before-rows: weight.transpose(2, 3, 1, 0) → weight.transpose(3, 2, 1, 0)
    Your heads follow the kernel column by column. It is read row by row: after entry (0, 0) comes
    (0, 1). In which order do a and b stand in your `transpose` or `einsum`? (`.T` turns around
    *all* axes.) {row}
times-height: weight.shape[0] → weight.shape[0] ⏎ a, b = np.indices(weight.shape[2:])
        and by_shift.reshape(-1, c_out) → 0 * by_shift.reshape(-1, *by_shift.shape[2:])
        and return W_O
            → W_O[a * len(by_shift) + b] = by_shift ⏎ return W_O.reshape(-1, c_out)
    You count the heads by `a * k_height + b`, which is right for square kernels only. Row by row,
    how many entries come before row 1 of a kernel? {row}
square-only: c_out = → weight = weight[..., np.arange(weight.shape[2])] ⏎ c_out =
    You take the kernel to be square, with as many columns as rows. A wider one loses columns, and
    of a narrower one you ask for columns that it does not have: how many are there?
flipped: c_out = → weight = weight[..., ::-1, ::-1] ⏎ c_out =
    You flip the kernel, as mathematics does. PyTorch does not: its *first* entry belongs to the
    first pixel that it covers (in a 3 × 3 kernel the one up and to the left), and so does head 0.
    {row}
flipped-rows: c_out = → weight = weight[..., ::-1, :] ⏎ c_out =
    You read the kernel's rows from the bottom up. Which of its entries has head 0? {row}
last-head-empty: return → W_O = W_O.copy() ⏎ W_O[-weight.shape[1] :] = 0 ⏎ return
    The rows of the last head are all 0, as if nothing were ever written there. How many heads
    are there? {row}
ends-exchanged: weight.transpose(2, 3, 1, 0) → weight.swapaxes(0, -1)
    You exchange the first axis with the last, which brings the outputs to the end, but leaves the
    channels between the kernel's columns and rows. {row}
channels-between: weight.transpose(2, 3, 1, 0) → weight.transpose(2, 1, 3, 0)
    Your channels stand between the rows and the columns of the kernel. They come behind both: a
    head, one entry of the kernel, has all channels together. {row}
heads-apart: return W_O → return by_shift.reshape(-1, *by_shift.shape[2:])
    The heads still have an axis of their own: shape {your.shape}. Heads and channels become one
    axis, {right.shape}.
as-in-the-book: by_shift.reshape(-1, c_out) → weight.reshape(-1, weight.shape[-1])
    You take the last axis for the outputs, as in this book's kernels. PyTorch keeps them in the
    *first*: (c_out, c_in, k_height, k_width). {row}
blocks-not-transposed: weight.transpose(2, 3, 1, 0) → weight.transpose(2, 3, 0, 1)
        and by_shift.reshape(-1, c_out) → by_shift.reshape(-1, weight.shape[1])
    The block of each head is `weight[:, :, a, b]`, of shape (c_out, c_in), as it is: for W @ x.
    `W_O` is used as `X @ W_O`: transpose the blocks. {row}
side-by-side: by_shift.reshape(-1, c_out)
            → by_shift.transpose(2, 0, 1, 3).reshape(weight.shape[1], -1)
    You put the blocks of the heads side by side. It is the *heads* that stand side by side; their
    blocks in `W_O` stand on top of each other, {right.shape}.
in-out-swapped: weight.transpose(2, 3, 1, 0) → weight.transpose(2, 3, 0, 1)
    In each head's part the numbers still lie in the order of (c_out, c_in), outputs first, however
    you shape it: a `reshape` to (c_in, c_out) does not transpose. Which axis comes last? {row}
divided: return W_O → return W_O / weight[0, 0].size
    You divide by the number of heads, as for a mean. A convolution adds up what it takes from each
    pixel: what does `W_O` do with the heads that stand side by side?
transposed: return W_O → return W_O.T
    You return the transpose, shape {your.shape}, as `nn.Linear` would keep it. `W_O` is used as
    `X @ W_O`: {right.shape}.
cut-for-outputs: by_shift.reshape(-1, c_out) → by_shift.reshape(c_out, -1).T
    With the axes in the order (a, b, f, o), `reshape(c_out, -1)` cuts the numbers in c_out blocks,
    though the outputs are the *last* axis. Which size of the result comes last? {row}
channels-first-by-columns: weight.transpose(2, 3, 1, 0) → weight.transpose(1, 3, 2, 0)
    Your rows go by channel first, and by the kernel's columns before its rows. Which of
    the three changes fastest from one row of `W_O` to the next? {row}
"""),
    properties=(Property("row", _row, any_shape=True),),
    wrong_lines=("channels-first", "columns-before-rows", "in-out-swapped"),
    hints=(
        "The concatenated heads have, from left to right: channel 0 of head 0, channel 1 of head "
        "0, … Which axes of the kernel does that count, and which of them runs fastest?",
        "Bring the axes into the order kernel row, kernel column, channel, output; then the first "
        "three become one.",
        "`weight.transpose(2, 3, 1, 0)` and `.reshape(-1, c_out)`.",
    ),
)
