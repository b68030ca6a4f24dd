// Tables that are sorted by their heads, filtered by a word, and copied as tsv, LaTeX or Markdown: what is shown is copied.

const ESCAPED = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "▲": "$\\blacktriangle$", "▼": "$\\blacktriangledown$" };
/** @type {Record<string, (rows: string[][]) => string>} */
const FORMATS = {
  tsv: (rows) => rows.map((cells) => `${cells.map((cell) => cell.replace(/\s+/g, " ")).join("\t")}\n`).join(""),
  LaTeX: (rows) => {
    const escape = (/** @type {string} */ text) => text.replace(/[\\~^▲▼&%$#_{}]/g, (sign) => /** @type {Record<string, string>} */ (ESCAPED)[sign] ?? `\\${sign}`);
    const [head, ...body] = rows.map((cells) => `${cells.map(escape).join(" & ")} \\\\\n`);
    return `\\begin{tabular}{l${"r".repeat(rows[0].length - 1)}}\n\\toprule\n${head}\\midrule\n${body.join("")}\\bottomrule\n\\end{tabular}\n`;
  },
  Markdown: (rows) => {
    const [head, ...body] = rows.map((cells) => `| ${cells.map((cell) => cell.replace(/([\\`*_|<>~])/g, "\\$1")).join(" | ")} |\n`);
    return `${head}| --- |${" ---: |".repeat(rows[0].length - 1)}\n${body.join("")}`;
  },
};

/** The texts of a table as shown, its head first. @param {HTMLTableElement} table */
function textsOf(table) {
  const text = (/** @type {Element} */ cell) => (cell.textContent ?? "").trim();
  return [...table.rows].filter((row) => !row.hidden).map((row) => [...row.cells].map(text));
}

/** A button that copies what ``give`` returns, where the browser refuses through a selection. @param {HTMLButtonElement} button @param {() => string} give */
function makeCopy(button, give) {
  const words = button.textContent;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(give());
    } catch {
      const area = document.body.appendChild(Object.assign(makeElement("textarea"), { value: give() }));
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = say("copied");
    setTimeout(() => (button.textContent = words), 1500);
  });
}

/** What a cell is sorted by: its exact number, else its text. @param {HTMLTableRowElement} row @param {number} column */
function keyOf(row, column) {
  const cell = row.cells[column];
  const text = (cell.textContent ?? "").trim();
  return cell.dataset.value !== undefined ? Number(cell.dataset.value) : text !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
}

/** Fold the last columns away where a table is wider than its place, and a button that brings them back. @param {HTMLTableElement} table @param {HTMLElement} tools */
function foldColumns(table, tools) {
  const place = /** @type {HTMLElement} */ (table.parentElement);
  const heads = [...table.tHead?.rows[0].cells ?? []];
  const button = tools.appendChild(Object.assign(makeButton(""), { hidden: true }));
  let [whole, folded] = [false, 0];
  function fold() {
    for (const cell of table.querySelectorAll(".folded")) cell.classList.remove("folded");
    const room = place.clientWidth;
    if (!room) return; // in a part of the page that is closed
    let [width, shown] = [0, 0];
    while (shown < heads.length && (shown < 2 || width + heads[shown].offsetWidth <= room)) width += heads[shown++].offsetWidth;
    folded = table.scrollWidth > room ? heads.length - shown : 0;
    if (folded && !whole) for (const row of table.rows) for (const cell of [...row.cells].slice(shown)) cell.classList.add("folded");
    button.hidden = !folded;
    write(button, say(whole ? "fold" : "unfold", { number: folded }));
  }
  button.addEventListener("click", () => {
    whole = !whole;
    fold();
  });
  new ResizeObserver(fold).observe(place);
}

/** @param {HTMLTableElement} table */
function makeBoard(table) {
  const heads = [...table.tHead?.rows[0].cells ?? []];
  const order = [...table.tBodies[0].rows];
  if (order.length < 3) {
    const tools = Object.assign(makeElement("div"), { className: "tools" });
    table.parentElement?.before(tools);
    return foldColumns(table, tools);
  }
  heads.forEach((head, column) => {
    const button = makeButton(head.textContent ?? "");
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const keys = new Map(order.map((row) => [row, keyOf(row, column)]));
      const first = typeof keys.get(order[0]) === "number" ? "descending" : "ascending"; // the highest number, the first name
      const way = head.getAttribute("aria-sort") !== first ? first : first === "ascending" ? "descending" : "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", way);
      const sign = way === "ascending" ? 1 : -1;
      const compare = (/** @type {any} */ a, /** @type {any} */ b) => (a < b ? -1 : a > b ? 1 : 0);
      table.tBodies[0].append(...[...order].sort((a, b) => sign * compare(keys.get(a), keys.get(b))));
    });
  });
  const tools = Object.assign(makeElement("div"), { className: "tools" });
  const best = heads.findIndex((head) => (head.textContent ?? "") === say("may be best"));
  if (order.length > 10 || best >= 0) tools.append(...makeFilter(order, best));
  for (const [format, written] of Object.entries(FORMATS)) {
    const button = makeButton(say("copy as", { format }));
    makeCopy(button, () => written(textsOf(table)));
    tools.append(button);
  }
  table.parentElement?.before(tools);
  foldColumns(table, tools);
}

/** A field that hides the rows without a word, and a box for the runs that may be the best. @param {HTMLTableRowElement[]} rows @param {number} best their column, -1: there is none */
function makeFilter(rows, best) {
  const field = Object.assign(makeElement("input"), { type: "search" });
  const number = makeElement("output");
  const texts = rows.map((row) => [...row.querySelectorAll("th")].map((cell) => cell.textContent).join(" ").toLowerCase());
  const box = Object.assign(makeElement("input"), { type: "checkbox" });
  const filter = () => {
    rows.forEach((row, place) => (row.hidden = !texts[place].includes(field.value.toLowerCase()) || (box.checked && row.cells[best].textContent === "")));
    write(number, field.value || box.checked ? say("filtered", { number: rows.filter((row) => !row.hidden).length, all: rows.length }) : "");
  };
  field.addEventListener("input", filter);
  box.addEventListener("change", filter);
  return [makeElement("label", say("filter"), field), ...(best < 0 ? [] : [makeElement("label", box, say("only best"))]), number];
}
