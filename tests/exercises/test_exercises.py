"""Every exercise: right answers pass, wrong ones are refused with the sentence that fits."""

import ast
import importlib
import inspect
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import torch

from course_attn.checking import Exercise, Question
from course_attn.checking.diagnose import same_outcomes
from course_attn.checking.trial import run_trial
from course_attn.exercises import catalog, check

from .right_answers import RIGHT
from .wrong_answers import NOTICED, WRONG

for _file in sorted(
    Path(__file__).parent.glob("[rw]*_*.py")
):  # they add to RIGHT and WRONG
    importlib.import_module(f".{_file.stem}", __package__)

NAMES = [name for names in catalog.chapters.values() for name in names]
TASKS = {name: catalog.find(name) for name in NAMES}
EXERCISES = {
    name: task for name, task in TASKS.items() if isinstance(task, Exercise)
}
STARRED = (
    "attention",
    "scaled_attention",
    "causal_mask",
    "masked_softmax",
    "causal_attention",
    "split_heads",
    "multi_head_attention",
    "sinusoidal_encoding",
    "rotary",
    "layer_norm",
    "merge_partial",
    "online_softmax",
)
CENTRAL = ("weighted_sum", "cosine_scores", "softmax", "softmax_jacobian", *STARRED)
FAULTS = [
    (name, fault) for name, task in EXERCISES.items() for fault in task.faults
]
PAIRS = [(name, pair) for name, task in EXERCISES.items() for pair in task.pairs()]


def pasted(task):
    """The reference as a learner would paste it, in a namespace of its own."""
    namespace = {"np": np, "torch": torch}
    exec(inspect.getsource(task.reference), namespace)
    return namespace[task.name]


def learner(function):
    """A plain function around any callable, as `check` expects it."""
    return lambda *args: function(*args)


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_passes_when_pasted(name):
    result = check(pasted(TASKS[name]))
    assert result.passed, result


@pytest.mark.parametrize("name", list(EXERCISES))
def test_the_reference_itself_is_refused_as_built_in(name):
    assert check(TASKS[name].reference).faults == ("built-in",)


@pytest.mark.parametrize("name", list(EXERCISES))
def test_the_variant_without_faults_is_right(name):
    exercise = EXERCISES[name]
    if exercise.variant is not None:
        assert check(learner(exercise.variant), name).passed


@pytest.mark.parametrize(
    "answer", [(n, f) for n in NAMES for f in RIGHT[n]], ids=lambda a: a[1].__name__
)
def test_right_answers_pass(answer):
    name, function = answer
    result = check(function, name)
    assert result.passed, result


@pytest.mark.parametrize(
    "answer", [(n, f) for n in NAMES for f in WRONG[n]], ids=lambda a: a[1].__name__
)
def test_wrong_answers_are_refused(answer):
    name, function = answer
    result = check(function, name)
    assert result.status in ("wrong", "crashed")
    assert len(result.message) > 20
    assert "checker itself" not in result.message
    faults, said = NOTICED[function]
    assert result.faults == faults or not faults, result
    assert said in result.message


def test_there_are_enough_right_and_wrong_answers():
    for name in NAMES:
        central = name in CENTRAL
        assert len(RIGHT[name]) >= (
            4 if central else 1 if isinstance(TASKS[name], Question) else 2
        )
        assert len(WRONG[name]) >= (6 if central else 3), name


def test_there_are_enough_faults():
    for name, exercise in EXERCISES.items():
        enough = 8 if name in STARRED else 5 if name in CENTRAL else 3
        assert len(exercise.faults) >= enough


@pytest.mark.parametrize("item", FAULTS, ids=lambda item: f"{item[0]}-{item[1].id}")
def test_a_fault_is_refused_with_its_own_id(item):
    name, fault = item
    result = check(learner(EXERCISES[name].wrong_version(fault)), name)
    assert (result.status, result.faults) == ("wrong", (fault.id,))


@pytest.mark.parametrize("name", list(EXERCISES))
def test_messages_are_distinct(name):
    exercise = EXERCISES[name]
    said = [
        check(learner(exercise.wrong_version(f)), name).message
        for f in exercise.faults
    ]
    assert len(set(said)) == len(said)
    assert len({fault.id for fault in exercise.faults}) == len(said)


@pytest.mark.parametrize("name", list(EXERCISES))
def test_no_two_faults_give_equal_outputs(name):
    exercise = EXERCISES[name]
    trials = {
        fault.id: run_trial(exercise, learner(exercise.wrong_version(fault)))
        for fault in exercise.faults
    }
    everywhere = range(len(exercise.made_cases))
    for fault in exercise.faults:
        assert same_outcomes(trials[fault.id], (fault,), everywhere)
    for first, second in combinations(exercise.faults, 2):
        same = same_outcomes(trials[second.id], (first,), everywhere)
        assert not same, (first.id, second.id)


