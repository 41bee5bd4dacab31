"""Exercise `cross_entropy`."""

from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault_list,
    number,
)

__all__ = ["exercise"]


def cross_entropy(logits, targets):
    """Give the mean surprise at the targets, in nats; −100 is no target."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    sums = np.exp(shifted).sum(axis=-1, keepdims=True)
    log_probs = shifted - np.log(sums)
    counted = targets != -100
    tokens = np.where(counted, targets, 0)
    of_targets = np.take_along_axis(log_probs, tokens[..., None], axis=-1)[..., 0]
    loss = -of_targets[counted].mean()
    return loss


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261123)

    def given(
        *shape: int, ignored: float = 0.0, size: float = 1.5
    ) -> tuple[Any, ...]:
        logits = size * rng.standard_normal(shape) + 0.5
        targets = rng.integers(0, shape[-1], shape[:-1])
        targets[rng.uniform(size=shape[:-1]) < ignored] = -100
        targets.flat[0], targets.flat[-1] = 0, shape[-1] - 1
        return logits, targets

    halves = np.log(
        [[4.0, 2.0, 1.0, 1.0], [1.0, 1.0, 4.0, 2.0], [1.0, 4.0, 2.0, 1.0]]
    )
    logits, targets = given(4, 7, 5, ignored=0.2)
    targets[0, 2:] = targets[2, 1:-1] = -100  # texts of different lengths
    large, rows = given(9, 6, size=800.0)
    return (
        Case((halves, np.array([0, 3, 1])), "example"),
        Case(given(5, 8)),
        Case(given(11, 3)),
        Case(given(5, 5), "square"),
        Case(given(2, 3, 5, 7), "batch"),
        Case(given(8, 5, ignored=0.5), "ignored"),
        Case(given(3, 131, ignored=0.5), "ignored"),
        Case((logits, targets), "ignored-batch"),
        Case((large + 3e3 * np.arange(-4.0, 5.0)[:, None], rows), "large"),
        Case(given(1, 4), "one"),
        Case(
            tuple(a.astype("f4") if a.dtype == float else a for a in given(13, 9)),
            "float32",
        ),
    )


_ALL_PLACES = " Besides, you divide by the number of *all* places: those of −100 make it too small."


def _in_the_logarithm(c: Context) -> str | None:
    """Say which small number is added in the logarithm, or taken for the least probability."""
    hopeless = c.call(np.array([[0.0, 2000.0]]), np.array([0]))
    likely = c.call(np.array([[0.0, 3.0]]), np.array([0]))
    if hopeless is None or likely is None or hopeless.shape or likely.shape:
        return None
    unit = float(likely / np.log1p(np.exp(3)))  # 1 in nats
    in_bits = abs(unit * np.log(2) - 1) < 0.02
    if not 1 < hopeless / unit < 800 or not (in_bits or abs(unit - 1) < 0.02):
        return None
    half = c.call(np.zeros((4, 8)), np.array([7, -100, -100, 2]))
    besides = ""
    if half is not None and half.shape == ():
        besides = _ALL_PLACES * bool(np.isclose(half, unit * np.log(8) / 2, 1e-3))
    if in_bits:
        besides += (
            " You also measure in bits (logarithm to base 2); nats are asked for."
        )
    return (
        f"Where the right token has a logit 2000 below that of the other, the loss is 2000; yours "
        f"is {number(hopeless)}. Is a small number, such as "
        f"{np.exp(-float(hopeless) / unit):.1g}, added in the logarithm, or a probability clipped? "
        "Do not compute the probability: its logarithm is the logit minus the log of the sum."
        f"{besides}"
    )


def _even(c: Context) -> str | None:
    """Look at a model that knows nothing: its loss is log n_vocab."""
    found = c.call(np.zeros((3, 8)), np.array([7, 0, 2]))
    if found is None or found.shape or np.isclose(found, np.log(8)):
        return None
    return (
        "For logits that are all 0, each of 8 tokens has the probability 1/8, and the loss is "
        f"log 8 = {number(np.log(8))}, whatever comes. You give {number(found + 0)}."
    )


def _where(c: Context) -> str:
    counted = c.given["targets"] != -100
    return f"{(~counted).sum()} of the {counted.size} targets"


exercise = Exercise(
    cross_entropy,
    place=20,
    minutes=12,
    level="medium",
    prepares=("two_losses", "bigram_perplexity"),
    section="Surprise, averaged",
    task="""
