/* Figures of many runs: mbopt_study(container, data) draws what opt/report/study_view.h describes. Parallel coordinates have a brush on every
 * axis; runs outside of the brushes are pale in all figures. The mouse reads runs, a click picks one: its values and its page. Lines and
 * points are drawn on a <canvas>, axes as <svg> over it (study_tools.js, study_parallel.js, study_plane.js). */
(function () {
  "use strict";

  const { element, short, save, quoted, paletteOf } = window.mbopt_drawing;
  const { DONE, DENSE, ints, columnsOf, outcomeColumn, isLog, widened, tableOfShades, selectOf, button, parallel, plane } = window.mbopt_study_parts;

  /* ---- which figures ---- */

  /* Grid of the runs over two columns within a combination of words; extremes between its levels are not on it. */
  function gridOf(section, x, y, category) {
    const rows = section.all.filter((row) => row < section.data.regular && section.category[row] === category);
    const levels = (c) => [...new Set(rows.map((row) => c.v[row]))].sort((a, b) => a - b);
    const [xs, ys] = [levels(x), levels(y)];
    const row = new Array(xs.length * ys.length).fill(-1);
    const place = (list) => new Map(list.map((v, i) => [v, i]));
    const [ix, iy] = [place(xs), place(ys)];
    rows.forEach((r) => (row[iy.get(y.v[r]) * xs.length + ix.get(x.v[r])] = r));
    return { xs, ys, row };
  }

  function contours(section, x, y) {
    let z = section.first;
    let category = 0;
    const quantities = section.columns.filter((c) => c.kind === "quantity");
    const head = (again) => {
      const parts = [selectOf("Quantity", quantities.map((c) => [c.k, c.title]), z.k, (k) => {
        z = section.columns[k];
        again();
      })];
      const { categories } = section.data;
      if (categories.length > 1) {
        parts.push(selectOf("Words", categories.map((t, i) => [i, t]), category, (k) => {
          category = k;
          again();
        }));
      }
      return parts;
    };
    const spec = () => ({ x, y, rows: [], colour: z, grid: gridOf(section, x, y, category) });
    return plane(section, "Contours", `A quantity over ${x.label} and ${y.label}: colours between the runs (white dots), numbered lines between about equally many runs each.`, spec, head);
  }

  /* Any column over any other. */
  function scatter(section, x, y, colour, join) {
    let [a, b, c] = [x, y, colour];
    const options = section.columns.map((q) => [q.k, q.title]);
    const head = (again) => {
      const pick = (label, value, set) => selectOf(label, label === "Colour" ? [[-1, "no colour"], ...options] : options, value, (k) => {
        set(k < 0 ? null : section.columns[k]);
        again();
      });
      return [
        pick("Quantity", b.k, (q) => (b = q)),
        element("span", { textContent: "over" }),
        pick("Over", a.k, (q) => (a = q)),
        element("label", {}, ["colour", pick("Colour", c ? c.k : -1, (q) => (c = q))]),
      ];
    };
    const group = (row) => section.category[row];
    const spec = () => ({ x: a, y: b, rows: section.all, colour: c, join: join && a === x && !c, group });
    const words = section.data.categories.length > 1 && join ? `, a colour for each of ${section.data.categories.join("; ")}` : "";
    const f = plane(section, "Runs", section.n > DENSE ? `Runs as points, or as hexagons where a view has more than ${DENSE}${words}.` : `Every run as a point${words}.`, spec, head);
    f.figure.classList.add("study-scatter");
    return f;
  }

  /* Objectives of all ends in their order, those of one optimum together; what agrees but for rounding is on one level. */
  function sorted(section) {
    const f = section.columns[section.data.first];
    const rows = section.all.filter((row) => Number.isFinite(f.v[row]));
    const end = (row) => (section.end[row] < 0 ? Infinity : section.end[row]);
    const order = rows.slice().sort((p, q) => (end(p) === end(q) ? f.v[p] - f.v[q] : end(p) - end(q)));
    const rank = new Float64Array(section.n).fill(NaN);
    order.forEach((row, i) => (rank[row] = i + 1));
    const tolerance = section.data.same || 0;
    const small = Number(tolerance.toPrecision(2));
    const least = 20 * tolerance; /* of the axis: differences that are rounding make no step */
    const middle = (f.low + f.high) / 2;
    const room = (least || 1) / 2;
    const range = isLog(f) || f.high - f.low > least ? widened([f.low, f.high], isLog(f)) : [middle - room, middle + room];
    const title = f.title + (isLog(f) && f.floor ? ` (less than ${small} is rounding)` : "");
    const bands = [];
    order.forEach((row, i) => {
      const last = bands[bands.length - 1];
      if (last && last.end === section.end[row]) last.to = i + 1;
      else bands.push({ end: section.end[row], from: i + 1, to: i + 1, y: f.v[row] });
    });
    bands.forEach((b) => (b.text = `${b.end < 0 ? "no end" : `end ${b.end + 1}`}: ${b.to - b.from + 1} run${b.to > b.from ? "s" : ""}`));
    const x = { v: rank, label: "runs", title: "runs, best end first", low: 1, high: order.length, log: false, text: short, range: [0.5, order.length + 0.5] };
    const y = { ...f, title, range };
    const spec = () => ({ x, y, rows: order, colour: null, group: (row) => section.end[row], bands });
    return plane(section, "Where the runs ended", `Objectives of all runs. Runs that ended at one optimum stand together in one colour, grey ones that ended at none; objectives that differ by less than ${small} are equal but for rounding.`, spec, null);
  }

  const linesOf = (section) => (section.n > DENSE ? "How many runs go through every place, in the mean of their colours." : "A line for each run through its values, the least on top.");

  function figuresOf(section) {
    const { data, columns, first } = section;
    const keys = columns.filter((c) => c.kind === "key");
    const quantities = columns.filter((c) => c.kind === "quantity");
    const list = [];
    if (data.kind === "multistart") {
      if (first) list.push(sorted(section));
      const of = (data.pairs || []).flat().filter((k) => k >= 0).slice(0, 12).map((k) => columns[k]);
      const axes = of.concat(first ? [first] : []);
      if (axes.length > 1) list.push(parallel(section, axes, first || axes[0], "From where to where", `${section.n > DENSE ? linesOf(section) : "A line for each run from its start to its end."} A drag on an axis keeps the runs within it, in all figures; zooming shows these at full height.`));
      return list;
    }
    if (data.front) {
      const objectives = data.front.filter((k) => k >= 0).map((k) => columns[k]);
      objectives.forEach((f, i) => objectives.slice(i + 1).forEach((g) => list.push(scatter(section, f, g, null, false))));
      const designs = quantities.filter((c) => c.name.startsWith("result."));
      const along = objectives.concat(designs.slice(0, 9));
      if (objectives.length > 1) list.push(parallel(section, along, objectives[0], "From the objectives to the designs", "A line for each point of the front through its objectives and its design. A drag on an axis keeps the points within it, in all figures."));
      return list;
    }
    const axes = columns.filter((c) => c.kind !== "quantity").concat(quantities.slice(0, Math.max(3, 9 - keys.length)));
    if (axes.length > 2 && first) list.push(parallel(section, axes, first, "All runs", `${linesOf(section)} A drag on an axis keeps the runs within it, in all figures; a click on it shows all again. Zooming shows what is kept at full height.`));
    if (data.shape === "contours") list.push(contours(section, keys[0], keys[1]));
    if (data.shape === "curves") quantities.slice(0, 6).forEach((q) => list.push(scatter(section, keys[0], q, null, true)));
    else if (data.shape === "scatter" && first) quantities.slice(0, 6).forEach((q) => list.push(scatter(section, keys[0], keys[1], q, false)));
    else if (first) keys.slice(0, 6).forEach((k) => list.push(scatter(section, k, first, data.shape === "contours" ? keys.find((q) => q !== k) : first, false)));
    return list;
  }

  /* ---- the section ---- */

  function makeStudy(root, data) {
    const columns = columnsOf(data);
    const run = ints(data.run);
    const outcome = ints(data.outcome);
    const n = run.length;
    if (outcome.some((o) => o !== DONE)) columns.push(outcomeColumn(outcome, columns.length));
    const section = { data, columns, run, n, outcome, all: Array.from({ length: n }, (_, i) => i), category: ints(data.category), end: data.end ? ints(data.end) : null, mask: new Uint8Array(n).fill(1), brushes: new Map(), hover: -1, picked: -1, first: data.first < 0 ? null : columns[data.first] };
    section.endOf = (row) => (!section.end ? "" : section.end[row] < 0 ? "no end" : `end ${section.end[row] + 1}`);
    const pages = new Set(data.pages.run);
    const themed = () => {
      const dark = window.mbopt_dark();
      section.theme = { ...paletteOf(root), accent: getComputedStyle(root).getPropertyValue("--accent").trim(), contour: "#ffffff" };
      section.shades = tableOfShades(dark);
    };
    themed();

    /* Rows by the values of a column, the largest first: the least are drawn over them. */
    const orders = new Map();
    section.ordered = (c) => {
      if (!orders.has(c.k)) {
        const order = section.all.slice().sort((a, b) => {
          const [p, q] = [c.v[a], c.v[b]];
          return Number.isNaN(p) || Number.isNaN(q) ? Number.isNaN(q) - Number.isNaN(p) : q - p;
        });
        orders.set(c.k, { order });
      }
      return orders.get(c.k);
    };

    /* ---- runs under the mouse, picked, within brushes ---- */
    section.point = (row) => {
      if (row === section.hover) return;
      section.hover = row;
      section.figures.forEach((f) => f.overlay());
    };
    section.pick = (row) => {
      section.picked = row;
      section.figures.forEach((f) => f.overlay());
      card();
    };
    let waiting = 0;
    section.brush = (c, ends) => {
      if (ends) section.brushes.set(c.k, ends);
      else section.brushes.delete(c.k);
      section.mask.fill(1);
      section.brushes.forEach(([low, high], k) => {
        const { v } = columns[k];
        for (let row = 0; row < n; row++) if (!(v[row] >= low && v[row] <= high)) section.mask[row] = 0;
      });
      section.figures.forEach((f) => f.listFilters && f.listFilters());
      tell();
      if (!waiting) {
        waiting = window.setTimeout(() => {
          waiting = 0;
          section.redraw();
        }, 15);
      }
    };
    /* Figures that have been near the screen. */
    section.redraw = () => {
      const axis = document.activeElement && document.activeElement.closest ? document.activeElement.closest(".study-axis") : null;
      const place = axis ? Array.from(axis.parentNode.children).indexOf(axis) : -1;
      const svg = axis && axis.parentNode;
      section.figures.forEach((f) => f.seen && f.redraw());
      if (svg && svg.children[place]) svg.children[place].focus({ preventScroll: true });
    };
    /* What is chosen, by names that another page of the study has, too; and back to it (live.js). */
    section.chosen = () => ({ brushes: [...section.brushes].map(([k, ends]) => [columns[k].name, ends]), run: section.picked < 0 ? -1 : run[section.picked] });
    section.choose = ({ brushes, run: number }) => {
      brushes.forEach(([name, ends]) => {
        const c = columns.find((q) => q.name === name);
        if (c) section.brush(c, ends);
      });
      const row = run.indexOf(number);
      if (row >= 0) section.pick(row);
    };
    section.inside = () => section.mask.reduce((sum, m) => sum + m, 0);

    /* The keys that all figures have: from run to run, and Enter. */
    section.walk = (e, order, reading) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest(".study-axis")) return;
      const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (e.key === "Enter" && section.hover >= 0) section.pick(section.hover);
      else if (by && order.length) {
        const list = order.filter((row) => section.mask[row]);
        const k = list.indexOf(section.hover);
        section.point(list[k < 0 ? 0 : Math.max(0, Math.min(list.length - 1, k + by))]);
      } else return;
      e.preventDefault();
      reading.setAttribute("aria-live", "polite");
    };

    /* ---- words around the figures ---- */
    const count = element("output");
    const bar = element("div", { className: "study-bar" }, [
      count,
      button("All runs", () => {
        section.brushes.clear();
        if (columns.length) section.brush(columns[0], null);
      }),
      button("CSV", () => save("runs.csv", "text/csv", section.csv())),
    ]);
    section.csv = () => {
      const head = ["run", ...columns.map((c) => c.title)];
      const rows = section.all.filter((row) => section.mask[row]).map((row) => [run[row], ...columns.map((c) => (c.words ? quoted(c.text(c.v[row])) : Number.isFinite(c.v[row]) ? String(c.v[row]) : ""))].join(","));
      return `${[head.map(quoted).join(","), ...rows].join("\n")}\n`;
    };
    const picked = element("div", { className: "study-picked", hidden: true });
    const best = element("div");

    function nameOf(row) {
      const number = run[row];
      if (!pages.has(number)) return String(number);
      return element("a", { href: encodeURIComponent(`${data.pages.prefix}${number}.html`), textContent: String(number) });
    }
    function card() {
      const row = section.picked;
      picked.hidden = row < 0;
      if (row < 0) return;
      const facts = columns.map((c) => element("div", {}, [element("dt", { textContent: c.label }), element("dd", { textContent: c.withUnit(c.v[row]) })]));
      const page = pages.has(run[row])
        ? element("p", {}, [element("a", { href: encodeURIComponent(`${data.pages.prefix}${run[row]}.html`), textContent: `Page of run ${run[row]}` }), ": its motion, curves and values"])
        : element("p", {}, ["Run ", String(run[row]), " has no page yet; this makes one: ", element("code", { textContent: `mbopt report ${data.folder} --runs ${run[row]}` })]);
      const end = section.endOf(row);
      /* Of a front any point may be chosen: its page, with its motion, comes right here. */
      const here = data.front && pages.has(run[row]) ? [element("iframe", { src: encodeURIComponent(`${data.pages.prefix}${run[row]}.html`), title: `Run ${run[row]}`, className: "study-page" })] : [];
      picked.replaceChildren(element("h3", { textContent: `Run ${run[row]}${end ? `, ${end}` : ""}` }), element("dl", {}, facts), page, ...here);
    }
    /* The best of those within the brushes. */
    function tell() {
      const inside = section.inside();
      const present = data.done + data.failed;
      const drawn = n < present ? ` of those drawn (${n} of ${present})` : "";
      const ended = [[data.violating, "violate limits"], [data.failed, "failed"]].filter(([k]) => k).map(([k, words]) => `${k} ${k === 1 ? words.replace("violate ", "violates ") : words}`);
      const among = ended.length ? ` Of ${present} runs ${ended.join(" and ")}.` : "";
      count.textContent = (section.brushes.size ? `${inside} of ${n} runs${drawn} are within the filters.` : `${n} runs${drawn}.`) + among;
      best.replaceChildren();
      if (!section.first || !section.brushes.size) return;
      const { order } = section.ordered(section.first);
      const rows = [];
      for (let i = order.length - 1; i >= 0 && rows.length < 5; i--) if (section.mask[order[i]] && Number.isFinite(section.first.v[order[i]])) rows.push(order[i]);
      if (!rows.length) return;
      const shown = columns.slice(0, 12);
      const head = element("tr", {}, [element("th", { scope: "col", textContent: "run" }),
        ...shown.map((c) => element("th", { scope: "col", className: c.words ? "" : "number", textContent: c.title }))]);
      const body = rows.map((row) => {
        const cell = element("td", {}, [button("show", () => section.pick(row)), " ", nameOf(row)]);
        return element("tr", {}, [cell, ...shown.map((c) => element("td", { className: c.words ? "" : "number", textContent: c.text(c.v[row]) }))]);
      });
      best.append(element("h3", { textContent: `Least ${section.first.label} within the filters` }), element("div", { className: "table" }, [element("table", {}, [element("thead", {}, [head]), element("tbody", {}, body)])]));
      if (window.mbopt_hints) window.mbopt_hints();
    }

    root.classList.add("curves", "study");
    themed();
    section.figures = figuresOf(section);
    const wide = section.figures.filter((f) => !f.figure.classList.contains("study-scatter"));
    const side = section.figures.filter((f) => f.figure.classList.contains("study-scatter"));
    root.replaceChildren(bar, ...wide.map((f) => f.figure), best, picked, element("div", { className: "figures" }, side.map((f) => f.figure)));
    tell();

    const again = () => {
      themed();
      section.figures.forEach((f) => f.recolour());
      section.redraw();
    };
    window.addEventListener("mbopt-look", () => {
      const printed = window.mbopt_on_paper();
      if (printed) section.figures.forEach((f) => (f.seen = true));
      again();
      section.figures.forEach((f) => f.paper.replaceChildren(...(printed ? [new DOMParser().parseFromString(f.svgText(), "image/svg+xml").documentElement] : [])));
    });
    let width = 0;
    new ResizeObserver(() => {
      if (root.clientWidth === width) return;
      width = root.clientWidth;
      section.redraw();
    }).observe(root);
    section.makeAll = () => {
      section.figures.forEach((f) => (f.seen = true));
      section.redraw();
    };
    const observer = new IntersectionObserver(
      (entries) => entries.forEach((e) => {
        const f = section.figures.find((g) => g.figure === e.target);
        if (!e.isIntersecting || f.seen) return;
        f.seen = true;
        f.redraw();
      }),
      { rootMargin: "300px" }
    );
    section.figures.forEach((f) => {
      f.seen = f.figure.getBoundingClientRect().top < 1.5 * window.innerHeight;
      observer.observe(f.figure);
    });
    section.redraw();
    const left = (history.state || {}).mbopt;
    if (left && left.runs) section.choose(left.runs);
    window.dispatchEvent(new Event("resize")); /* what is wider than its box says so (page.js) */
    return section;
  }

  window.mbopt_study = makeStudy;
})();
