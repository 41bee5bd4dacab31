"""Pictures of the chapter: what they show, and that a page can hold them."""

import numpy as np

from course_attn.chapters.multi_head import figures
from tests.support.twin_table import twin


def test_split_and_merge_moves_numbers_as_the_functions_do(
    library: str,
) -> None:
    """At the heads, the left panel is `split_heads`, and the right one a reshape."""
    n, n_heads, d_head = 3, 2, 3
    d = n_heads * d_head
    X = np.arange(n * d, dtype=float).reshape(n, d)
    split = twin(library, "multi_head.split_heads")(X, n_heads)
    for mixed, wanted in ((False, split), (True, X.reshape(n_heads, n, d_head))):
        start, _, heads, end = figures._stations(n, n_heads, d_head, mixed=mixed)
        np.testing.assert_array_equal(start, end)
        found = np.empty((n_heads, n, d_head))
        for i in range(n):
            for f in range(d):
                x, y = heads[i, f]
                h, row = divmod(round(-y), n + 1)
                found[h, row, round(x - 2)] = X[i, f]
        np.testing.assert_array_equal(found, wanted)


def test_split_and_merge_fits_the_page_and_describes_itself() -> None:
    page = figures.split_and_merge()._repr_html_()
    assert len(page) < 400_000
    assert "Follow the framed" in page and "reading order" in page
