"""The experiments with language models: their parts, and the reports that are committed."""

import json
import math
import os
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from benchmarks import induction, language_model, learn, parts, recall, results
from course_attn.in_torch import GPT, GPTConfig

SMALL = GPTConfig(n_vocab=13, n_context=7, n_layers=2, d_model=12, n_heads=3)
TOKENS = torch.tensor([[3, 1, 4, 1, 5, 9, 2], [6, 5, 3, 5, 8, 12, 0]])


def lively(name: str, config: GPTConfig = SMALL) -> GPT:
    """Return a model of this name with parameters that are not small."""
    model = parts.build(name, config, seed=0)
    rng = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.5, generator=rng)
    return model.eval()


def report(name: str) -> dict[str, Any]:
    path = results.FOLDER / f"{name}.json"
    assert path.exists(), f"run python -m benchmarks.{name}"
    return learn.load(path)


# --- training -------------------------------------------------------------------------------------


def test_rate_rises_and_falls_along_a_cosine() -> None:
    rates = [learn.schedule(step, 100, 10) for step in range(100)]
    assert rates[0] == pytest.approx(0.1)
    assert rates[50] == pytest.approx(0.5)
    assert rates[99] < 0.001
    assert rates.index(max(rates)) == 9


def test_training_learns_what_can_be_known_and_nothing_of_the_rest() -> None:
    """The targets of the second place are -100: it may say what it likes."""
    torch.manual_seed(0)
    model = torch.nn.Embedding(2, 3)
    tokens, targets = torch.tensor([[0, 1]]), torch.tensor([[2, -100]])
    before = model.weight[1].clone()
    losses = learn.train(
        model, lambda: (tokens, targets), steps=60, rate=0.1, warmup=5
    )
    assert len(losses) == 60 and losses[-1] < 0.2 < losses[0]
    wanted = F.cross_entropy(torch.nn.Embedding.from_pretrained(before[None])(torch.tensor([0])),
                             torch.tensor([2]))  # fmt: skip
    found = F.cross_entropy(model.weight[1:], torch.tensor([2]))
    assert abs(found - wanted) < 0.05


def test_windows_are_pieces_of_the_text_and_what_follows() -> None:
    text = torch.arange(100) ** 2
    tokens, targets = learn.windows(text, 5, 50, torch.Generator().manual_seed(0))
    assert tokens.shape == targets.shape == (50, 5)
    first = tokens[:, :1].sqrt().round().long()
    assert torch.equal(tokens, text[first + torch.arange(5)])
    assert torch.equal(targets, text[first + 1 + torch.arange(5)])
    assert len(set(first.flatten().tolist())) > 20


def test_all_windows_cover_a_text_once() -> None:
    text = torch.arange(31)
    tokens, targets = learn.all_windows(text, 5, most=100)
    assert tokens.flatten().tolist() == list(range(30))
    assert targets.flatten().tolist() == list(range(1, 31))
    few, _ = learn.all_windows(text, 5, most=3)
    assert few[:, 0].tolist() == [0, 10, 25]


def test_reports_say_how_they_were_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["somewhere/parts.py", "--seeds", "1"])
    rows = [{"part": "full model", "validation": 2.5}]
    path = learn.save("parts", rows, {"steps": 3}, 12.3, tmp_path)
    found = learn.load(path)
    assert path.name == "parts.json"
    assert found["command"] == "python -m benchmarks.parts --seeds 1"
    assert (found["rows"], found["settings"], found["seconds"]) == (
        rows,
        {"steps": 3},
        12,
    )
    assert found["machine"] == results.machine(results.hardware())


def test_rows_are_grouped_in_their_order_and_summarized() -> None:
    rows = [{"part": p, "x": x} for p, x in (("b", 1.0), ("a", 5.0), ("b", 3.0))]
    found = list(learn.groups(rows, "part"))
    assert [(key, len(rows)) for key, rows in found] == [(("b",), 2), (("a",), 1)]
    assert learn.spread([1.0, 3.0]).split() == ["2.000", "(1.000", "to", "3.000)"]


