"""The NumPy and the PyTorch version of every public function are one function, written twice.

The calls are listed in `twin_cases/`; a function that is missing there fails here.
"""

import inspect
import re
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from twin_cases import BAD_INPUT, BY_HAND, CASES, ORACLES, READS_NUMBERS, TORCH_ONLY
from twin_table import (
    Bad,
    Case,
    chapters,
    convert,
    functions,
    in_numpy,
    installed,
    module,
    parts,
    raw,
    result_kind,
    twin,
)

FUNCTIONS = functions("in_numpy")
TOLERANCE = {"float64": 1e-12, "float32": 2e-5}
each_case = pytest.mark.parametrize("case", CASES, ids=str)
each_function = pytest.mark.parametrize("function", FUNCTIONS)


def fullest(function: str) -> Case:
    """Return the case of a function with the most arrays, a call that is known to be good."""
    cases = [case for case in CASES if case.function == function]
    return max(cases, key=lambda case: len(case.arrays))


def arguments_of(function: str) -> dict[str, np.ndarray]:
    """Return all the arrays that a function takes, as they are in one good call."""
    return (
        fullest(function).arrays if function in {c.function for c in CASES} else {}
    )


EVERY_ARRAY = [
    (function, name) for function in FUNCTIONS for name in arguments_of(function)
]
each_array = pytest.mark.parametrize(("function", "name"), EVERY_ARRAY)


def assert_close(found: Any, wanted: Any, tolerance: float) -> None:
    """Assert equality to a tolerance relative to each entry or to the largest finite one.

    The second allowance is for entries near zero that are differences of large terms. Each part of
    a tuple is compared on its own.
    """
    if isinstance(found, tuple):
        for pair in zip(found, wanted, strict=True):
            assert_close(*pair, tolerance)
        return
    found, wanted = in_numpy(found).astype(float), in_numpy(wanted).astype(float)
    assert found.shape == wanted.shape
    finite = np.abs(wanted[np.isfinite(wanted)])
    largest = finite.max(initial=0.0)
    np.testing.assert_allclose(
        found, wanted, rtol=tolerance, atol=tolerance * largest
    )


# --- the same face --------------------------------------------------------------------------------


def test_both_libraries_have_the_same_chapters() -> None:
    assert chapters("in_numpy") == chapters("in_torch") != []


def test_the_first_three_chapters_are_found() -> None:
    assert {"weighted_sum", "scores", "softmax"} <= set(chapters("in_numpy"))


@pytest.mark.parametrize("chapter", chapters("in_numpy"))
def test_both_modules_export_the_same_names(chapter: str) -> None:
    """PyTorch may add `nn.Module`s and what TORCH_ONLY lists; all else comes in pairs."""
    in_torch = module("in_torch", chapter)
    alone = {
        name.split(".")[1] for name in TORCH_ONLY if name.startswith(f"{chapter}.")
    }
    modules = {
        name
        for name in in_torch.__all__
        if inspect.isclass(found := getattr(in_torch, name))
        and issubclass(found, torch.nn.Module)
    }
    assert alone <= set(in_torch.__all__)
    assert set(module("in_numpy", chapter).__all__) == (
        set(in_torch.__all__) - modules - alone
    )


@each_function
def test_signatures_agree(function: str) -> None:
    """Names, order, kinds, defaults, and annotations apart from the types of array and dtype."""

    def face(library: str) -> list[tuple[Any, ...]]:
        parameters = inspect.signature(raw(library, function)).parameters.values()
        return [
            (
                p.name,
                p.kind,
                # a function of ours is the same if it has the same name
                p.default.__name__ if inspect.isfunction(p.default) else p.default,
                "" if p.name == "dtype" else _plain(str(p.annotation)),
            )
            for p in parameters
        ]

    assert face("in_numpy") == face("in_torch")


def _plain(annotation: str) -> str:
    return re.sub(
        r"numpy\.|torch\.", "", re.sub(r"ndarray|Tensor", "Array", annotation)
    )


@each_function
def test_docstrings_agree(function: str) -> None:
    """Only the section Examples may differ: it shows each library's own spelling."""
    texts, examples = zip(
        *(_without_examples(library, function) for library in ORDER), strict=True
    )
    assert texts[0] == texts[1]
    assert all(f">>> {function.split('.')[1]}(" in example for example in examples)


