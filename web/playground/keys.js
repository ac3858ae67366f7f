/* What can stand at a place of a run or model file, by `mbopt schema --json`: mbopt_keys(schema)(kind, text, position) -> { told, offers, part } with kind "run" or
 * "model": lines about the section or the key, and [{ name, doc, insert }], each of which takes the place of `part`, the text before the position.
 * mbopt_is_run(text): it is that of a run file. */
(function () {
  "use strict";

  window.mbopt_is_run = (text) => /^\[(objective|case|design)\b/m.test(text);

  window.mbopt_keys = function (schema) {
    /* The tables that hold for a section: [force NAME] type = spring as well as [force NAME]. */
    function tablesOf(kind, word, type) {
      return schema.filter((s) => {
        const m = /^\[(\w+)(?: NAME)?\](?: type = (\w+))?$/.exec(s.section);
        return m && s.file === kind && m[1] === word && (!m[2] || m[2] === type);
      });
    }
    function valuesOf(kind, word, key) {
      if (/^[\w-]+(\/[\w-]+)+$/.test(key.type)) return key.type.split("/").map((name) => ({ key: name, doc: key.doc }));
      if (key.key !== "type") return [];
      const list = schema.find((s) => s.file === kind && s.section === `types of ${word}s`);
      if (list) return list.keys;
      return schema.map((s) => [new RegExp(`^\\[${word}(?: NAME)?\\] type = (\\w+)$`).exec(s.section), s]).filter(([m, s]) => m && s.file === kind).map(([m, s]) => ({ key: m[1], doc: s.doc }));
    }

    return function (kind, text, position) {
      const before = text.slice(0, position);
      const start = before.lastIndexOf("\n") + 1;
      const typed = before.slice(start);
      const whole = text.slice(start).split("\n", 1)[0];
      const heading = /^\s*\[(\w*)$/.exec(typed);
      if (heading) {
        const names = new Map(schema.filter((s) => s.file === kind && s.section.startsWith(`[${heading[1]}`)).map((s) => [s.section.replace(/\].*/, "]"), s.doc]));
        return { told: [], offers: [...names].map(([name, doc]) => ({ name, doc, insert: name })), part: `[${heading[1]}` };
      }
      const heads = [...(before.slice(0, start) + whole).matchAll(/^\s*\[(\w+)[^\]\n]*\]/gm)];
      if (!heads.length) return { told: ["a section begins with [NAME]"], offers: [], part: "" };
      const head = heads[heads.length - 1];
      const section = text.slice(head.index).split(/\n\s*\[/, 1)[0];
      const type = (/^\s*type\s*=\s*(\w+)/m.exec(section) || [])[1];
      const tables = tablesOf(kind, head[1], type);
      const keys = tables.flatMap((s) => s.keys);
      const name = /^\s*([\w.]*)\s*/.exec(whole)[1];
      const key = keys.find((k) => k.key === name);
      if (key && /=/.test(whole)) {
        const values = valuesOf(kind, head[1], key);
        const about = [!values.length && key.range, key.unit && `[${key.unit}]`, key.default === null ? "must be given" : key.default && `else ${key.default}`].filter(Boolean).join(", ");
        const value = /=\s*([\w-]*)$/.exec(typed);
        const open = value ? values.filter((v) => v.key.startsWith(value[1])) : [];
        return { told: [`${name}: ${about}`, key.doc], offers: open.map((v) => ({ name: v.key, doc: v.doc, insert: v.key })), part: value ? value[1] : "" };
      }
      const part = /^\s*([\w.]*)$/.exec(typed);
      const given = (k) => new RegExp(`^\\s*${k.key.replace(/[^\w]/g, "\\$&")}\\s*=`, "m").test(section);
      const open = part && !/=/.test(whole) ? keys.filter((k) => k.key.startsWith(part[1]) && !given(k)) : [];
      return { told: tables.map((s) => `${s.section} ${s.doc}`), offers: open.map((k) => ({ name: k.key, doc: k.doc, insert: `${k.key} = ` })), part: part ? part[1] : "" };
    };
  };
})();
