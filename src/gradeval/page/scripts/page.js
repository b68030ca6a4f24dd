// Begins when the page is there: tables, sliders, topics, rankings, and the interface for scripts, window.gradeval.

/** What the page holds: the words of the scripts, and the numbers of each part. @type {any} */
const data = JSON.parse(await unpack("data"));
for (const table of document.querySelectorAll(".scroll > table:not(.plain)")) makeBoard(/** @type {HTMLTableElement} */ (table));
const collection = data.users && readCollection(data.users);
const begin = { users: beginUsers, topics: beginTopics, rankings: beginRankings };
const begun = Object.entries(begin).map(([part, make]) => {
  const place = /** @type {HTMLElement | null} */ (document.querySelector(`[data-part="${part}"]`));
  return place && make(place, part === "users" ? collection : data[part], collection);
});
/** @type {any} */ (window).gradeval = begun[0] ?? {};
