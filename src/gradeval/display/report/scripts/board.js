// Tables that are sorted by their heads, filtered by a word, and copied as tsv, LaTeX or Markdown: what is shown is copied.

const FORMATS = {
  tsv: { name: "tsv", row: (/** @type {string[]} */ cells) => cells.map((cell) => cell.replace(/\s+/g, " ")).join("\t"), head: "", begin: () => "", end: "" },
  latex: {
    name: "LaTeX",
    row: (/** @type {string[]} */ cells) => `${cells.map(forLatex).join(" & ")} \\\\`,
    head: "\\midrule\n",
    begin: (/** @type {number} */ width) => `\\begin{tabular}{l${"r".repeat(width - 1)}}\n\\toprule\n`,
    end: "\\bottomrule\n\\end{tabular}\n",
  },
  markdown: {
    name: "Markdown",
    row: (/** @type {string[]} */ cells) => `| ${cells.map((cell) => cell.replace(/([\\`*_|<>~])/g, "\\$1")).join(" | ")} |`,
    head: "rule",
    begin: () => "",
    end: "",
  },
};

function forLatex(/** @type {string} */ text) {
  const written = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "▲": "$\\blacktriangle$", "▼": "$\\blacktriangledown$" };
  return text.replace(/[\\~^▲▼&%$#_{}]/g, (sign) => /** @type {Record<string, string>} */ (written)[sign] ?? `\\${sign}`);
}

/** A table as shown, in one of the formats. @param {HTMLTableElement} table @param {keyof FORMATS} format */
function written(table, format) {
  const { row, head, begin, end } = FORMATS[format];
  const text = (/** @type {Element} */ cell) => (cell.textContent ?? "").trim();
  const titles = [...table.tHead?.rows[0].cells ?? []].map(text);
  const rows = [...table.tBodies[0].rows].filter((each) => !each.hidden).map((each) => [...each.cells].map(text));
  const rule = head === "rule" ? `| --- |${" ---: |".repeat(titles.length - 1)}\n` : head;
  return `${begin(titles.length)}${row(titles)}\n${rule}${rows.map((cells) => `${row(cells)}\n`).join("")}${end}`;
}

/** Put a text on the clipboard; where the browser refuses, through a selection. @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** A button that copies what ``give`` returns, and says so. @param {HTMLButtonElement} button @param {() => string} give */
function makeCopy(button, give) {
  const words = button.textContent;
  button.addEventListener("click", async () => {
    await copy(give());
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = words), 1500);
  });
}

function makeButton(/** @type {string} */ words) {
  return Object.assign(document.createElement("button"), { type: "button", textContent: words });
}

/** @param {HTMLTableElement} table */
function makeBoard(table) {
  const body = table.tBodies[0];
  const heads = [...table.tHead?.rows[0].cells ?? []];
  if (body.rows.length < 3) return;
  const order = [...body.rows];
  const keyOf = (/** @type {HTMLTableRowElement} */ row, /** @type {number} */ column) => {
    const cell = row.cells[column];
    const text = (cell.textContent ?? "").trim();
    return cell.dataset.value !== undefined ? Number(cell.dataset.value) : text !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
  };
  heads.forEach((head, column) => {
    const button = makeButton(head.textContent ?? "");
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const numbers = typeof keyOf(order[0], column) === "number";
      const way = (head.getAttribute("aria-sort") ?? (numbers ? "ascending" : "descending")) === "ascending" ? "descending" : "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", way);
      const keys = new Map(order.map((row) => [row, keyOf(row, column)]));
      const sign = way === "ascending" ? 1 : -1;
      const compare = (/** @type {any} */ a, /** @type {any} */ b) => (a < b ? -1 : a > b ? 1 : 0);
      body.append(...[...order].sort((a, b) => sign * compare(keys.get(a), keys.get(b))));
    });
  });
  const tools = document.createElement("div");
  tools.className = "tools";
  if (order.length > 10) tools.append(makeFilter(order));
  for (const [format, { name }] of Object.entries(FORMATS)) {
    const button = makeButton(`Copy as ${name}`);
    makeCopy(button, () => written(table, /** @type {keyof FORMATS} */ (format)));
    tools.append(button);
  }
  table.parentElement?.before(tools);
}

/** A field that hides the rows without a word. @param {HTMLTableRowElement[]} rows */
function makeFilter(rows) {
  const label = document.createElement("label");
  const field = Object.assign(document.createElement("input"), { type: "search" });
  const number = document.createElement("output");
  const texts = rows.map((row) => [...row.querySelectorAll("th")].map((cell) => cell.textContent).join(" ").toLowerCase());
  field.addEventListener("input", () => {
    rows.forEach((row, place) => (row.hidden = !texts[place].includes(field.value.toLowerCase())));
    number.textContent = field.value ? `${rows.filter((row) => !row.hidden).length} of ${rows.length}` : "";
  });
  label.append("Filter", field, number);
  return label;
}