# --- parts switched off ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(parts.VARIANTS) - {"no mask"}))
def test_models_see_nothing_of_what_comes_later(name: str) -> None:
    model = lively(name)
    changed = TOKENS.clone()
    changed[:, 4:] = 7
    before, after = model(TOKENS), model(changed)
    torch.testing.assert_close(before[:, :4], after[:, :4])
    assert (before[:, 4:] - after[:, 4:]).abs().max() > 1e-3


def test_without_a_mask_all_see_what_comes_later() -> None:
    model, full = lively("no mask"), lively("full model")
    changed = TOKENS.clone()
    changed[:, -1] = 7
    assert ((model(TOKENS) - model(changed)).abs().amax(-1) > 1e-4).all()
    # The last character of all sees the same; with one character there is nothing to hide.
    torch.testing.assert_close(model(TOKENS[:, :1]), full(TOKENS[:, :1]))


def test_without_the_square_root_scores_are_larger_by_it() -> None:
    full, model = lively("full model"), lively("no square root of d")
    for block in full.transformer.blocks:
        block.attention.W_Q.data *= 2.0  # the square root of d_k = 4
    torch.testing.assert_close(model(TOKENS), full(TOKENS))


def test_without_positions_the_order_of_earlier_characters_is_unknown() -> None:
    """To the last one, in one layer; two layers see order through the mask."""
    config = replace(SMALL, n_layers=1)
    mixed = TOKENS[:, [2, 0, 3, 1, 5, 4, 6]]
    model, full = lively("no positions", config), lively("full model", config)
    torch.testing.assert_close(model(mixed)[:, -1], model(TOKENS)[:, -1])
    assert (full(mixed)[:, -1] - full(TOKENS)[:, -1]).abs().max() > 1e-3


def test_without_residual_parts_that_give_nothing_leave_nothing() -> None:
    model, full = lively("no residual"), lively("full model")
    for block in (*model.transformer.blocks, *full.transformer.blocks):
        for parameter in (block.feed_forward.W_2, block.feed_forward.b_2):
            parameter.data.zero_()
    final = model.transformer.final_norm.bias
    wanted = (final @ model.embedding.T).expand(2, 7, -1)
    torch.testing.assert_close(model(TOKENS), wanted)
    assert (full(TOKENS) - wanted).abs().max() > 1e-3


def test_without_norm_nothing_is_normalized() -> None:
    """With blocks that add nothing the logits are (E + P) E^T."""
    model = lively("no norm")
    for block in model.transformer.blocks:
        block.attention.W_O.data.zero_()
        block.feed_forward.W_2.data.zero_()
        block.feed_forward.b_2.data.zero_()
    E = model.embedding
    torch.testing.assert_close(model(TOKENS), (E[TOKENS] + model.positions.P) @ E.T)
    assert not any("norm" in name for name, _ in model.named_parameters())


def test_without_feed_forward_only_attention_adds_something() -> None:
    model, full = lively("no feed-forward"), lively("full model")
    state = full.state_dict() | model.state_dict()
    full.load_state_dict(state)
    for block in full.transformer.blocks:
        block.feed_forward.W_2.data.zero_()
        block.feed_forward.b_2.data.zero_()
    torch.testing.assert_close(model(TOKENS), full(TOKENS))


def test_without_attention_only_the_last_character_and_its_place_count() -> None:
    model = lively("no attention")
    changed = TOKENS.clone()
    changed[:, :-1] = 7
    torch.testing.assert_close(model(changed)[:, -1], model(TOKENS)[:, -1])


def test_models_differ_in_what_their_name_says_only() -> None:
    """All that is left starts with the same numbers, and one has as many as two whole blocks."""
    full = parts.build("full model", parts.CONFIG, 3).state_dict()
    sizes = {}
    for name in parts.VARIANTS:
        state = parts.build(name, parts.CONFIG, 3).state_dict()
        sizes[name] = sum(tensor.numel() for tensor in state.values())
        if name != "no feed-forward, three times the layers":
            for entry, tensor in state.items():
                assert torch.equal(tensor, full[entry]), (name, entry)
    more = sizes["no feed-forward, three times the layers"]
    assert more == pytest.approx(sizes["full model"], rel=0.005)
    assert parts.build("one head", parts.CONFIG, 3).config.n_heads == 1


