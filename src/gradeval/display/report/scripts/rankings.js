// One topic, two rankings side by side; the same document is joined by a click.

/** @param {any} data */
function beginRankings(data) {
  const place = /** @type {HTMLElement} */ (document.querySelector('[data-part="rankings"]'));
  const at = (/** @type {string} */ name) => /** @type {any} */ (place.querySelector(`[data-rankings="${name}"]`));
  for (const name of data.names) at("topic").add(new Option(name));
  for (const name of ["first", "second"]) for (const run of data.runs) at(name).add(new Option(run));
  [at("topic").selectedIndex, at("first").selectedIndex, at("second").selectedIndex] = [data.topic, 0, Math.min(1, data.runs.length - 1)];

  function show() {
    const { documents, grades, lists } = data.topics[at("topic").selectedIndex];
    const [left, right] = ["first", "second"].map((name) => Array.from(new Uint16Array(bytesOf(lists[at(name).selectedIndex]).buffer)));
    const lineOf = (/** @type {number} */ document_, /** @type {number[]} */ other) => {
      const line = document.createElement("li");
      const grade = grades[document_];
      const kind = grade === null ? "none" : grade <= 0 ? "zero" : grade < data.most ? "low" : "high";
      const badge = Object.assign(document.createElement("span"), { className: `grade ${kind}`, textContent: grade === null ? "?" : String(grade) });
      badge.title = grade === null ? "unjudged" : `grade ${grade}`;
      const button = makeButton(documents[document_]);
      button.addEventListener("click", () => {
        for (const each of place.querySelectorAll("li")) each.classList.toggle("here", each.dataset.document === line.dataset.document);
        for (const each of place.querySelectorAll("li.here")) each.scrollIntoView({ block: "nearest" });
      });
      line.dataset.document = String(document_);
      const there = other.indexOf(document_);
      line.append(badge, button, Object.assign(document.createElement("span"), { className: "there", textContent: there < 0 ? " not there" : ` there ${there + 1}` }));
      return line;
    };
    at("left").replaceChildren(...left.map((each) => lineOf(each, right)));
    at("right").replaceChildren(...right.map((each) => lineOf(each, left)));
  }
  for (const name of ["topic", "first", "second"]) at(name).addEventListener("change", show);
  show();
}
