// @ts-check
// Cards: questions that come back. At the end of a chapter they open in the text; the page "Today's
// review" asks those that are due, and what was missed once more before it ends.
import { make } from "../../../course_attn/drawing/kit.js";
import { fromRoot } from "../shared/course.js";
import { afterAnswer, comesBack, dayOf, DAYS, isDue, readSeen, told } from "./schedule.js";
import { store } from "../shared/shared.js";

const today = () => dayOf(new Date());

/** @param {string} name */
const seenOf = (name) => readSeen(store.recall("card:" + name));

/**
 * Keep an answer; return a sentence where the browser does not.
 * @param {string} name
 * @param {boolean} knew
 */
function answered(name, knew) {
  return store.keep("card:" + name, afterAnswer(seenOf(name), knew, today()));
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
  return make(
    "div",
    { class: "attn-rate", role: "group", "aria-label": "How did it go?" },
    make("button", { type: "button", click: () => judge(true) }, "I knew it"),
    make("button", { type: "button", click: () => judge(false) }, "Not yet"),
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
  const said = make("p", { class: "attn-deck-said", role: "status" });
  const cards = [...deck.querySelectorAll("details")];
  const redraws = cards.map((card) => {
    const name = nameOf(card), when = make("p", { class: "attn-when" });
    const rate = ratings((knew) => {
      const trouble = answered(name, knew);
      card.querySelector("summary")?.focus();
      said.textContent = trouble ?? (knew ? "" : "You will be asked again today. ") + summed(cards);
    });
    card.append(rate, when);
    const seen = seenOf(name);
    card.open = stay && seen !== null && !isDue(seen, today());
    return () => {
      const now = seenOf(name);
      rate.hidden = now !== null && !(isDue(now, today()) && now.day !== today());
      when.textContent = now ? `Comes back ${told(comesBack(now), today())}.` : "";
    };
  });
  const draw = () => redraws.forEach((redraw) => redraw());
  const link = make("a", { href: fromRoot("book/review.html") }, "Today’s review");
  if (stay) deck.append(said, make("p", {}, "What you answer here comes back in ", link, "."));
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

/** Asks the cards that are due, one at a time. */
class Review {
  /** @param {Element} place */
  constructor(place) {
    this.decks = [...document.querySelectorAll(".attn-deck")].map((deck) => ({
      title: deck.closest("section")?.querySelector("h2, h3")?.firstChild?.textContent ?? "",
      cards: [...deck.querySelectorAll("details")],
    }));
    /** @type {Map<string, Element>} */
    this.cards = new Map(this.decks.flatMap(({ cards }) => cards.map((card) => [nameOf(card), card])));
    this.names = [...this.cards.keys()];
    this.said = make("p", { class: "attn-said-of-review", role: "status" });
    this.stage = make("div", { class: "attn-stage" });
    this.boxes = make("ol", { class: "attn-boxes" });
    this.running = false;
    place.append(this.said, this.stage, this.boxes);
    this.draw();
    store.watchStore(() => this.draw());
  }

  draw() {
    this.drawBoxes();
    if (!this.running) this.offer();
  }

  drawBoxes() {
    const seen = this.names.map(seenOf);
    this.boxes.replaceChildren(...DAYS.map((days, box) => {
      const n = seen.filter((one) => one?.box === box).length;
      const after = days ? `${days} ${days === 1 ? "day" : "days"}` : "missed";
      return make("li", {}, `${after}: `, make("strong", {}, String(n)));
    }));
    this.boxes.hidden = !seen.some(Boolean);
  }

  /** Offer what is due, and the cards of chapters that were never answered. */
  offer() {
    this.running = false;
    const due = this.names.filter((name) => isDue(seenOf(name), today()));
    const [next] = this.names.map(seenOf).filter((seen) => seen !== null).map(comesBack).sort();
    const first = due.length
      ? `${counted(due.length)} due today.`
      : next
      ? `Nothing is due today. The next card comes back ${told(next, today())}.`
      : "You have not begun yet: choose a chapter that you have read.";
    const fresh = this.decks.map(({ title, cards }) => ({
      title,
      names: cards.map(nameOf).filter((name) => !seenOf(name)),
    })).filter(({ names }) => names.length);
    const chosen = make(
      "select",
      { "aria-label": "A chapter whose cards are new to you" },
      ...fresh.map(({ title, names }) => make("option", {}, `${title}: ${names.length} new`)),
    );
    const start = (/** @type {string} */ text, /** @type {() => string[]} */ queue) =>
      make("button", { type: "button", click: () => this.begin(queue()) }, text);
    const controls = make("div", { class: "attn-tools" });
    if (due.length) controls.append(start("Start", () => due));
    if (fresh.length) {
      const text = due.length ? "Start with these as well" : "Start with these";
      controls.append(chosen, start(text, () => [...due, ...fresh[chosen.selectedIndex].names]));
    }
    this.stage.replaceChildren(make("p", {}, first), controls);
  }

  /** @param {string[]} queue */
  begin(queue) {
    this.running = true;
    this.ask(queue, queue.length, new Set());
  }

  /**
   * Ask the first card of a queue, and go on with the others.
   * @param {string[]} queue @param {number} all of the review @param {Set<string>} missed
   */
  ask([name, ...others], all, missed) {
    if (name === undefined) {
      const again = `, ${missed.size} of them asked more than once.`;
      this.said.textContent = `Done: ${counted(all)}` + (missed.size ? again : ", all known at once.");
      this.offer();
      return;
    }
    const card = /** @type {HTMLDetailsElement} */ (this.cards.get(name)?.cloneNode(true));
    for (const part of card.querySelectorAll(".attn-rate, .attn-when")) part.remove();
    card.open = false;
    card.append(ratings((knew) => {
      const trouble = answered(name, knew), seen = seenOf(name);
      if (!knew) missed.add(name);
      const queue = knew ? others : [...others, name];
      const when = knew && seen
        ? `Comes back ${told(comesBack(seen), today())}.`
        : "You will be asked again before the end.";
      this.said.textContent = `${when} ${counted(queue.length)} left.` + (trouble ? " " + trouble : "");
      this.ask(queue, all, missed);
    }));
    this.stage.replaceChildren(
      make("p", { class: "attn-hint-of-card" }, "Answer from memory, then open the card."),
      card,
    );
    const page = /** @type {any} */ (self);
    page.MathJax?.typesetPromise?.([card]);
    card.querySelector("summary")?.focus();
  }
}

/** @param {number} n */
function counted(n) {
  return n === 1 ? "1 card" : `${n} cards`;
}

addEventListener("DOMContentLoaded", () => {
  mendDays();
  const place = document.querySelector(".attn-session");
  for (const deck of document.querySelectorAll(".attn-deck")) enliven(deck, !place);
  if (place) new Review(place);
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
