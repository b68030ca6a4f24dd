// Sphinx fetches each page that it found and cuts an excerpt from its text, which here comes from texts.js.
const HERE = new URL(".", location.href).href;
window.fetch = async (url) => ({ text: async () => TEXTS[new URL(url, HERE).href.slice(HERE.length)] ?? "" });
Search.htmlToText = (text) => text;
