/* Instantaneous centres and centrodes of bodies that move in a plane: mbopt_centres(motion) returns null for other motions, else for each body a list over
 * the frames, { fixed: on the ground, moving: on the body from its centre of mass } or null where the body does not turn or the centre is far away. motion:
 * what scene.js makes of a case.
 *
 * The centre at frame k is the pole of the displacement from frame k - 1 to k + 1, by d of the centre of mass and the angle a about the normal n:
 *   p = (x1 + x2)/2 + n x d / (2 tan(a/2)) */
(function () {
  "use strict";

  const FAR = 4; /* radii of the motion; a centre beyond is none to look at */
  const sub = (a, b) => a.map((v, k) => v - b[k]);
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const size = (a) => Math.sqrt(dot(a, a));
  const COM = [0, 0, 0];
  const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

  /* The place of a body on the stage: its centre of mass and its axes. */
  const poseOf = (places, body) => ({ at: places.point(body, COM), axes: AXES.map((a) => places.vector(body, a)) });

  /* Twice the sine of the angle from one pose to another, along its axis: the sum of a x b over the three axes. */
  function turned(from, to) {
    const sum = from.axes.map((a, k) => cross(a, to.axes[k])).reduce((s, v) => s.map((x, k) => x + v[k]));
    const cosine = from.axes.reduce((s, a, k) => s + dot(a, to.axes[k]), -1) / 2;
    return { sum, angle: Math.atan2(size(sum) / 2, cosine) };
  }

  window.mbopt_centres = function (motion) {
    const last = motion.times.length - 1;
    const poses = motion.times.map((t) => {
      const places = motion.placesAt(t);
      return motion.bodies.map((_, i) => poseOf(places, i));
    });
    const steps = motion.bodies.map((_, i) =>
      poses.map((_p, k) => {
        const [a, b] = [poses[Math.max(0, k - 1)][i], poses[Math.min(last, k + 1)][i]];
        return { a, b, d: sub(b.at, a.at), ...turned(a, b) };
      })
    );
    /* One normal for all: that of the largest turn. */
    const all = steps.flat();
    const most = all.reduce((m, s) => (size(s.sum) > size(m.sum) ? s : m), all[0]);
    if (!most || size(most.sum) < 1e-6) return null;
    const n = most.sum.map((v) => v / size(most.sum));
    const inPlane = (s) => size(cross(n, s.sum)) < 1e-3 * (1e-3 + size(s.sum)) && Math.abs(dot(n, s.d)) < 1e-4 * motion.radius;
    if (!all.every(inPlane)) return null;
    const middle = motion.low.map((v, k) => (v + motion.high[k]) / 2);
    return steps.map((list, i) =>
      list.map((s, k) => {
        const angle = dot(s.sum, n) < 0 ? -s.angle : s.angle;
        if (Math.abs(angle) < 1e-5) return null;
        const across = cross(n, s.d);
        const fixed = s.a.at.map((v, j) => (v + s.b.at[j]) / 2 + across[j] / (2 * Math.tan(angle / 2)));
        if (size(sub(fixed, middle)) > FAR * motion.radius) return null;
        const arm = sub(fixed, poses[k][i].at);
        return { fixed, moving: poses[k][i].axes.map((a) => dot(a, arm)) };
      })
    );
  };
})();
