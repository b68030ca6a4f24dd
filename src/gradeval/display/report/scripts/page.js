// Begins when the page is there: tables, sliders, and the interface for scripts, window.gradeval.

const data = JSON.parse(document.getElementById("data")?.textContent ?? "{}");
for (const table of document.querySelectorAll(".scroll > table:not(.plain)")) makeBoard(/** @type {HTMLTableElement} */ (table));
/** @type {any} */ (window).gradeval = data.users ? beginUsers(readCollection(data.users)) : {};
if (data.topics) beginTopics(data.topics);
if (data.rankings) beginRankings(data.rankings);

/** @param {Collection} collection */
function beginUsers(collection) {
  const place = /** @type {HTMLElement} */ (document.querySelector('[data-part="users"]'));
  const body = /** @type {HTMLTableElement} */ (place.querySelector('[data-users="board"]')).tBodies[0];
  const rows = collection.runs.map((run) => {
    const row = body.insertRow();
    const name = document.createElement("th");
    Object.assign(name, { scope: "row", className: "name", textContent: run });
    row.append(document.createElement("td"), name, document.createElement("td"), document.createElement("td"));
    return row;
  });
  /** @type {{rank: number, run: string, mean: number}[]} */
  let shown = [];
  const ranksOf = (/** @type {Float64Array} */ means) => Array.from(means, (mean) => 1 + means.reduce((above, other) => above + (other > mean + 1e-12 ? 1 : 0), 0));
  const users = makeUsers(place, collection, (form, setting, means) => {
    const ranks = ranksOf(means);
    const before = ranksOf(meansOf(collection, form, form.weights));
    const order = rows.map((_, run) => run).sort((a, b) => ranks[a] - ranks[b] || a - b);
    shown = order.map((run) => ({ rank: ranks[run], run: collection.runs[run], mean: means[run] }));
    order.forEach((run, at) => {
      const cells = rows[run].cells;
      const moved = before[run] - ranks[run];
      const texts = [String(ranks[run]), null, means[run].toFixed(4), `${before[run]}${moved > 0 ? ` ▲${moved}` : moved < 0 ? ` ▼${-moved}` : ""}`];
      texts.forEach((text, column) => text !== null && cells[column].textContent !== text && (cells[column].textContent = text));
      if (body.rows[at] !== rows[run]) body.insertBefore(rows[run], body.rows[at]);
    });
  });
  const spelling = () => /** @type {HTMLElement} */ (place.querySelector('[data-users="spelling"]')).textContent;
  makeCopy(/** @type {HTMLButtonElement} */ (place.querySelector('[data-users="copy"]')), () => `gradeval evaluate QRELS RUNS -m "${spelling()}"`);
  return {
    /** The mean of each run by a measure as one types it: GAP(g=[0.2,0.8]), nDCG(gains={1:1,2:3})@10. */
    evaluate(/** @type {string} */ text) {
      const { form, setting } = parse(collection, text);
      const means = meansOf(collection, form, weightsOf(form, setting));
      return Object.fromEntries(collection.runs.map((run, place) => [run, means[place]]));
    },
    /** Move the sliders: {g: [...]} or {gains: [...]}, and optionally {measure: "eGAP"}. */
    set(/** @type {{g?: number[], gains?: number[], measure?: string}} */ wanted) {
      if (wanted.measure !== undefined) users.choose(wanted.measure);
      const setting = wanted.g ?? wanted.gains;
      if (setting !== undefined) users.move(setting);
    },
    /** The rows of the board beside the sliders, as shown. */
    board: () => shown,
    /** Where each run leads, by the share of the first of two grades. */
    leaders: () => users.form().stretches,
  };
}
