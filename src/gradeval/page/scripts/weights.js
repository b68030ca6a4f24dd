// Measures for any weights of the grades. The value of a topic is sum_k w_k N_k / sum_k w_k D_k, that of a run the mean
// over topics; N and D are computed beforehand, so every setting is a few thousand products.

/**
 * @typedef {object} Form
 * @property {string} measure its name, as in nDCG
 * @property {string} at its cutoff, as in nDCG at 10, or nothing
 * @property {"g" | "gains"} parameter what the weights are: shares of users, or what each grade gains more than the last
 * @property {number[]} grades the positive grades, ascending
 * @property {number[]} weights the weights by default
 * @property {Float64Array} over N: run after run, topic after topic, grade after grade
 * @property {Float64Array | null} under D: topic after topic, grade after grade
 * @property {Float64Array} base the documents of each topic from each grade on
 * @property {{low: number, high: number, run: string}[]} stretches where each run leads, for two grades
 * @property {{points: number[][], runs: string[], always: string | null} | null} triangle who leads on a grid, for three grades; who comes second where one run always leads
 */

/** ``present``, run after run, topic after topic: does the run return anything?
 * @typedef {{runs: string[], topics: number, present: Uint8Array, missing: "zero" | "skip", empty: "zero" | "skip" | "one", forms: Form[]}} Collection */

/** The forms with their numbers as arrays; in the page they are bytes in base64, little-endian. @returns {Collection} */
function readCollection(/** @type {any} */ data) {
  const arrays = data.arrays.map((/** @type {string} */ text) => new Float64Array(bytesOf(text).buffer));
  /** Values that are stored as shares of something. @param {Float64Array} shares @param {Float64Array | undefined} wholes */
  const times = (shares, wholes) => (wholes ? shares.map((share, place) => share * wholes[place % wholes.length]) : shares);
  const read = (/** @type {any} */ form) => ({ ...form, over: times(arrays[form.over], arrays[form.times]), under: arrays[form.under] ?? null, base: arrays[form.base] });
  return { ...data, present: bytesOf(data.present), forms: data.forms.map(read) };
}

/**
 * The mean of every run with these weights, missing and empty topics counted as the command line counts them.
 * @param {Collection} collection @param {Form} form @param {number[]} weights @returns {Float64Array}
 */
function meansOf(collection, form, weights) {
  const { topics, present, missing, empty } = collection;
  const width = weights.length;
  const factor = new Float64Array(topics * width);
  const counted = new Uint8Array(topics); // does the topic enter the mean?
  const credit = new Float64Array(topics); // what an empty topic counts
  for (let topic = 0; topic < topics; topic++) {
    let base = 0;
    let under = form.under === null ? 1 : 0;
    for (let grade = 0; grade < width; grade++) {
      base += form.base[topic * width + grade] * weights[grade];
      if (form.under !== null) under += form.under[topic * width + grade] * weights[grade];
    }
    const vacant = base <= 0;
    counted[topic] = vacant && empty === "skip" ? 0 : 1;
    credit[topic] = vacant && empty === "one" ? 1 : 0;
    if (vacant || under === 0) continue;
    // A grade that the topic lacks adds nothing above, and its weight may be huge beside what is below.
    for (let grade = 0; grade < width; grade++) factor[topic * width + grade] = form.base[topic * width + grade] ? weights[grade] / under : 0;
  }
  return Float64Array.from(collection.runs, (_, run) => {
    let [total, number] = [0, 0];
    for (let topic = 0; topic < topics; topic++) {
      if (!counted[topic] || (missing === "skip" && !present[run * topics + topic])) continue;
      number += 1;
      total += credit[topic];
      const at = (run * topics + topic) * width;
      for (let grade = 0; grade < width; grade++) total += form.over[at + grade] * factor[topic * width + grade];
    }
    return number ? total / number : 0;
  });
}

/** The values of some runs with these weights, run after run, topic after topic; in single precision runs that are equal stay so. @param {Collection} collection @param {Form} form @param {number[]} weights @param {string[]} runs */
function valuesOf(collection, form, weights, runs) {
  const sum = (/** @type {ArrayLike<number>} */ numbers, /** @type {number} */ from) => weights.reduce((total, weight, grade) => total + numbers[from + grade] * weight, 0);
  return Float32Array.from(runs.flatMap((name) => {
    const run = collection.runs.indexOf(name);
    return Array.from({ length: collection.topics }, (_, topic) => {
      const under = form.under ? sum(form.under, topic * weights.length) : 1;
      return under && sum(form.over, (run * collection.topics + topic) * weights.length) / under;
    });
  }));
}