Write `cross_entropy(logits, targets)`, the loss of a language model in nats per token, one number:
the mean of $-\\log p$, where p is the probability that $\\operatorname{softmax}$ of the logits
gives to the target. `logits` has shape (…, n, n_vocab), and `targets`, integers of shape (…, n),
says for each place which token came: they are shifted already. A target of −100 is none: the mean
is over all other places of the whole batch, and there is at least one. Logits are of any size and
may lie thousands apart; the loss is finite all the same. You may use the course's function:
`from course_attn.in_numpy import log_softmax`.
""",
    cases=_cases,
    terms={"left_out": _where},
    kinds={
        "ignored": Kind(
            "where some targets are −100",
            "These places count neither in the sum nor in the number that it is divided by.",
        ),
        "ignored-batch": Kind(
            "where texts of a batch have different numbers of targets",
            "Every *target* counts alike, not every text.",
        ),
        "large": Kind(
            "where logits are large and lie far apart",
            "There a probability may be too small for a floating-point number.",
        ),
        "one": Kind("for a single place", "Does a `squeeze` remove its axis?"),
    },
    faults=fault_list("""
padding-in-the-mean: loss = → loss = counted.mean() *
    You divide by the number of *all* places. {left_out} here are −100, add nothing, and make the
    mean too small: more padding would look like a better model. {worst_row}
padding-counted: of_targets[counted] → of_targets
    The places whose target is −100 count in your mean, as if some token, such as 0, had come
    there. {left_out} here are none. {worst_row}
token-0-left-out: targets != -100 → targets > 0
    You leave out the targets that are 0. Token 0 is a token like any other; only −100 is none.
    {worst_row}
mean-of-means: -of_targets[counted].mean()
            → -((of_targets * counted).sum(axis=-1) / counted.sum(axis=-1)).mean()
    You take the mean of each text first and then the mean of these: a target in a short text would
    count more than one in a long text. Add up all of them, and divide once. {worst_row}
sum-per-text: -of_targets[counted].mean() → -(of_targets * counted).sum(axis=-1).mean()
    You add up the targets of each text and divide by the number of *texts*. Divide by the number of
    targets: a loss is per token. {worst_row}
loss-per-text: -of_targets[counted].mean()
            → -(of_targets * counted).sum(axis=-1) / counted.sum(axis=-1)
    You return a loss for each text, shape {your.shape}. One number is asked for: over all targets
    of the whole batch, along which axes do you add up and count?
over-vocabulary: return loss → return loss / logits.shape[-1]
    You divide by n_vocab as well (the mean of a whole array of n × n_vocab numbers?). There is one
    surprise at each place: divide by the number of targets only. {worst_row}
sum: of_targets[counted].mean() → of_targets[counted].sum()
    You return the sum. A loss *per token* is the mean: otherwise a longer text looks worse.
    {worst_row}
no-minus: return loss → return -loss
    Your loss has the wrong sign: log p is never above 0, and the loss is the mean of −log p.
    {worst_row}
perplexity: return loss → return np.exp(loss)
    You return the exponential of the loss, which is the perplexity. Asked for is the loss itself,
    in nats. {worst_row}
bits: of_targets[counted].mean() → of_targets[counted].mean() / np.log(2)
    You measure in bits (logarithm to base 2); nats are asked for, the natural logarithm.
    {worst_row}
