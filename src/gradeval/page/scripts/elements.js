// Elements with texts, and the words of the page.

// A name whose signs of direction are written out, as they would turn what stands next to it.
const plain = (/** @type {string} */ text) => text.replace(/[\u202a-\u202e\u2066\u2067]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16)}`);
/** An element that holds texts and other elements. @template {keyof HTMLElementTagNameMap} T @param {T} tag @param {(string | Node)[]} parts */
function makeElement(tag, ...parts) {
  const element = document.createElement(tag);
  element.append(...parts.map((part) => (typeof part === "string" ? plain(part) : part)));
  return element;
}

function makeButton(/** @type {string} */ words) {
  return Object.assign(makeElement("button", words), { type: "button" });
}

/** Write a text into an element that holds a text alone; an equal one costs no layout. */
function write(/** @type {Element} */ element, /** @type {string} */ text) {
  const node = /** @type {Text} */ (element.firstChild ?? element.appendChild(document.createTextNode("")));
  if (node.data !== plain(text)) node.data = plain(text);
}

/** A sentence of the page, its {names} replaced; of two the first is for one thing. @param {string} name @param {Record<string, string | number>} [values] */
function say(name, values = {}) {
  return [data.words[name]].flat().at(values.number === 1 ? 0 : -1).replace(/\{(\w+)\}/g, (/** @type {string} */ _, /** @type {string} */ key) => String(values[key]));
}

/** The element of a part with this name, of any kind. @param {HTMLElement} place @param {string} part @returns {(name: string) => any} */
function finder(place, part) {
  return (name) => place.querySelector(`[data-${part}="${name}"]`);
}

/** A text that the page holds packed: gzip in base64. @param {string} id of its element @returns {Promise<string>} */
function unpack(id) {
  const bytes = bytesOf(document.getElementById(id)?.textContent ?? "");
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/** Bytes in base64. @param {string} text @returns {Uint8Array<ArrayBuffer>} */
function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
