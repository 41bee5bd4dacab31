// @ts-check
// Cards: questions that come back. At the end of a chapter they open in the text; the page "Today's
// review" asks those that are due, and what was missed once more before it ends.
import { element, fromRoot } from "../shared/course.js";
import { store } from "../shared/shared.js";

// After how many days a card comes back, by its box. What is known goes on to the next box, what is
// missed to the first.
const DAYS = [0, 1, 3, 7, 21, 60];

/** @typedef {{day: string, box: number}} Seen the day of the last answer, and the box since */

// Days

/** @param {Date} date */
function written(date) {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

const today = () => written(new Date());

/**
 * @param {string} day
 * @param {number} days
 */
function later(day, days) {
  const [year, month, date] = day.split("-").map(Number);
  return new Date(year, month - 1, date + days);
}

/** @param {Date} date */
function told(date) {
  const day = written(date);
  if (day <= today()) return "today";
  if (day === written(later(today(), 1))) return "tomorrow";
  return "on " + date.toLocaleDateString("en-US", { month: "long", day: "numeric" });
}

// What is known of a card

/**
 * Read when a card was last answered; what is damaged counts as never.
 * @param {string} name
 * @returns {Seen | null}
 */
function seenOf(name) {
  const kept = store.recall("card:" + name) ?? "";
  const [, day, box] = /^(\d{4}-\d\d-\d\d) ([0-5])$/.exec(kept) ?? [];
  return day ? { day, box: Number(box) } : null;
}

/** @param {Seen} seen */
const comesBack = ({ day, box }) => later(day, DAYS[box]);

/** @param {string} name */
function isDue(name) {
  const seen = seenOf(name);
  return seen !== null && written(comesBack(seen)) <= today();
}

/**
 * Keep an answer; return a sentence where the browser does not.
 * @param {string} name
 * @param {boolean} knew
 */
function answered(name, knew) {
  const box = knew ? Math.min((seenOf(name)?.box ?? 0) + 1, DAYS.length - 1) : 0;
  return store.keep("card:" + name, `${today()} ${box}`);
}

/** Where the clock was ahead when a card was answered, count from today: it would stay away. */
function mendDays() {
  for (const key of store.keptKeys("card:")) {
    const seen = seenOf(key.slice("card:".length));
    if (seen && seen.day > today()) store.keep(key, `${today()} ${seen.box}`);
  }
}

// In the text

/**
 * Two buttons, by which a reader says how it went.
 * @param {(knew: boolean) => void} judge
 */
function ratings(judge) {
  return element(
    "div",
    { class: "attn-rate", role: "group", "aria-label": "How did it go?" },
    element("button", { type: "button", click: () => judge(true) }, "I knew it"),
    element("button", { type: "button", click: () => judge(false) }, "Not yet"),
  );
}

/** @param {Element} card */
const nameOf = (card) => /** @type {HTMLElement} */ (card).dataset.card ?? "";

/**
 * Let the cards of a deck be answered where they stand. Answers that were given stay in sight until
 * the card is due again.
 * @param {Element} deck
 * @param {boolean} stay
 */
function enliven(deck, stay) {
  const said = element("p", { class: "attn-deck-said", role: "status" });
  const cards = [...deck.querySelectorAll("details")];
  const redraws = cards.map((card) => {
    const name = nameOf(card), when = element("p", { class: "attn-when" });
    const rate = ratings((knew) => {
      const trouble = answered(name, knew);
      card.querySelector("summary")?.focus();
      said.textContent = trouble ?? (knew ? "" : "You will be asked again today. ") + summed(cards);
    });
    card.append(rate, when);
    const seen = seenOf(name);
    card.open = stay && seen !== null && !isDue(name);
    return () => {
      const now = seenOf(name);
      rate.hidden = now !== null && !(isDue(name) && now.day !== today());
      when.textContent = now ? `Comes back ${told(comesBack(now))}.` : "";
    };
  });
  const draw = () => redraws.forEach((redraw) => redraw());
  const link = element("a", { href: fromRoot("book/review.html") }, "Today’s review");
  if (stay) deck.append(said, element("p", {}, "What you answer here comes back in ", link, "."));
  else deck.append(said);
  draw();
  store.watchStore(draw);
}

/** @param {Element[]} cards */
function summed(cards) {
  const n = cards.filter((card) => seenOf(nameOf(card))).length;
  return `${n} of ${cards.length} answered.`;
}

// The review

/**
 * Ask the cards that are due, one at a time.
 * @param {Element} place
 */
function review(place) {
  const decks = [...document.querySelectorAll(".attn-deck")];
  /** @type {Map<string, Element>} */
  const cards = new Map(
    decks.flatMap((deck) => [...deck.querySelectorAll("details")].map((card) => [nameOf(card), card])),
  );
  const names = [...cards.keys()];
  const said = element("p", { class: "attn-said-of-review", role: "status" });
  const stage = element("div", { class: "attn-stage" }), boxes = element("ol", { class: "attn-boxes" });
  place.append(said, stage, boxes);
  let running = false;

  function drawBoxes() {
    const seen = names.map(seenOf);
    boxes.replaceChildren(...DAYS.map((days, box) => {
      const n = seen.filter((one) => one?.box === box).length;
      const after = days ? `${days} ${days === 1 ? "day" : "days"}` : "missed";
      return element("li", {}, `${after}: `, element("strong", {}, String(n)));
    }));
    boxes.hidden = !seen.some(Boolean);
  }

  /** The decks of chapters with cards that were never answered, with these. */
  function unseen() {
    return decks.map((deck) => ({
      title: deck.closest("section")?.querySelector("h2, h3")?.firstChild?.textContent ?? "",
      names: [...deck.querySelectorAll("details")].map(nameOf).filter((name) => !seenOf(name)),
    })).filter((deck) => deck.names.length);
  }

  function offer() {
    running = false;
    const due = names.filter(isDue), seen = names.map(seenOf).filter((one) => one !== null);
    const next = seen.map((one) => written(comesBack(one))).sort()[0];
    const first = due.length
      ? `${counted(due.length)} due today.`
      : next
      ? `Nothing is due today. The next card comes back ${told(later(next, 0))}.`
      : "You have not begun yet: choose a chapter that you have read.";
    const fresh = unseen();
    const chosen = element(
      "select",
      { "aria-label": "A chapter whose cards are new to you" },
      ...fresh.map(({ title, names }) => element("option", {}, `${title}: ${names.length} new`)),
    );
    const controls = element("div", { class: "attn-tools" });
    if (due.length) {
      controls.append(element("button", { type: "button", click: () => ask(due) }, "Start"));
    }
    if (fresh.length) {
      controls.append(
        chosen,
        element("button", {
          type: "button",
          click: () => ask([...due, ...fresh[chosen.selectedIndex].names]),
        }, due.length ? "Start with these as well" : "Start with these"),
      );
    }
    stage.replaceChildren(element("p", {}, first), controls);
  }

  /** @param {string[]} queue */
  function ask(queue) {
    running = true;
    const asked = queue.length, missed = new Set();
    show();

    function show() {
      const [name] = queue;
      if (name === undefined) {
        finish();
        return;
      }
      const card = /** @type {HTMLDetailsElement} */ (cards.get(name)?.cloneNode(true));
      for (const part of card.querySelectorAll(".attn-rate, .attn-when")) part.remove();
      card.open = false;
      card.append(ratings((knew) => {
        const trouble = answered(name, knew), seen = seenOf(name);
        queue.shift();
        if (!knew) {
          missed.add(name);
          queue.push(name);
        }
        const when = knew && seen
          ? `Comes back ${told(comesBack(seen))}.`
          : "You will be asked again before the end.";
        said.textContent = `${when} ${counted(queue.length)} left.` + (trouble ? " " + trouble : "");
        show();
      }));
      stage.replaceChildren(
        element("p", { class: "attn-hint-of-card" }, "Answer from memory, then open the card."),
        card,
      );
      const page = /** @type {any} */ (self);
      page.MathJax?.typesetPromise?.([card]);
      card.querySelector("summary")?.focus();
    }

    function finish() {
      said.textContent = `Done: ${counted(asked)}` + (missed.size
        ? `, ${missed.size} of them asked ` +
          "more than once."
        : ", all known at once.");
      offer();
    }
  }

  offer();
  drawBoxes();
  store.watchStore(() => {
    drawBoxes();
    if (!running) offer();
  });
}

/** @param {number} n */
function counted(n) {
  return n === 1 ? "1 card" : `${n} cards`;
}

addEventListener("DOMContentLoaded", () => {
  mendDays();
  const place = document.querySelector(".attn-session");
  for (const deck of document.querySelectorAll(".attn-deck")) enliven(deck, !place);
  if (place) review(place);
});

// Browsers that do not print what is closed get it opened.
/** @type {HTMLDetailsElement[]} */
let opened = [];
addEventListener("beforeprint", () => {
  opened = [
    .../** @type {NodeListOf<HTMLDetailsElement>} */ (
      document.querySelectorAll(".attn-deck .attn-card:not([open])")
    ),
  ];
  for (const card of opened) card.open = true;
});
addEventListener("afterprint", () => {
  for (const card of opened) card.open = false;
});
