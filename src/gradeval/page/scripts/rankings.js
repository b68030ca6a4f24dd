// One topic, two rankings side by side; the same document is joined by a click.

/** @param {HTMLElement} place @param {any} data */
function beginRankings(place, data) {
  const at = finder(place, "rankings");
  for (const [part, names] of [["topic", data.names], ["first", data.runs], ["second", data.runs]]) for (const name of names) at(part).add(new Option(plain(name)));
  [at("topic").selectedIndex, at("first").selectedIndex, at("second").selectedIndex] = [data.topic, 0, data.second];

  function show() {
    const { documents, grades, lists } = data.topics[at("topic").selectedIndex];
    const [left, right] = ["first", "second"].map((name) => /** @type {number[]} */ (lists[at(name).selectedIndex]));
    const makeLine = (/** @type {number} */ number, /** @type {number[]} */ other) => {
      const grade = grades[number];
      const kind = grade === null ? "none" : grade <= 0 ? "zero" : grade < data.most ? "low" : "high";
      const badge = Object.assign(makeElement("span", grade === null ? "?" : String(grade)), { className: `grade ${kind}` });
      badge.title = grade === null ? say("unjudged") : say("grade", { grade });
      const button = makeButton(documents[number]);
      const there = other.indexOf(number);
      const line = makeElement("li", badge, button, Object.assign(makeElement("span", say(there < 0 ? "not there" : "there", { rank: there + 1 })), { className: "there" }));
      line.dataset.document = String(number);
      button.addEventListener("click", () => {
        for (const each of place.querySelectorAll("li")) each.classList.toggle("here", each.dataset.document === line.dataset.document);
        for (const each of place.querySelectorAll("li.here")) each.scrollIntoView({ block: "nearest" });
      });
      return line;
    };
    at("left").replaceChildren(...left.map((each) => makeLine(each, right)));
    at("right").replaceChildren(...right.map((each) => makeLine(each, left)));
  }
  for (const name of ["topic", "first", "second"]) at(name).addEventListener("change", show);
  show();
}
