// "For which users?": sliders for the weights of the grades; the board and the tau follow.

/**
 * @typedef {object} Users
 * @property {(setting: number[]) => void} move set the sliders
 * @property {(name: string) => void} choose another measure
 * @property {() => Form} form
 */

/**
 * @param {HTMLElement} place @param {Collection} collection
 * @param {(form: Form, setting: number[], means: Float64Array) => void} show what follows a new setting
 * @returns {Users}
 */
function makeUsers(place, collection, show) {
  const at = (/** @type {string} */ name) => /** @type {HTMLElement} */ (place.querySelector(`[data-users="${name}"]`));
  const chooser = /** @type {HTMLSelectElement} */ (at("measure"));
  let form = collection.forms[0];
  let setting = settingOf(form, form.weights);
  let first = meansOf(collection, form, form.weights);

  for (const each of collection.forms) chooser.add(new Option(nameOf(each)));
  chooser.addEventListener("change", () => choose(chooser.value));
  at("reset").addEventListener("click", () => move(settingOf(form, form.weights)));

  function choose(/** @type {string} */ name) {
    form = collection.forms.find((each) => nameOf(each) === name) ?? form;
    chooser.value = nameOf(form);
    first = meansOf(collection, form, form.weights);
    setting = settingOf(form, form.weights);
    makeSliders();
    drawMap(at("map"), form, move);
    move(setting);
  }

  function makeSliders() {
    const shares = form.parameter === "g";
    at("sliders").replaceChildren(
      ...form.grades.map((grade, index) => {
        const label = document.createElement("label");
        const words = document.createElement("span");
        words.textContent = shares ? `relevant from grade ${grade}` : `gain of grade ${grade}`;
        const slider = Object.assign(document.createElement("input"), { type: "range", min: "0", step: shares ? "0.001" : "0.01" });
        slider.max = shares ? "1" : String(Math.max(...settingOf(form, form.weights)) * 2);
        slider.addEventListener("input", () => move(changed(index, Number(slider.value))));
        const value = document.createElement("output");
        label.append(words, slider, value);
        return label;
      }),
    );
  }

  /** The setting after one slider moved: other shares keep their proportions, other gains stay in order. */
  function changed(/** @type {number} */ index, /** @type {number} */ value) {
    if (form.parameter === "gains") return setting.map((gain, place) => (place < index ? Math.min(gain, value) : place > index ? Math.max(gain, value) : value));
    const others = setting.reduce((total, share, place) => total + (place === index ? 0 : share), 0);
    const even = (1 - value) / (setting.length - 1);
    return setting.map((share, place) => (place === index ? (setting.length === 1 ? 1 : value) : others > 0 ? (share / others) * (1 - value) : even));
  }

  function move(/** @type {number[]} */ wanted) {
    setting = wanted.map((value) => Number(value.toFixed(6)));
    if (form.parameter === "g") setting[setting.length - 1] = Number((1 - setting.slice(0, -1).reduce((a, b) => a + b, 0)).toFixed(6));
    for (const [index, label] of [...at("sliders").children].entries()) {
      const slider = /** @type {HTMLInputElement} */ (label.querySelector("input"));
      slider.value = String(setting[index]);
      /** @type {HTMLElement} */ (label.querySelector("output")).textContent = setting[index].toFixed(form.parameter === "g" ? 3 : 2);
    }
    const means = meansOf(collection, form, weightsOf(form, setting));
    const leader = means.indexOf(Math.max(...means));
    at("leader").textContent = `${collection.runs[leader]} leads with ${means[leader].toFixed(4)}`;
    const tau = tauOf(means, first);
    at("tau").textContent = Number.isNaN(tau) ? "" : `tau with the default setting: ${tau.toFixed(3)}`;
    at("spelling").textContent = spell(form, setting);
    moveMark(at("map"), weightsOf(form, setting));
    show(form, setting, means);
  }

  choose(nameOf(form));
  return { move: (wanted) => (requireSetting(form, wanted), move(wanted)), choose, form: () => form };
}