/** The weights of a setting: shares of users as they are; of gains the steps from grade to grade. */
function weightsOf(/** @type {Form} */ form, /** @type {number[]} */ setting) {
  return form.parameter === "g" ? setting : setting.map((gain, place) => gain - (place ? setting[place - 1] : 0));
}

/** The setting of some weights, as sliders show it. */
function settingOf(/** @type {Form} */ form, /** @type {number[]} */ weights) {
  let gain = 0;
  return form.parameter === "g" ? [...weights] : weights.map((step) => (gain += step));
}

/** A measure as one types it: GAP(g=[0.2,0.8]), nDCG(gains={1:1,2:3})@10. */
function spell(/** @type {Form} */ form, /** @type {number[]} */ setting) {
  const shares = `g=[${setting.join(",")}]`;
  const gains = `gains={${setting.map((gain, place) => `${form.grades[place]}:${gain}`).join(",")}}`;
  return `${form.measure}(${form.parameter === "g" ? shares : gains})${form.at}`;
}

/** The form and the setting of a measure as one types it. @param {Collection} collection @param {string} spelling */
function parse(collection, spelling) {
  const match = /^(\w+)(?:\((?:g=\[([^\]]*)\]|gains=\{([^}]*)\})\))?(@\d+)?$/.exec(spelling.replace(/\s/g, ""));
  const form = match && collection.forms.find((each) => each.measure === match[1] && each.at === (match[4] ?? ""));
  if (!match || !form) throw new Error(say("no measure", { spelling, measures: collection.forms.map(nameOf).join(", ") }));
  if (match[2] === undefined && match[3] === undefined) return { form, setting: settingOf(form, form.weights) };
  if ((match[2] === undefined) === (form.parameter === "g")) throw new Error(say("no parameter", { spelling, parameter: form.parameter }));
  const pairs = (match[2] ?? match[3]).split(",").map((part) => part.split(":").map(Number));
  const setting = form.grades.map((grade, place) => {
    const pair = form.parameter === "g" ? pairs[place] : pairs.find((each) => each[0] === grade);
    return pair ? pair[pair.length - 1] : form.parameter === "g" ? NaN : grade;
  });
  requireSetting(form, setting, pairs.length);
  return { form, setting };
}

/** A setting must be a number a grade: shares that sum to 1, or gains that do not descend. */
function requireSetting(/** @type {Form} */ form, /** @type {number[]} */ setting, number = setting.length) {
  const weights = weightsOf(form, setting);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const sized = setting.length === form.grades.length && number <= form.grades.length;
  const right = sized && weights.every((weight) => weight >= 0) && (form.parameter === "g" ? Math.abs(sum - 1) < 1e-6 : sum > 0 && sum < Infinity);
  if (!right) throw new Error(say(form.parameter === "g" ? "no shares" : "no gains", { setting: String(setting), number: form.grades.length }));
}

function nameOf(/** @type {Form} */ form) {
  return form.measure + form.at;
}

/** The rank of every run, and the runs in this order; means that differ by rounding are equal. @param {Float64Array} means */
function ranksOf(means) {
  const order = [...means.keys()].sort((a, b) => means[b] - means[a] || a - b);
  const ranks = new Uint32Array(means.length);
  let above = 0;
  for (const run of order) {
    while (means[order[above]] > means[run] + 1e-12) above++;
    ranks[run] = above + 1;
  }
  return { ranks, order: order.sort((a, b) => ranks[a] - ranks[b] || a - b) };
}

/** Kendall's tau-b of two lists of means. @param {Float64Array} x @param {Float64Array} y */
function tauOf(x, y) {
  const sign = (/** @type {number} */ gap) => (Math.abs(gap) > 1e-12 ? Math.sign(gap) : 0);
  let [agree, ofX, ofY] = [0, 0, 0];
  for (let i = 1; i < x.length; i++) {
    for (let j = 0; j < i; j++) {
      const [dx, dy] = [sign(x[i] - x[j]), sign(y[i] - y[j])];
      agree += dx * dy;
      ofX += dx * dx;
      ofY += dy * dy;
    }
  }
  return ofX && ofY ? agree / Math.sqrt(ofX * ofY) : NaN;
}