ORDER = ("in_numpy", "in_torch")


def _without_examples(library: str, function: str) -> tuple[str, str]:
    """Split a docstring into all but its Examples, and these."""
    text = inspect.getdoc(raw(library, function))
    assert text is not None
    before, examples, after = re.split(
        r"^Examples\n-+\n(.*?)^(?=Notes\n-)", text, flags=re.M | re.S
    )
    return before + after, examples


# --- every function is in every table -------------------------------------------------------------


@each_function
def test_no_function_is_left_out(function: str) -> None:
    """A new public function needs a case, an oracle, a case by hand and, with options, bad ones."""
    assert function in {case.function for case in CASES}, (
        "add it to CASES in twin_cases/"
    )
    assert ORACLES.get(function), "add it to ORACLES in twin_cases/"
    assert function in {case.function for case in BY_HAND}, (
        "add it to BY_HAND in twin_cases/"
    )
    assert function in {bad.function for bad in BAD_INPUT}, (
        "add it to BAD_INPUT in twin_cases/"
    )


@each_function
def test_every_option_is_tried(function: str) -> None:
    """Each argument appears in a case, and each one in a call that must name it and refuse."""
    names = set(inspect.signature(raw("in_numpy", function)).parameters)
    tried = {
        name
        for c in CASES
        if c.function == function
        for name in (*c.arrays, *c.options)
    }
    assert tried == names
    arrays = set(arguments_of(function))
    refused = {bad.names for bad in BAD_INPUT if bad.function == function}
    assert refused >= names - arrays


def test_every_row_names_a_public_function() -> None:
    rows = {row.function for row in (*CASES, *BY_HAND, *BAD_INPUT)} | set(ORACLES)
    assert rows == set(FUNCTIONS)


# --- the same values ------------------------------------------------------------------------------


@each_case
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_twins_agree(case: Case, dtype: str) -> None:
    """Same numbers in, same numbers out; dtype in = dtype out; float32 is as good as it can be."""
    by_numpy = raw("in_numpy", case.function)(**case.arguments("in_numpy", dtype))
    by_torch = raw("in_torch", case.function)(**case.arguments("in_torch", dtype))
    if (result := result_kind(case.function)) == "number":
        promised = inspect.signature(raw("in_numpy", case.function))
        kind = promised.return_annotation
        assert type(by_numpy) is type(by_torch) is kind
    else:
        wanted = {"bool": "bool", "float": dtype}[result]
        for part in parts(by_numpy):
            assert isinstance(part, np.ndarray | np.floating)
            assert str(part.dtype) == wanted
        for part in parts(by_torch):
            assert isinstance(part, torch.Tensor)
            assert part.dtype == getattr(torch, wanted)
    assert_close(by_torch, by_numpy, TOLERANCE[dtype])

    exact = {
        name: array.astype(dtype).astype(float) if array.dtype == float else array
        for name, array in case.arrays.items()
    }
    in_float64 = twin("in_numpy", case.function)(**exact, **case.options)
    assert_close(by_numpy, in_float64, TOLERANCE[dtype])


@each_case
def test_inputs_are_left_unchanged(case: Case, library: str) -> None:
    arguments = case.arguments(library)
    raw(library, case.function)(**arguments)
    for name, array in case.arrays.items():
        assert in_numpy(arguments[name]).tobytes() == array.tobytes(), name


@each_case
def test_results_share_no_memory_with_inputs(case: Case, library: str) -> None:
    """Writing into a result must not reach back into an argument."""
    arguments = case.arguments(library)
    result = in_numpy(raw(library, case.function)(**arguments))
    assert not any(
        np.shares_memory(part, in_numpy(arguments[name]))
        for name in case.arrays
        for part in parts(result)
    )


@each_case
def test_the_layout_in_memory_does_not_matter(case: Case, library: str) -> None:
    """Transposed views and every second entry of a larger array are arrays like any other."""
    wanted = twin(library, case.function)(**case.arrays, **case.options)
    for spread in (_transposed_twice, _every_second):
        arrays = {
            name: spread(convert(library, a)) for name, a in case.arrays.items()
        }
        found = raw(library, case.function)(**case.arguments(library) | arrays)
        assert_close(found, wanted, 1e-12)


