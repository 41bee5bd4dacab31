"""Whether a test calls the package is seen, and held against what its mark says."""

import numpy as np
import pytest
import torch

import course_attn.in_numpy.softmax
import course_attn.in_torch.qkv
from tests.support.claims import contradiction, noting_calls

FORMULA = pytest.mark.equation("eq-softmax", formula=True).mark
CODE = pytest.mark.equation("eq-softmax").mark


@pytest.mark.parametrize(
    "call",
    [
        lambda: course_attn.in_numpy.softmax(np.zeros(2)),
        lambda: course_attn.in_torch.SelfAttention(2, 2)(torch.zeros(3, 2)),
    ],
    ids=["a function", "a layer"],
)
def test_noting_calls__sees_a_call_of_the_package(call):
    with noting_calls() as called:
        call()
    assert len(called) == 1
    assert contradiction(CODE, called) == ""
    assert "eq-softmax: it has formula=True" in contradiction(FORMULA, called)


def test_noting_calls__sees_no_other_call():
    with noting_calls() as called:
        scores = torch.from_numpy(np.exp(np.zeros((2, 3))))
        torch.softmax(scores, dim=-1)
        assert course_attn.in_numpy.softmax
    assert called == []
    assert contradiction(FORMULA, called) == ""
    assert "eq-softmax: the test calls no function" in contradiction(CODE, called)