def test_writing_is_validation_where_there_is_a_mask() -> None:
    text = torch.randint(13, (200,), generator=torch.Generator().manual_seed(0))
    full, unmasked = lively("full model"), lively("no mask")
    tokens, targets = learn.all_windows(text, 7, 200)
    wanted = (
        -full(tokens).log_softmax(-1).gather(-1, targets[..., None]).mean().item()
    )
    assert parts.validation(full, text) == pytest.approx(wanted, rel=1e-5)
    assert parts.writing(full, text) == pytest.approx(wanted, rel=1e-5)
    # One prefix at a time, by an own loop.
    losses = [
        -unmasked(row[None, : i + 1])[0, -1].log_softmax(-1)[target]
        for row, goals in zip(tokens, targets, strict=True)
        for i, target in enumerate(goals)
    ]
    assert parts.writing(unmasked, text) == pytest.approx(
        torch.stack(losses).mean().item(), rel=1e-5
    )
    difference = parts.writing(unmasked, text) - parts.validation(unmasked, text)
    assert abs(difference) > 1e-3


def test_a_model_is_trained_measured_and_writes() -> None:
    config = replace(parts.CONFIG, n_context=8, d_model=8, d_ff=8, n_heads=2)
    row = parts.measure("one head", config, 0, steps=3, batch=2, rate=1e-3)
    assert row["validation"] == pytest.approx(row["writing"], rel=1e-4)
    assert row["first"] == pytest.approx(math.log(96), rel=0.05)
    assert row["sample"].startswith(parts.PROMPT) and len(row["sample"]) == 124
    assert "one head, 2 layers" in parts.table([row])


def test_report_on_parts_is_complete_and_says_what_the_chapter_says() -> None:
    found = report("parts")
    rows = found["rows"]
    seen = Counter((row["n_layers"], row["part"]) for row in rows)
    sizes = {
        name: sizes.get("n_layers", 2)
        for name, (_, sizes) in parts.VARIANTS.items()
    }
    wanted = [(layers, name) for name, layers in sizes.items()]
    assert seen == dict.fromkeys([*wanted, *((4, name) for name in parts.DEEP)], 3)
    assert found["settings"]["training"] == parts.TRAINING
    best = {
        layers: max(
            row["writing"] for row in rows if (row["n_layers"], row["part"]) == key
        )
        for layers in (2, 4)
        for key in [(layers, "full model")]
    }
    for row in rows:
        if row["part"] != "full model":
            assert row["writing"] > best[4 if row["n_layers"] == 4 else 2], row
        if row["part"] == "no mask":
            assert row["validation"] < 0.2 and row["writing"] > math.log(96)


# --- induction ------------------------------------------------------------------------------------


def test_pieces_can_be_continued_by_looking_back() -> None:
    """Of each target that counts, a loop that looks for the last occurrence finds the letter."""
    tokens, targets = induction.pieces(50, torch.Generator().manual_seed(0))
    n_known = 0
    for text, goals in zip(tokens.tolist(), targets.tolist(), strict=True):
        assert len(set(text[:16])) == len(set(text)) == 16
        for i, goal in enumerate(goals):
            if goal != -100:
                n_known += 1
                before = max(j for j in range(i) if text[j] == text[i])
                first = text.index(text[i])
                assert text[first + 1] == goal
                assert i + 1 == len(text) or text[i + 1] == goal
                assert i >= 16 and before >= first
        assert set(goals[:15]) == {-100}
    assert 0.55 < n_known / (50 * 32) < 0.8


