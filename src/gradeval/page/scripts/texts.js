// Texts of topics and documents beside their names, in the direction in which they are written, and a search for topics by their words.

/** A field to search with, and what it found. @param {(words: string) => [number, number]} find how many are found of how many */
function makeSearch(find) {
  const field = Object.assign(makeElement("input"), { type: "search" });
  const number = makeElement("output");
  const update = () => {
    const [found, all] = find(field.value.trim().toLowerCase());
    write(number, field.value.trim() ? say("filtered", { number: found, all }) : "");
  };
  field.addEventListener("input", update);
  return { label: makeElement("label", say("filter"), field, number), update };
}

/** Do all words stand in the text? @param {string} text @param {string} words */
function holds(text, words) {
  return words.split(/\s+/).every((word) => text.toLowerCase().includes(word));
}

/** Call a function whenever the children of an element are replaced, and now. @param {Element} element @param {() => void} react */
function whenReplaced(element, react) {
  new MutationObserver(react).observe(element, { childList: true });
  react();
}

/** The differences of two runs, topics filtered by their words. @param {HTMLElement} place */
function searchDifferences(place) {
  const table = /** @type {HTMLTableElement} */ (place.querySelector('[data-topics="differences"]'));
  const search = makeSearch((words) => {
    const rows = [...table.tBodies[0].rows];
    for (const row of rows) row.hidden = !holds(row.cells[0].textContent ?? "", words);
    return [rows.filter((row) => !row.hidden).length, rows.length];
  });
  table.parentElement?.before(Object.assign(makeElement("p", search.label), { className: "buttons" }));
  whenReplaced(table.tBodies[0], search.update);
}

/** The query above two rankings, the texts at their documents, and topics chosen by words. @param {HTMLElement} place @param {any} data */
function showTexts(place, data) {
  const at = finder(place, "rankings");
  const select = /** @type {HTMLSelectElement} */ (at("topic"));
  if (data.queries) {
    const asked = Object.assign(makeElement("p"), { className: "asked", dir: "auto" });
    const search = makeSearch((words) => {
      const options = [...select.options];
      for (const option of options) option.hidden = option.disabled = !holds(`${option.text} ${data.queries[option.index]}`, words);
      const found = options.filter((option) => !option.disabled);
      if (found.length && select.selectedOptions[0]?.disabled !== false) {
        select.selectedIndex = found[0].index;
        select.dispatchEvent(new Event("change"));
      }
      return [found.length, options.length];
    });
    select.closest("p")?.append(search.label);
    select.closest("p")?.after(asked);
    whenReplaced(at("left"), () => write(asked, data.queries[select.selectedIndex]));
  }
  for (const side of ["left", "right"]) {
    whenReplaced(at(side), () => {
      const { texts } = data.topics[select.selectedIndex];
      for (const line of texts ? at(side).children : []) {
        const [title, text] = texts[Number(line.dataset.document)] ?? ["", ""];
        if (!title && !text) continue;
        const parts = [...(title ? [Object.assign(makeElement("b", title), { dir: "auto" })] : []), ...(text ? [Object.assign(makeElement("span", text), { dir: "auto" })] : [])];
        line.append(Object.assign(makeElement("div", ...parts), { className: "told" }));
      }
    });
  }
}

const withTopics = /** @type {HTMLElement | null} */ (document.querySelector('[data-part="topics"]'));
if (withTopics && data.topics.ids) searchDifferences(withTopics);
const withRankings = /** @type {HTMLElement | null} */ (document.querySelector('[data-part="rankings"]'));
if (withRankings) showTexts(withRankings, data.rankings);