def _transposed_twice(array: Any) -> Any:
    if isinstance(array, np.ndarray):
        return np.ascontiguousarray(array.T).T
    axes = tuple(reversed(range(array.ndim)))
    return array.permute(axes).contiguous().permute(axes)


def _every_second(array: Any) -> Any:
    doubled = (
        np.repeat(array, 2, -1)
        if isinstance(array, np.ndarray)
        else array.repeat_interleave(2, -1)
    )
    return doubled[..., ::2]


HALF = {
    "float16": 2.0**-11,
    "bfloat16": 2.0**-8,
}  # relative error of rounding once, at most


@pytest.mark.parametrize(
    ("library", "dtype"),
    [("in_numpy", "float16"), ("in_torch", "float16"), ("in_torch", "bfloat16")],
)
@each_case
def test_16_bit_input_gives_16_bit_output(
    case: Case, library: str, dtype: str
) -> None:
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # squares above 65504 are inf in float16
        result = raw(library, case.function)(**case.arguments(library, dtype))
    if result_kind(case.function) == "float":
        for part in parts(result):
            assert str(part.dtype).removeprefix("torch.") == dtype


@pytest.mark.parametrize(
    ("library", "dtype"),
    [("in_numpy", "float16"), ("in_torch", "float16"), ("in_torch", "bfloat16")],
)
@pytest.mark.parametrize(
    "function", ["softmax.softmax", "softmax.log_softmax", "masks.masked_softmax"]
)
def test_16_bit_softmax_rounds_only_once(
    function: str, library: str, dtype: str
) -> None:
    """Computed in 32 bits, the result is the exact one rounded: half a unit in the last place."""
    scores = np.random.default_rng(5).normal(scale=3.0, size=(11, 1009))
    coarse = convert(library, scores, dtype)
    exact = twin("in_numpy", function)(in_numpy(coarse).astype(float))
    found = in_numpy(raw(library, function)(coarse)).astype(float)
    # A float16 below 2**-14 has a fixed spacing of 2**-24. The factor is for the float32 part.
    atol = 2.0**-25 if dtype == "float16" else 0.0
    np.testing.assert_allclose(
        found, exact, rtol=1.01 * HALF[dtype], atol=1.01 * atol
    )


@pytest.mark.parametrize(
    "case",
    [c for c in CASES if c.arrays and c.function not in READS_NUMBERS],
    ids=str,
)
def test_torch_functions_follow_their_inputs_to_any_device(case: Case) -> None:
    """On the device `meta`, which has shapes but no numbers, a tensor from elsewhere is refused."""
    function = raw("in_torch", case.function)
    on_meta = parts(function(**case.arguments("in_torch", device="meta")))
    on_cpu = parts(function(**case.arguments("in_torch")))
    assert {part.device.type for part in on_meta} == {"meta"}
    assert [part.shape for part in on_meta] == [part.shape for part in on_cpu]


# --- third oracles and hand-worked cases: an error in both twins at once --------------------------


@pytest.mark.parametrize(
    ("case", "oracle"),
    [(case, oracle) for case in CASES for oracle in ORACLES.get(case.function, {})],
    ids=str,
)
def test_others_code_agrees(case: Case, oracle: str, library: str) -> None:
    wanted = ORACLES[case.function][oracle](**case.arrays, **case.options)
    found = twin(library, case.function)(**case.arrays, **case.options)
    assert_close(found, wanted, 1e-12)


@pytest.mark.parametrize("batch", [(), (2, 3)])
def test_the_three_chapters_together_are_torchs_attention(
    batch: tuple[int, ...], library: str
) -> None:
    """Mix by the softmax of dot products: `scaled_dot_product_attention` without its scale."""
    rng = np.random.default_rng(3)
    Q, K, V = (
        rng.normal(size=(*batch, *shape)) for shape in [(7, 5), (11, 5), (11, 13)]
    )
    scores = twin(library, "scores.dot_scores")(Q, K)
    weights = twin(library, "softmax.softmax")(scores)
    out = twin(library, "weighted_sum.weighted_sum")(weights, V)
    wanted = F.scaled_dot_product_attention(
        *(torch.from_numpy(x) for x in (Q, K, V)), scale=1.0
    )
    assert_close(out, wanted, 1e-12)


