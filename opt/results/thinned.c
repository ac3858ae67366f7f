#include "results/thinned.h"

#include <stdlib.h>
#include <string.h>

#include "files/memory.h"

enum { KEPT = 3 }; /* nodes of an interval: the first, the least and the largest value */
static int is_output(const mechanism_case *load_case, const series_column *column) {
  if (column->kind == SERIES_OUTPUT) { return 1; }
  for (int i = 0; column->kind == SERIES_COORDINATE && i < mbd_outputs_count(load_case->outputs); i++) {
    if (mbd_outputs_coordinate(load_case->outputs, i) >= 0 &&
        strcmp(mbd_outputs_name(load_case->outputs, i), column->name) == 0) {
      return 1;
    }
  }
  return 0;
}

static void curve_create(thinned_curve *c, int nodes, int max) {
  c->stretch = nodes <= KEPT * max ? 1 : (nodes + max - 1) / max;
  const int stretches = (nodes + c->stretch - 1) / c->stretch;
  const size_t capacity = (size_t)(c->stretch == 1 ? nodes : KEPT * stretches) + 1;
  c->node = mbd_zeros(capacity, sizeof *c->node);
  c->t = mbd_zeros(capacity, sizeof *c->t);
  c->y = mbd_zeros(capacity, sizeof *c->y);
}

mbd_status thinned_create(const mechanism *m, const mechanism_case *load_case, int max, int max_others, thinned *w,
                          mbd_error *err) {
  const int nodes = mbd_sim_steps(load_case->sim) + 1;
  *w = (thinned){0};
  MBD_TRY(series_create(m, load_case, SERIES_ALL, &w->columns, err));
  w->curve = mbd_zeros((size_t)w->columns.n, sizeof *w->curve);
  for (int i = 1; w->curve && i < w->columns.n; i++) {
    curve_create(&w->curve[i], nodes, is_output(load_case, &w->columns.column[i]) ? max : max_others);
  }
  return MEMORY_WHOLE(err, "the curves of case '%s'", load_case->config->name);
}

void thinned_free(thinned *w) {
  for (int i = 0; w->curve && i < w->columns.n; i++) {
    free(w->curve[i].node), free(w->curve[i].t), free(w->curve[i].y);
  }
  free(w->curve);
  series_free(&w->columns);
  *w = (thinned){0};
}

void thinned_restart(thinned *w) {
  w->nodes = 0;
  for (int i = 1; i < w->columns.n; i++) { w->curve[i].n = w->curve[i].seen = 0; }
}

static void keep(thinned_curve *c, const thinned_node *node) {
  if (c->n > 0 && c->node[c->n - 1] >= node->k) { return; }
  c->node[c->n] = node->k, c->t[c->n] = node->t, c->y[c->n] = node->y;
  c->n++;
}

/* Appends the kept nodes of an interval in their order. */
static void end_stretch(thinned_curve *c) {
  if (c->seen == 0) { return; }
  const int min_first = c->extreme[0].k <= c->extreme[1].k;
  keep(c, &c->first);
  keep(c, &c->extreme[!min_first]);
  keep(c, &c->extreme[min_first]);
  c->seen = 0;
}

void thinned_add(thinned *w, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                 const double *y) {
  series_fill(&w->columns, t, z, zd, zdd, lam, y);
  for (int i = 1; i < w->columns.n; i++) {
    thinned_curve *c = &w->curve[i];
    const thinned_node node = {w->nodes, t, w->columns.row[i]};
    if (c->seen == 0) { c->first = c->extreme[0] = c->extreme[1] = node; }
    if (node.y < c->extreme[0].y) { c->extreme[0] = node; }
    if (node.y > c->extreme[1].y) { c->extreme[1] = node; }
    if (++c->seen == c->stretch) { end_stretch(c); }
  }
  w->last = t;
  w->nodes++;
}

void thinned_end(thinned *w) {
  for (int i = 1; i < w->columns.n; i++) {
    end_stretch(&w->curve[i]);
    if (w->nodes > 0) { keep(&w->curve[i], &(thinned_node){w->nodes - 1, w->last, w->columns.row[i]}); }
  }
}
