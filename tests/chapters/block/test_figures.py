"""The scenes of the chapter: every part is drawn, and the weights stand where they belong."""

import numpy as np

from course_attn.chapters.block import figures as block


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_hunt_weights_has_a_heatmap_for_each_block_with_the_names_of_the_cards() -> (
    None
):
    names = [3, 0, 2]
    fig = block.hunt_weights([np.eye(3), np.eye(3)], names)
    assert len(fig.axes) == 2
    for k, ax in enumerate(fig.axes, start=1):
        assert ax.get_title().startswith(f"block {k}")
        assert sorted(texts(ax)) == sorted([str(name) for name in names] * 2)
