"""What the judge and an answer say to each other arrives as it was, or not at all."""

import os
import time

import numpy as np
import pytest
import torch

from whywrong.grade.wire import MOST_BYTES, Line, LineBroken, Other, Packer, unpack


def there_and_back(value):
    """Return a value after its way through a line."""
    incoming, outgoing = os.pipe()
    try:
        packer = Packer()
        packed = packer.pack(value)
        line = Line(incoming, outgoing)
        line.send({"value": packed}, packer.blob)
        message, blob = line.receive(time.monotonic() + 600)
        return unpack(message["value"], blob)
    finally:
        os.close(incoming)
        os.close(outgoing)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        -0.5,
        float("inf"),
        2 + 3j,
        "wörd",
        (1, (2.5, None)),
        [1, "a"],
        {"a": True, 3: (0.5, "b")},
        10**300,
    ],
)
def test_plain_values_arrive(value):
    back = there_and_back(value)
    assert back == value and type(back) is type(value)


def test_sets_arrive():
    assert there_and_back({"a", "b"}) == {"a", "b"}


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", ">f4", "f2", "f8", "g", "c16"])
def test_arrays_arrive_with_their_dtype_and_order(dtype):
    array = np.arange(24).reshape(2, 3, 4).astype(dtype).swapaxes(0, 2)
    back = there_and_back(array)
    assert back.dtype == array.dtype and np.array_equal(back, array)
    assert back.flags.writeable


def test_numbers_of_numpy_and_empty_arrays_arrive():
    back = there_and_back(np.float32(0.1))
    assert type(back) is np.float32 and back == np.float32(0.1)
    assert there_and_back(np.zeros((0, 3))).shape == (0, 3)
    assert there_and_back(np.array(2.5)).shape == ()


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.bfloat16, torch.float16, torch.bool]
)
def test_tensors_arrive(dtype):
    tensor = torch.arange(6).reshape(2, 3).to(dtype).T
    back = there_and_back(tensor)
    assert back.dtype == dtype and torch.equal(back, tensor)


def test_generators_arrive_in_their_state():
    rng = np.random.default_rng(7)
    rng.normal(size=3)
    assert there_and_back(rng).normal() == rng.normal()


class Evil:
    """Would run code, were it pickled."""

    def __reduce__(self):
        return os.abort, ()


@pytest.mark.parametrize(
    "value, kind",
    [
        (Evil(), "Evil"),
        (np.array([Evil()], dtype=object), "ndarray"),
        (np.array(["text"]), "ndarray"),
        (torch.eye(2).to_sparse(), "Tensor"),
        (lambda: 1, "function"),
        (slice(1), "slice"),
    ],
)
def test_what_is_not_plain_arrives_as_the_name_of_its_type(value, kind):
    assert there_and_back(value) == Other(kind)


def test_what_takes_too_much_room_is_not_sent():
    huge = np.broadcast_to(np.float64(1), (10**6, 10**6))
    with pytest.raises(LineBroken, match="too large"):
        Packer().pack(huge)
    with pytest.raises(LineBroken, match="too large"):
        Packer().pack([np.zeros(MOST_BYTES // 8), np.zeros(1)])


@pytest.mark.parametrize(
    "node",
    [
        {"array": "O", "shape": [1], "at": 0},
        {"array": "<U4", "shape": [1], "at": 0},
        {"array": "<f8", "shape": [2], "at": 0},
        {"array": "<f8", "shape": [-1], "at": 0},
        {"array": "<f8", "shape": [1], "at": -8},
        {"array": "<f8", "shape": [True], "at": 0},
        {"array": "<f8", "shape": [1] * 40, "at": 0},
        {"array": "<f8", "shape": "1", "at": 0},
        {"tensor": "quint8", "shape": [1], "at": 0},
        {"tensor": "int64", "shape": [1], "at": 0, "gradient": 0},
        {"generator": {"bit_generator": "MT19937", "state": {}}},
        {"complex": ["a", "b"]},
        {"tuple": 3},
        {"dict": [1]},
        {"dict": [[{"list": []}, 1]]},
        {"function": 0},
        {},
    ],
)
def test_what_no_packer_made_is_refused(node):
    with pytest.raises(LineBroken):
        unpack(node, bytes(8))


BYTES = {"array": "|u1", "shape": [5], "at": 0}
TENSOR = {"tensor": "uint8", "shape": [5], "at": 3}


@pytest.mark.parametrize("nodes", [[BYTES] * 2, [TENSOR, BYTES], [None] * 100_000])
def test_message_takes_no_more_memory_than_it_has_bytes(nodes):
    assert unpack({"list": nodes[1:]}, bytes(8))
    with pytest.raises(LineBroken):
        unpack({"list": nodes}, bytes(8))


@pytest.mark.parametrize(
    "frame, said",
    [
        (b"\xff\xff\xff\xff\0\0\0\0", "more than is allowed"),
        (b"\0\0\0\0\xff\xff\xff\xff", "more than is allowed"),
        (b"\0\0\0\2\0\0\0\0[]", "not a message"),
        (b"\0\0\0\1\0\0\0\0{", "not a message"),
        (b"\0\0\0\2\0\0\0\0\xff\xff", "not a message"),
        (b"\0\0\0\2", "nobody is there"),
    ],
)
def test_frames_that_make_no_sense_are_refused(frame, said):
    incoming, outgoing = os.pipe()
    os.set_blocking(incoming, False)
    os.write(outgoing, frame)
    os.close(outgoing)
    with pytest.raises(LineBroken, match=said):
        Line(incoming, incoming).receive(time.monotonic() + 600)
    os.close(incoming)


def test_silence_and_a_full_pipe_end_in_time():
    incoming, outgoing = os.pipe()
    os.set_blocking(incoming, False)
    line = Line(incoming, outgoing)
    with pytest.raises(TimeoutError):
        line.receive(time.monotonic() + 0.01)
    os.set_blocking(outgoing, False)
    with pytest.raises(TimeoutError):
        line.send({}, bytes(1 << 20), time.monotonic() + 0.05)
    os.close(incoming)
    os.close(outgoing)