# Two mistakes that together are another known one, or where one makes the other invisible.
ABSORBED = {
    ("global-shift", "no-keepdims"): ("no-shift", "no-keepdims"),
    ("outer-only", "sign"): ("outer-only", "plus"),
    ("maximum", "box"): ("not-normalized", "box"),
    ("global-shift", "column-sum"): ("wrong-axis",),
    ("column-shift", "column-sum"): ("wrong-axis",),
    ("keys-not-normalized", "queries-not-normalized"): ("not-normalized",),
    ("keys-from-x", "values-from-x"): ("all-from-x",),
    ("all-from-x", "keys-first"): ("all-from-x", "matrices-swapped"),
    ("keys-from-x", "keys-first"): ("keys-from-x", "matrices-swapped"),
    ("queries-from-z", "keys-first"): ("queries-from-z", "matrices-swapped"),
    ("matrices-swapped", "keys-first"): ("keys-from-x", "queries-from-z"),
    ("root-of-n-k", "no-transpose"): ("scaled", "no-transpose"),
    ("root-of-n-k", "elementwise"): ("scaled", "elementwise"),
    ("distance", "hard"): ("gaussian", "hard"),
    ("unscaled", "cosine-scaled"): ("cosine",),
    ("multiplied", "cosine-scaled"): ("cosine-stretched",),
    ("one-matrix", "mixed-down-the-columns"): ("one-matrix", "wrong-axis"),
    ("unprojected-keys-and-queries", "mixed-down-the-columns"): (
        "unprojected-keys-and-queries",
        "wrong-axis",
    ),
    ("spread-1-over-d", "own-seed"): ("zeros",),
    ("mean-ignored", "second-moment-shared"): ("mean-ignored", "kurtosis"),
    ("second-moment-shared", "second-moment-doubled"): ("second-moment",),
    ("swapped", "wrong-axis"): ("mixed-down-the-columns",),
    ("swapped", "mixed-down-the-columns"): ("wrong-axis",),
    ("wrong-axis", "mixed-down-the-columns"): ("swapped",),
    ("whole-array", "mixed-down-the-columns"): ("swapped", "whole-array"),
    ("no-softmax", "mixed-down-the-columns"): ("swapped", "no-softmax"),
    ("not-normalized", "mixed-down-the-columns"): ("swapped", "not-normalized"),
    ("mixed-down-the-columns", "even"): ("swapped", "even"),
    ("polarity", "empty-uniform"): ("small-fill", "polarity"),
    ("scores-added", "root-of-d-model"): ("one-head-for-all",),
    ("mask-transposed", "down-the-columns"): (
        "queries-and-keys-swapped",
        "mixed-down-the-columns",
    ),
    ("mask-transposed", "mixed-down-the-columns"): (
        "queries-and-keys-swapped",
        "down-the-columns",
    ),
    ("down-the-columns", "mixed-down-the-columns"): (
        "queries-and-keys-swapped",
        "mask-transposed",
    ),
    ("four-squares", "keys-forgotten"): ("four-squares", "no-output-matrix"),
    ("all-of-width-d-k", "keys-forgotten"): (
        "all-of-width-d-k",
        "no-output-matrix",
    ),
    ("all-of-width-d-v", "keys-forgotten"): (
        "all-of-width-d-v",
        "no-output-matrix",
    ),
    ("one-head-projections", "output-of-one-head"): ("one-head",),
    ("no-output-matrix", "keys-of-width-d-v"): ("keys-forgotten",),
    ("values-of-width-d-k", "keys-forgotten"): ("no-output-matrix",),
    ("reshaped", "all-heads"): ("not-transposed", "all-heads"),
    ("no-mask", "no-shift-empty-nan"): ("no-mask", "no-shift"),
    ("shift-cut-at-0", "no-shift-empty-nan"): ("shift-cut-at-0", "no-shift"),
    ("no-shift-empty-nan", "fill-zero"): ("no-shift", "fill-zero"),
    ("no-shift-empty-nan", "added-mask"): ("no-shift", "added-mask"),
    ("fill-zero", "no-shift-empty-nan"): ("fill-zero", "no-shift"),
    ("past", "nan-probe"): ("past", "exact"),
    ("first-position-only", "next-and-last"): (
        "only-next",
        "first-position-only",
    ),
    ("first-not-rescaled", "m2-for-the-maximum"): (
        "not-rescaled",
        "m2-for-the-maximum",
    ),
    ("second-not-rescaled", "m1-for-the-maximum"): (
        "not-rescaled",
        "m1-for-the-maximum",
    ),
    ("l-not-rescaled", "o-not-rescaled"): ("not-rescaled",),
    ("keys-prepended", "values-prepended"): ("prepended",),
    ("keys-in-turn", "values-in-turn"): ("in-turn",),
    ("additions-forgotten", "values-as-wide-as-keys"): ("scores-only",),
    ("additions-forgotten", "keys-as-wide-as-values"): ("mixing-only",),
    ("one-too-far", "not-itself"): ("before-itself",),
    ("window-only", "causal-only"): ("either",),
    ("window-only", "forward"): ("both-sides", "causal-only"),
    ("transposed-result", "row-by-row"): (),
    ("transposed-result", "no-new-axes"): (),
    ("not-centered", "centered-only"): ("rms", "centered-only"),
    ("no-biases", "no-norms"): ("matrices-only",),
    ("norm-2-missing", "norm-at-the-end"): ("half-post-norm",),
    ("residual-1-dropped", "residual-2-dropped"): ("no-residuals",),
    ("residual-2-from-x", "parallel"): ("attention-lost",),
    ("same-block", "first-only"): ("same-block", "last-only"),
    ("copies", "plain-list"): ("same-block", "plain-list"),
    ("copies", "first-only"): ("copies", "last-only"),
    ("plain-list", "first-repeated"): ("same-block", "plain-list"),
}


