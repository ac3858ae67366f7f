#include "report/front_figures.h"

#include <math.h>

#include "files/json.h"
#include "files/memory.h"
#include "results/study_units.h"

/* A list of places of a series. */
typedef struct places {
  json_t *x, *y;
} places;

static places places_new(void) {
  return (places){json_array(), json_array()};
}

static void add_place(const places *list, double x, double y) {
  json_array_append_new(list->x, json_number(x)), json_array_append_new(list->y, json_number(y));
}

static void add_series(json_t *all, const char *name, const char *kind, const places *list, const char *colour) {
  json_t *one = json_pack("{s:s, s:s, s:o, s:o}", "name", name, "kind", kind, "x", list->x, "y", list->y);
  if (colour) { json_object_set_new(one, "colour", json_string(colour)); }
  if (json_array_size(list->x) > 0) { json_array_append_new(all, json_incref(one)); }
  json_decref(one);
}

/* The tangent at an efficient point, in the plane of objectives i and j: of that length in scaled objectives, with the point in its middle. */
static void add_tangent(const places *list, const study_data *d, int point, int i, int j) {
  static const double length = 0.12;
  const front *f = &d->front.front;
  const double *w = f->point[point].normal, norm = hypot(w[i], w[j]);
  const double x = pareto_value(&d->front, point, i), y = pareto_value(&d->front, point, j);
  const double dx = length / 2 * (f->high[i] - f->low[i]) / d->front.weight[i] * w[j] / norm,
               dy = -length / 2 * (f->high[j] - f->low[j]) / d->front.weight[j] * w[i] / norm;
  if (!isfinite(dx) || !isfinite(dy)) { return; }
  add_place(list, x - dx, y - dy), add_place(list, x + dx, y + dy), add_place(list, NAN, NAN);
}

static json_t *axis_of(const study_data *d, int k) {
  const int q = study_data_quantity(d, "", d->front.name[k]);
  return json_pack("{s:o, s:o}", "label", json_text(d->front.name[k]), "unit",
                   json_text(q < 0 ? "" : d->quantity[q].unit));
}

/* Objective j over objective i. */
static mbd_status figure_of(const study_drawing *w, int i, int j, mbd_error *err) {
  const study_data *d = w->d;
  const pareto_front *p = &d->front;
  const places front_line = places_new(), tangents = places_new(), others = places_new(), knee = places_new();
  for (int k = 0; k < p->nefficient; k++) {
    const int point = p->order[k];
    if (k > 0 && pareto_has_gap(p, p->order[k - 1], point)) { add_place(&front_line, NAN, NAN); }
    add_place(&front_line, pareto_value(p, point, i), pareto_value(p, point, j));
    if (p->front.m == 2) { add_tangent(&tangents, d, point, i, j); }
  }
  for (int k = 0; k < p->front.planned; k++) {
    const front_state state = p->front.point[k].state;
    if (state != FRONT_DOMINATED && state != FRONT_INFEASIBLE) { continue; }
    add_place(&others, pareto_value(p, k, i), pareto_value(p, k, j));
  }
  if (p->knee >= 0) { add_place(&knee, pareto_value(p, p->knee, i), pareto_value(p, p->knee, j)); }
  json_t *series = json_array();
  add_series(series, "front", p->front.m == 2 ? "both" : "points", &front_line, NULL);
  add_series(series, "tangents", "line", &tangents, "target");
  add_series(series, "dominated or infeasible", "points", &others, "quiet");
  add_series(series, "knee", "points", &knee, "after");
  json_t *spec =
      json_pack("{s:o, s:o, s:o, s:o, s:o}", "x", axis_of(d, i), "y", axis_of(d, j), "series", series, "name",
                json_own_text(mbd_sprintf_dup("front_%s_%s", p->name[i], p->name[j])), "title",
                json_own_text(mbd_sprintf_dup("Front of %s and %s%s", p->name[i], p->name[j],
                                              p->front.m == 2 ? ", with its tangents from the multipliers" : "")));
  return w->sink(w->to, spec, err);
}

mbd_status front_figures(const study_drawing *w, mbd_error *err) {
  const pareto_front *p = &w->d->front;
  for (int i = 0; i < p->front.m && p->nefficient > 1; i++) {
    for (int j = i + 1; j < p->front.m; j++) { MBD_TRY(figure_of(w, i, j, err)); }
  }
  return MBD_OK;
}
