"""Chapter `fast`: which lines its figures of measurements draw."""

from course_attn.chapters.fast import figures as figures


def row(contender: str, n: int) -> dict:
    return {
        "section": "growth",
        "contender": contender,
        "settings": {"n": n},
        "seconds": {"median": n * 1e-3},
        "extra_bytes": n * 2**10,
    }


def test_growth_with_length_draws_only_the_ways_that_are_asked_for() -> None:
    """Without linear attention, for readers who do not know it yet."""
    ways = ("explicit", "tiled", "fused", "linear")
    names = [*(f"NumPy {way}" for way in ways), "PyTorch fused", "PyTorch tiled"]
    results = {"rows": [row(name, n) for name in names for n in (1024, 2048)]}

    def drawn(**options) -> list[str]:
        (axes, _) = figures.growth_with_length(results, **options).axes
        return [text.get_text().split(":")[0] for text in axes.get_legend().texts]

    assert drawn() == [*ways, "PyTorch fused"]
    assert drawn(ways=("explicit", "fused")) == [
        "explicit",
        "fused",
        "PyTorch fused",
    ]
