#include "study/optima.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"

double optima_same(double tol_f, double size, double f_start, double noise) {
  return fmax(tol_f * fmax(size, isfinite(f_start) ? fabs(f_start) : 0), noise);
}

int optima_same_design(const optima *o, const double *x, const double *y, double tol) {
  for (int j = 0; j < o->nx; j++) {
    const double scale = o->scale ? o->scale[j] : 1, period = o->period ? o->period[j] : 0;
    const double size = fmax(period > 0 ? 0 : fmax(fabs(x[j]), fabs(y[j])), scale);
    const double apart = period > 0 ? remainder(x[j] - y[j], period) : x[j] - y[j];
    if (fabs(apart) > tol * o->tol_x * size) { return 0; }
  }
  return 1;
}

static int agree(const optima *o, const optimum *p, const optima_end *e) {
  const double size = fmax(fabs(e->f), fabs(p->first_f));
  if (fabs(e->f - p->first_f) > optima_same(o->tol_f, size, e->f_start, fmax(e->noise, p->noise))) { return 0; }
  return optima_same_design(o, e->x, p->first_x, 1);
}

static mbd_status add_new(optima *o, const optima_end *e, mbd_error *err) {
  const size_t bytes = (size_t)o->nx * sizeof *e->x;
  optimum *grown = mbd_list_grow(o->found, o->n, sizeof *grown);
  if (grown) { o->found = grown; }
  double *both = grown ? malloc(2 * bytes + 1) : NULL;
  MEMORY_TRY(both, err, "the optima");
  memcpy(both, e->x, bytes), memcpy(both + o->nx, e->x, bytes);
  grown[o->n] = (optimum){.id = o->n,
                          .run = e->run,
                          .found = 1,
                          .converged = e->converged,
                          .stopped = e->stopped,
                          .f = e->f,
                          .x = both,
                          .noise = e->noise,
                          .first_f = e->f,
                          .first_x = both + o->nx};
  o->n++;
  return MBD_OK;
}

mbd_status optima_add(optima *o, const optima_end *e, int *id, mbd_error *err) {
  for (int i = 0; i < o->n; i++) {
    optimum *p = &o->found[i];
    if (!agree(o, p, e)) { continue; }
    *id = p->id;
    p->noise = fmax(p->noise, e->noise);
    p->found++, p->converged += e->converged, p->stopped += e->stopped;
    if (e->f < p->f) {
      p->f = e->f, p->run = e->run;
      memcpy(p->x, e->x, (size_t)o->nx * sizeof *e->x);
    }
    return MBD_OK;
  }
  *id = o->n < OPTIMA_MAX ? o->n : -1;
  if (o->n < OPTIMA_MAX) { return add_new(o, e, err); }
  o->more++;
  return MBD_OK;
}

double optima_missed(const optima *o) {
  const double w = (double)o->n + (double)o->more;
  double starts = (double)o->more;
  for (int i = 0; i < o->n; i++) { starts += (double)o->found[i].found; }
  return w > 0 && starts >= w + 2 ? w * (w + 1) / (starts * (starts - 1)) : NAN;
}

static int by_objective(const void *a, const void *b) {
  const double x = ((const optimum *)a)->f, y = ((const optimum *)b)->f;
  return (x > y) - (x < y);
}

static void take_out_stopped(optima *o) {
  int n = 0;
  for (int i = 0; i < o->n; i++) {
    const optimum *p = &o->found[i];
    if (p->stopped < p->found) {
      o->found[n++] = *p;
      continue;
    }
    if (o->stopped == 0 || p->f < o->stopped_f) { o->stopped_f = p->f, o->stopped_run = p->run; }
    o->stopped += p->found;
    free(p->x);
  }
  o->n = n;
}

void optima_sort(optima *o) {
  take_out_stopped(o);
  if (o->n) { qsort(o->found, (size_t)o->n, sizeof *o->found, by_objective); }
}

void optima_free(optima *o) {
  for (int i = 0; i < o->n; i++) { free(o->found[i].x); }
  free(o->found), free(o->lacking);
  *o = (optima){0};
}
