/* Shapes of bodies, which opt/results/shapes.h describes, as polygons: mbopt_shape(shape, meshes) returns { faces, corners } in the axes of the body from
 * its centre of mass. Faces are counter-clockwise from outside; corners are those of a box around the shape. */
(function () {
  "use strict";

  const ROUND = 24; /* sides of a circle */
  const ARC = 6; /* of a quarter of a circle */

  const circle = Array.from({ length: ROUND }, (_, k) => [Math.cos((2 * Math.PI * k) / ROUND), Math.sin((2 * Math.PI * k) / ROUND)]);

  /* The surface that a line [[x, r], ...] makes about the first axis, x increasing; open ends are closed. */
  function revolved(line) {
    const rings = line.map(([x, r]) => (r > 0 ? circle.map(([c, s]) => [x, r * c, r * s]) : [[x, 0, 0]]));
    const faces = [];
    for (let i = 1; i < rings.length; i++) {
      const [a, b] = [rings[i - 1], rings[i]];
      for (let k = 0; k < ROUND; k++) {
        const next = (k + 1) % ROUND;
        if (a.length === 1) faces.push([a[0], b[next], b[k]]);
        else if (b.length === 1) faces.push([a[k], a[next], b[0]]);
        else faces.push([a[k], a[next], b[next], b[k]]);
      }
    }
    const [first, last] = [rings[0], rings[rings.length - 1]];
    if (first.length > 1) faces.push(first.slice().reverse());
    if (last.length > 1) faces.push(last);
    return faces;
  }

  /* A ball of this radius, with a cylinder of this length between its halves. */
  function round(radius, length) {
    const half = (side) =>
      Array.from({ length: ARC + 1 }, (_, k) => {
        const angle = (Math.PI / 2) * (side < 0 ? k / ARC : 1 - k / ARC);
        return [side * (length / 2 + radius * Math.cos(angle)), k === (side < 0 ? 0 : ARC) ? 0 : radius * Math.sin(angle)];
      });
    return revolved(length > 0 ? half(-1).concat(half(1)) : half(-1).concat(half(1).slice(1)));
  }

  function box(size) {
    const [a, b, c] = size.map((s) => s / 2);
    const side = (f) => [f(-1, -1), f(1, -1), f(1, 1), f(-1, 1)];
    return [
      side((u, v) => [a, u * b, v * c]),
      side((u, v) => [-a, v * b, u * c]),
      side((u, v) => [v * a, b, u * c]),
      side((u, v) => [u * a, -b, v * c]),
      side((u, v) => [u * a, v * b, c]),
      side((u, v) => [v * a, u * b, -c]),
    ];
  }

  function triangles(mesh, factor) {
    const s = mesh.unit * factor;
    const point = (k) => [s * mesh.points[3 * k], s * mesh.points[3 * k + 1], s * mesh.points[3 * k + 2]];
    const points = Array.from({ length: mesh.points.length / 3 }, (_, k) => point(k));
    const faces = [];
    for (let k = 0; k < mesh.faces.length; k += 3) faces.push([0, 1, 2].map((j) => points[mesh.faces[k + j]]));
    return faces;
  }

  function cornersOf(faces) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    faces.forEach((f) =>
      f.forEach((p) =>
        p.forEach((v, k) => {
          low[k] = Math.min(low[k], v);
          high[k] = Math.max(high[k], v);
        })
      )
    );
    return Array.from({ length: 8 }, (_, n) => low.map((v, k) => ((n >> k) & 1 ? high[k] : v)));
  }

  window.mbopt_shape = function (shape, meshes) {
    const { at, axes, size } = shape;
    if (shape.kind === "mesh") {
      const faces = triangles(meshes[shape.mesh], size[0]).map((f) => f.map((p) => p.map((v, k) => at[k] + v)));
      return { faces, corners: cornersOf(faces) };
    }
    const [radius, length] = size;
    const own = {
      box: () => box(size),
      sphere: () => round(radius, 0),
      capsule: () => round(radius, length),
      cylinder: () => revolved([[-length / 2, radius], [length / 2, radius]]),
    }[shape.kind]();
    const faces = own.map((f) => f.map((p) => at.map((a, k) => a + p[0] * axes[0][k] + p[1] * axes[1][k] + p[2] * axes[2][k])));
    return { faces, corners: cornersOf(faces) };
  };
})();
