/* Animation of a mechanism: mbopt_scene(container, before, after, called) shows what opt/report/scene.h describes, one or two
 * descriptions (after may be null) side by side with one clock and one camera. Or `before` is a list of runs, which are shown in one picture, each in
 * a colour of its own; so are load cases, if the reader wants them together. Plain JavaScript on 2-D canvases.
 *
 * The stage: x right, y back, z against gravity. World places are turned into it first; everything below is in it. */
(function () {
  "use strict";

  const { element } = window.mbopt_common;
  const { add, sub, scale, dot, cross, length, unit, mix, mean, turn } = window.mbopt_vectors;

  /* Axes of the stage in the world. */
  function stageAxes(up) {
    const start = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    const x = unit(sub(start, scale(dot(start, up), up)));
    return [x, cross(up, x), up];
  }

  /* ---- motion ---- */

  const COLOURS = "#5b87b8 #d79b48 #62a578 #bf6d66 #9079b6 #4fa0a4 #a98262 #c685a8 #8b9a45 #75879f".split(" ");
  const POSE = 7;
  const COM = [0, 0, 0]; /* on every body */

  /* Left and right of a vehicle look alike: lower_FL, lower_FR; front_left.lower, front_right.lower. */
  function colourOf(bodies, beamOf) {
    const known = new Map();
    return bodies.map((b, i) => {
      const family = (beamOf.get(i) || b).name.replace(/_[A-Z]{1,2}$/, "").replace(/(^|_)(left|right)(?=[_.])/g, "");
      if (!known.has(family)) known.set(family, COLOURS[known.size % COLOURS.length]);
      return known.get(family);
    });
  }

  /* One picture alone stands still. */
  function standing(d) {
    if (d.times.length > 1) return d;
    return { ...d, still: true, duration: 1, times: [0, 1], bodies: d.bodies.map((b) => ({ ...b, pose: b.pose.concat(b.pose) })) };
  }

  /* A case with functions of time: where its bodies are. meshes: of its shapes (shapes.js). */
  function motionOf(given, up, meshes) {
    const description = standing(given);
    const axes = stageAxes(up);
    const toStage = (v) => axes.map((a) => dot(a, v));
    const times = description.times;
    const last = times.length - 1;

    function poseAt(body, time) {
      let i = Math.min(last - 1, Math.max(0, Math.floor((time / description.duration) * last)));
      while (i > 0 && times[i] > time) i--;
      while (i < last - 1 && times[i + 1] < time) i++;
      const s = Math.min(1, Math.max(0, (time - times[i]) / (times[i + 1] - times[i])));
      const p = body.pose;
      const k = POSE * i;
      let same = 0;
      for (let j = 3; j < POSE; j++) same += p[k + j] * p[k + POSE + j];
      const sign = same < 0 ? -1 : 1; /* e and -e are one orientation: the near one */
      const q = [];
      for (let j = 0; j < POSE; j++) q.push((1 - s) * p[k + j] + s * (j < 3 ? 1 : sign) * p[k + POSE + j]);
      const n = Math.hypot(q[3], q[4], q[5], q[6]);
      return { at: scale(description.length, q.slice(0, 3)), e: q.slice(3).map((c) => c / n) };
    }

    /* Functions from places on a body (-1: ground) to the stage at a time. */
    function placesAt(time) {
      const poses = description.bodies.map((b) => poseAt(b, time));
      return {
        point: (body, x) => toStage(body < 0 ? x : add(poses[body].at, turn(poses[body].e, x))),
        vector: (body, x) => toStage(body < 0 ? x : turn(poses[body].e, x)),
      };
    }

    const beams = description.beams || [];
    const beamOf = new Map(beams.flatMap((b) => b.stations.map((s) => [s[0], b])).concat(beams.map((b) => [b.body, b])));
    const stationOn = new Map(beams.flatMap((b) => [b.undeformed[0], ...b.stations]).map((s) => [s[0], s.slice(1)]));
    const middles = description.bodies.map((_, i) => stationOn.get(i) || COM); /* bodies of beams without mass have no centre */
    const colours = colourOf(description.bodies, beamOf);
    const shapes = (description.shapes || []).map((s) => ({ ...s, ...window.mbopt_shape(s, meshes) }));
    const around = (body) => shapes.filter((s) => s.body === body).flatMap((s) => s.corners);
    const corners = description.bodies.map((b, i) => b.points.map((q) => q.at).concat([middles[i]], around(i)));
    const shaped = new Set(shapes.map((s) => s.body));
    const extent = extentOf({ ...description, middles }, corners, around(-1), placesAt);
    return { ...description, colours, corners, middles, shapes, shaped, beams, beamOf, bending: 1, rails: railsOf(description, shaped, placesAt), placesAt, ...extent };
  }

  const centroid = (d, places) => mean(d.middles.map((x, i) => places.point(i, x)));

  /* How much room the motion takes: its box; the mechanism about its middle: radius, width, height; the middle's way. */
  function extentOf(d, corners, fixed, placesAt) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    const way = [];
    const reached = []; /* what must be seen: place, distance from the middle at that time, size */
    let radius = 0;
    let wide = 0;
    let tall = 0;
    const samples = Math.min(60, d.times.length);
    for (let s = 0; s < samples; s++) {
      const places = placesAt((d.duration * s) / (samples - 1));
      const middle = centroid(d, places);
      const include = (p, r) => {
        const arm = sub(p, middle);
        reached.push({ p, arm, r });
        radius = Math.max(radius, length(arm) + r);
        wide = Math.max(wide, Math.hypot(arm[0], arm[1]) + r);
        tall = Math.max(tall, Math.abs(arm[2]) + r);
        for (let k = 0; k < 3; k++) {
          low[k] = Math.min(low[k], p[k] - r);
          high[k] = Math.max(high[k], p[k] + r);
        }
      };
      corners.forEach((list, i) => list.forEach((x) => include(places.point(i, x), 0)));
      d.wheels.forEach((w) => include(places.point(w.body, w.centre), w.radius));
      if (s === 0) d.ground.map((q) => q.at).concat(fixed).forEach((x) => include(places.point(-1, x), 0));
      way.push(middle);
    }
    const span = (k) => Math.max(...way.map((p) => p[k])) - Math.min(...way.map((p) => p[k]));
    const travel = Math.hypot(span(0), span(1), span(2));
    const own = (d.ground.some((q) => q.bearing) ? 4 : 1.2) * radius; /* what turns about the ground stays within some radii */
    return { low, high, radius, wide, tall, way, reached, travels: d.bodies.length > 0 && travel > own };
  }

  /* Rails of sliding joints, unless the body that has one has shapes: from where to where the slider moves on it, along the axis from the centre
   * of mass of that body. */
  function railsOf(d, shaped, placesAt) {
    return (d.rails || []).filter((r) => !shaped.has(r.body)).map((r) => {
      const way = d.times.map((t) => slidingOn(r, placesAt(t)).along);
      return { ...r, from: Math.min(...way), to: Math.max(...way) };
    });
  }

  function slidingOn(rail, places) {
    const [body, ...x] = rail.slider;
    const axis = unit(places.vector(body, rail.axis));
    const at = places.point(body, x);
    return { at, axis, along: dot(axis, sub(at, places.point(rail.body, COM))) };
  }

  /* The middle of what travels, without its shaking: a mean over a fifth of the time. */
  function followed(m, time) {
    const n = m.way.length;
    const here = (time / m.duration) * (n - 1);
    const reach = Math.max(1, Math.min(n / 10, here, n - 1 - here)); /* the same on both sides */
    const at = (s) => {
      const k = Math.min(n - 2, Math.max(0, Math.floor(s)));
      return mix(m.way[k], m.way[k + 1], Math.min(1, Math.max(0, s - k)));
    };
    return mean([-1, -0.5, 0, 0.5, 1].map((s) => at(here + s * reach)));
  }

  /* ---- camera ---- */

  const FIELD = (28 * Math.PI) / 180;

  /* Mechanisms in a plane are seen from the front, a little from the side; those in a horizontal one from above. */
  function firstView(motions) {
    const size = [0, 1, 2].map((k) => Math.max(...motions.map((m) => m.high[k] - m.low[k])));
    const thin = 0.02 * Math.max(...size);
    if (size[0] < thin) return { azimuth: 0.3, elevation: 0.2, zoom: 1 };
    if (size[1] < thin) return { azimuth: -Math.PI / 2 + 0.3, elevation: 0.2, zoom: 1 };
    if (size[2] < thin) return { azimuth: -Math.PI / 2, elevation: 1.2, zoom: 1 };
    return { azimuth: -0.95, elevation: 0.32, zoom: 1 };
  }

  /* Unit vectors of a view: to the eye, to the right, up. */
  function axesOf({ azimuth: a, elevation: l }) {
    const out = [Math.cos(l) * Math.cos(a), Math.cos(l) * Math.sin(a), Math.sin(l)];
    const right = [-Math.sin(a), Math.cos(a), 0];
    return { out, right, top: cross(out, right) };
  }

  const focusOf = (height) => height / 2 / Math.tan(FIELD / 2);

  /* How far away the eye must be for all of these places, seen from the target, to be in the picture: a place is (focus/depth) times its
   * distance aside of the middle. */
  function farEnough(reached, view, width, height) {
    const { out, right, top } = axesOf(view);
    const focus = focusOf(height) / 0.48;
    let away = 0;
    for (const { x, r } of reached) {
      const aside = Math.max((Math.abs(dot(x, right)) + r) / width, (Math.abs(dot(x, top)) + r) / height);
      away = Math.max(away, dot(x, out) + focus * aside);
    }
    return away;
  }

  /* room: half the width and height that must fit, and least(width, height): how far the eye must be at least, as the view is at first. */
  function cameraAt(view, target, room, width, height) {
    const { out, right, top } = axesOf(view);
    const focus = focusOf(height);
    const tall = room.tall + 0.2 * room.wide; /* seen from above, width is height too */
    const needed = Math.max(room.wide / width, tall / height);
    const away = Math.max((needed * focus) / 0.46 + 0.35 * room.wide, room.least(width, height)) / view.zoom;
    return {
      eye: add(target, scale(away, out)),
      /* screen x, y, pixels per metre there, distance */
      project(p) {
        const r = sub(p, target);
        const depth = Math.max(away - dot(r, out), away / 50);
        const s = focus / depth;
        return { x: width / 2 + s * dot(r, right), y: height / 2 - s * dot(r, top), s, depth };
      },
      sees: (p) => away - dot(sub(p, target), out) > away / 50,
      /* the direction from the eye in which a place of the screen is seen */
      ray: (x, y) => unit(add(scale(-focus, out), add(scale(x - width / 2, right), scale(height / 2 - y, top)))),
    };
  }

  /* ---- colours ---- */

  const channels = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));

  /* The part s of the way to other channels. */
  function blend(hex, to, s) {
    const mixed = channels(hex).map((v, k) => Math.round(v + (to[k] - v) * s));
    return "#" + mixed.map((v) => v.toString(16).padStart(2, "0")).join("");
  }

  /* Towards black (s < 0) or white (s > 0). */
  const shade = (hex, s) => blend(hex, s < 0 ? [0, 0, 0] : [255, 255, 255], Math.abs(s));

  const clear = (hex, alpha) => `rgba(${channels(hex).join(",")},${alpha})`;

  const LIGHT = unit([-0.35, -0.55, 0.8]);
  const lit = (normal) => 0.28 * dot(normal, LIGHT) - 0.05;

  /* ---- drawing ----
   * A pen draws in one canvas with one camera; what can hide other things is put on a list by its distance first. */

  function penOf(context, camera, theme) {
    const list = [];
    const path = (points, closed) => {
      points.forEach((p, i) => (i ? context.lineTo(p.x, p.y) : context.moveTo(p.x, p.y)));
      if (closed) context.closePath();
    };
    const pen = {
      context,
      camera,
      theme,
      project: camera.project,
      later: (depth, draw) => list.push({ depth, draw }),
      finish() {
        list.sort((a, b) => b.depth - a.depth);
        list.forEach((q) => q.draw());
      },
      fill(points, colour) {
        context.beginPath();
        path(points, true);
        context.fillStyle = colour;
        context.fill();
      },
      stroke(points, colour, width, closed) {
        context.beginPath();
        path(points, closed);
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.stroke();
      },
      /* A rod: its colour within a darker rim. */
      rod(points, colour, width, closed) {
        pen.stroke(points, shade(colour, -0.42), width + 1.6, closed);
        pen.stroke(points, colour, Math.max(0.8, width - 0.8), closed);
      },
      disc(p, radius, colour, rim) {
        context.beginPath();
        context.arc(p.x, p.y, radius, 0, 2 * Math.PI);
        context.fillStyle = colour;
        context.fill();
        if (rim) {
          context.strokeStyle = rim;
          context.lineWidth = 1.3;
          context.stroke();
        }
      },
    };
    context.lineJoin = context.lineCap = "round";
    return pen;
  }

  /* ---- ground: a grid on the road's profile, or below everything ---- */

  function niceStep(x) {
    const power = Math.pow(10, Math.floor(Math.log10(x)));
    return power * [1, 2, 5, 10].find((k) => k * power >= 0.999 * x);
  }

  function groundOf(motions) {
    const m = motions[0];
    const size = Math.max(...motions.map((q) => q.radius));
    const flat = m.wheels.length ? 0 : Math.min(...motions.map((q) => q.low[2])) - 0.08 * size;
    const road = m.road;
    const step = niceStep(size / 2.5);
    if (!road) return { height: () => flat, step, breaks: [] };
    const height = (x) => {
      if (x <= road[0][0]) return road[0][1];
      let a = 0;
      let b = road.length - 1;
      if (x >= road[b][0]) return road[b][1];
      while (b - a > 1) {
        const k = (a + b) >> 1;
        if (road[k][0] <= x) a = k;
        else b = k;
      }
      return road[a][1] + ((road[b][1] - road[a][1]) * (x - road[a][0])) / (road[b][0] - road[a][0]);
    };
    return { height, step, breaks: road.slice(1, -1).map((q) => q[0]) };
  }

  /* One line of the grid, in pieces that fade with their distance from the middle. */
  function gridLine(pen, points, middle, reach, strength) {
    for (let i = 1; i < points.length; i++) {
      if (!pen.camera.sees(points[i - 1]) || !pen.camera.sees(points[i])) continue;
      const far = Math.hypot(...sub(mix(points[i - 1], points[i], 0.5), middle).slice(0, 2)) / reach;
      if (far >= 1) continue;
      pen.context.globalAlpha = strength * (1 - far * far);
      pen.stroke([pen.project(points[i - 1]), pen.project(points[i])], pen.theme.grid, 1);
    }
    pen.context.globalAlpha = 1;
  }

  function drawGround(pen, ground, middle, radius) {
    const reach = 3.6 * radius;
    const { step, height } = ground;
    const count = Math.ceil(reach / step);
    const at = (x, y) => [x, y, height(x)];
    const x0 = Math.round(middle[0] / step) * step;
    const y0 = Math.round(middle[1] / step) * step;
    const range = [];
    for (let k = -count; k <= count; k++) range.push(k * step);
    const edges = range.map((d) => x0 + d);
    const along = edges.concat(ground.breaks.filter((x) => Math.abs(x - x0) < reach)).sort((a, b) => a - b);
    edges.forEach((x) => gridLine(pen, range.map((d) => at(x, y0 + d)), middle, reach, 0.8));
    range.forEach((d) => gridLine(pen, along.map((x) => at(x, y0 + d)), middle, reach, 0.8));
    const bends = along.filter((x) => !edges.includes(x));
    const apart = bends.filter((x, i) => i === 0 || Math.floor(x / (step / 4)) !== Math.floor(bends[i - 1] / (step / 4)));
    apart.forEach((x) => gridLine(pen, range.map((d) => at(x, y0 + d)), middle, reach, 0.45));
  }

  /* ---- shadows: straight down, all in one path so that they do not add up ---- */

  function drawShadows(pen, ground, shapes, width) {
    const c = pen.context;
    const down = (p) => pen.project([p[0], p[1], ground.height(p[0])]);
    const outline = (points) => points.map(down).forEach((p, i) => (i ? c.lineTo(p.x, p.y) : c.moveTo(p.x, p.y)));
    c.beginPath();
    shapes.areas.forEach((points) => {
      outline(points);
      c.closePath();
    });
    c.fillStyle = pen.theme.shadow;
    c.fill();
    if (!shapes.rods.length) return;
    c.beginPath();
    shapes.rods.forEach(outline);
    c.strokeStyle = pen.theme.shadow;
    c.lineWidth = Math.max(2, 0.8 * width * down(shapes.rods[0][0]).s);
    c.stroke();
  }

  /* Counter-clockwise from above, as areas of one path must be. */
  function upwards(points) {
    let area = 0;
    points.forEach((p, i) => {
      const q = points[(i + 1) % points.length];
      area += p[0] * q[1] - p[1] * q[0];
    });
    return area < 0 ? points.slice().reverse() : points;
  }

  /* ---- bodies ---- */

  const normalOf = (p) => unit(cross(sub(p[1], p[0]), sub(p[2], p[1])));

  function drawFaces(pen, faces, colour, thickness, shapes, cover) {
    const solid = faces.length > 1;
    const middle = mean(faces.flat());
    faces.forEach((points) => {
      if (!solid || normalOf(points)[2] > 0) shapes.areas.push(upwards(points));
      if (!solid) shapes.rods.push(points.concat([points[0]]));
    });
    const facing = (points) => dot(normalOf(points), sub(pen.camera.eye, points[0])) > 0;
    const paint = (points, alpha) => {
      const normal = normalOf(points);
      const light = Math.max(lit(normal), solid ? -1 : lit(scale(-1, normal)));
      const flat = points.map(pen.project);
      pen.fill(flat, clear(shade(colour, light), cover * alpha));
      pen.rod(flat, shade(colour, light), Math.max(1.2, (solid ? 0.35 : 0.8) * thickness * flat[0].s), true);
    };
    pen.later(pen.project(middle).depth, () => {
      const front = faces.filter(facing);
      faces.filter((f) => !front.includes(f)).forEach((f) => paint(f, solid ? 0.25 : 0.6));
      front.forEach((f) => paint(f, 0.55));
    });
  }

  /* cap: "butt" of pieces of one beam. */
  function drawRod(pen, a, b, colour, thickness, shapes, i, depths, cap) {
    const middle = pen.project(mix(a, b, 0.5));
    shapes.rods.push([a, b]);
    depths.bodies[i] = middle.depth;
    pen.later(middle.depth, () => {
      const ends = [pen.project(a), pen.project(b)];
      const width = Math.max(2.5, thickness * middle.s);
      pen.context.lineCap = cap || "round";
      pen.rod(ends, colour, width);
      const upper = ends.map((p) => ({ x: p.x, y: p.y - 0.22 * width })); /* a light line makes it round */
      pen.stroke(upper, clear(shade(colour, 0.35), 0.6), Math.max(0.6, 0.22 * width));
      pen.context.lineCap = "round";
    });
  }

  /* ---- shapes of bodies, and rails on which others slide ---- */

  /* Faces by their distance, each by itself: those of meshes may be turned in and out. */
  function drawShape(pen, shape, places, colour, shadows, cover) {
    const drawn = shape.faces.length < 1000; /* a large mesh has no edges, and no shadow of every triangle */
    shape.faces.forEach((face) => {
      const points = face.map((x) => places.point(shape.body, x));
      const normal = normalOf(points);
      const front = dot(normal, sub(pen.camera.eye, points[0])) > 0;
      if (drawn && normal[2] > 0) shadows.areas.push(upwards(points));
      if (!front && shape.kind !== "mesh") return;
      const light = lit(front ? normal : scale(-1, normal));
      const flat = points.map(pen.project);
      const paint = clear(shade(colour, light), cover);
      pen.later(flat.reduce((sum, p) => sum + p.depth, 0) / flat.length, () => {
        pen.fill(flat, paint);
        pen.stroke(flat, shape.kind === "box" ? shade(colour, light - 0.3) : paint, shape.kind === "box" ? 1 : 0.7, true);
      });
    });
  }

  function drawShapes(pen, m, body, places, colour, shadows) {
    m.shapes.forEach((s) => s.body === body && drawShape(pen, s, places, colour, shadows, 1));
  }

  function drawRail(pen, m, rail, places, thickness, shadows, colour) {
    const { at, axis, along } = slidingOn(rail, places);
    const side = unit(cross(axis, Math.abs(axis[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
    const on = (s) => add(at, scale(s - along, axis));
    const margin = 2.6 * thickness;
    const box = (middle, size) => window.mbopt_shape({ kind: "box", at: middle, axes: [axis, side, cross(axis, side)], size }, []);
    const asIs = { point: (_, x) => x };
    const length = rail.to - rail.from + 2 * margin;
    drawShape(pen, { kind: "box", ...box(on((rail.from + rail.to) / 2), [length, 0.8 * thickness, 0.8 * thickness]) }, asIs, pen.theme.bearing, shadows, 1);
    if (m.shaped.has(rail.slider[0])) return;
    drawShape(pen, { kind: "box", ...box(at, [3.4 * thickness, 2.2 * thickness, 2.2 * thickness]) }, asIs, colour, shadows, 1);
  }

  /* A beam as two pieces between each two of its stations that are joined, whose displacements from the undeformed beam are drawn m.bending times as
   * large; with the station that is nearer. */
  function piecesOf(m, beam, places) {
    const bent = beam.stations.map((s, k) => {
      const straight = places.point(beam.body, beam.undeformed[k].slice(1));
      return mix(straight, places.point(s[0], s.slice(1)), m.bending);
    });
    const pairs = beam.lines || bent.slice(1).map((_, k) => [k, k + 1]);
    if (!pairs.length) return bent.map((p, k) => [p, p, k]); /* points alone */
    return pairs.flatMap(([i, k]) => {
      const middle = mix(bent[i], bent[k], 0.5);
      return [[bent[i], middle, i], [middle, bent[k], k]];
    });
  }

  /* ---- stress of beams as colours ---- */

  /* Light to dark on paper, dark to light on a dark page: the largest stress is farthest from the page, in grey too. Viridis without its end that
   * is near to the page. */
  const STRESS_LIGHT = "#b5de2b #6ece58 #35b779 #1f9e89 #26828e #31688e #3e4989 #482878 #440154".split(" ");
  const STRESS_DARK = "#6b4f9e #5f67b3 #4a7db8 #3a94a8 #2ba695 #35b779 #6ece58 #b5de2b #fde725".split(" ");

  /* The colour of a share of the largest stress of all motions. */
  function stressColour(theme, share) {
    const at = Math.max(0, Math.min(1, share)) * (theme.stress.length - 1);
    const k = Math.min(Math.floor(at), theme.stress.length - 2);
    return blend(theme.stress[k], channels(theme.stress[k + 1]), at - k);
  }

  const stressedIn = (m) => m.beams.filter((b) => b.stress);
  const largestStress = (motions) => Math.max(0, ...motions.flatMap((m) => stressedIn(m).map((b) => b.stress.largest)));

  /* Colours of the stations of a beam; null: it has the colour of its body. */
  function stressColours(m, beam, time, theme) {
    if (!beam.stress || !(m.stressTop > 0)) return null;
    return overTime(m, beam.stress.values, beam.stations.length, time).map((v) => stressColour(theme, (beam.stress.unit * v) / m.stressTop));
  }

  function stressText(pascal) {
    const [unit, name] = [[1e9, "GPa"], [1e6, "MPa"], [1e3, "kPa"], [0, "Pa"]].find(([u]) => pascal >= u);
    return `${Number((pascal / (unit || 1)).toPrecision(3))} ${name}`;
  }

  /* Where and when the largest stress of a motion is. */
  function largestText(m) {
    const beam = stressedIn(m).reduce((a, b) => (b.stress.largest > a.stress.largest ? b : a));
    const { station, time, largest } = beam.stress;
    const along = length(sub(beam.undeformed[station].slice(1), beam.undeformed[0].slice(1)));
    const place = station === 0 ? "at its clamped end" : station === beam.stations.length - 1 ? "at its tip" : `${Number(along.toPrecision(3))} m from its clamped end`;
    return [`largest ${stressText(largest)}: ${beam.name} ${place}`, m.still ? "" : `at ${Number(time.toPrecision(4))} s`];
  }

  function drawStressScale(pen, list, top, height) {
    const c = pen.context;
    const [left, y, wide] = [12, height - 62, 160];
    for (let k = 0; k < wide; k++) {
      c.fillStyle = stressColour(pen.theme, k / (wide - 1));
      c.fillRect(left + k, y, 1.5, 10);
    }
    c.fillStyle = pen.theme.ink;
    c.font = "12px system-ui, sans-serif";
    c.textAlign = "left";
    c.fillText("stress  0", left, y - 5);
    c.textAlign = "right";
    c.fillText(stressText(top), left + wide, y - 5);
    c.textAlign = "left";
    if (list.length === 1) largestText(list[0]).forEach((line, k) => c.fillText(line, left, y + 25 + 16 * k));
  }

  function drawDot(pen, at, colour, thickness) {
    const p = pen.project(at);
    pen.later(p.depth, () => pen.disc(p, Math.max(4, 0.75 * thickness * p.s), colour, shade(colour, -0.42)));
  }

  function drawBody(pen, m, i, places, thickness, shapes, depths) {
    const beam = m.beamOf.get(i);
    if (beam) { /* by its own body alone */
      if (beam.body !== i) return;
      const colours = m.stressAt === undefined ? null : stressColours(m, beam, m.stressAt, pen.theme);
      piecesOf(m, beam, places).forEach(([a, b, k]) => {
        if (a === b) drawDot(pen, a, m.colours[i], thickness);
        else drawRod(pen, a, b, colours ? colours[k] : m.colours[i], thickness, shapes, i, depths, beam.lines ? "round" : "butt");
      });
      return;
    }
    const corner = (k) => places.point(i, m.corners[i][k]);
    const body = m.bodies[i];
    if (body.faces.length) drawFaces(pen, body.faces.map((f) => f.map(corner)), m.colours[i], thickness, shapes, m.shells.has(i) ? 0.35 : 1);
    body.bar.forEach(([a, b]) => drawRod(pen, corner(a), corner(b), m.colours[i], thickness, shapes, i, depths));
    if (body.faces.length || body.bar.length) return;
    drawDot(pen, corner(body.points.length), m.colours[i], 2 * thickness); /* a point mass */
  }

  /* The engineers' quartered disc. */
  function drawCom(pen, at, colour, thickness) {
    const p = pen.project(at);
    const r = Math.max(3.5, 0.75 * thickness * p.s);
    pen.later(p.depth - 3 * thickness, () => {
      pen.disc(p, r, "#ffffff", shade(colour, -0.6));
      const c = pen.context;
      c.fillStyle = shade(colour, -0.6);
      c.beginPath();
      c.moveTo(p.x, p.y), c.arc(p.x, p.y, r, 0, Math.PI / 2), c.closePath();
      c.moveTo(p.x, p.y), c.arc(p.x, p.y, r, Math.PI, 1.5 * Math.PI), c.closePath();
      c.fill();
    });
  }

  /* Points with all rods and lines that end there: those must not cover them. */
  function jointsOf(m) {
    const list = [];
    const hubs = m.wheels.flatMap((w) => m.bodies[w.body].points);
    const fixed = new Set(m.ground.concat(hubs).map((q) => q.name)); /* drawn as what they are */
    m.bodies.forEach((b, i) => {
      const rod = !b.faces.length;
      b.points.forEach((q) => {
        let j = list.find((k) => k.name === q.name);
        if (!j && !fixed.has(q.name)) list.push((j = { ...q, body: i, bodies: [], rods: [], lines: [] }));
        if (!j) return;
        j.bodies.push(i);
        if (rod) j.rods.push(i);
        m.lines.forEach((line, k) => {
          if (line.ends.some((e) => e[0] === i && length(sub(e.slice(1), q.at)) < 1e-6 * m.radius)) j.lines.push(k);
        });
      });
    });
    return list;
  }

  function drawJoints(pen, m, places, thickness, depths, hidden) {
    m.hinges.forEach((j) => {
      if (j.bodies.every((i) => hidden.has(i))) return;
      const p = pen.project(places.point(j.body, j.at));
      const over = j.rods.map((i) => depths.bodies[i]).concat(j.lines.map((k) => depths.lines[k])).filter(Number.isFinite);
      const depth = Math.min(p.depth - 1.2 * thickness, ...over.map((d) => d - 0.01 * thickness));
      const size = j.joint ? 0.5 : 0.35;
      const colour = j.joint ? pen.theme.card : pen.theme.ink;
      pen.later(depth, () => pen.disc(p, Math.max(1.8, size * thickness * p.s), colour, pen.theme.ink));
    });
  }

  /* A body that many joints are on hides what is on it: a chassis is drawn thin. */
  function shellsOf(m) {
    const many = m.wheels.length > 2 ? 5 : Infinity;
    return new Set(m.bodies.flatMap((b, i) => (b.faces.length > 1 && b.points.filter((q) => q.joint).length > many ? [i] : [])));
  }

  /* Where the ground holds something: bearings, and ends of springs and rods. */
  function bearingsOf(m) {
    const ends = m.lines.flatMap((line) => line.ends.filter((e) => e[0] < 0).map((e) => e.slice(1)));
    return m.ground.filter((q) => q.bearing).map((q) => q.at).concat(ends);
  }

  function drawBearings(pen, m, places, thickness) {
    m.bearings.forEach((x) => {
      const at = places.point(-1, x);
      const p = pen.project(at);
      const foot = pen.project(sub(at, [0, 0, 2.2 * thickness]));
      const size = Math.max(9, 2.2 * thickness * p.s);
      const down = { x: foot.x - p.x, y: foot.y - p.y };
      const long = Math.hypot(down.x, down.y);
      const d = long > 0.2 * size ? { x: down.x / long, y: down.y / long } : { x: 0, y: 1 };
      const corner = (side) => ({ x: p.x + size * (d.x + 0.7 * side * d.y), y: p.y + size * (d.y - 0.7 * side * d.x) });
      pen.later(p.depth - 5 * thickness, () => {
        pen.fill([p, corner(1), corner(-1)], pen.theme.bearing);
        pen.stroke([p, corner(1), corner(-1)], pen.theme.ink, 1.2, true);
        pen.stroke([corner(1.5), corner(-1.5)], pen.theme.ink, 2);
        pen.disc(p, Math.max(2.5, 0.5 * thickness * p.s), pen.theme.card, pen.theme.ink);
      });
    });
  }

  /* ---- springs, dampers, stops ---- */

  const COILS = 7;

  function drawLine(pen, line, places, thickness, tell) {
    const [a, b] = line.ends.map(([body, ...x]) => pen.project(places.point(body, x)));
    const long = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const u = { x: (b.x - a.x) / long, y: (b.y - a.y) / long };
    const wide = Math.max(3.5, 1.15 * thickness * ((a.s + b.s) / 2));
    const at = (s, side) => ({
      x: a.x + u.x * s * long - u.y * side * wide,
      y: a.y + u.y * s * long + u.x * side * wide,
    });
    const thin = Math.max(1.4, 0.16 * wide);

    const spring = () => {
      const points = [at(0, 0), at(0.12, 0)];
      for (let k = 0; k < 2 * COILS; k++) points.push(at(0.12 + (0.76 * (k + 0.5)) / (2 * COILS), k % 2 ? -1 : 1));
      points.push(at(0.88, 0), at(1, 0));
      pen.stroke(points, pen.theme.card, 2.6 * thin);
      pen.stroke(points, pen.theme.spring, 1.25 * thin);
    };
    const damper = (side) => {
      pen.stroke([at(0, 0), at(1, 0)], pen.theme.damper, thin);
      pen.rod([at(0.32, 0), at(0.62, 0)], pen.theme.damper, side * wide);
    };
    const stop = () => {
      pen.context.setLineDash([3, 4]);
      pen.stroke([a, b], pen.theme.damper, thin);
      pen.context.setLineDash([]);
    };
    const rod = () => {
      const width = Math.max(2.2, 0.55 * wide);
      pen.rod([a, b], pen.theme.rod, width);
      pen.stroke([at(0, 0.12), at(1, 0.12)], clear(shade(pen.theme.rod, 0.45), 0.6), Math.max(0.6, 0.2 * width));
      [a, b].forEach((p) => pen.disc(p, Math.max(2, 0.32 * wide), pen.theme.card, pen.theme.ink));
    };
    const guide = () => {
      pen.context.setLineDash([7, 3, 1, 3]);
      pen.stroke([a, b], pen.theme.accent, thin);
      pen.context.setLineDash([]);
      pen.disc(b, Math.max(2, 0.4 * wide), pen.theme.card, pen.theme.accent);
    };
    const bushing = () => {
      pen.disc(a, Math.max(4, 0.95 * wide), pen.theme.tyre, pen.theme.ink);
      pen.disc(b, Math.max(2, 0.45 * wide), pen.theme.card, pen.theme.ink);
      if (long > wide) pen.stroke([a, b], pen.theme.tyre, 2 * thin);
    };
    const other = { stop, rod, guide, bushing }[line.kind];
    const depth = (a.depth + b.depth) / 2 - 0.5 * thickness;
    tell(depth);
    pen.later(depth, () => {
      if (other) return other();
      if (line.kind !== "spring") damper(line.kind === "damper" ? 1.1 : 0.8);
      if (line.kind !== "damper") spring();
    });
  }

  /* ---- motors, torsion springs, gears: rings about the axis of a joint ---- */

  function drawElement(pen, e, places, thickness) {
    const centres = e.ends.map(([body, ...x]) => places.point(body, x));
    const along = places.vector(e.ends[0][0], e.axis);
    const seen = length(along) > 0 ? unit(along) : unit(sub(pen.camera.eye, centres[0]));
    const first = unit(cross(seen, Math.abs(seen[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
    const second = cross(seen, first);
    const R = Math.max(1.9 * thickness, 8 / pen.project(centres[0]).s);
    const around = (centre, angle, r) => pen.project(add(centre, add(scale(r * Math.cos(angle), first), scale(r * Math.sin(angle), second))));
    const curve = (centre, turns, radius, n) => Array.from({ length: n + 1 }, (_, k) => around(centre, (2 * Math.PI * turns * k) / n, radius(k / n, k)));
    const colour = e.kind === "torsion" ? pen.theme.spring : pen.theme.accent;
    const depth = Math.min(...centres.map((c) => pen.project(c).depth)) - 6 * thickness;
    pen.later(depth, () => {
      if (e.kind === "torsion") pen.stroke(curve(centres[0], 2.4, (s) => R * (0.35 + 0.65 * s), 48), colour, 1.6);
      if (e.kind === "motor") {
        pen.stroke(curve(centres[0], 0.82, () => R, 36), colour, 2.2);
        const tip = around(centres[0], 0.82 * 2 * Math.PI, R);
        [0.82, 1.2].forEach((r) => pen.stroke([tip, around(centres[0], 0.75 * 2 * Math.PI, r * R)], colour, 2.2));
      }
      if (e.kind === "gear") centres.forEach((c) => pen.stroke(curve(c, 1, (s, k) => R * (k % 2 ? 1 : 0.8), 48), colour, 1.6));
      if (e.kind === "push") pen.disc(pen.project(centres[0]), Math.max(3, 0.6 * thickness * pen.project(centres[0]).s), colour, pen.theme.ink);
      if (centres.length < 2) return;
      pen.context.setLineDash([2, 4]);
      pen.stroke(centres.map(pen.project), colour, 1.2);
      pen.context.setLineDash([]);
    });
  }

  /* ---- arrows of forces ---- */

  /* Number k of a list over time, between its frames straight; `size` numbers a frame. */
  function overTime(m, list, size, time) {
    const place = (time / m.duration) * (m.times.length - 1);
    const i = Math.min(m.times.length - 2, Math.max(0, Math.floor(place)));
    const s = Math.min(1, Math.max(0, place - i));
    return Array.from({ length: size }, (_, k) => (1 - s) * list[size * i + k] + s * list[size * (i + 1) + k]);
  }

  /* The lowest point of a wheel. */
  function contactOf(wheel, places) {
    const axis = unit(places.vector(wheel.body, wheel.axis));
    const down = sub([0, 0, -1], scale(-axis[2], axis));
    return add(places.point(wheel.body, wheel.centre), scale(wheel.radius, unit(down)));
  }

  /* Vectors of the time, in N or N m: { from, vector, kind, moment: whether it is one }. */
  function forcesAt(m, places, time) {
    const list = m.arrows.map((w) => {
      const [body, ...x] = w.end;
      const from = w.wheel === undefined ? places.point(body, x) : contactOf(m.wheels[w.wheel], places);
      return { from, vector: places.vector(-1, scale(w.unit, overTime(m, w.force || w.moment, 3, time))), kind: w.kind, moment: Boolean(w.moment) };
    });
    m.lines.forEach((line) => {
      if (!line.tension) return;
      const [a, b] = line.ends.map(([body, ...x]) => places.point(body, x));
      const pull = scale(line.unit * overTime(m, line.tension, 1, time)[0], unit(sub(b, a)));
      list.push({ from: a, vector: pull, kind: "tensions" }, { from: b, vector: scale(-1, pull), kind: "tensions" });
    });
    return list;
  }

  const distance = (p, q) => Math.hypot(p.x - q.x, p.y - q.y);
  const shows = (kind, wanted) => wanted === "all" || wanted === kind;

  /* What 19 of 20 forces, or moments, of a kind stay below at the frames, as one digit: a peak would make all others invisible. */
  function usualOf(motions, wanted, moment) {
    const list = [];
    motions.forEach((m) => {
      m.arrows.forEach((w) => {
        const v = moment ? w.moment : w.force;
        if (!v || !shows(w.kind, wanted)) return;
        for (let k = 0; k < v.length; k += 3) list.push(w.unit * Math.hypot(v[k], v[k + 1], v[k + 2]));
      });
      if (!moment && shows("tensions", wanted)) m.lines.forEach((line) => (line.tension || []).forEach((v) => list.push(line.unit * Math.abs(v))));
    });
    list.sort((a, b) => a - b);
    const usual = list.length ? list[Math.floor(0.95 * (list.length - 1))] || list[list.length - 1] : 0;
    return usual > 0 ? niceStep(usual) : 0;
  }

  /* A line on the screen that ends in an arrow's head; nothing if it is too short to be seen. */
  function drawArrow(pen, points, long) {
    const [a, b] = points.slice(-2);
    const end = distance(a, b) || 1;
    if (long < 1.5) return;
    const u = { x: (b.x - a.x) / end, y: (b.y - a.y) / end };
    const head = Math.min(11, 0.5 * long);
    const side = (k) => ({ x: b.x - head * u.x - 0.42 * k * head * u.y, y: b.y - head * u.y + 0.42 * k * head * u.x });
    pen.later(-Infinity, () => {
      pen.stroke([...points.slice(0, -1), { x: b.x - 0.7 * head * u.x, y: b.y - 0.7 * head * u.y }], pen.theme.force, 2.2);
      pen.fill([b, side(1), side(-1)], pen.theme.force);
    });
  }

  /* A moment is an arc about its axis, by the right hand, as large as it is. */
  function arcOf(from, vector, radius) {
    const axis = unit(vector);
    const first = unit(cross(axis, Math.abs(axis[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
    const second = cross(axis, first);
    const at = (angle) => add(from, add(scale(radius * Math.cos(angle), first), scale(radius * Math.sin(angle), second)));
    return Array.from({ length: 25 }, (_, k) => at((1.5 * Math.PI * k) / 24));
  }

  function drawForces(pen, m, places, time, look) {
    forcesAt(m, places, time).forEach((f) => {
      if (!shows(f.kind, look.forces)) return;
      const ends = f.moment ? arcOf(f.from, f.vector, look.perMoment * length(f.vector)) : [f.from, add(f.from, scale(look.perNewton, f.vector))];
      const points = ends.map(pen.project);
      drawArrow(pen, points, f.moment ? look.perMoment * length(f.vector) * points[0].s : distance(points[0], points[1]));
    });
  }

  /* ---- wheels ---- */

  const RIM = 32;

  /* Those of a bicycle, one behind the other, are narrow. */
  function wheelWidth(m) {
    if (!m.wheels.length) return 0;
    const places = m.placesAt(0);
    const first = m.wheels[0];
    const axis = places.vector(first.body, first.axis);
    const centre = places.point(first.body, first.centre);
    const aside = m.wheels.map((w) => Math.abs(dot(axis, sub(places.point(w.body, w.centre), centre))));
    return m.wheels.length > 1 && Math.max(...aside) < 0.5 * first.radius ? 0.08 : 0.32;
  }

  function drawWheel(pen, wheel, places, width, colour, shapes) {
    const centre = places.point(wheel.body, wheel.centre);
    const axis = unit(places.vector(wheel.body, wheel.axis));
    const across = Math.abs(wheel.axis[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
    const p = unit(places.vector(wheel.body, cross(wheel.axis, across)));
    const q = cross(axis, p);
    const R = wheel.radius;
    const slim = width < 0.2;
    const around = (angle, r, side) => {
      const radial = add(scale(r * Math.cos(angle), p), scale(r * Math.sin(angle), q));
      return add(centre, add(scale(side * width * R, axis), radial));
    };
    const ring = (r, side) => Array.from({ length: RIM }, (_, k) => around((2 * Math.PI * k) / RIM, r, side));
    const eye = sub(pen.camera.eye, centre);
    const near = dot(eye, axis) > 0 ? 1 : -1;
    const tread = [];
    for (let k = 0; k < RIM; k++) {
      const [a, b] = [k, k + 1].map((j) => (2 * Math.PI * j) / RIM);
      const piece = [around(a, R, 1), around(b, R, 1), around(b, R, -1), around(a, R, -1)];
      const normal = sub(around((a + b) / 2, 1, 0), centre);
      if (normal[2] > 0) shapes.areas.push(upwards(piece));
      if (dot(normal, sub(eye, scale(R, normal))) > 0) tread.push({ piece, light: lit(normal) });
    }

    const annulus = (outer, inner, side, fill) => {
      const c = pen.context;
      c.beginPath();
      [ring(outer, side), ring(inner, side)].forEach((points) => {
        points.map(pen.project).forEach((s, i) => (i ? c.lineTo(s.x, s.y) : c.moveTo(s.x, s.y)));
        c.closePath();
      });
      c.fillStyle = fill;
      c.fill("evenodd");
    };
    const spokes = (count, inner, outer, side, ink, thin) => {
      for (let k = 0; k < count; k++) {
        const angle = (2 * Math.PI * k) / count;
        pen.stroke([around(angle, inner, side), around(angle, outer, side)].map(pen.project), ink, thin);
      }
    };
    pen.later(pen.project(centre).depth, () => {
      const s = pen.project(centre).s;
      const tyre = pen.theme.tyre;
      if (slim) spokes(14, 0.08 * R, 0.92 * R, 0, pen.theme.spoke, 1);
      if (slim) annulus(R, 0.9 * R, -near, shade(tyre, -0.2));
      tread.forEach((t) => {
        const flat = t.piece.map(pen.project);
        pen.fill(flat, shade(tyre, t.light));
        pen.stroke(flat, shade(tyre, t.light), 0.7, true); /* no gaps */
      });
      if (!slim) {
        pen.fill(ring(0.64 * R, near).map(pen.project), shade(colour, lit(scale(near, axis)) + 0.1));
        spokes(5, 0.1 * R, 0.62 * R, near, shade(colour, -0.4), Math.max(1.5, 0.09 * R * s));
      }
      annulus(R, (slim ? 0.9 : 0.62) * R, near, shade(tyre, lit(scale(near, axis)) + 0.05));
      pen.stroke(ring(R, near).map(pen.project), shade(tyre, 0.2), 0.8, true);
      pen.disc(pen.project(around(0, 0, slim ? 0 : near)), Math.max(2, 0.11 * R * s), shade(colour, -0.3), null);
    });
  }

  /* What wheels leave on the ground. */
  function tracksOf(m) {
    return m.wheels.map((w) => m.times.map((t) => m.placesAt(t).point(w.body, w.centre)));
  }

  function drawTracks(pen, m, ground, time) {
    const place = time / m.duration * (m.times.length - 1);
    const down = (p) => [p[0], p[1], ground.height(p[0])];
    m.tracks.forEach((track) => {
      const done = track.slice(0, Math.floor(place) + 1);
      if (place < track.length - 1) done.push(mix(done[done.length - 1], track[done.length], place % 1));
      const seen = done.map(down).filter(pen.camera.sees);
      pen.context.globalAlpha = 0.45;
      pen.stroke(seen.map(pen.project), pen.theme.tyre, 2);
      pen.context.globalAlpha = 1;
    });
  }

  /* ---- paths of points ---- */

  /* Joints of small mechanisms, and free ends. */
  function pathsOf(m) {
    const few = m.bodies.length <= 6;
    const seen = new Set(m.ground.map((q) => q.name));
    const wanted = [];
    m.bodies.forEach((b, i) =>
      b.points.forEach((q) => {
        if (seen.has(q.name) || (q.joint && !few)) return;
        seen.add(q.name);
        wanted.push({ body: i, at: q.at, points: [] });
      })
    );
    m.times.forEach((t) => {
      const places = m.placesAt(t);
      wanted.forEach((w) => w.points.push(places.point(w.body, w.at)));
    });
    return wanted;
  }

  function drawPaths(pen, m, hidden) {
    pen.context.globalAlpha = 0.7;
    pen.context.setLineDash([1, 4]);
    m.paths.forEach((w) => !hidden.has(w.body) && pen.stroke(w.points.map(pen.project), m.colours[w.body], 1.4));
    pen.context.setLineDash([]);
    pen.context.globalAlpha = 1;
  }

  /* ---- instantaneous centres: where bodies turn about, the paths of these on the ground (full) and on the body (dotted) ---- */

  /* Computed when they are asked for; null: there are none. */
  function centresOf(m) {
    if (m.kept.centres === undefined) m.kept.centres = window.mbopt_centres.of(m);
    return m.kept.centres;
  }

  function drawCentres(pen, m, places, time, hidden) {
    const now = Math.round((time / m.duration) * (m.times.length - 1));
    (centresOf(m) || []).forEach((list, i) => {
      if (hidden.has(i)) return;
      [false, true].forEach((moving) => {
        const points = list.map((c) => c && (moving ? places.point(i, c.moving) : c.fixed));
        pen.context.setLineDash(moving ? [2, 3] : []);
        points.forEach((p, k) => {
          if (k > 0 && p && points[k - 1] && length(sub(p, points[k - 1])) < 0.5 * m.radius) pen.stroke([points[k - 1], p].map(pen.project), m.colours[i], 1.4);
        });
        pen.context.setLineDash([]);
      });
      if (!list[now]) return;
      const p = pen.project(list[now].fixed);
      pen.later(-Infinity, () => {
        pen.disc(p, 4.5, pen.theme.card, m.colours[i]);
        pen.disc(p, 1.6, m.colours[i]);
      });
    });
  }

  /* ---- what is under the mouse ---- */

  /* From p to the straight line between a and b. */
  function distanceToLine(p, a, b) {
    const long = (b.x - a.x) ** 2 + (b.y - a.y) ** 2;
    const s = long > 0 ? Math.max(0, Math.min(1, ((p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y)) / long)) : 0;
    return distance(p, { x: a.x + s * (b.x - a.x), y: a.y + s * (b.y - a.y) });
  }

  function isWithin(p, corners) {
    let within = false;
    corners.forEach((a, i) => {
      const b = corners[(i + 1) % corners.length];
      if (a.y > p.y !== b.y > p.y && p.x < a.x + ((p.y - a.y) * (b.x - a.x)) / (b.y - a.y)) within = !within;
    });
    return within;
  }

  /* The depth of body i where the screen's place p is on it; null: it is not. What is drawn thin comes after all others. */
  function depthAt(m, i, places, camera, thickness, p) {
    const body = m.bodies[i];
    const corner = (k) => camera.project(places.point(i, m.corners[i][k]));
    const reach = (at) => Math.max(6, 0.6 * thickness * at.s);
    const beam = m.beamOf.get(i);
    if (beam && beam.body !== i) return null;
    const behind = m.shells.has(i) ? 1e6 : 0;
    const found = [];
    m.wheels.forEach((w) => {
      const at = camera.project(places.point(w.body, w.centre));
      if (w.body === i && distance(p, at) < w.radius * at.s) found.push(at.depth);
    });
    body.faces.forEach((f) => {
      const corners = f.map(corner);
      if (isWithin(p, corners)) found.push(behind + corners.reduce((sum, c) => sum + c.depth, 0) / corners.length);
    });
    m.shapes.forEach((s) => {
      if (s.body !== i || s.faces.length > 1000) return;
      s.faces.forEach((f) => {
        const flat = f.map((x) => camera.project(places.point(i, x)));
        if (isWithin(p, flat)) found.push(flat.reduce((sum, c) => sum + c.depth, 0) / flat.length);
      });
    });
    const bars = beam ? piecesOf(m, beam, places).map((ends) => ends.slice(0, 2).map(camera.project)) : body.bar.map((ends) => ends.map(corner));
    bars.forEach(([a, b]) => {
      if (distanceToLine(p, a, b) < reach(a)) found.push((a.depth + b.depth) / 2);
    });
    const com = camera.project(places.point(i, m.middles[i]));
    if (!body.faces.length && !bars.length && distance(p, com) < 1.5 * reach(com)) found.push(com.depth);
    return found.length ? Math.min(...found) : null;
  }

  /* The name of the body at a place of the canvas, of the nearest if there are several; null: none. */
  function bodyAt(canvas, list, stage, time, look, p) {
    const camera = cameraOf(canvas, list, stage, time, look);
    let best = Infinity;
    let found = null;
    list.forEach((m) => {
      const places = m.placesAt(timeIn(m, time));
      m.bodies.forEach((b, i) => {
        const depth = look.hidden.has(b.name) ? null : depthAt(m, i, places, camera, stage.thickness, p);
        if (depth !== null && depth < best) [best, found] = [depth, b.name];
      });
    });
    return found;
  }

  /* The name of the body that is pointed at, over it. */
  function drawName(pen, m, places, name) {
    const i = m.bodies.findIndex((b) => b.name === name);
    if (i < 0) return;
    const p = pen.project(places.point(i, m.middles[i]));
    const c = pen.context;
    c.font = "600 13px system-ui, sans-serif";
    c.textAlign = "center";
    c.lineWidth = 4;
    c.strokeStyle = pen.theme.card;
    c.strokeText(name, p.x, p.y - 12);
    c.fillStyle = pen.theme.ink;
    c.fillText(name, p.x, p.y - 12);
  }

  /* ---- one canvas ---- */

  /* A motion that is over stays as it ended. */
  const timeIn = (m, time) => Math.min(time, m.duration);

  /* Numbers of the bodies whose names are hidden. */
  const hiddenIn = (m, names) => new Set(m.bodies.flatMap((b, i) => (names.has(b.name) ? [i] : [])));

  /* A motion among others in one picture has one colour, as its curves do; of one body in colour all others are grey. */
  function painted(m, look, time) {
    const stress = look.stressTop > 0 && m.run === undefined && look.lit === null ? { stressTop: look.stressTop, stressAt: time } : {};
    const own = m.run === undefined ? m.colours : m.colours.map(() => look.theme.runs[m.run % look.theme.runs.length]);
    return { ...m, ...stress, colours: look.lit === null ? own : own.map((c, i) => (m.bodies[i].name === look.lit ? c : "#b4bac2")) };
  }

  /* Of motions in one picture the camera follows the middle. */
  function cameraOf(canvas, list, stage, time, look) {
    const target = look.follow ? mean(list.map((m) => followed(m, timeIn(m, time)))) : stage.middle;
    const room = look.follow ? stage.own : stage.whole;
    return { target, room, ...cameraAt(look.view, target, room, canvas.clientWidth, canvas.clientHeight) };
  }

  /* What does not change with time. */
  function preparedOf(m) {
    return { ...m, kept: {}, wheelWidth: wheelWidth(m), paths: pathsOf(m), hinges: jointsOf(m), shells: shellsOf(m), bearings: bearingsOf(m), tracks: tracksOf(m) };
  }

  /* list: motions in one picture. look: { view, theme, follow, hidden: names of bodies, forces: "" or which, ghosts: motions that shine through,
   * centres: instantaneous ones are drawn,
   * stressTop: the stress [N/m^2] of the last colour, 0: beams have the colours of bodies, lit: name of the one body in colour, or null, pointed: name of the one under the mouse, or null, called:
   * names of the motions in one picture, sharp: pixels for one of the screen, times: others at which it is drawn faintly } */
  function drawScene(canvas, list, stage, time, look) {
    const { theme } = look;
    const ratio = look.sharp || window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (!width || !height) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const camera = cameraOf(canvas, list, stage, time, look);
    const pen = penOf(context, camera, theme);
    const shadows = { areas: [], rods: [] };
    const ghost = (m, t) => drawGhost(canvas, m, camera, timeIn(m, t), stage.thickness, theme, hiddenIn(m, look.hidden));

    drawGround(pen, stage.ground, camera.target, Math.hypot(camera.room.wide, camera.room.tall));
    list.forEach((m) => drawTracks(pen, m, stage.ground, timeIn(m, time)));
    if (look.times && !look.follow) look.times.forEach((t) => list.forEach((m) => ghost(m, t)));
    look.ghosts.forEach((m) => ghost(m, time));
    list.forEach((m) => drawMotion(pen, painted(m, look, timeIn(m, time)), stage, timeIn(m, time), look, shadows));
    drawShadows(pen, stage.ground, shadows, stage.thickness);
    pen.finish();
    if (look.pointed !== null) list.forEach((m) => drawName(pen, m, m.placesAt(timeIn(m, time)), look.pointed));
    if (list.length > 1) drawNames(pen, list, look);
    if (look.stressTop > 0 && list.some((m) => stressedIn(m).length)) drawStressScale(pen, list, look.stressTop, height);
    context.fillStyle = theme.faint;
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "right";
    const arrows = look.forces && look.usual > 0 ? `arrow of ${look.metres} m: ${look.usual} N, ` : "";
    const arcs = look.forces && look.usualMoment > 0 ? `arc of radius ${look.radius} m: ${look.usualMoment} N m, ` : "";
    context.fillText(`${arrows}${arcs}grid ${stage.ground.step} m`, width - 10, height - 10);
  }

  function drawMotion(pen, m, stage, time, look, shadows) {
    const hidden = hiddenIn(m, look.hidden);
    const places = m.placesAt(time);
    const depths = { bodies: [], lines: [] };
    drawBodies(pen, m, places, stage.thickness, shadows, depths, hidden);
    m.lines.forEach((line, k) => drawLine(pen, line, places, stage.thickness, (depth) => (depths.lines[k] = depth)));
    m.joints.forEach((e) => drawElement(pen, e, places, stage.thickness));
    drawJoints(pen, m, places, stage.thickness, depths, hidden);
    drawBearings(pen, m, places, stage.thickness);
    if (look.forces) drawForces(pen, m, places, time, look);
    if (!look.follow) drawPaths(pen, m, hidden);
    if (look.centres) drawCentres(pen, m, places, time, hidden);
  }

  /* Which colour is which motion. */
  function drawNames(pen, list, look) {
    const c = pen.context;
    c.font = "600 13px system-ui, sans-serif";
    c.textAlign = "left";
    list.forEach((m, k) => {
      const y = 20 + 18 * k;
      c.fillStyle = look.theme.runs[m.run % look.theme.runs.length];
      c.fillRect(12, y - 9, 12, 10);
      c.fillStyle = look.theme.ink;
      c.fillText(look.called[m.run], 30, y);
    });
  }

  function drawBodies(pen, m, places, thickness, shapes, depths, hidden) {
    const wheelBodies = new Set(m.wheels.map((w) => w.body));
    m.bodies.forEach((b, i) => {
      if (hidden.has(i)) return;
      drawShapes(pen, m, i, places, m.colours[i], shapes);
      if (wheelBodies.has(i)) return;
      if (!m.shaped.has(i)) drawBody(pen, m, i, places, thickness, shapes, depths);
      if (m.bodies.length <= 6 && !m.beamOf.has(i)) drawCom(pen, places.point(i, COM), m.colours[i], thickness);
    });
    drawShapes(pen, m, -1, places, pen.theme.bearing, shapes);
    m.rails.forEach((r) => {
      if (!hidden.has(r.slider[0])) drawRail(pen, m, r, places, thickness, shapes, m.colours[r.slider[0]]);
    });
    m.wheels.forEach((w) => !hidden.has(w.body) && drawWheel(pen, w, places, m.wheelWidth, m.colours[w.body] || pen.theme.tyre, shapes));
  }

  /* Another motion's bodies, faint, by the same camera: painted aside, so that what they hide of each other stays hidden. */
  function drawGhost(canvas, m, camera, time, thickness, theme, hidden) {
    const aside = (canvas.aside = canvas.aside || document.createElement("canvas"));
    aside.width = canvas.width;
    aside.height = canvas.height;
    const ratio = canvas.width / canvas.clientWidth;
    const context = aside.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const pen = penOf(context, camera, theme);
    const grey = { ...m, colours: m.colours.map(() => "#808890") };
    const places = m.placesAt(Math.min(time, m.duration));
    drawBodies(pen, grey, places, thickness, { areas: [], rods: [] }, { bodies: [], lines: [] }, hidden);
    m.lines.forEach((line) => line.kind === "rod" && drawLine(pen, line, places, thickness, () => {}));
    pen.finish();
    const to = canvas.getContext("2d");
    to.save();
    to.setTransform(1, 0, 0, 1, 0, 0);
    to.globalAlpha = 0.35;
    to.drawImage(aside, 0, 0);
    to.restore();
  }

  /* What both canvases share. */
  function stageOf(motions) {
    const low = [0, 1, 2].map((k) => Math.min(...motions.map((m) => m.low[k])));
    const high = [0, 1, 2].map((k) => Math.max(...motions.map((m) => m.high[k])));
    const radius = Math.max(...motions.map((m) => m.radius)) || 1;
    const reach = Math.min(radius, 0.5 * length(sub(high, low)));
    const travels = motions.some((m) => m.travels);
    const middle = mix(low, high, 0.5);
    const reached = motions.flatMap((m) => m.reached);
    /* The same at all turns of the view, so that nothing comes nearer or goes away as it is turned. */
    const leastOf = (places) => {
      let last = {};
      return (width, height) => {
        if (last.width !== width || last.height !== height) last = { width, height, away: farEnough(places, firstView(motions), width, height) };
        return last.away;
      };
    };
    const own = reached.map(({ arm, r }) => ({ x: arm, r }));
    const whole = reached.map(({ p, r }) => ({ x: sub(p, middle), r }));
    return {
      middle,
      own: { wide: Math.max(...motions.map((m) => m.wide)), tall: Math.max(...motions.map((m) => m.tall)), least: leastOf(own) },
      whole: { wide: 0.5 * Math.hypot(high[0] - low[0], high[1] - low[1]), tall: 0.5 * (high[2] - low[2]), least: leastOf(whole) },
      travels,
      thickness: 0.045 * (travels ? 0.6 * radius : reach) * Math.min(1, Math.sqrt(5 / motions[0].bodies.length + 0.1)),
      ground: groundOf(motions),
    };
  }

  /* ---- page ---- */

  function themeOf(root) {
    const style = getComputedStyle(root);
    const get = (name) => style.getPropertyValue(name).trim();
    const dark = window.mbopt_dark();
    return {
      card: get("--mbs-card"),
      ink: get("--mbs-ink"),
      faint: get("--mbs-faint"),
      grid: dark ? "#4a515c" : "#c3c7c0",
      shadow: dark ? "rgba(0,0,0,0.35)" : "rgba(30,35,45,0.11)",
      spring: dark ? "#e2c56b" : "#8a6a10",
      damper: dark ? "#9aa5b4" : "#747d8a",
      accent: get("--mbs-accent"),
      rod: dark ? "#a9b0ba" : "#6b737e",
      force: dark ? "#ff8a8a" : "#b3202c",
      bearing: dark ? "#4c535e" : "#d5d8d2",
      stress: dark ? STRESS_DARK : STRESS_LIGHT,
      runs: get(dark ? "--runs-dark" : "--runs").split(" "),
      tyre: dark ? "#59606b" : "#41464f",
      spoke: dark ? "#8d96a3" : "#8b929c",
    };
  }

  /* Drag to turn, two fingers or the wheel to zoom (when the canvas has the focus: pages must still scroll), keys. */
  function steer(canvas, view, redraw, keys) {
    const held = new Map();
    const spread = () => {
      const [a, b] = [...held.values()];
      return Math.hypot(a.x - b.x, a.y - b.y);
    };
    const turnBy = (dx, dy) => {
      view.azimuth -= dx;
      view.elevation = Math.max(-0.2, Math.min(Math.PI / 2, view.elevation + dy));
      redraw();
    };
    const zoomBy = (factor) => {
      view.zoom = Math.max(0.2, Math.min(20, view.zoom * factor));
      redraw();
    };
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      held.set(e.pointerId, { x: e.clientX, y: e.clientY });
    });
    canvas.addEventListener("pointermove", (e) => {
      const p = held.get(e.pointerId);
      if (!p) return;
      const before = held.size === 2 ? spread() : 0;
      if (held.size === 1) turnBy(0.008 * (e.clientX - p.x), 0.008 * (e.clientY - p.y));
      held.set(e.pointerId, { x: e.clientX, y: e.clientY });
      if (before) zoomBy(spread() / before);
    });
    ["pointerup", "pointercancel"].forEach((name) => canvas.addEventListener(name, (e) => held.delete(e.pointerId)));
    canvas.addEventListener(
      "wheel",
      (e) => {
        if (document.activeElement !== canvas) return;
        e.preventDefault();
        zoomBy(Math.exp(-0.0015 * e.deltaY));
      },
      { passive: false }
    );
    const actions = {
      ArrowLeft: () => turnBy(-0.1, 0),
      ArrowRight: () => turnBy(0.1, 0),
      ArrowUp: () => turnBy(0, 0.08),
      ArrowDown: () => turnBy(0, -0.08),
      "+": () => zoomBy(1.15),
      "=": () => zoomBy(1.15),
      "-": () => zoomBy(1 / 1.15),
      ...keys,
    };
    canvas.addEventListener("keydown", (e) => {
      if (!actions[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      actions[e.key]();
    });
  }

  /* Bodies with their colours, to be hidden or shown alone; changed() after `hidden`, names, has changed. */
  function legendOf(motions, hidden, changed) {
    const bodies = [...new Map(motions.flatMap((m) => m.bodies.flatMap((b, i) => (m.beamOf.has(i) && m.beamOf.get(i).body !== i ? [] : [[b.name, { name: b.name, colour: m.run === undefined ? m.colours[i] : "" }]]))).reverse()).values()].reverse();
    const boxes = bodies.map((b) => element("input", { type: "checkbox", checked: !hidden.has(b.name) }));
    const set = (shown) => {
      boxes.forEach((box, i) => {
        box.checked = shown(i);
        if (box.checked) hidden.delete(bodies[i].name);
        else hidden.add(bodies[i].name);
      });
      changed();
    };
    const items = bodies.map((b, i) => {
      const chip = element("i", { hidden: !b.colour });
      chip.style.background = b.colour;
      const alone = element("button", { type: "button", textContent: "only" });
      alone.setAttribute("aria-label", `Show ${b.name} only`);
      alone.addEventListener("click", () => set((k) => k === i));
      boxes[i].addEventListener("change", () => set((k) => boxes[k].checked));
      return element("li", {}, [element("label", {}, [boxes[i], chip, b.name]), alone]);
    });
    const all = element("button", { type: "button", textContent: "Show all" });
    all.addEventListener("click", () => set(() => true));
    return element("ul", { className: "mbs-legend" }, [...items, element("li", {}, [all])]);
  }

  const BENDINGS = [1, 5, 20, 100];
  const SPEEDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

  /* Real time, unless that would be over too soon or take too long. */
  function firstSpeed(duration) {
    const usual = duration < 2 ? (s) => s <= 1 && duration / s <= 4 : (s) => s >= 1 && duration / s <= 20;
    return SPEEDS.find(usual) || (duration < 2 ? 1 : 10);
  }

  /* ---- the animation ---- */

  function canvasOf(name, still) {
    const canvas = element("canvas", { tabIndex: 0 });
    const which = name ? `, ${name.toLowerCase()}` : "";
    const keys = `Arrow keys turn, plus and minus zoom${still ? "" : ", space plays, comma and full stop step"}.`;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${still ? "Picture" : "Motion"} of the mechanism${which}. ${keys}`);
    return canvas;
  }

  const FORCES = [["", "no forces"], ["reactions", "reactions"], ["tensions", "springs, rods"], ["tyres", "tyres"], ["bushings", "bushings"], ["applied", "applied forces"], ["all", "all forces"]];

  const TOGETHER = -1; /* all load cases in one picture */

  function controlsOf(caseNames, together) {
    const options = caseNames.map((n, i) => new Option(n, i)).concat(together && caseNames.length > 1 ? [new Option("all together", TOGETHER)] : []);
    const c = {
      play: element("button", { type: "button", className: "mbs-play" }),
      slider: element("input", { type: "range", min: 0, max: 1000, step: 1, value: 0 }),
      clock: element("output", { className: "mbs-time" }),
      speed: element("select", {}, SPEEDS.map((s) => new Option(`${s}×`, s))),
      cases: element("select", { hidden: caseNames.length < 2 }, options),
      follow: element("input", { type: "checkbox", checked: true }),
      forces: element("select", {}, FORCES.map(([value, text]) => new Option(text, value))),
      over: element("input", { type: "checkbox" }),
      centres: element("input", { type: "checkbox" }),
      stress: element("input", { type: "checkbox", checked: true }),
      bending: element("select", {}, BENDINGS.map((s) => new Option(`bending ${s}×`, s))),
      reset: element("button", { type: "button", textContent: "Reset view" }),
      legend: element("details", {}, [element("summary", { textContent: "Bodies" })]),
      missing: element("p", { className: "mbs-missing", hidden: true }),
    };
    c.following = element("label", {}, [c.follow, " Follow"]);
    c.overlaid = element("label", {}, [c.over]);
    c.centred = element("label", { title: "Where bodies turn about, with their paths on the ground (full) and on the body (dotted)" }, [c.centres, " Instantaneous centres"]);
    c.stressed = element("label", { title: "The largest stress of the section along each beam, on one scale for all pictures" }, [c.stress, " Stress of beams"]);
    c.forces.setAttribute("aria-label", "Forces as arrows");
    c.bending.setAttribute("aria-label", "How much larger deflections of beams are drawn");
    c.slider.setAttribute("aria-label", "Time");
    c.speed.setAttribute("aria-label", "Speed");
    c.cases.setAttribute("aria-label", "Load case");
    return c;
  }

  /* Fill the container; returns the element that has the colours. */
  function layOut(container, names, canvases, c, still) {
    const captions = names.map((n) => (n ? [element("figcaption", { textContent: n })] : []));
    const views = canvases.map((canvas, i) => element("figure", {}, [...captions[i], canvas]));
    const bar = [c.play, c.slider, c.clock, c.speed, c.cases, c.following, c.forces, c.bending, c.stressed, c.centred, c.overlaid, c.reset];
    const hint = `Drag to turn. Click, then wheel (or + and −) to zoom.${still ? "" : " Space plays and pauses."}`;
    const root = element("div", { className: "mbs" }, [
      element("div", { className: "mbs-views" }, views),
      element("div", { className: "mbs-bar" }, bar),
      element("p", { className: "mbs-hint", textContent: hint }),
      c.missing,
      c.legend,
    ]);
    container.replaceChildren(root);
    return root;
  }

  /* Time that runs while it is played and seen: calls show(time), from `time` to duration() and over again. */
  function clockOf(duration, speed, periodic, show) {
    const clock = { time: 0, playing: false, visible: true };
    let last = 0;
    let rest = 0;
    let waiting = false;
    function tick(now) {
      waiting = false;
      if (!clock.playing) return;
      const passed = now - last > 200 ? 0 : (now - last) / 1000; /* since long: begin anew */
      last = now;
      if (clock.time < duration()) {
        clock.time = Math.min(duration(), clock.time + passed * speed());
      } else {
        rest += passed; /* the end is worth a look, unless it is the beginning */
        if (rest > 0.7 || periodic()) clock.time = rest = 0;
      }
      show();
      clock.wake();
    }
    clock.wake = () => {
      if (waiting || !clock.playing || !clock.visible) return;
      waiting = true;
      requestAnimationFrame(tick);
    };
    clock.seek = (time) => {
      clock.time = Math.max(0, Math.min(duration(), time));
      rest = 0;
      show();
    };
    return clock;
  }

  /* Load cases of runs that are shown together, by their names; runs of one case each have the same. */
  function commonCases(runs) {
    const single = runs.every((s) => s.cases.length === 1);
    const names = single ? [runs[0].cases[0].name] : [...new Set(runs.flatMap((s) => s.cases.map((q) => q.name)))];
    return { names, of: (s, k) => (single ? s.cases[0] : s.cases.find((q) => q.name === names[k])) };
  }

  /* container: an element, which is filled; before, after: descriptions (opt/report/scene.h), after may be null; or before is a list of them, which are
   * shown in one picture; called: their names. Returns { seek(time), play(), pause(), time(), playing(), listen(f), light(name), place(name),
   * show(description, asSeen), sight(), replace(description) }: f is called when the time changes. Of one picture alone there is no time to be chosen. An event "mbopt-body" tells
   * the name of the body under the mouse, null where there is none. */
  window.mbopt_scene = function (container, before, after, called) {
    const runs = Array.isArray(before);
    const scenes = runs ? before : [before, after].filter(Boolean);
    const names = !runs && scenes.length > 1 ? called || ["Before", "After"] : [""];
    const common = runs ? commonCases(scenes) : { names: before.cases.map((q) => q.name), of: (s, k) => s.cases[k] };
    const still = scenes.every((s) => s.cases.every((q) => q.times.length < 2));
    const canvases = names.map((n) => canvasOf(n, still));
    const c = controlsOf(common.names, !runs && !still);
    const root = layOut(container, names, canvases, c, still);
    [c.play, c.slider, c.clock, c.speed].forEach((e) => (e.hidden = still));
    const look = { view: {}, theme: null, follow: false, hidden: new Set(), forces: "", ghosts: [], lit: null, pointed: null, called: called || [] };
    const { view } = look;
    const listeners = [];
    let panels, motions, stage; /* panels: the motions of each canvas */
    look.theme = themeOf(root);
    c.overlaid.hidden = names.length < 2;
    c.overlaid.append(` ${names[0]} over ${names[names.length - 1]}`);
    const duration = () => Math.max(...motions.map((m) => m.duration));
    const periodic = () => motions.every((m) => m.periodic && m.duration === duration());
    const clock = clockOf(duration, () => Number(c.speed.value), periodic, draw);
    const ghostsOf = (i) => (c.over.checked && i > 0 ? panels[0] : []);

    function draw() {
      look.follow = c.follow.checked && stage.travels;
      motions.forEach((m) => (m.bending = Number(c.bending.value)));
      look.stressTop = c.stress.checked && !c.stressed.hidden ? largestStress(motions) : 0;
      canvases.forEach((canvas, i) => drawScene(canvas, panels[i], stage, clock.time, { ...look, ghosts: ghostsOf(i), centres: c.centres.checked && !c.centred.hidden }));
      c.slider.value = Math.round((1000 * clock.time) / duration());
      c.clock.textContent = `${clock.time.toFixed(duration() < 2 ? 3 : 2)} of ${Number(duration().toPrecision(4))} s`;
      listeners.forEach((f) => f());
    }
    function setPlaying(on) {
      clock.playing = on;
      c.play.textContent = on ? "❚❚ Pause" : "▶ Play";
      clock.wake();
    }
    function stop(time) {
      setPlaying(false);
      clock.seek(time);
    }
    function home() {
      Object.assign(view, firstView(motions));
      draw();
    }
    function choose(index) {
      prepare(index);
      home();
    }
    /* The motions in one picture, of which several have a number, which is that of their colour. */
    function panelOf(list) {
      const made = list.map(([s, q], run) => q && { ...preparedOf(motionOf(q, s.up, s.meshes)), ...(list.length > 1 ? { run } : {}) });
      return made.filter(Boolean);
    }
    function panelAt(k, index) {
      const s = scenes[k];
      return panelOf(index === TOGETHER ? s.cases.map((q) => [s, q]) : [[s, s.cases[index]]]);
    }
    function prepare(index, asSeen) {
      if (runs) panels = [panelOf(scenes.map((s) => [s, common.of(s, index)]))];
      else panels = scenes.map((_, k) => panelAt(k, index));
      if (!runs) look.called = common.names;
      motions = panels.flat();
      if (!asSeen) stage = stageOf(motions);
      clock.time = 0;
      c.following.hidden = !stage.travels;
      c.speed.value = firstSpeed(duration());
      look.hidden.clear();
      c.legend.replaceChildren(c.legend.firstChild, legendOf(motions, look.hidden, draw));
      c.bending.hidden = !motions.some((m) => m.beams.length);
      c.stressed.hidden = !(largestStress(motions) > 0) || motions.some((m) => m.run !== undefined); /* colours tell runs apart */
      c.centred.hidden = still || !motions.some(window.mbopt_centres.possible);
      const missing = [...new Set(motions.flatMap((m) => m.missing || []))];
      const rigid = [...new Set(motions.flatMap((m) => m.shapes.filter((s) => m.beamOf.has(s.body)).map((s) => s.name)))];
      const told = [missing.length ? `Not drawn, for a number has no value at this design: shape ${missing.join(", ")}.` : "", rigid.length ? `Drawn as rigid on a body that bends: shape ${rigid.join(", ")}.` : ""].filter(Boolean);
      c.missing.hidden = !told.length;
      c.missing.textContent = told.join(" ");
      const acts = (kind) => usualOf(motions, kind, false) > 0 || usualOf(motions, kind, true) > 0;
      c.forces.hidden = !acts("all");
      const there = FORCES.filter(([value]) => value === "" || acts(value));
      const chosen = there.some(([value]) => value === c.forces.value) ? c.forces.value : "";
      c.forces.replaceChildren(...there.map(([value, text]) => new Option(text, value)));
      c.forces.value = chosen;
      chooseForces();
    }
    /* Arrows of usual forces are a third as long as the mechanism is from its middle, arcs of usual moments have a radius of an eighth. */
    function chooseForces() {
      const size = stage.travels ? stage.own.wide : stage.whole.wide;
      look.forces = c.forces.hidden ? "" : c.forces.value;
      look.usual = usualOf(motions, look.forces, false);
      look.usualMoment = usualOf(motions, look.forces, true);
      look.metres = niceStep(0.3 * size);
      look.radius = niceStep(0.12 * size);
      look.perNewton = look.usual > 0 ? look.metres / look.usual : 0;
      look.perMoment = look.usualMoment > 0 ? look.radius / look.usualMoment : 0;
      draw();
    }

    const frame = () => duration() / (motions[0].times.length - 1);
    const keys = still
      ? { Home: home }
      : {
          " ": () => setPlaying(!clock.playing),
          ",": () => stop(clock.time - frame()),
          ".": () => stop(clock.time + frame()),
          Home: home,
        };
    function point(name) {
      if (name === look.pointed) return;
      look.pointed = name;
      root.dispatchEvent(new CustomEvent("mbopt-body", { detail: name, bubbles: true }));
      draw();
    }
    choose(0);
    c.play.addEventListener("click", () => setPlaying(!clock.playing));
    c.slider.addEventListener("input", () => stop((Number(c.slider.value) / 1000) * duration()));
    c.cases.addEventListener("change", () => choose(Number(c.cases.value)));
    c.follow.addEventListener("change", draw);
    c.over.addEventListener("change", draw);
    c.centres.addEventListener("change", draw);
    c.bending.addEventListener("change", draw);
    c.stress.addEventListener("change", draw);
    c.forces.addEventListener("change", chooseForces);
    c.reset.addEventListener("click", home);
    canvases.forEach((canvas, i) => {
      steer(canvas, view, draw, keys);
      canvas.addEventListener("pointermove", (e) => {
        const area = canvas.getBoundingClientRect();
        point(e.buttons ? null : bodyAt(canvas, panels[i], stage, clock.time, look, { x: e.clientX - area.left, y: e.clientY - area.top }));
      });
      canvas.addEventListener("pointerleave", () => point(null));
    });
    window.addEventListener("mbopt-look", () => {
      look.theme = themeOf(root);
      draw();
    });
    /* All motions side by side as a picture of its own; null: at the time that is shown. */
    function shot(time, sharp, times) {
      const wide = canvases.map((canvas) => canvas.clientWidth);
      const all = element("canvas", { width: sharp * wide.reduce((sum, w) => sum + w, 0), height: sharp * canvases[0].clientHeight });
      const context = all.getContext("2d");
      context.fillStyle = look.theme.card;
      context.fillRect(0, 0, all.width, all.height);
      context.scale(sharp, sharp);
      let x = 0;
      canvases.forEach((canvas, i) => {
        drawScene(canvas, panels[i], stage, time === null ? clock.time : time, { ...look, ghosts: ghostsOf(i), sharp, times });
        context.drawImage(canvas, x, 0, wide[i], canvas.clientHeight);
        context.fillStyle = look.theme.ink;
        context.font = "600 14px system-ui, sans-serif";
        context.fillText(names[i], x + 12, 22);
        x += wide[i];
      });
      draw();
      return all;
    }
    const share = window.mbopt_share({ duration, speed: () => Number(c.speed.value), shot });
    share.box.hidden = still;
    c.legend.after(share.box);
    new ResizeObserver(draw).observe(root);
    new IntersectionObserver((entries) => {
      clock.visible = entries[entries.length - 1].isIntersecting;
      clock.wake();
    }).observe(root);
    setPlaying(!still && !window.matchMedia("(prefers-reduced-motion: reduce)").matches);
    return {
      seek: clock.seek,
      play: () => setPlaying(true),
      pause: () => setPlaying(false),
      time: () => clock.time,
      playing: () => clock.playing,
      /* The body of that name alone in colour; null: all. */
      light: (name) => {
        look.lit = name;
        draw();
      },
      listen: (f) => listeners.push(f),
      shot,
      share,
      /* Where the centre of mass of a body is on the screen. */
      place: (name) => {
        const i = motions[0].bodies.findIndex((b) => b.name === name);
        const area = canvases[0].getBoundingClientRect();
        const p = cameraOf(canvases[0], panels[0], stage, clock.time, look).project(motions[0].placesAt(clock.time).point(i, motions[0].middles[i]));
        return { x: area.left + p.x, y: area.top + p.y };
      },
      /* The last run at another design, at the time that is shown and seen from the same side. */
      replace: (description) => {
        scenes[scenes.length - 1] = description;
        panels[panels.length - 1] = panelAt(scenes.length - 1, c.cases.value === "" ? 0 : Number(c.cases.value));
        motions = panels.flat();
        clock.time = Math.min(clock.time, duration());
        if (!clock.playing) draw(); /* else the next tick draws */
      },
      /* Another motion of the same mechanism, seen from the same side; asSeen: from the same place, too. */
      show: (description, asSeen) => {
        scenes[0] = { ...scenes[0], cases: [description] };
        prepare(0, asSeen);
      },
      /* How the first canvas shows the world: places on it { x, y, s: pixels per metre there }, and the ray of sight { from, along } at a place of it. */
      sight: () => {
        const axes = stageAxes(scenes[0].up);
        const camera = cameraOf(canvases[0], panels[0], stage, clock.time, look);
        const toWorld = (v) => add(scale(v[0], axes[0]), add(scale(v[1], axes[1]), scale(v[2], axes[2])));
        return { canvas: canvases[0], project: (v) => camera.project(axes.map((a) => dot(a, v))), ray: (x, y) => ({ from: toWorld(camera.eye), along: toWorld(camera.ray(x, y)) }) };
      },
    };
  };
})();
