// Runs and topics as a map, and two runs topic by topic.

const [WIDE_CELL, HIGH_CELL] = [8, 14]; // pixels of the canvas, which is stretched to the width of its place

/** @param {HTMLElement} place @param {any} data @param {Collection | undefined} collection */
function beginTopics(place, data, collection) {
  const at = finder(place, "topics");
  const { runs, topics, measures } = data;
  const stored = new Float32Array(bytesOf(data.values).buffer);
  const size = runs.length * topics.length;
  /** Values run after run, topic after topic, by each measure: computed as the sliders do, else the next ones stored. @type {Float32Array[]} */
  const values = data.computed.map((/** @type {any} */ by, /** @type {number} */ measure) => {
    const before = data.computed.slice(0, measure).filter((/** @type {any} */ one) => one === null).length;
    return by && collection ? valuesOf(collection, collection.forms[by.form], by.weights, runs) : stored.subarray(before * size, (before + 1) * size);
  });
  const valueOf = (/** @type {number} */ run, /** @type {number} */ topic, measure = at("measure").selectedIndex) => values[measure][run * topics.length + topic];
  const meanOf = (/** @type {number[]} */ numbers) => numbers.reduce((total, number) => total + number, 0) / numbers.length;
  const indices = (/** @type {any[]} */ list) => list.map((_, index) => index);
  for (const [part, names] of [["measure", measures], ["other", measures], ["first", runs], ["second", runs]]) for (const name of names) at(part).add(new Option(plain(name)));
  at("second").selectedIndex = data.second;
  write(at("drawn").options[0], say("best runs", { number: data.drawn }));
  at("drawn").parentElement.hidden = runs.length <= data.drawn;
  at("other").selectedIndex = measures.length > 1 ? 1 : 0;

  const canvas = at("map");
  let turned = false; // the fewer stand side by side
  const [columns, lines] = [(/** @type {any[]} */ ofRuns, /** @type {any[]} */ ofTopics) => (turned ? ofRuns : ofTopics), (/** @type {any[]} */ ofRuns, /** @type {any[]} */ ofTopics) => (turned ? ofTopics : ofRuns)];
  let [down, across, cell] = [indices(runs), indices(topics), [0, 0]];
  function drawCells() {
    const byMean = (/** @type {number[]} */ means) => indices(means).sort((a, b) => means[b] - means[a] || a - b);
    const ofRuns = indices(runs).map((run) => meanOf(indices(topics).map((topic) => valueOf(run, topic))));
    const ofTopics = indices(topics).map((topic) => meanOf(indices(runs).map((run) => valueOf(run, topic))));
    down = byMean(ofRuns).slice(0, at("drawn").value === "best" ? data.drawn : runs.length);
    if (at("runs").value !== "mean") down.sort((a, b) => (runs[a] < runs[b] ? -1 : 1));
    turned = down.length < topics.length;
    across = at("topics").value === "mean" ? byMean(ofTopics) : indices(topics);
    [canvas.width, canvas.height] = [columns(down, across).length * WIDE_CELL, lines(down, across).length * HIGH_CELL];
    canvas.style.height = `${canvas.height}px`;
    const most = Math.max(...values[at("measure").selectedIndex]) || 1;
    const brush = canvas.getContext("2d");
    down.forEach((run, y) => across.forEach((topic, x) => {
      const share = Math.max(0, valueOf(run, topic) / most);
      brush.fillStyle = `rgb(${[240 - 232 * share, 246 - 180 * share, 250 - 108 * share].map(Math.round)})`;
      brush.fillRect((turned ? y : x) * WIDE_CELL, (turned ? x : y) * HIGH_CELL, WIDE_CELL, HIGH_CELL);
    }));
    const named = (/** @type {string} */ text) => Object.assign(makeElement("span", text), { title: text });
    at("across").replaceChildren(...columns(down.map((run) => runs[run]), across.map((topic) => topics[topic])).map(named));
    at("down").replaceChildren(...lines(down.map((run) => runs[run]), across.map((topic) => topics[topic])).map(named));
    write(at("most"), most.toFixed(4));
    sizeNames();
  }
  function read(/** @type {number} */ x, /** @type {number} */ y) {
    cell = [Math.min(topics.length - 1, Math.max(0, x)), Math.min(down.length - 1, Math.max(0, y))];
    const [topic, run] = [across[cell[0]], down[cell[1]]];
    write(at("cell"), say("cell", { run: runs[run], topic: topics[topic], value: valueOf(run, topic).toFixed(4) }));
  }
  canvas.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    read(Math.floor((turned ? y : x) * topics.length), Math.floor((turned ? x : y) * down.length));
  });
  canvas.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    read(cell[0] + step[turned ? 1 : 0], cell[1] + step[turned ? 0 : 1]);
  });
  const sizeNames = () => canvas.parentElement.style.setProperty("--cell", `${canvas.clientWidth / columns(down, across).length}px`);
  new ResizeObserver(sizeNames).observe(canvas);

  function comparePair() {
    const [first, second, measure, other] = ["first", "second", "measure", "other"].map((name) => at(name).selectedIndex);
    const rows = indices(topics).map((topic) => {
      const [a, b] = [valueOf(first, topic), valueOf(second, topic)];
      return { topic, a, b, gap: a - b, else: valueOf(first, topic, other) - valueOf(second, topic, other) };
    });
    rows.sort((x, y) => y.gap - x.gap || x.topic - y.topic);
    const most = Math.max(...rows.map((row) => Math.abs(row.gap))) || 1;
    const count = (/** @type {(row: {gap: number, else: number}) => boolean} */ holds) => rows.filter(holds).length;
    const [low, high] = [Math.min(first, second), Math.max(first, second)];
    const pair = low * (2 * runs.length - low - 1) / 2 + high - low - 1;
    const tested = data.tests && measure === 0 && low !== high;
    const [p, corrected] = tested ? [data.tests.p, data.tests.corrected].map((text) => new (data.tests.bytes === 4 ? Float32Array : Float64Array)(bytesOf(text).buffer)[pair]).map((p) => (p && p < 1e-4 ? p.toExponential(2).replace(/\.?0+e/, "e").replace(/-(\d)$/, "-0$1") : p.toPrecision(3))) : [];
    const facts = { first: runs[first], second: runs[second], measure: measures[measure], other: measures[other], gap: meanOf(rows.map((row) => row.gap)).toFixed(4) };
    const counts = { better: count((row) => row.gap > 0), worse: count((row) => row.gap < 0), opposite: count((row) => row.gap * row.else < 0) };
    const said = [say("pair", { ...facts, ...counts }), ...(tested ? [say("tested", { p, corrected, test: data.tests.words })] : []), say("opposite", { ...facts, ...counts })];
    write(at("result"), `${said.join("; ")}.`);
    const heads = at("differences").tHead.rows[0].cells;
    const differences = [measure, other].map((place) => say("difference", { ...facts, measure: measures[place] }));
    [runs[first], runs[second], ...differences].forEach((text, place) => write(heads[place + 1], text));
    at("differences").tBodies[0].replaceChildren(...rows.map((row) => {
      const name = Object.assign(makeElement("th", topics[row.topic]), { scope: "row", className: "name" });
      const bar = Object.assign(makeElement("span"), { className: row.gap < 0 ? "bar less" : "bar" });
      const share = (50 * Math.abs(row.gap)) / most;
      [bar.style.width, bar.style.left] = [`${share}%`, `${row.gap < 0 ? 50 - share : 50}%`];
      const difference = Object.assign(makeElement("td", Object.assign(makeElement("span", bar), { className: "bars" }), ` ${row.gap.toFixed(4)}`), { className: "difference" });
      const opposite = row.gap * row.else < 0;
      const other = Object.assign(makeElement("td", `${row.else.toFixed(4)}${opposite ? " ≠" : ""}`), { className: opposite ? "against" : "" });
      return makeElement("tr", name, ...[row.a, row.b].map((value) => makeElement("td", value.toFixed(4))), difference, other);
    }));
  }
  for (const name of ["measure", "runs", "topics", "drawn"]) at(name).addEventListener("change", drawCells);
  for (const name of ["measure", "other", "first", "second"]) at(name).addEventListener("change", comparePair);
  drawCells();
  comparePair();
}