def test_general_scores_are_torchs_bilinear_layer() -> None:
    """With `nn.Bilinear`'s own weight, which it keeps as (out, d_q, d_k)."""
    torch.manual_seed(0)
    layer = torch.nn.Bilinear(3, 5, 1, bias=False, dtype=torch.float64)
    Q, K = (
        torch.randn(7, 3, dtype=torch.float64),
        torch.randn(7, 5, dtype=torch.float64),
    )
    scores = raw("in_torch", "scores.general_scores")(Q, K, layer.weight[0])
    assert_close(scores.diagonal(), layer(Q, K)[:, 0], 1e-12)


@pytest.mark.parametrize("case", BY_HAND, ids=str)
def test_worked_out_by_hand(case: Case, library: str) -> None:
    found = twin(library, case.function)(**case.arrays, **case.options)
    assert_close(found, case.expected, 1e-12)


# --- the same refusals ----------------------------------------------------------------------------


def refusal(library: str, function: str, arguments: dict[str, Any]) -> Exception:
    """Return the error of a call that must fail, made as a user makes it."""
    with pytest.raises(Exception) as caught:  # noqa: PT011, B017 - the caller looks at the type
        installed(library, function)(**arguments)
    return caught.value


def common_words(error: Exception) -> str:
    """Return a message with the words that differ between the libraries made equal."""
    text = str(error)
    for ours in ("numpy.ndarray", "torch.Tensor"):
        text = text.replace(ours, "<array>")
    for ours in ("np.asarray", "torch.as_tensor"):
        text = text.replace(ours, "<convert>")
    return re.sub(r"\b(numpy|torch)\b", "<library>", text)


def assert_refused_alike(
    errors: list[Exception], kind: type[Exception], name: str, *says: str
) -> None:
    """Assert the error's type, that it names the argument, and that both twins say the same."""
    for error in errors:
        assert type(error) is kind, repr(error)
        for word in (rf"\b{name}\b", *(re.escape(word) for word in says)):
            assert re.search(word, str(error)), f"{word} is not in: {error}"
    assert len({common_words(error) for error in errors}) == 1


@pytest.mark.parametrize("bad", BAD_INPUT, ids=str)
def test_bad_input_is_refused(bad: Bad) -> None:
    errors = []
    for library in ORDER:
        arguments = {
            name: convert(library, value) for name, value in bad.arguments.items()
        }
        errors.append(refusal(library, bad.function, arguments))
    assert_refused_alike(errors, bad.error, bad.names, *bad.says)


NO_ARRAYS = {
    "a list": (lambda array: array.tolist(), "builtins.list"),
    "a tuple": (lambda array: tuple(array.tolist()), "builtins.tuple"),
    "a number": (lambda array: 1.0, "builtins.float"),
    "a string": (lambda array: "array", "builtins.str"),
    "None": (lambda array: None, "builtins.NoneType"),
}


def good_call(library: str, function: str) -> dict[str, Any]:
    """Return the arguments of a call with all the arrays, which must pass."""
    arguments = fullest(function).arguments(library)
    installed(library, function)(**arguments)
    return arguments


def may_be_none(function: str, name: str) -> bool:
    """Tell whether an argument can be left out."""
    return (
        inspect.signature(raw("in_numpy", function)).parameters[name].default
        is None
    )


@pytest.mark.parametrize("kind", NO_ARRAYS)
@each_array
def test_what_is_no_array_is_refused(function: str, name: str, kind: str) -> None:
    spoil, got = NO_ARRAYS[kind]
    if kind == "None" and may_be_none(function, name):
        for library in ORDER:
            installed(library, function)(
                **good_call(library, function) | {name: None}
            )
        return
    errors = []
    for library in ORDER:
        arguments = good_call(library, function)
        arguments[name] = spoil(arguments_of(function)[name])
        errors.append(refusal(library, function, arguments))
    assert_refused_alike(errors, TypeError, name, f"got {got}", f"({name})")


@each_array
def test_the_other_librarys_array_is_refused(function: str, name: str) -> None:
    errors = []
    for library, other in zip(ORDER, reversed(ORDER), strict=True):
        arguments = good_call(library, function)
        arguments[name] = convert(other, arguments_of(function)[name])
        errors.append(refusal(library, function, arguments))
    assert_refused_alike(errors, TypeError, name)
    assert "got torch.Tensor; convert it with np.asarray" in str(errors[0])
    assert "got numpy.ndarray; convert it with torch.as_tensor" in str(errors[1])


