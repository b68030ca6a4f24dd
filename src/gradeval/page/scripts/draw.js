// Draws each chart of the page, which takes the place of its still picture once it is there: a page may be printed before.
// Expressions are interpreted (ast), never compiled: the page forbids eval.
// The actions that open a window are left out: they would write the specification there as HTML.
// Ink and lines take the colour of the text around them, so that charts are readable on dark pages and on paper.
const inked = { labelColor: "currentColor", titleColor: "currentColor" };
const lined = { domainColor: "#8888", tickColor: "#8888", gridColor: "#8883" };
const title = { color: "currentColor", subtitleColor: "currentColor" };
const config = { background: "transparent", view: { stroke: null }, axis: { ...inked, ...lined, labelLimit: 400 }, legend: inked, header: inked, title };
const actions = { export: true, source: false, compiled: false, editor: false };
const places = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("figure > .chart"));
if (places.length) document.body.append(makeElement("script", await unpack("vega")));
for (const [number, place] of places.entries()) {
  const chart = data.charts[number];
  const drawing = place.appendChild(makeElement("div"));
  vegaEmbed(drawing, chart, { ast: true, renderer: "svg", actions, config })
    .then(() => {
      place.querySelector("img")?.remove();
      place.querySelector("summary")?.setAttribute("aria-label", say("save"));
      // Marks that no record has: a screen reader would announce a picture without a name.
      for (const mark of place.querySelectorAll('[role="graphics-symbol"]:is(:empty, :not([aria-label]), [aria-label=""])')) mark.setAttribute("aria-hidden", "true");
    })
    .catch((error) => (drawing.textContent = say("no chart", { error: error.message })));
}
