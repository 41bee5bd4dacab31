"""Pictures of the chapter: what they show, and that a page can hold them."""

from course_attn.chapters.qkv import figures


def test_roles_graph_and_soft_dictionary_have_a_step_for_each_stage() -> None:
    roles = figures.roles_graph()
    winds = {"east": 0.0, "north": 90.0, "west": 180.0, "south": 270.0}
    lookup = figures.soft_dictionary(winds, [12, 5, 15, 24], 67.5)
    assert repr(roles).startswith("<animation of 8 steps")
    assert repr(lookup).startswith("<animation of 19 steps")
    assert "north has the weight 1.00, the answer is 5.0 mm" in lookup._repr_html_()


def test_plain_graph_has_a_step_for_each_stage_and_no_roles() -> None:
    plain = figures.plain_graph()
    assert repr(plain).startswith("<animation of 5 steps")
    assert (
        "W_Q" not in plain._repr_html_()
        and "W_Q" in figures.roles_graph()._repr_html_()
    )


def test_matrix_graph_has_the_shapes_on_its_edges() -> None:
    (ax,) = figures.matrix_graph().axes
    texts = [text.get_text() for text in ax.texts]
    for shape, times in (("$n_q \\times n_k$", 2), ("$n_k \\times d_k$", 1)):
        assert texts.count(shape) == times
    assert texts.count("$n_k \\times d_v$") == 1