KINDS = {"f": "floating-point", "b": "of dtype bool", "i": "integer"}


@pytest.mark.parametrize(
    "dtype",
    ["int64", "int32", "uint8", "bool", "complex128", "complex64", "float64"],
)
@each_array
def test_other_dtypes_are_refused(function: str, name: str, dtype: str) -> None:
    """Integers are not promoted: 0 and 1 as weights and 1 // 2 are too easily confused.

    A mask must be bool: numbers might be a bias, or a mask of the opposite meaning.
    """
    kind = arguments_of(function)[name].dtype.kind
    if kind == np.dtype(dtype).kind:
        return
    errors = []
    for library in ORDER:
        arguments = good_call(library, function)
        ones = np.ones(arguments_of(function)[name].shape)
        arguments[name] = convert(library, ones, dtype)
        errors.append(refusal(library, function, arguments))
    assert_refused_alike(errors, TypeError, name, KINDS[kind], f"got dtype {dtype}")


@each_array
def test_an_array_without_axes_is_refused(function: str, name: str) -> None:
    errors = []
    for library in ORDER:
        arguments = good_call(library, function)
        dtype = arguments_of(function)[name].dtype
        arguments[name] = convert(library, np.array(1, dtype))
        errors.append(refusal(library, function, arguments))
    assert_refused_alike(
        errors, ValueError, name, "must have shape", "got 0 axes: ()"
    )


@each_array
def test_a_second_float_dtype_is_refused(function: str, name: str) -> None:
    arrays = {k: a for k, a in arguments_of(function).items() if a.dtype == float}
    if name not in arrays:
        return  # a mask goes with any floating dtype
    if any(isinstance(o, dict) for o in fullest(function).options.values()):
        return  # arrays in a mapping must have this dtype: see BAD_INPUT
    if len(arrays) == 1:
        for library in ORDER:  # one array alone may have any floating dtype
            narrow = {name: convert(library, arrays[name], "float32")}
            installed(library, function)(**good_call(library, function) | narrow)
        return
    errors = []
    for library in ORDER:
        arguments = good_call(library, function)
        arguments[name] = convert(library, arrays[name], "float32")
        errors.append(refusal(library, function, arguments))
    other = next(k for k in arrays if k != name)
    assert_refused_alike(
        errors,
        TypeError,
        name,
        f"{name} is float32",
        f"{other} is float64",
        "one dtype",
    )


@each_function
def test_a_forgotten_argument_is_named(function: str, library: str) -> None:
    error = refusal(library, function, {})
    assert type(error) is TypeError
    first = next(iter(inspect.signature(raw(library, function)).parameters))
    assert re.search(rf"\b{first}\b", str(error))


def test_whole_numbers_and_numpy_numbers_are_numbers(library: str) -> None:
    """A temperature of 2 is one of 2.0, and an axis may come out of a NumPy array."""
    softmax = installed(library, "softmax.softmax")
    scores = convert(library, np.array([[0.0, 2.0], [4.0, 0.0]]))
    wanted = softmax(scores, axis=0, temperature=2.0)
    assert_close(softmax(scores, axis=np.int64(0), temperature=2), wanted, 0.0)
    assert_close(softmax(scores, axis=0, temperature=np.float32(2.0)), wanted, 0.0)


# --- gradients ------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [c for c in CASES if c.has_gradient()], ids=str)
def test_gradients_equal_finite_differences(case: Case) -> None:
    """Batches go through gradcheck's fast mode, which checks random directions."""
    names = [name for name, array in case.arrays.items() if array.dtype == float]
    arguments = case.arguments("in_torch")
    tensors = [arguments[name].requires_grad_() for name in names]

    def call(*given: torch.Tensor) -> Any:
        named = dict(zip(names, given, strict=True))
        return raw("in_torch", case.function)(**arguments | named)

    torch.manual_seed(0)
    large = sum(tensor.numel() for tensor in tensors) > 100
    assert torch.autograd.gradcheck(call, tensors, fast_mode=large)


