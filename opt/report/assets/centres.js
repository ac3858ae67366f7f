/* Instantaneous centres and centrodes of bodies that move in a plane: mbopt_centres.of(motion) returns null for other motions, else for each body a list over
 * the frames, { fixed: on the ground, moving: on the body from its centre of mass } or null where the body does not turn or the centre is far away. motion:
 * what scene.js makes of a case. mbopt_centres.possible(motion): whether a few frames are in a plane, which costs less.
 *
 * The centre at frame k is the pole of the displacement from frame k - 1 to k + 1, by d of the centre of mass and the angle a about the normal n:
 *   p = (x1 + x2)/2 + n x d / (2 tan(a/2)) */
(function () {
  "use strict";

  const { sub, scale, dot, cross, length, unit, mix, add } = window.mbopt_vectors;
  const FAR = 4; /* radii of the motion; a centre beyond is none to look at */
  const FEW = 12; /* frames of a first look */
  const COM = [0, 0, 0];
  const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

  /* The place of a body on the stage: its centre of mass and its axes. */
  const poseOf = (places, body) => ({ at: places.point(body, COM), axes: AXES.map((a) => places.vector(body, a)) });

  /* Twice the sine of the angle from one pose to another, along its axis: the sum of a x b over the three axes. */
  function turned(from, to) {
    const sum = from.axes.map((a, k) => cross(a, to.axes[k])).reduce(add);
    const cosine = from.axes.reduce((s, a, k) => s + dot(a, to.axes[k]), -1) / 2;
    return { sum, angle: Math.atan2(length(sum) / 2, cosine) };
  }

  /* The displacements of every body about each of these times: { at: the pose there, a, b: those before and after, d, sum, angle }. */
  function stepsOf(motion, times) {
    const last = times.length - 1;
    const poses = times.map((t) => {
      const places = motion.placesAt(t);
      return motion.bodies.map((_, i) => poseOf(places, i));
    });
    return motion.bodies.map((_, i) =>
      poses.map((p, k) => {
        const [a, b] = [poses[Math.max(0, k - 1)][i], poses[Math.min(last, k + 1)][i]];
        return { at: p[i], a, b, d: sub(b.at, a.at), ...turned(a, b) };
      })
    );
  }

  /* The normal of the plane of all displacements: that of the largest turn; null: nothing turns, or they are in no plane. */
  function normalOf(motion, steps) {
    const all = steps.flat();
    const most = all.reduce((m, s) => (length(s.sum) > length(m.sum) ? s : m), all[0]);
    if (!most || length(most.sum) < 1e-6) return null;
    const n = unit(most.sum);
    const inPlane = (s) => length(cross(n, s.sum)) < 1e-3 * (1e-3 + length(s.sum)) && Math.abs(dot(n, s.d)) < 1e-4 * motion.radius;
    return all.every(inPlane) ? n : null;
  }

  function possible(motion) {
    const every = Math.max(1, Math.floor(motion.times.length / FEW));
    return normalOf(motion, stepsOf(motion, motion.times.filter((_, k) => k % every === 0))) !== null;
  }

  function of(motion) {
    const steps = stepsOf(motion, motion.times);
    const n = normalOf(motion, steps);
    if (!n) return null;
    const middle = mix(motion.low, motion.high, 0.5);
    return steps.map((list) =>
      list.map((s) => {
        const angle = dot(s.sum, n) < 0 ? -s.angle : s.angle;
        if (Math.abs(angle) < 1e-5) return null;
        const fixed = add(mix(s.a.at, s.b.at, 0.5), scale(1 / (2 * Math.tan(angle / 2)), cross(n, s.d)));
        if (length(sub(fixed, middle)) > FAR * motion.radius) return null;
        const arm = sub(fixed, s.at.at);
        return { fixed, moving: s.at.axes.map((a) => dot(a, arm)) };
      })
    );
  }

  window.mbopt_centres = { possible, of };
})();
