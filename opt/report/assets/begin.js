/* The last script of a page: its data are drawn into its containers. */
(function () {
  "use strict";

  const at = (id) => document.getElementById(id);
  const data = (id) => at(id) && JSON.parse(at(id).textContent);
  const engine = data("engine"); /* of a page that computes: the second motion is that of the design that is moved */

  /* The motion of a run, those of several runs, or a mechanism at its start. */
  const [start, scenes, first] = ["start", "scenes", "first"].map(data);
  if (start) window.mbopt_motion = window.mbopt_scene(at("scene"), { up: start.up, cases: [start.case], meshes: start.meshes }, null);
  if (scenes) window.mbopt_motion = window.mbopt_scene(at("scene"), scenes, null, data("names"));
  if (first) window.mbopt_motion = window.mbopt_scene(at("scene"), first, data("second") || (engine && first), data("names"));

  /* Curves, which move with it. */
  const curves = scenes ? window.mbopt_runs_together(data("curves")) : data("curves");
  if (curves && engine) {
    if (curves.called.length < 2) curves.cases.forEach((c) => c.runs.push(c.runs[0]));
    curves.called = [curves.called[0], "now"];
  }
  if (curves) window.mbopt_figures = window.mbopt_curves(at("time-curves"), curves, window.mbopt_motion || null);

  /* Runs of a study, modes, the design that is moved. */
  if (at("study")) window.mbopt_runs = window.mbopt_study(at("study-runs"), data("study"));
  if (at("linear")) window.mbopt_linear = window.mbopt_modes(at("roots"), at("modes"), data("linear"));
  if (engine) window.mbopt_try(at("try"), engine, data("given"), { scene: window.mbopt_motion, curves: window.mbopt_figures });
})();
