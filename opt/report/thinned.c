#include "report/thinned.h"

#include <stdlib.h>

enum { KEPT = 3 }; /* nodes of a stretch */
enum { TIME, VALUE };

mbd_status thinned_create(const mechanism *m, const mechanism_case *q, int most, thinned *w, mbd_error *err) {
  const int nodes = mbd_sim_steps(q->sim) + 1;
  *w = (thinned){.stretch = nodes <= KEPT * most ? 1 : (nodes + most - 1) / most};
  MBD_TRY(series_create(m, q, &w->columns, err));
  const int stretches = (nodes + w->stretch - 1) / w->stretch;
  const size_t room = (size_t)(w->stretch == 1 ? nodes : KEPT * stretches) + 1;
  w->curve = calloc((size_t)w->columns.n, sizeof *w->curve);
  int ok = w->curve != NULL;
  for (int i = 1; ok && i < w->columns.n; i++) {
    w->curve[i].t = calloc(room, sizeof(double));
    w->curve[i].y = calloc(room, sizeof(double));
    ok = w->curve[i].t && w->curve[i].y;
  }
  if (!ok) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the curves of case '%s'", q->config->name); }
  return MBD_OK;
}

void thinned_free(thinned *w) {
  for (int i = 0; w->curve && i < w->columns.n; i++) { free(w->curve[i].t), free(w->curve[i].y); }
  free(w->curve);
  series_free(&w->columns);
  *w = (thinned){0};
}

static void keep(thinned_curve *c, const double node[2]) {
  if (c->n > 0 && c->t[c->n - 1] >= node[TIME]) { return; }
  c->t[c->n] = node[TIME], c->y[c->n++] = node[VALUE];
}

/* The nodes of a stretch in the order of their times. */
static void end_stretch(thinned_curve *c) {
  if (c->seen == 0) { return; }
  const int least_first = c->extreme[0][TIME] <= c->extreme[1][TIME];
  keep(c, c->first);
  keep(c, c->extreme[!least_first]);
  keep(c, c->extreme[least_first]);
  c->seen = 0;
}

static void copy(double to[2], const double from[2]) {
  to[TIME] = from[TIME], to[VALUE] = from[VALUE];
}

static void add(thinned_curve *c, int stretch, const double node[2]) {
  if (c->seen == 0) { copy(c->first, node), copy(c->extreme[0], node), copy(c->extreme[1], node); }
  if (node[VALUE] < c->extreme[0][VALUE]) { copy(c->extreme[0], node); }
  if (node[VALUE] > c->extreme[1][VALUE]) { copy(c->extreme[1], node); }
  if (++c->seen == stretch) { end_stretch(c); }
}

void thinned_add(thinned *w, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                 const double *y) {
  series_fill(&w->columns, t, z, zd, zdd, lam, y);
  for (int i = 1; i < w->columns.n; i++) { add(&w->curve[i], w->stretch, (double[]){t, w->columns.row[i]}); }
  w->last = t;
  w->nodes++;
}

void thinned_end(thinned *w) {
  for (int i = 1; i < w->columns.n; i++) {
    end_stretch(&w->curve[i]);
    if (w->nodes > 0) { keep(&w->curve[i], (double[]){w->last, w->columns.row[i]}); }
  }
}
