// "For which users?": sliders for the weights of the grades; the board, the map and the tau follow.

/** Gives what scripts may call, see docs/report.md. @param {HTMLElement} place @param {Collection} collection */
function beginUsers(place, collection) {
  const at = finder(place, "users");
  const chooser = at("measure");
  const lines = makeLines(at("board"), collection.runs.length);
  let form = collection.forms[0];
  let setting = settingOf(form, form.weights);
  let byDefault = meansOf(collection, form, form.weights);
  let ranksByDefault = ranksOf(byDefault).ranks;
  /** @type {{rank: number, run: string, mean: number}[]} */
  let shown = [];

  function choose(/** @type {string} */ name) {
    form = collection.forms.find((each) => nameOf(each) === name) ?? form;
    chooser.value = nameOf(form);
    byDefault = meansOf(collection, form, form.weights);
    ranksByDefault = ranksOf(byDefault).ranks;
    makeSliders();
    drawMap(at("map"), form, moveByHand);
    move(settingOf(form, form.weights));
  }

  function makeSliders() {
    const shares = form.parameter === "g";
    const most = shares ? "1" : String(Math.max(...settingOf(form, form.weights)) * 2);
    at("sliders").replaceChildren(...form.grades.map((grade, index) => {
      const slider = Object.assign(document.createElement("input"), { type: "range", min: "0", max: most, step: shares ? "0.001" : "0.01" });
      slider.addEventListener("input", () => moveByHand(changed(index, Number(slider.value))));
      const words = makeElement("span", say(shares ? "share of grade" : "gain of grade", { grade }));
      return makeElement("label", words, slider, makeElement("output", ""));
    }));
  }

  /** The setting after one slider moved: other shares keep their proportions, other gains stay in order. */
  function changed(/** @type {number} */ index, /** @type {number} */ value) {
    if (form.parameter === "gains") return setting.map((gain, place) => (place < index ? Math.min(gain, value) : place > index ? Math.max(gain, value) : value));
    const others = setting.reduce((total, share, place) => total + (place === index ? 0 : share), 0);
    const even = (1 - value) / (setting.length - 1);
    return setting.map((share, place) => (place === index ? (setting.length === 1 ? 1 : value) : others > 0 ? (share / others) * (1 - value) : even));
  }

  /** What a hand sets has 4 digits at most, as it stands in the command. */
  const moveByHand = (/** @type {number[]} */ wanted) => move(wanted, 4);

  function move(/** @type {number[]} */ wanted, digits = 6) {
    setting = wanted.map((value) => Number(value.toFixed(digits)));
    if (form.parameter === "g") setting[setting.length - 1] = Number((1 - setting.slice(0, -1).reduce((a, b) => a + b, 0)).toFixed(digits));
    for (const [index, label] of [...at("sliders").children].entries()) {
      /** @type {HTMLInputElement} */ (label.children[1]).value = String(setting[index]);
      write(label.children[2], setting[index].toFixed(form.parameter === "g" ? 3 : 2));
    }
    const means = meansOf(collection, form, weightsOf(form, setting));
    const { ranks, order } = ranksOf(means);
    shown = order.map((run) => ({ rank: ranks[run], run: collection.runs[run], mean: means[run] }));
    const first = shown.filter((row) => row.rank === 1);
    write(at("leader"), say("leader", { run: first.map((row) => row.run).join(", "), mean: first[0].mean.toFixed(4), number: first.length }));
    const tau = tauOf(means, byDefault);
    write(at("tau"), Number.isNaN(tau) ? "" : say("tau", { tau: tau.toFixed(3) }));
    write(at("spelling"), spell(form, setting));
    moveMark(at("map"), weightsOf(form, setting));
    order.forEach((run, line) => {
      const before = ranksByDefault[run];
      const moved = before - ranks[run];
      const arrow = moved > 0 ? ` ▲${moved}` : moved < 0 ? ` ▼${-moved}` : "";
      [String(ranks[run]), collection.runs[run], means[run].toFixed(4), `${before}${arrow}`].forEach((text, column) => write(lines[line][column], text));
    });
  }

  for (const each of collection.forms) chooser.add(new Option(nameOf(each)));
  chooser.addEventListener("change", () => choose(chooser.value));
  at("reset").addEventListener("click", () => move(settingOf(form, form.weights)));
  makeCopy(at("copy"), () => `gradeval evaluate QRELS RUNS -m "${at("spelling").textContent}"`);
  choose(nameOf(form));
  return {
    /** The mean of each run by a measure as one types it: GAP(g=[0.2,0.8]), nDCG(gains={1:1,2:3})@10. */
    evaluate(/** @type {string} */ text) {
      const wanted = parse(collection, text);
      const means = meansOf(collection, wanted.form, weightsOf(wanted.form, wanted.setting));
      return Object.fromEntries(collection.runs.map((run, place) => [run, means[place]]));
    },
    /** Move the sliders: {g: [...]} or {gains: [...]}, and optionally {measure: "eGAP"}. */
    set(/** @type {{g?: number[], gains?: number[], measure?: string}} */ wanted) {
      if (wanted.measure !== undefined) choose(wanted.measure);
      const given = wanted.g ?? wanted.gains;
      if (given !== undefined) move((requireSetting(form, given), given));
    },
    /** The rows of the board beside the sliders, as shown. */
    board: () => shown,
    /** Where each run leads, by the share of the first of two grades. */
    leaders: () => form.stretches,
  };
}

/** The cells of a board whose lines stay where they are: only texts change, and only those that differ. */
function makeLines(/** @type {HTMLTableElement} */ table, /** @type {number} */ number) {
  return Array.from({ length: number }, () => {
    const name = Object.assign(makeElement("th", ""), { scope: "row", className: "name" });
    const cells = [makeElement("td", ""), name, makeElement("td", ""), makeElement("td", "")];
    table.tBodies[0].append(makeElement("tr", ...cells));
    return cells;
  });
}
