// Who leads where: a strip for two grades, a triangle for three. Both can be clicked or dragged; the sliders do the same.

const SVG = "http://www.w3.org/2000/svg";
const HUES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#7F7F7F"];
const WIDE = 480;
const HIGH = 416; // of the triangle: WIDE times the square root of 3/4

/** @param {string} name @param {Record<string, string | number>} attributes @param {string} [text] */
function draw(name, attributes, text) {
  const element = /** @type {SVGGraphicsElement} */ (document.createElementNS(SVG, name));
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.append(text);
  return element;
}

/** Colours for runs, those that lead most often first. @param {string[]} runs */
function coloursOf(runs) {
  const often = new Map();
  for (const run of runs) often.set(run, (often.get(run) ?? 0) + 1);
  const order = [...often.keys()].sort((a, b) => often.get(b) - often.get(a));
  return new Map(order.map((run, place) => [run, HUES[Math.min(place, HUES.length - 1)]]));
}

/** @param {HTMLElement} place @param {Form} form @param {(setting: number[]) => void} move */
function drawMap(place, form, move) {
  place.replaceChildren();
  if (form.parameter !== "g" || (!form.stretches.length && !form.triangle)) return;
  const triangle = form.triangle;
  const colours = coloursOf(triangle ? triangle.runs : form.stretches.map((part) => part.run));
  const picture = draw("svg", { viewBox: `-20 -24 ${WIDE + 40} ${triangle ? HIGH + 48 : 64}`, role: "img", class: "map" });
  picture.append(draw("title", {}, say("map", { runs: [...colours.keys()].join(", ") })));
  picture.append(...(triangle ? drawTriangle(triangle, form, colours) : drawStrip(form, colours)), draw("circle", { r: 6, class: "mark" }));
  const follow = (/** @type {PointerEvent} */ event) => {
    if (event.type === "pointermove" && !event.buttons) return;
    const matrix = picture.getScreenCTM();
    if (!matrix) return;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const share = Math.min(1, Math.max(0, point.x / WIDE));
    move(triangle ? sharesAt(point.x, point.y) : [share, 1 - share]);
  };
  for (const kind of ["pointerdown", "pointermove"]) picture.addEventListener(kind, /** @type {EventListener} */ (follow));
  const entries = [...colours].slice(0, HUES.length).map(([run, colour]) => {
    const patch = makeElement("span");
    patch.style.background = colour;
    return makeElement("li", patch, run);
  });
  const legend = Object.assign(makeElement("ul", ...entries), { className: "legend" });
  if (!triangle?.always) return place.append(picture, legend);
  place.append(makeElement("details", makeElement("summary", say("always", { run: triangle.always })), picture, legend));
}

/** @param {Form} form @param {Map<string, string>} colours */
function drawStrip(form, colours) {
  const parts = form.stretches.map(({ low, high, run }) => {
    const part = draw("rect", { x: low * WIDE, width: (high - low) * WIDE, y: 0, height: 24, fill: colours.get(run) ?? "" });
    part.append(draw("title", {}, say("stretch", { run, grade: form.grades[0], low: low.toFixed(4), high: high.toFixed(4) })));
    return part;
  });
  const ends = [1, 0].map((place) => say("all users", { grade: form.grades[place] }));
  return [...parts, draw("text", { x: 0, y: 38 }, ends[0]), draw("text", { x: WIDE, y: 38, "text-anchor": "end" }, ends[1])];
}

/** @param {{points: number[][], runs: string[]}} triangle @param {Form} form @param {Map<string, string>} colours */
function drawTriangle(triangle, form, colours) {
  const side = Math.round((Math.sqrt(8 * triangle.points.length + 1) - 3) / 2);
  const size = WIDE / side;
  const cells = triangle.points.map((point, place) => {
    const [x, y] = placeOf(point);
    const cell = draw("circle", { cx: x, cy: y, r: size * 0.58, fill: colours.get(triangle.runs[place]) ?? "" });
    cell.append(draw("title", {}, say("point", { run: triangle.runs[place], shares: point.map((share) => share.toFixed(3)).join(", ") })));
    return cell;
  });
  const corners = form.grades.map((grade, place) => {
    const [x, y] = placeOf(form.grades.map((_, other) => (other === place ? 1 : 0)));
    return draw("text", { x, y: y + (place === 1 ? -12 : 20), "text-anchor": ["start", "middle", "end"][place] }, say("all users", { grade }));
  });
  return [...cells, ...corners];
}

/** Where shares stand in the triangle: the first corner at the left, the second above, the third at the right. */
function placeOf(/** @type {number[]} */ shares) {
  return [(shares[2] + shares[1] / 2) * WIDE, (1 - shares[1]) * HIGH];
}

/** The shares at a point; outside the triangle, those of a point on its edge. */
function sharesAt(/** @type {number} */ x, /** @type {number} */ y) {
  const second = 1 - y / HIGH;
  const third = x / WIDE - second / 2;
  const shares = [1 - second - third, second, third].map((share) => Math.max(0, share));
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => share / sum);
}

/** @param {HTMLElement} place @param {number[]} shares */
function moveMark(place, shares) {
  const mark = place.querySelector(".mark");
  if (!mark) return;
  const [x, y] = shares.length === 3 ? placeOf(shares) : [shares[0] * WIDE, 12];
  mark.setAttribute("cx", String(x));
  mark.setAttribute("cy", String(y));
}