@pytest.mark.parametrize(
    "item", PAIRS, ids=lambda item: f"{item[0]}-{item[1][0].id}-{item[1][1].id}"
)
def test_two_faults_at_once_are_refused_and_named(item):
    name, pair = item
    result = check(learner(EXERCISES[name].wrong_version(*pair)), name)
    assert not result.passed
    ids = tuple(fault.id for fault in pair)
    named = result.faults in {ids, ids[:1], ids[1:]}
    assert named or result.faults == ABSORBED[ids]


@pytest.mark.parametrize("name", NAMES)
def test_the_stub_is_not_attempted(name):
    def stub(*args):
        raise NotImplementedError

    count = len(inspect.signature(TASKS[name].reference).parameters)
    names = ", ".join("abcdefg"[:count])
    namespace = {"stub": stub}
    exec(f"def {name}({names}):\n    raise NotImplementedError", namespace)
    assert check(namespace[name]).status == "todo"


@pytest.mark.parametrize("name", NAMES)
def test_a_task_has_text_and_three_different_hints(name):
    task = TASKS[name]
    assert name in task.task
    assert (
        task.chapter in catalog.chapters and name in catalog.chapters[task.chapter]
    )
    assert len(set(task.hints)) == 3 and all(
        hint.endswith(("?", ".")) for hint in task.hints
    )


@pytest.mark.parametrize("name", list(EXERCISES))
def test_the_reference_needs_only_its_library(name):
    source = ast.parse(inspect.getsource(TASKS[name].reference))
    used = {node.id for node in ast.walk(source) if isinstance(node, ast.Name)}
    assigned = {
        n.id
        for n in ast.walk(source)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    parameters = {
        node.arg for node in ast.walk(source) if isinstance(node, ast.arg)
    }
    assert used - assigned - parameters <= {
        "np",
        "torch",
        "bool",
        "len",
        "range",
        "float",
        "super",
        "ValueError",
    }


@pytest.mark.parametrize(
    "name", [n for n, e in EXERCISES.items() if e.library == "numpy"]
)
def test_sizes_separate_axes(name):
    """But for the cases called square, no two axes of the arguments' last two share a length."""
    for case in EXERCISES[name].made_cases:
        arrays = [
            value
            for value in case.args
            if isinstance(value, np.ndarray) and value.ndim > 1
        ]
        if case.kind == "plain" and arrays:
            assert arrays[0].shape[-1] != arrays[0].shape[-2]


@pytest.mark.parametrize("letter", "acf")
def test_each_false_statement_has_its_own_sentence(letter):
    result = check(partial(set, {"b", "d", "e", letter}), "true_of_softmax")
    assert result.faults == (letter,)


@pytest.mark.parametrize("letter", "bde")
def test_each_missing_statement_has_its_own_sentence(letter):
    result = check(partial(set, {"b", "d", "e"} - {letter}), "true_of_softmax")
    assert result.faults == (f"{letter}-missing",)


@pytest.mark.parametrize(
    "name",
    [
        "mixture_shape",
        "fooled_by_length",
        "hide_the_axis_bug",
        "possible_scores",
        "which_d",
        "true_of_average",
        "can_tell_order",
    ],
)
def test_the_reasons_of_a_question_are_distinct(name):
    reasons = TASKS[name].reasons
    assert len({reason.id for reason in reasons}) == len(reasons)


@pytest.mark.parametrize("name", list(EXERCISES))
def test_the_reference_earns_no_remark(name):
    assert check(pasted(TASKS[name])).remarks == ()


@pytest.mark.parametrize("given", [(), ("SelfAttention",)])
def test_a_module_in_place_of_its_class_is_named(given):
    made = pasted(TASKS["SelfAttention"])(5, 2, 7)
    result = check(made, *given)
    assert (
        result.faults == ("instance",) and "check(SelfAttention)" in result.message
    )


def test_what_passes_for_positive_queries_is_not_called_nearly_right():
    (relu,) = (
        f for f in WRONG["SelfAttention"] if f.__name__ == "sa_relu_on_queries"
    )
    assert check(relu, "SelfAttention").faults == ()
