/* What all pages use: elements, and files that are saved. */
window.mbopt_common = (function () {
  "use strict";

  const SVG = "http://www.w3.org/2000/svg";

  function element(name, properties, children) {
    const e = Object.assign(document.createElement(name), properties);
    (children || []).forEach((c) => e.append(c));
    return e;
  }

  function svgElement(name, attributes, text) {
    const e = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => e.setAttribute(key, value));
    if (text !== undefined) e.textContent = text;
    return e;
  }

  function save(name, blob) {
    const link = element("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  const saveText = (name, type, text) => save(name, new Blob([text], { type }));

  return { SVG, element, svgElement, save, saveText };
})();