def test_pieces_jump_as_often_as_they_shall() -> None:
    tokens, _ = induction.pieces(400, torch.Generator().manual_seed(0), jumps=0.25)
    follows = 0
    for text in tokens.tolist():
        for i in range(15, 47):
            at = text.index(text[i])
            follows += text[i + 1] == text[(at + 1) % 16]
    # One of sixteen jumps goes to the next letter.
    assert follows / (400 * 32) == pytest.approx(0.75 + 0.25 / 16, abs=0.01)
    still, _ = induction.pieces(5, torch.Generator().manual_seed(0), jumps=0.0)
    assert torch.equal(still[:, 16:32], still[:, :16])


class LooksBack(torch.nn.Module):
    """What induction heads do, as a rule: the letter behind the first occurrence of the last."""

    n_context = 48

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        same = tokens[:, :, None] == tokens[:, None, :]
        first = same.long().argmax(-1)
        return F.one_hot(tokens.gather(1, (first + 1).clamp(max=47)), 24).float()


def test_accuracy_of_the_rule_is_one_and_that_of_chance_is_not() -> None:
    assert induction.accuracy(LooksBack(), 100) == 1.0
    drawn = induction.build(induction.CONFIG, 0)
    assert induction.accuracy(drawn, 100) < 0.2


def test_a_model_learns_and_its_heads_are_scored_and_taken_away() -> None:
    config = replace(induction.CONFIG, n_heads=2)
    model, row = induction.measure(
        config, 0, whole=False, steps=2, batch=4, rate=1e-3
    )
    assert np.shape(row["induction_score"]) == (2, 2)
    found = induction.ablations(model, 0)
    taken = [sorted(map(tuple, r["without"])) for r in found]
    assert taken[0] == [] and found[0]["accuracy"] == row["accuracy"]
    assert taken[1:] == [[(0, 0)], [(0, 1)], [(0, 0), (0, 1)],
                         [(1, 0)], [(1, 1)], [(1, 0), (1, 1)]]  # fmt: skip
    assert "seed 0 without (0, 0), (0, 1)" in induction.table(found)


def test_report_on_induction_says_what_the_chapter_says() -> None:
    rows = report("induction")["rows"]
    trained = [row for row in rows if row["experiment"] == "layers"]
    by = {
        key: [row["accuracy"] for row in found]
        for key, found in learn.groups(
            trained, "n_layers", "feed_forward", "d_model"
        )
    }
    assert all(len(found) == 3 for found in by.values()) and len(by) == 5
    assert max(by[1, False, 32] + by[1, True, 32]) < 0.2
    assert max(by[1, True, 64]) < 0.5
    assert min(by[2, False, 32]) > 0.99
    ablated = [row for row in rows if row["experiment"] == "ablation"]
    assert len(ablated) == 3 * 31
    for row in ablated:
        heads = [tuple(head) for head in row["without"]]
        if len(heads) == 4:  # a whole layer
            assert row["accuracy"] < 0.15
        if len(heads) == 1 and heads[0][0] == 1:  # one induction head of four
            assert row["accuracy"] > 0.95


# --- recall ---------------------------------------------------------------------------------------


def test_questions_ask_for_the_second_letter_of_a_pair() -> None:
    texts, answers = recall.questions(100, torch.Generator().manual_seed(0))
    places = set()
    for text, answer in zip(texts.tolist(), answers.tolist(), strict=True):
        assert len(set(text[:16])) == 16
        pairs = dict(zip(text[:16:2], text[1:16:2], strict=True))
        assert pairs[text[16]] == answer
        places.add(text.index(text[16]))
    assert places == set(range(0, 16, 2))


def test_bags_know_counts_and_the_question_only() -> None:
    texts, _ = recall.questions(5, torch.Generator().manual_seed(0))
    mixed = texts[:, [*reversed(range(16)), 16]]
    assert np.array_equal(recall.bag(texts), recall.bag(mixed))
    assert recall.bag(texts)[0, 24 + texts[0, 16]] == 1
    assert recall.bag(texts)[0, texts[0, 16]] == 2
    hot = recall.one_hot(texts)
    assert hot.shape == (5, 17 * 24) and not np.array_equal(
        hot, recall.one_hot(mixed)
    )