mean-before-log: -of_targets[counted].mean() → -np.log(np.exp(of_targets[counted]).mean())
    You average the probabilities and then take the logarithm. The logarithm comes first, for each
    place: the mean of −log p, not −log of the mean. {worst_row}
no-shift: logits.max(axis=-1, keepdims=True) → 0.0
    Without a shift `np.exp` overflows above 709, and the loss is infinite or NaN. Subtract each
    row's largest logit first.
no-log-of-sums: shifted - np.log(sums) → shifted
    You subtract only the maximum. log softmax also subtracts the logarithm of the sum of the
    exponentials. {worst_row}
log-of-weights: shifted - np.log(sums) → np.log(np.exp(shifted) / sums)
    You compute the probability first. Below 1e-308 it becomes 0, and −log 0 is infinite: one token
    that the model did not expect makes the whole loss useless. log p is the logit minus the log of
    the sum.
softmax-twice: shifted - np.log(sums)
            → np.exp(shifted) / sums - np.log(np.exp(np.exp(shifted) / sums).sum(-1)[..., None])
    The softmax is applied twice. Its results lie between 0 and 1, so that the second makes them
    nearly even, and the loss can hardly fall. It takes the logits as they are. {worst_row}
over-places: logits.max(axis=-1, keepdims=True) → logits.max(axis=-2, keepdims=True)
        and sum(axis=-1, keepdims=True) → sum(axis=-2, keepdims=True)
    Your softmax runs over the *places*. At each place the tokens compete with each other: the last
    axis. {worst_row}
entropy: np.take_along_axis(log_probs, tokens[..., None], axis=-1)[..., 0]
            → (np.exp(log_probs) * log_probs).sum(axis=-1)
    You average the *entropy* of the predictions: how unsure the model is, whatever came. Only the
    log-probability of the target counts. {worst_row}
every-pair: np.take_along_axis(log_probs, tokens[..., None], axis=-1)[..., 0]
            → log_probs[..., tokens]
    `log_probs[..., targets]` takes *every* target at *every* place, n × n numbers of a text. Place
    i has target i only: `np.take_along_axis`, or in one text `log_probs[np.arange(n), targets]`.
shifted-again: shifted =
            → logits, targets = logits[..., :-1, :], targets[..., 1:] ⏎ shifted =
    You shift the targets. They are shifted already: row i of the logits is about target i. Shifting
    twice trains a model to skip a token, and no error tells you.
probability: of_targets[counted].mean() → np.exp(of_targets[counted]).mean()
    You average the probabilities of the targets, and the logarithm is missing: the loss is the mean
    of −log p. {worst_row}
likeliest-token: np.take_along_axis(log_probs, tokens[..., None], axis=-1)[..., 0]
            → log_probs.max(axis=-1)
    You take the log-probability of the *likeliest* token at each place. Which one came? {worst_row}
divided-by-texts: of_targets[counted].mean() → (of_targets[counted].sum() / len(targets))
    You divide by the length of the first axis: `len(targets)` counts texts where there is a batch.
    How many targets are in the sum, over all axes and without those of −100? {worst_row}
"""),
    properties=(
        Property("in-the-logarithm", _in_the_logarithm),
        Property("even", _even),
    ),
    wrong_lines=("padding-counted", "token-0-left-out", "log-of-weights"),
    hints=(
        "For one place: which one of the n_vocab log-probabilities matters? Then, over how many "
        "places is the mean?",
        "Take `log_softmax` of the logits, pick the target's entry in each row, keep the places "
        "whose target is not −100, and take the mean with a minus sign.",
        "`np.take_along_axis(log_probs, tokens[..., None], axis=-1)[..., 0]` picks them, where "
        "−100 is replaced by any token; a bool array, `targets != -100`, keeps the right ones.",
    ),
    built_ins=(
        *twins("language_model.cross_entropy"),
        "torch.nn.functional.cross_entropy",
        "torch.nn.functional.nll_loss",
    ),
)
