// Runs and topics as a map, and two runs topic by topic.

/** @param {any} data */
function beginTopics(data) {
  const place = /** @type {HTMLElement} */ (document.querySelector('[data-part="topics"]'));
  const at = (/** @type {string} */ name) => /** @type {any} */ (place.querySelector(`[data-topics="${name}"]`));
  const { runs, topics, measures } = data;
  const values = new Float32Array(bytesOf(data.values).buffer);
  const valueOf = (/** @type {number} */ run, /** @type {number} */ topic, measure = at("measure").selectedIndex) => values[(measure * runs.length + run) * topics.length + topic];
  const meanOf = (/** @type {number[]} */ numbers) => numbers.reduce((total, number) => total + number, 0) / numbers.length;
  const indices = (/** @type {any[]} */ list) => list.map((_, index) => index);
  for (const name of ["measure", "other"]) for (const measure of measures) at(name).add(new Option(measure));
  for (const name of ["first", "second"]) for (const run of runs) at(name).add(new Option(run));
  at("second").selectedIndex = 1;
  at("other").selectedIndex = measures.length > 1 ? 1 : 0;

  const canvas = at("map");
  let down = indices(runs);
  let across = indices(topics);
  let cell = [0, 0];
  function drawCells() {
    const byMean = (/** @type {(index: number) => number} */ mean) => (/** @type {number} */ a, /** @type {number} */ b) => mean(b) - mean(a) || a - b;
    const ofRuns = runs.map((/** @type {string} */ _, /** @type {number} */ run) => meanOf(indices(topics).map((topic) => valueOf(run, topic))));
    const ofTopics = topics.map((/** @type {string} */ _, /** @type {number} */ topic) => meanOf(indices(runs).map((run) => valueOf(run, topic))));
    down = at("runs").value === "mean" ? indices(runs).sort(byMean((run) => ofRuns[run])) : indices(runs).sort((a, b) => (runs[a] < runs[b] ? -1 : 1));
    across = at("topics").value === "mean" ? indices(topics).sort(byMean((topic) => ofTopics[topic])) : indices(topics);
    const [wide, high] = [Math.max(8, Math.floor(1200 / topics.length)), Math.max(5, Math.min(22, Math.floor(640 / runs.length)))];
    canvas.width = wide * topics.length;
    canvas.height = high * runs.length;
    const most = Math.max(...values.subarray(at("measure").selectedIndex * runs.length * topics.length).subarray(0, runs.length * topics.length)) || 1;
    const brush = canvas.getContext("2d");
    down.forEach((run, y) => across.forEach((topic, x) => {
      const share = Math.max(0, valueOf(run, topic) / most);
      brush.fillStyle = `rgb(${[240 - 232 * share, 246 - 180 * share, 250 - 108 * share].map(Math.round)})`;
      brush.fillRect(x * wide, y * high, wide, high);
    }));
  }
  function read(/** @type {number} */ x, /** @type {number} */ y) {
    cell = [Math.min(topics.length - 1, Math.max(0, x)), Math.min(runs.length - 1, Math.max(0, y))];
    const [topic, run] = [across[cell[0]], down[cell[1]]];
    at("cell").textContent = `${runs[run]}, topic ${topics[topic]}: ${valueOf(run, topic).toFixed(4)}`;
  }
  canvas.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    read(Math.floor(((event.clientX - box.left) / box.width) * topics.length), Math.floor(((event.clientY - box.top) / box.height) * runs.length));
  });
  canvas.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    read(cell[0] + step[0], cell[1] + step[1]);
  });

  function comparePair() {
    const [first, second, measure, other] = ["first", "second", "measure", "other"].map((name) => at(name).selectedIndex);
    const rows = indices(topics).map((topic) => ({ topic, a: valueOf(first, topic), b: valueOf(second, topic), else: valueOf(first, topic, other) - valueOf(second, topic, other) }));
    rows.sort((x, y) => y.a - y.b - (x.a - x.b) || x.topic - y.topic);
    const most = Math.max(...rows.map((row) => Math.abs(row.a - row.b))) || 1;
    const against = rows.filter((row) => (row.a - row.b) * row.else < 0).length;
    const [low, high] = [Math.min(first, second), Math.max(first, second)];
    const pair = low * (2 * runs.length - low - 1) / 2 + high - low - 1;
    const tested = data.tests && measure === 0 && low !== high;
    const [p, corrected] = tested ? [data.tests.p, data.tests.corrected].map((text) => new Float64Array(bytesOf(text).buffer)[pair]) : [NaN, NaN];
    at("result").textContent =
      `${runs[first]} less ${runs[second]}, ${measures[measure]}: ${meanOf(rows.map((row) => row.a - row.b)).toFixed(4)}; better on ${rows.filter((row) => row.a > row.b).length}, worse on ${rows.filter((row) => row.a < row.b).length} topics` +
      (tested ? `; p ${p.toPrecision(3)}, corrected ${corrected.toPrecision(3)} (${data.tests.words})` : "") +
      `; ${measures[other]} says the opposite on ${against}.`;
    at("differences").tBodies[0].replaceChildren(...rows.map((row) => {
      const line = document.createElement("tr");
      const name = Object.assign(document.createElement("th"), { scope: "row", className: "name", textContent: topics[row.topic] });
      const cells = [row.a, row.b].map((value) => Object.assign(document.createElement("td"), { textContent: value.toFixed(4) }));
      const bar = Object.assign(document.createElement("span"), { className: row.a < row.b ? "bar less" : "bar" });
      bar.style.width = `${(6 * Math.abs(row.a - row.b)) / most}rem`;
      const difference = Object.assign(document.createElement("td"), { className: "difference" });
      difference.append(bar, ` ${(row.a - row.b).toFixed(4)}`);
      const opposite = (row.a - row.b) * row.else < 0;
      line.append(name, ...cells, difference, Object.assign(document.createElement("td"), { className: opposite ? "against" : "", textContent: `${row.else.toFixed(4)}${opposite ? " ≠" : ""}` }));
      return line;
    }));
  }
  for (const name of ["measure", "runs", "topics"]) at(name).addEventListener("change", drawCells);
  for (const name of ["measure", "other", "first", "second"]) at(name).addEventListener("change", comparePair);
  drawCells();
  comparePair();
}