def test_n_grams_answer_what_followed_most_often() -> None:
    texts = torch.tensor([[1, 2, 1, 2, 5], [1, 3, 4, 1, 2]])
    answers = torch.tensor([6, 7])
    bigrams = recall.n_grams(2, texts, answers)
    assert bigrams(torch.tensor([[0, 1], [0, 5], [0, 23]])).tolist() == [2, 6, 0]
    trigrams = recall.n_grams(3, texts, answers)
    assert trigrams(torch.tensor([[0, 1, 2], [0, 4, 1]])).tolist() == [1, 2]


def test_logistic_regression_learns_what_stands_at_a_place() -> None:
    """Where the answer is the first letter; of bags it is unknown."""
    texts, _ = recall.questions(1500, torch.Generator().manual_seed(0))
    new, _ = recall.questions(200, torch.Generator().manual_seed(1))
    for features, low, high in ((recall.one_hot, 0.9, 1), (recall.bag, 0, 0.3)):
        answer = recall.regression(features, texts, texts[:, 0])
        right = (answer(new) == new[:, 0].numpy()).mean()
        assert low <= right <= high


def test_language_model_answers_with_its_next_letter() -> None:
    texts, answers = recall.questions(50, torch.Generator().manual_seed(0))
    answer = recall.language_model(LooksBack())  # type: ignore[arg-type]
    assert (answer(texts) == answers.numpy()).all()


def test_report_on_recall_says_what_the_chapter_says() -> None:
    found = report("recall")
    by = {
        name: [row["accuracy"] for row in rows]
        for (name,), rows in learn.groups(found["rows"], "contender")
    }
    assert all(len(seeds) == 3 for seeds in by.values())
    assert min(by.pop("GPT")) > 0.98
    assert len(by) == 4
    assert max(map(max, by.values())) < 0.2


# --- speed ----------------------------------------------------------------------------------------


def test_bare_model_computes_what_ours_does() -> None:
    found = language_model.models(SMALL)
    ours = lively("full model")
    bare = found["nn.Linear and fused kernel"].copy(ours)
    torch.testing.assert_close(bare(TOKENS), ours(TOKENS), atol=1e-5, rtol=1e-4)
    sizes = [sum(p.numel() for p in model.parameters()) for model in (bare, ours)]
    assert sizes[0] == sizes[1]


def test_encoder_layers_are_causal_and_have_more_biases_only() -> None:
    found = language_model.models(SMALL)
    encoder, ours = found["nn.TransformerEncoderLayer"], found["ours"]
    changed = TOKENS.clone()
    changed[:, 4:] = 7
    before, after = encoder(TOKENS), encoder(changed)
    torch.testing.assert_close(before[:, :4], after[:, :4])
    assert (before[:, 4:] - after[:, 4:]).abs().max() > 1e-3
    sizes = [
        sum(p.numel() for p in model.parameters()) for model in (encoder, ours)
    ]
    assert sizes[0] - sizes[1] == SMALL.n_layers * 4 * SMALL.d_model


def test_steps_of_training_train() -> None:
    for name, model in language_model.models(SMALL).items():
        for dtype in (torch.float32, torch.bfloat16):
            step = language_model.training_step(model, TOKENS, dtype)
            losses = [step().item() for _ in range(9)]
            assert losses[-1] < losses[0], (name, dtype)


def test_operations_are_those_of_all_products() -> None:
    """Each entry of a matrix is used once a token; query i meets i + 1 keys."""
    config = replace(SMALL, d_ff=20)
    model = GPT(config)
    entries = sum(
        p.numel()
        for name, p in model.named_parameters()
        if p.ndim == 2 and name != "positions.P"
    )
    n, d = config.n_context, config.d_model
    pairs = config.n_layers * sum(2 * d * (i + 1) for i in range(n)) / n
    assert language_model.operations(config) == 6 * (entries + pairs)


def test_time_of_a_step_is_read_from_the_log(tmp_path: Path) -> None:
    log = tmp_path / "losses.csv"
    lines = ["step,loss,tokens_per_second"]
    lines += [
        f"{i},2.0,{rate}" for i, rate in enumerate(["9", "", "100", "200", "400"])
    ]
    log.write_text("\n".join(lines), encoding="utf-8")
    assert language_model.seconds_of_a_step(log, 1000) == 5.0