def test_every_function_has_a_gradient_checked() -> None:
    """But those that give a mask or a number, or take no floating-point array."""
    wanted = {
        function
        for function in FUNCTIONS
        if result_kind(function) == "float"
        and any(a.dtype == float for a in arguments_of(function).values())
    }
    assert {case.function for case in CASES if case.has_gradient()} == wanted


ON_THE_EDGE = {
    "cosine of a zero query": (
        "scores.cosine_scores",
        {"Q": [[0, 0], [1, 2]], "K": [[3, 4]]},
    ),
    "cosine of a zero key": (
        "scores.cosine_scores",
        {"Q": [[1, 2]], "K": [[3, 4], [0, 0]]},
    ),
    "query on its key": (
        "scores.gaussian_scores",
        {"Q": [[1, 2]], "K": [[1, 2], [3, 4]]},
    ),
    "softmax of tied maxima": ("softmax.softmax", {"scores": [2, 2, 1]}),
    "softmax with -inf": ("softmax.softmax", {"scores": [2, -np.inf, 1]}),
    "log_softmax of tied maxima": ("softmax.log_softmax", {"scores": [2, 2, 1]}),
    "entropy with a zero weight": ("softmax.entropy", {"weights": [0, 0.5, 0.5]}),
    "far from all data": (
        "scores.nadaraya_watson",
        {"x_query": [1e6], "x": [0, 1, 1], "y": [2, 4, 5]},
    ),
    "a single key": (
        "qkv.attention_weights",
        {"Q": [[1, 2], [3, 4]], "K": [[5, 6]]},
    ),
    "certainty": ("qkv.attention_weights", {"Q": [[100]], "K": [[100], [0]]}),
    "a row with nothing allowed": (
        "masks.masked_softmax",
        {"scores": [[1, 2], [3, 4]], "mask": [[True, False], [False, False]]},
    ),
    "NaN and infinities behind a mask": (
        "masks.masked_softmax",
        {
            "scores": [[1, np.nan, np.inf, -np.inf, 2], [np.nan] * 5],
            "mask": [[True, False, False, False, True], [False] * 5],
        },
    ),
    "a row of -inf": (
        "masks.masked_softmax",
        {"scores": [[-np.inf] * 2, [1, -np.inf]]},
    ),
    "a bias that excludes all keys": (
        "qkv.attention",
        {
            "Q": [[1], [2]],
            "K": [[3], [4]],
            "V": [[5], [6]],
            "bias": [[-np.inf, -np.inf], [0, -np.inf]],
        },
    ),
    "queries before the first key": (
        "masks.causal_attention",
        {"Q": [[1], [2], [3]], "K": [[4]], "V": [[5]]},
    ),
    "scores all equal": ("scaling.score_statistics", {"scores": [[0, 0], [0, 0]]}),
}


@pytest.mark.parametrize("edge", ON_THE_EDGE)
def test_gradients_are_finite_where_functions_have_an_edge(edge: str) -> None:
    function, arrays = ON_THE_EDGE[edge]
    tensors = {name: torch.tensor(value) for name, value in arrays.items()}
    tensors = {
        name: x if x.dtype == torch.bool else x.double().requires_grad_()
        for name, x in tensors.items()
    }
    for out in parts(raw("in_torch", function)(**tensors)):
        factors = torch.arange(1.0, out.numel() + 1).reshape(out.shape)
        (out * factors).sum().backward(retain_graph=True)
    for name, tensor in tensors.items():
        if tensor.requires_grad:
            assert tensor.grad is not None and torch.isfinite(tensor.grad).all(), (
                name
            )


def test_the_entropy_of_a_softmax_with_masked_scores_has_a_gradient() -> None:
    """Weight 0 times log 0, differentiated: NaN in a careless version."""
    scores = torch.tensor(
        [1.0, -torch.inf, 2.0], dtype=torch.float64, requires_grad=True
    )
    weights = raw("in_torch", "softmax.softmax")(scores)
    raw("in_torch", "softmax.entropy")(weights).backward()
    finite = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    torch.distributions.Categorical(logits=finite).entropy().backward()
    assert scores.grad is not None and finite.grad is not None
    assert_close(scores.grad, [finite.grad[0], 0.0, finite.grad[1]], 1e-12)
