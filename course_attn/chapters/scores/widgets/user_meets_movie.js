// @ts-check
// A user's taste and a movie, feature by feature: six numbers to change, their products, one sum.

import { button, field, grid, make, mount, renew, written } from "../../../drawing/kit.js";
import { dot_scores } from "../../../drawing/twin.js";

/** @typedef {"user" | "movie"} Role */

/**
 * Return the products of a taste and a movie, the score, and the sum in a sentence.
 * @param {number[]} user
 * @param {number[]} movie
 * @returns {{products: string[], score: string, sentence: string}}
 */
export function inWords(user, movie) {
  const products = user.map((taste, f) => written(taste * movie[f]));
  const score = written(dot_scores([user], [movie])[0][0]);
  const [first, ...others] = products;
  const signed = others.map((one) => one.startsWith("−") ? ` − ${one.slice(1)}` : ` + ${one}`);
  return { products, score, sentence: `The movie scores ${first}${signed.join("")} = ${score}.` };
}

/** @type {[Role, string][]} */
const ROWS = [["user", "attn-query"], ["movie", "attn-key"]];

mount("user_meets_movie", (stage, { user, movie, features }, say) => {
  /** @type {Record<Role, number[]>} */
  const now = { user: [...user], movie: [...movie] };
  const results = [...features, "score"].map(() => make("td", { class: "attn-weight" }));
  const show = () => {
    const { products, score, sentence } = inWords(now.user, now.movie);
    [...products, score].forEach((text, f) => renew(results[f], text));
    say(sentence);
  };
  const fields = ROWS.map(([role]) =>
    now[role].map((value, f) =>
      field({
        ...{ name: `${role}, ${features[f]}`, value, limit: 1, step: 0.1, bad: say },
        changed: (given) => {
          now[role][f] = given;
          show();
        },
      })
    )
  );
  const table = grid({
    name: "A user meets a movie",
    rows: ["user", "movie", "product"],
    columns: [...features, "score"],
    cell: (i, f) => {
      if (i === 2) return results[f];
      return f < 3 ? make("td", { class: ROWS[i][1] }, fields[i][f].element) : make("td");
    },
  });
  const back = () => {
    Object.assign(now, { user: [...user], movie: [...movie] });
    fields.forEach((row, i) => row.forEach((one, f) => one.set(now[ROWS[i][0]][f])));
    show();
  };
  stage.append(table, button("Back to the text’s numbers", back));
  show();
});
