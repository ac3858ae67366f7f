/* Points that are dragged: mbopt_points(host) gives the part of the playground that knows which numbers of the files a point of the picture comes from, and
 * writes them. The picture itself (handles.js) is in a frame and talks to it in messages.
 *
 *   host   text(path), resolve(path, name), main(): the run file; files(): all that are read with it; go(path, line): shows it in the editor
 *          replace({ path: [[from, to, text]] }): characters of files, as one step of undo; undo(again)
 *          busy(): a command is running; touch(path): the engine has another text of it; ask(act, more): the engine; look(): reads the files and draws the picture anew
 *          show(place, points, changes of numbers): a position on the way; turned(motion of a coordinate); failed(error)
 *   -> { describe(place): the points of engine.place() for the picture, take(message): one from there, busy(): a point is held }
 *
 * A place is a point on one body, with three numbers of a file. Of a point on several bodies all numbers are written, so that it moves and the bodies stay,
 * except that the origin of a body's own frame stays where it is, if the point has another place. */
self.mbopt_points = function (host) {
  "use strict";

  const { turn: turnBy } = self.mbopt_vectors;
  const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  const COMMENT = /(^|\s)[;#]/;

  /* ---- texts of files ---- */

  const lengthOf = (whole) => {
    const comment = COMMENT.exec(whole);
    return comment ? comment.index : whole.length;
  };

  /* The items of the list in a line of a file, which may go on in indented lines: [{ from, to, text }]. */
  function itemsAt(text, line) {
    const lines = text.split("\n");
    let offset = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0);
    const items = [];
    let item = null;
    let depth = 0;
    for (let k = line - 1; k < lines.length; k++) {
      const whole = lines[k].slice(0, lengthOf(lines[k]));
      if (k >= line && !/^\s+\S[^=]*$/.test(whole)) break;
      for (let i = k < line ? whole.indexOf("=") + 1 : 0; i < whole.length; i++) {
        depth += (whole[i] === "(") - (whole[i] === ")");
        if (whole[i] === "," && depth === 0) item = null;
        else if (/\S/.test(whole[i])) {
          if (!item) items.push((item = { from: offset + i }));
          item.to = offset + i + 1;
        }
      }
      offset += lines[k].length + 1;
    }
    return items.map(({ from, to }) => ({ from, to, text: text.slice(from, to) }));
  }

  const headOf = (whole) => (/^\s*\[/.test(whole) ? whole.slice(0, lengthOf(whole)).trim() : null);

  /* The head of the case that the picture shows. */
  const firstCaseOf = (run) => run.split("\n").map(headOf).find((head) => head && head.startsWith("[case "));

  /* The section and the key of a line. */
  function nameOfLine(text, line) {
    const lines = text.split("\n").slice(0, line);
    const head = lines.map(headOf).filter(Boolean).pop();
    return { head, key: lines[line - 1].split("=", 1)[0].trim() };
  }

  /* The line of a key in a section whose head is accepted; 0: there is none. */
  function lineOf(text, accepts, key) {
    let within = false;
    return 1 + text.split("\n").findIndex((whole) => {
      const head = headOf(whole);
      if (head) within = accepts(head);
      return within && !head && whole.split("=", 1)[0].trim() === key && whole.includes("=");
    });
  }

  const shortName = (path) => path.slice(path.lastIndexOf("/") + 1);

  /* ---- where a coordinate is written ---- */

  /* A number { path, from, to, value, line, called, note } or { why }. names: scalars that the item may mean. */
  function numberOf(place, path, line, item, called, names, note) {
    if (!item) return { why: `${called}: no number in line ${line} of ${shortName(path)}` };
    if (NUMBER.test(item.text)) return { path, line, from: item.from, to: item.to, text: item.text, value: Number(item.text), called, note };
    const name = /^[a-z]\w*$/i.test(item.text) && names.find((n) => n === item.text || n.endsWith(`.${item.text}`));
    return name ? numberOfScalar(place, name) : { why: `${called} = ${item.text} is an expression (${shortName(path)}:${line})` };
  }

  function inLine(place, path, line, called, names, note) {
    if (host.text(path) === undefined) return { why: `${called} is in ${shortName(path)}` };
    const items = itemsAt(host.text(path), line);
    return numberOf(place, path, line, items.length === 1 ? items[0] : { text: items.map((i) => i.text).join(", ") }, called, names, note);
  }

  function numberOfScalar(place, name) {
    const scalar = place.scalars[name];
    const run = host.main();
    const inRun = (head, key, note) => {
      const line = lineOf(host.text(run), (h) => h === head, key);
      return line ? inLine(place, run, line, name, [], note) : null;
    };
    const design = scalar.variable && inRun(`[design ${name}]`, "start", "the start of this design variable in the run file");
    if (design) return design;
    if (scalar.line === -1) {
      return inRun(firstCaseOf(host.text(run)), `scalar.${name}`, "of the load case") || inRun("[scalars]", name, "of the run file, in the place of the model's") || { why: `${name} is set by the run file` };
    }
    const path = host.resolve("/", scalar.file);
    if (/\.csv$/.test(path)) return { why: `${name} is in the table ${shortName(path)}` };
    if (scalar.line <= 0) return { why: `${name} has no line of its own` };
    return inLine(place, path, scalar.line, name, scalar.scalars, scalar.variable ? "the start of this design variable, for the run file gives none" : "");
  }

  /* ---- points ---- */

  /* The points of a place of the mechanism, those of one name together: { key, name, kind, parts: [{ index in place.points, line, body, on: its name, numbers,
   * origin: of the body's own frame }], written: the parts that are, numbers: of these, why: it cannot be dragged }. The first part is where it is held. */
  function pointsOf(place) {
    const points = new Map();
    place.points.forEach((p, index) => {
      const path = host.resolve("/", p.file);
      const own = host.text(path) !== undefined; /* it is no part of the program, of which the scalars alone are known */
      const { head, key } = own ? nameOfLine(host.text(path), p.line) : { head: "", key: "" };
      const items = own ? itemsAt(host.text(path), p.line) : [];
      const called = (k) => `${key}.${"xyz"[k]} of ${head}`;
      const inPart = p.kind === "point" && p.scalars.length ? p.scalars.map((name) => numberOfScalar(place, name)) : [{ why: `it is in ${shortName(path)}` }];
      const numbers = own ? [0, 1, 2].map((k) => numberOf(place, path, p.line, items[k], called(k), p.scalars, "")) : inPart;
      const id = `${p.kind} ${p.name}`;
      if (!points.has(id)) points.set(id, { key: id, name: p.name, kind: p.kind, parts: [] });
      const part = { index, line: `${path}:${p.line}`, body: p.body, on: p.body < 0 ? "ground" : place.case.bodies[p.body].name, numbers };
      const origin = key.includes(".") && p.body >= 0 && items.every((i) => Number(i.text) === 0);
      points.get(id).parts.push({ ...part, origin });
    });
    return [...points.values()].map((point) => {
      /* of bodies that share three numbers one: they may be turned differently from where these hold for all; that of the ground, else the first */
      const lines = [...new Set(point.parts.map((part) => part.line))];
      const parts = lines.map((line) => {
        const own = point.parts.filter((part) => part.line === line);
        return own.find((part) => part.body < 0) || own[0];
      });
      const beside = parts.filter((part) => !part.origin);
      const written = beside.length ? beside : parts.slice(0, 1);
      const all = written.flatMap((part) => part.numbers);
      const numbers = all.filter((n, i) => all.findIndex((o) => o.path === n.path && o.from === n.from) === i);
      const wrong = numbers.find((n) => n.why);
      return { ...point, parts: [written[0], ...point.parts.filter((part) => part !== written[0])], written, numbers, why: wrong ? wrong.why : null };
    });
  }

  /* ---- how far the numbers move ---- */

  const withNumbers = (texts, changes) =>
    Object.fromEntries([...new Set(changes.map((c) => c.path))].map((path) => {
      const own = changes.filter((c) => c.path === path).sort((a, b) => b.from - a.from);
      return [path, own.reduce((text, c) => text.slice(0, c.from) + c.text + text.slice(c.to), texts[path])];
    }));

  /* d x / d number of each place that is written, [numbers][places][3]: by reading the files with the number changed, for parts turn and mirror places, and
   * units scale them. */
  async function slopesOf(held) {
    const { point, texts, place } = held;
    const steps = point.numbers.map((n) => Math.max(1e-4, 1e-3 * Math.abs(n.value)));
    const variants = point.numbers.map((n, j) => withNumbers(texts, [{ ...n, text: String(n.value + steps[j]) }]));
    const answers = await host.ask("places", { path: host.main(), variants, after: texts });
    return answers.map((x, j) => point.written.map((part) => [0, 1, 2].map((k) => (x ? (x[part.index][k] - place.points[part.index].x[k]) / steps[j] : 0))));
  }

  /* Changes of the numbers that move the places by d [m] with the bodies where they are: least squares, the least change. */
  function changesFor({ point, slopes, place }, d) {
    const n = point.numbers.length;
    const matrix = Array.from({ length: n }, () => Array(n + 1).fill(0));
    point.written.forEach((part, p) => {
      const e = part.body < 0 ? [1, 0, 0, 0] : place.case.bodies[part.body].pose.slice(3, 7).map((c) => 1e-7 * c);
      const inBody = turnBy([e[0], -e[1], -e[2], -e[3]], d);
      for (let i = 0; i < n; i++) {
        for (let k = 0; k < 3; k++) {
          matrix[i][n] += slopes[i][p][k] * inBody[k];
          for (let j = 0; j < n; j++) matrix[i][j] += slopes[i][p][k] * slopes[j][p][k];
        }
      }
    });
    const damping = 1e-9 * matrix.reduce((sum, row, i) => sum + row[i], 1e-30);
    matrix.forEach((row, i) => (row[i] += damping));
    for (let i = 0; i < n; i++) {
      for (let r = 0; r < n; r++) {
        const factor = r === i ? 0 : matrix[r][i] / matrix[i][i];
        for (let c = i; c <= n; c++) matrix[r][c] -= factor * matrix[i][c];
      }
    }
    return matrix.map((row, i) => row[n] / row[i]);
  }

  /* Texts of the numbers, with no more digits than the picture has [grain: m]. */
  function textsFor(held, d, grain) {
    const changes = changesFor(held, d);
    return held.point.numbers.flatMap((number, j) => {
      const slope = Math.hypot(...held.slopes[j].flat());
      if (!(slope > 0)) return [];
      const digits = Math.max(0, -Math.floor(Math.log10(grain / slope)));
      if (Math.abs(changes[j]) < 0.5 * 10 ** -digits) return [];
      return [{ ...number, text: String(Number((number.value + changes[j]).toFixed(Math.min(digits, 15)))) }];
    });
  }

  /* ---- a point that is held ---- */

  let last = null; /* what the picture shows: { place, points } */
  let held = null;

  async function grab(key) {
    const point = last && last.points.find((p) => p.key === key);
    if (!point || point.why || held) return;
    if (host.busy()) return host.failed(new Error("a command is running: points can be dragged when it has ended"));
    const texts = Object.fromEntries(point.numbers.map((n) => [n.path, host.text(n.path)]));
    if (point.numbers.some((n) => texts[n.path].slice(n.from, n.to) !== n.text)) return host.look(); /* a file has changed since */
    const mine = (held = { point, place: last.place, texts, slopes: null, wanted: null, changes: [], moving: false, end: null });
    try {
      mine.slopes = await slopesOf(mine);
    } catch (e) {
      release(mine);
      return host.failed(e);
    }
    move(mine);
  }

  /* One position after the other, the latest that is wanted. */
  async function move(mine) {
    if (mine.moving || !mine.slopes) return;
    mine.moving = true;
    while (mine.wanted) {
      const { d, grain } = mine.wanted;
      mine.wanted = null;
      mine.changes = textsFor(mine, d, grain);
      try {
        const place = await host.ask("place", { path: host.main(), files: { ...mine.texts, ...withNumbers(mine.texts, mine.changes) } });
        if (mine.end !== "cancel") host.show(place, describe(place, mine.changes), mine.changes);
      } catch (e) {
        if (e.ended) return release(mine);
        host.failed(e);
      }
    }
    mine.moving = false;
    if (mine.end) release(mine);
  }

  /* Writes what was dragged: of each file what is between the first and the last number that differ. */
  function release(mine) {
    held = null;
    Object.keys(mine.texts).forEach(host.touch);
    if (mine.end === "drop" && mine.changes.length) {
      const stale = Object.keys(mine.texts).find((path) => host.text(path) !== mine.texts[path]);
      if (stale) host.failed(new Error(`${stale} has changed while a point was dragged: nothing is written`));
      else host.replace(Object.fromEntries(Object.entries(withNumbers(mine.texts, mine.changes)).map(([path, text]) => {
        const own = mine.changes.filter((c) => c.path === path);
        const from = Math.min(...own.map((c) => c.from));
        const to = Math.max(...own.map((c) => c.to));
        return [path, [[from, to, text.slice(from, text.length - (mine.texts[path].length - to))]]];
      })));
    }
    host.look();
  }

  /* ---- turning ----
   * The motion of a kinematic case of its own, in so short a time that all else that depends on time stands still. A coordinate of the mechanism
   * follows a straight line from its start to either side; what would be free keeps its start. */

  const STEPS = 90;
  const DURATION = 1e-9;
  const CURVE = "turned_by_hand";

  function partOf(text, accepts) {
    let within = false;
    return text.split("\n").filter((whole) => {
      const head = headOf(whole);
      if (head) within = accepts(head);
      return within && !head;
    });
  }

  /* The scalars that the run file replaces, with the starts of design variables: [[name, text]], of which the last of a name counts. */
  function scalarsOf(run, firstCase) {
    const pairs = (lines) => lines.map((l) => /^\s*([\w.]+)\s*=\s*(.*)/.exec(l.slice(0, lengthOf(l)))).filter(Boolean).map((m) => [m[1], m[2].trim()]);
    const designs = run.split("\n").map(headOf).map((head) => /^\[design ([\w.]+)\]$/.exec(head || "")).filter((m) => m && !m[1].startsWith("curve."));
    const starts = designs.flatMap(([head, name]) => pairs(partOf(run, (h) => h === head)).filter(([key]) => key === "start").map(([, text]) => [name, text]));
    const ofCase = pairs(firstCase).filter(([key]) => key.startsWith("scalar.")).map(([key, text]) => [key.slice(7), text]);
    return [...pairs(partOf(run, (h) => h === "[scalars]")), ...ofCase, ...starts].filter(([, text]) => !text.includes("{")); /* of repeated sections */
  }

  /* The curve of the constraint by which the model drives a coordinate, by its full name; undefined: none does. Names in the file of a part are without those
   * of the part. */
  function driveOf(name) {
    const word = (s, key) => (new RegExp(`^\\s*${key}\\s*=\\s*([\\w.-]+)`, "m").exec(s) || [])[1];
    for (const path of host.files()) {
      const text = host.text(path);
      const sections = text.split(/^(?=[ \t]*\[)/m).filter((s) => /^\s*\[constraint /.test(s) && word(s, "type") === "driven_coordinate");
      const found = sections.find((s) => `.${name}`.endsWith(`.${word(s, "coordinate")}`));
      if (!found) continue;
      const part = name.slice(0, name.length - word(found, "coordinate").length);
      const curve = word(found, "motion");
      return text.includes(`[curve ${curve}]`) ? part + curve : curve;
    }
    return undefined;
  }

  async function turn(name) {
    const { place } = last;
    if (place.apart) return host.failed(new Error(`${name} cannot be turned: ${place.apart}`));
    const run = host.text(host.main());
    const model = host.resolve(host.main(), itemsAt(run, lineOf(run, (h) => h === "[model]", "file"))[0].text);
    const text = host.text(model);
    const { unit, value: start } = place.start.find((c) => c.coordinate === name);
    const reach = unit === "m" ? 0.5 * sizeOf(place) : Math.PI;
    const scale = unit === "m" && /^\s*units\s*=\s*mm\b/m.test(partOf(text, (h) => h === "[model]").join("\n")) ? 1000 : 1;
    const driven = driveOf(name);
    const firstCase = partOf(run, (h) => h === firstCaseOf(run));
    const kept = firstCase.filter((l) => /^\s*curve\./.test(l) && !(driven && l.trim().startsWith(`curve.${driven} `)));
    const replaced = new Map(scalarsOf(run, firstCase));
    const files = (sign) => ({
      run: ["schema = 1", "[model]", `file = ${model.replace(/[^/]*$/, "turned_by_hand.ini")}`, "[scalars]", ...[...replaced].map(([key, text]) => `${key} = ${text}`), "[case turn]", "analysis = kinematic", `duration = ${DURATION}`, `step = ${DURATION / STEPS}`,
        driven ? `curve.${driven} = ${CURVE}` : `drive.${name} = ${CURVE}`, ...kept, ""].join("\n"),
      model: [text, `[curve ${CURVE}]`, "type = polynomial", `coefficients = ${scale * start}, ${(sign * scale * reach) / DURATION}`, ""].join("\n"),
      path: model.replace(/[^/]*$/, "turned_by_hand.ini"),
    });
    const values = Object.fromEntries(place.start.map((c) => [c.coordinate, c.value]));
    try {
      const [back, forth] = await host.ask("turn", { ways: [files(-1), files(1)], main: host.main(), values });
      host.turned({ ...together(back, forth, start, reach), coordinate: name, unit, start, kept: forth.kept });
    } catch (e) {
      host.failed(Object.assign(e, { message: `${name} cannot be turned: ${e.message}` }));
    }
  }

  const sizeOf = (place) => Math.max(...[0, 1, 2].map((k) => Math.max(...place.points.map((p) => p.at[k])) - Math.min(...place.points.map((p) => p.at[k]))), 0.1);

  /* Both sides as one motion over the coordinate, whose least value is time 0. */
  function together(back, forth, start, reach) {
    const frames = (w) => w.case.times.length;
    const least = start - (reach * (frames(back) - 1)) / STEPS;
    const most = start + (reach * (frames(forth) - 1)) / STEPS;
    const times = Array.from({ length: frames(back) + frames(forth) - 1 }, (_, i) => (reach * i) / STEPS);
    const pose = (w, b) => {
      const list = w.case.bodies[b].pose.map((c, i) => (i % 7 < 3 ? (c * w.case.length) / forth.case.length : c));
      return Array.from({ length: frames(w) }, (_, f) => list.slice(7 * f, 7 * f + 7));
    };
    const bodies = forth.case.bodies.map((body, b) => ({ ...body, pose: [...pose(back, b).reverse(), ...pose(forth, b).slice(1)].flat() }));
    return { case: { ...forth.case, duration: times[times.length - 1], times, bodies }, least, most, ends: [back.ends, forth.ends] };
  }

  /* ---- the picture ---- */

  /* What the picture needs to know of the points; changes: of numbers that are not written yet. */
  function describe(place, changes) {
    if (!changes) last = { place, points: pointsOf(place) };
    return last.points.map((point) => ({
      key: point.key, name: point.name, kind: point.kind, why: point.why,
      parts: point.parts.map((part) => ({ at: place.points[part.index].at, on: part.on })),
      numbers: point.why ? [] : point.numbers.map((n) => {
        const changed = (changes || []).find((c) => c.path === n.path && c.from === n.from);
        return { called: n.called, note: n.note || "", path: n.path, line: n.line, text: changed ? changed.text : n.text };
      }),
    }));
  }

  function take(message) {
    if (message.grab) grab(message.grab);
    if (message.move && held) {
      held.wanted = message.move;
      move(held);
    }
    if ((message.end === "drop" || message.end === "cancel") && held) {
      held.end = message.end;
      if (message.end === "cancel") held.wanted = null;
      if (!held.moving && held.slopes) move(held);
    }
    if (message.turn && last) turn(message.turn);
    if (message.go) host.go(message.go.path, message.go.line);
    if (message.undo) host.undo(message.undo === "again");
  }

  return { describe, take, busy: () => held !== null };
};
