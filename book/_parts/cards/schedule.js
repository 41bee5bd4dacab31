// @ts-check
// When a card comes back (cards.js): days are texts such as 2026-03-02, in the reader's own calendar.

// After how many days a card comes back, by its box. What is known goes on to the next box, what is
// missed to the first.
export const DAYS = [0, 1, 3, 7, 21, 60];

/** @typedef {{day: string, box: number}} Seen the day of the last answer, and the box since */

/** @param {Date} date */
export function dayOf(date) {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

/** @param {string} day @param {number} days */
function later(day, days) {
  const [year, month, date] = day.split("-").map(Number);
  return new Date(year, month - 1, date + days);
}

/**
 * Read when a card was last answered; what is damaged counts as never.
 * @param {string | null} kept
 * @returns {Seen | null}
 */
export function readSeen(kept) {
  const [, day, box] = /^(\d{4}-\d\d-\d\d) ([0-5])$/.exec(kept ?? "") ?? [];
  return day ? { day, box: Number(box) } : null;
}

/** The day on which a card comes back. @param {Seen} seen */
export const comesBack = ({ day, box }) => dayOf(later(day, DAYS[box]));

/** @param {Seen | null} seen @param {string} today */
export const isDue = (seen, today) => seen !== null && comesBack(seen) <= today;

/**
 * What to keep of an answer.
 * @param {Seen | null} seen before @param {boolean} knew @param {string} today
 */
export function afterAnswer(seen, knew, today) {
  return `${today} ${knew ? Math.min((seen?.box ?? 0) + 1, DAYS.length - 1) : 0}`;
}

/** A day in a sentence. @param {string} day @param {string} today */
export function told(day, today) {
  if (day <= today) return "today";
  if (day === dayOf(later(today, 1))) return "tomorrow";
  return "on " + later(day, 0).toLocaleDateString("en-US", { month: "long", day: "numeric" });
}
