"""A question that needs looking back: eight pairs of letters, then the first letter of one of them.

Run ``python -m benchmarks.recall``. The answer is the second letter of that pair. All letters of
a text are different and drawn anew, so that no pair is worth remembering. Bags of words, n-grams
and logistic regression learn from 20,000 such questions with their answers. The GPT has learned
from the texts of `benchmarks.induction`, in which nothing is a question, and answers at once.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression

from benchmarks import induction, learn
from benchmarks.induction import CONFIG, LETTERS, PERIOD
from course_attn.in_torch import GPT

PAIRS = PERIOD // 2
EXAMPLES, QUESTIONS = 20_000, 2_000

Answer = Callable[[torch.Tensor], np.ndarray]


def questions(batch: int, rng: torch.Generator) -> learn.Batch:
    """Draw texts of eight pairs and one more letter, the first of a pair; and the answers."""
    letters = torch.rand(batch, LETTERS, generator=rng).argsort(-1)[:, :PERIOD]
    asked = 2 * torch.randint(PAIRS, (batch, 1), generator=rng)
    text = torch.cat([letters, letters.gather(1, asked)], dim=1)
    return text, letters.gather(1, asked + 1)[:, 0]


# --- who answers ----------------------------------------------------------------------------------


def one_hot(texts: torch.Tensor) -> np.ndarray:
    """Return what stands at every place, as zeros and a one for each."""
    return np.eye(LETTERS)[texts.numpy()].reshape(len(texts), -1)


def bag(texts: torch.Tensor) -> np.ndarray:
    """Return how often each letter stands in the text, and which one is asked for."""
    letters = np.eye(LETTERS)[texts.numpy()]
    return np.concatenate([letters.sum(axis=1), letters[:, -1]], axis=1)


def regression(
    features: Callable[[torch.Tensor], np.ndarray],
    texts: torch.Tensor,
    answers: torch.Tensor,
) -> Answer:
    """Fit a logistic regression on features of texts."""
    fitted = LogisticRegression(max_iter=300).fit(features(texts), answers.numpy())
    return lambda asked: fitted.predict(features(asked))


def n_grams(n: int, texts: torch.Tensor, answers: torch.Tensor) -> Answer:
    """Count what follows the last n - 1 letters, and answer what followed most often."""
    follows: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    for text, answer in zip(texts.tolist(), answers.tolist(), strict=True):
        for end in range(n - 1, len(text) + 1):
            after = text[end] if end < len(text) else answer
            follows[tuple(text[end - n + 1 : end])][after] += 1
    commonest = {key: found.most_common(1)[0][0] for key, found in follows.items()}
    return lambda asked: np.array(
        [
            commonest.get(tuple(text[len(text) - n + 1 :]), 0)
            for text in asked.tolist()
        ]
    )


def language_model(model: GPT) -> Answer:
    """Answer what the model thinks comes next."""

    def answer(asked: torch.Tensor) -> np.ndarray:
        with torch.no_grad():
            return model(asked)[:, -1].argmax(-1).numpy()

    return answer


def contenders(
    seed: int, steps: int, examples: int = EXAMPLES
) -> dict[str, Answer]:
    """Let all learn, from what is drawn with this seed."""
    learned = questions(examples, torch.Generator().manual_seed(seed))
    training = induction.TRAINING | {"steps": steps}
    model, _ = induction.measure(CONFIG, seed, whole=False, **training)
    return {
        "bag of words": regression(bag, *learned),
        "bigrams": n_grams(2, *learned),
        "trigrams": n_grams(3, *learned),
        "logistic regression": regression(one_hot, *learned),
        "GPT": language_model(model),
    }


def measure(seed: int, steps: int) -> list[learn.Row]:
    """Ask all the same new questions."""
    asked, answers = questions(
        QUESTIONS, torch.Generator().manual_seed(1_000_000 + seed)
    )
    return [
        {
            "contender": name,
            "seed": seed,
            "accuracy": float((answer(asked) == answers.numpy()).mean()),
        }
        for name, answer in contenders(seed, steps).items()
    ]


def table(rows: list[learn.Row]) -> str:
    """Write the accuracies: mean, least and largest of the seeds."""
    return "\n".join(
        f"{name:24}{learn.spread(row['accuracy'] for row in found)}"
        for (name,), found in learn.groups(rows, "contender")
    )


def main(arguments: list[str] | None = None) -> None:
    """Let all learn and answer, print a table, and save the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="20 steps; nothing is saved"
    )
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    clock = learn.Clock()
    rows: list[learn.Row] = []
    steps = 20 if options.quick else int(induction.TRAINING["steps"])
    for seed in range(options.seeds):
        rows += measure(seed, steps)
        print(f"seed {seed}: {clock():.0f} s", flush=True)
    print(table(rows))
    if not options.quick:
        settings = {"pairs": PAIRS, "letters": LETTERS, "examples": EXAMPLES}
        settings |= {"questions": QUESTIONS, "chance": 1 / PAIRS}
        settings |= {"config": vars(CONFIG), "training": induction.TRAINING}
        print(f"saved as {learn.save('recall', rows, settings, clock()).name}")


if __name__ == "__main__":
    main()
