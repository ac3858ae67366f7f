/* Vectors of three numbers, for scripts of mechanisms: mbopt_vectors. */
window.mbopt_vectors = (function () {
  "use strict";

  const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const scale = (s, a) => [s * a[0], s * a[1], s * a[2]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const length = (a) => Math.sqrt(dot(a, a));
  const unit = (a) => scale(1 / (length(a) || 1), a);
  const mix = (a, b, s) => add(scale(1 - s, a), scale(s, b));
  const mean = (list) => scale(1 / list.length, list.reduce(add, [0, 0, 0]));

  /* v turned by the unit quaternion e = w x y z */
  function turn(e, v) {
    const q = [e[1], e[2], e[3]];
    const t = scale(2, cross(q, v));
    return add(add(v, scale(e[0], t)), cross(q, t));
  }

  return { add, sub, scale, dot, cross, length, unit, mix, mean, turn };
})();
