"""Folded cells: out of the way at first, and shown on all pages by one switch."""

import pytest

from tests.site.visits import DISK, VIEWS, visit

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")


def test_quiet_cells_are_hidden_until_they_are_asked_for(browser):
    expect = playwright.expect
    with visit(browser, DISK, "book/softmax.html", **VIEWS["desktop"]) as opened:
        page = opened.page
        quiet = page.locator("details.quiet")
        loud = page.locator("details.hide:not(.quiet)").first
        count = quiet.count()
        assert count > 10
        assert not any(one.is_visible() for one in quiet.all())
        expect(loud).to_be_visible()
        line = page.locator(".attn-folds")
        expect(line).to_contain_text(f"{count} folded cells")
        line.get_by_role("button", name="Show them").click()
        assert all(one.is_visible() for one in quiet.all())
        # It holds for the next page, too, and is taken back there.
        page.goto(DISK + "book/scores.html")
        expect(page.locator("details.quiet").first).to_be_visible()
        page.get_by_role("button", name="Hide them").click()
        expect(page.locator("details.quiet").first).to_be_hidden()
        page.reload()
        expect(page.get_by_role("button", name="Show them")).to_be_visible()
    assert opened.problems == []


def test_what_holds_of_a_claim_waits_for_a_guess(browser):
    expect = playwright.expect
    with visit(
        browser, DISK, "book/common_claims.html", **VIEWS["phone"]
    ) as opened:
        page = opened.page
        claims = page.locator("section:has(> h3)")
        assert claims.count() == page.locator(".attn-claim").count() > 20
        answer = claims.nth(1).locator("p").first
        expect(answer).to_be_hidden()
        claims.nth(1).get_by_text("What holds").click()
        expect(answer).to_be_visible()
        # Who comes by a link, as from the search, has come for the answer.
        linked = claims.nth(3)
        page.goto(f"{DISK}book/common_claims.html#{linked.get_attribute('id')}")
        expect(linked.locator("p").first).to_be_visible()
    assert opened.problems == []


def test_without_scripts_all_labels_are_there(browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(DISK + "book/softmax.html")
    playwright.expect(page.locator("details.quiet").first).to_be_visible()
    context.close()


@pytest.mark.parametrize("view", VIEWS)
def test_a_formula_is_a_stop_of_the_tab_key_only_if_it_scrolls(browser, view):
    with visit(browser, DISK, "book/softmax.html", **VIEWS[view]) as opened:
        stops = opened.page.locator("mjx-container").evaluate_all(
            "all => all.map((one) => [one.tabIndex >= 0, one.scrollWidth > one.clientWidth + 1"
            " && getComputedStyle(one).overflowX === 'auto'])"
        )
    assert len(stops) > 50
    assert [pair for pair in stops if pair[0] != pair[1]] == []