def test_work_of_others_is_what_all_cores_did_without_this_command() -> None:
    """Two seconds of their work in four of the clock are half a core."""
    before = language_model.Elsewhere(10.0, 100.0)
    assert language_model.Elsewhere(14.0, 102.0).since(before) == 0.5


@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="needs Linux's /proc")
def test_own_work_and_that_of_children_is_not_the_work_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A second more of each, in the accounts of both: nothing is left for others."""
    own, cores = (
        [1.0, 2.0, 3.0, 4.0, 99.0],
        "cpu 900 50 40 7000 8 6 4 0 0 0\ncpu0 1",
    )
    tick = os.sysconf("SC_CLK_TCK")
    monkeypatch.setattr(os, "times", lambda: tuple(own))
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: cores)
    first = language_model.elsewhere().worked
    assert first == pytest.approx(1000 / tick - 10)
    own[:4] = [2.0, 3.0, 4.0, 5.0]
    cores = f"cpu {900 + 2 * tick} 50 {40 + 2 * tick} 9000 99 6 4 0 0 0\ncpu0 1"
    assert language_model.elsewhere().worked == pytest.approx(first)


def test_gpu_is_left_out_visibly_where_there_is_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert language_model.gpu(None) == []
    assert "no CUDA device" in capsys.readouterr().out


def test_command_measures_prints_and_keeps_other_sections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made_up(section: str, factor: float, options: SimpleNamespace) -> Any:
        times = results.seconds([factor, 2 * factor, 3 * factor])
        return [
            results.row(
                section, "ours", {"threads": options.threads}, seconds=times
            )
        ]

    for name in language_model.SECTIONS:
        monkeypatch.setitem(
            language_model.SECTIONS, name, partial(made_up, name, 1.0)
        )
    folder = ["--folder", str(tmp_path)]
    language_model.main(["training", "writing", *folder])
    monkeypatch.setitem(
        language_model.SECTIONS, "training", partial(made_up, "training", 5.0)
    )
    language_model.main(["training", *folder])
    saved = learn.load(tmp_path / "language_model.json")
    assert (
        saved["command"] == "python -m benchmarks.language_model writing training"
    )
    rows = saved["rows"]
    found = {row["section"]: row["seconds"]["median"] for row in rows}
    assert found == {"training": 10.0, "writing": 2.0}
    language_model.main(["gpu", "--quick", *folder])
    path = tmp_path / "language_model.json"
    assert language_model.kept(path, []) == learn.load(path)["rows"]
    text = path.read_text(encoding="utf-8")
    other = results.machine(results.hardware()) + "-other"
    (tmp_path / "other.json").write_text(
        json.dumps(json.loads(text) | {"machine": other}), encoding="utf-8"
    )
    assert language_model.kept(tmp_path / "other.json", []) == []
    assert len(learn.load(tmp_path / "language_model.json")["rows"]) == 2
    with pytest.raises(SystemExit):
        language_model.main(["trainng"])


def test_report_on_speed_says_what_the_chapter_says() -> None:
    rows = report("language_model")["rows"]
    found = {
        (row["section"], row["contender"], row["settings"].get("n")): row
        for row in rows
    }
    bare, ours, encoder = (
        found["training", name, None]
        for name in (
            "nn.Linear and fused kernel",
            "ours",
            "nn.TransformerEncoderLayer",
        )
    )
    assert results.ratio(ours, bare) <= 1.05
    assert results.ratio(ours, encoder) < 1
    cached, without = (
        found["writing", name, 1024] for name in ("with caches", "without")
    )
    assert results.ratio(without, cached) >= 8
    two = [row for row in rows if row["section"] == "processes"]
    if two:  # it takes two cores that nobody else uses
        assert max(two[0]["cores_of_others"]) < language_model.DISTURBED
        one, both = (
            found["processes", f"{k}", None]
            for k in ("one process", "two processes")
        )
        assert results.ratio(one, both) >= 1.5
