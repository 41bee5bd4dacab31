"""The animations of single chapters: what they show, and that a page can hold them."""

import numpy as np

from course_attn.chapters.multi_head import figures as multi_head
from course_attn.chapters.order import figures as order
from course_attn.chapters.qkv import figures as qkv
from tests.support.twin_table import twin


def test_roles_graph_and_soft_dictionary_have_a_step_for_each_stage() -> None:
    roles = qkv.roles_graph()
    winds = {"east": 0.0, "north": 90.0, "west": 180.0, "south": 270.0}
    lookup = qkv.soft_dictionary(winds, [12, 5, 15, 24], 67.5)
    assert repr(roles).startswith("<animation of 8 steps")
    assert repr(lookup).startswith("<animation of 19 steps")
    assert "north has the weight 1.00, the answer is 5.0 mm" in lookup._repr_html_()


def test_plain_graph_has_a_step_for_each_stage_and_no_roles() -> None:
    plain = qkv.plain_graph()
    assert repr(plain).startswith("<animation of 5 steps")
    assert (
        "W_Q" not in plain._repr_html_()
        and "W_Q" in qkv.roles_graph()._repr_html_()
    )


def test_matrix_graph_has_the_shapes_on_its_edges() -> None:
    (ax,) = qkv.matrix_graph().axes
    texts = [text.get_text() for text in ax.texts]
    for shape, times in (("$n_q \\times n_k$", 2), ("$n_k \\times d_k$", 1)):
        assert texts.count(shape) == times
    assert texts.count("$n_k \\times d_v$") == 1


def test_split_and_merge_moves_numbers_as_the_functions_do(
    library: str,
) -> None:
    """At the heads, the left panel is `split_heads`, and the right one a reshape."""
    n, n_heads, d_head = 3, 2, 3
    d = n_heads * d_head
    X = np.arange(n * d, dtype=float).reshape(n, d)
    split = twin(library, "multi_head.split_heads")(X, n_heads)
    for mixed, wanted in ((False, split), (True, X.reshape(n_heads, n, d_head))):
        start, _, heads, end = multi_head._stations(n, n_heads, d_head, mixed=mixed)
        np.testing.assert_array_equal(start, end)
        found = np.empty((n_heads, n, d_head))
        for i in range(n):
            for f in range(d):
                x, y = heads[i, f]
                h, row = divmod(round(-y), n + 1)
                found[h, row, round(x - 2)] = X[i, f]
        np.testing.assert_array_equal(found, wanted)


def test_split_and_merge_fits_the_page_and_describes_itself() -> None:
    page = multi_head.split_and_merge()._repr_html_()
    assert len(page) < 400_000
    assert "Follow the framed" in page and "reading order" in page


def test_accuracy_by_position_averages_groups_that_do_not_cross_the_trained_length() -> (
    None
):
    right_at = np.repeat([[1.0, 0.25], [1.0, 0.25]], 8, axis=1)
    (ax,) = order.accuracy_by_position(
        {"a scheme": right_at}, trained=8, first=3
    ).axes
    curve = ax.get_lines()[0]
    np.testing.assert_allclose(curve.get_xdata(), [5, 11.5])
    np.testing.assert_allclose(curve.get_ydata(), [1, 0.25])
    assert curve.get_label() == "a scheme"


def test_three_maps_dot_the_wanted_keys() -> None:
    ax, _ = order.three_maps({"one": np.eye(4), "other": np.eye(4)}, wanted=1).axes
    dots = sorted((x.get_xdata()[0], -x.get_ydata()[0]) for x in ax.get_lines())
    assert dots == [(0.5, 1.5), (1.5, 2.5), (2.5, 3.5)]
