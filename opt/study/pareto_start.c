#include "study/pareto_start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/kkt.h"
#include "base/memory.h"
#include "files/memory.h"

void pareto_numbers(const json_t *o, const char *key, int n, double *v) {
  const json_t *list = json_object_get(o, key);
  for (int i = 0; i < n; i++) { v[i] = json_number_of(json_array_get(list, (size_t)i)); }
}

/* ---- what points have left ---- */

/* One of the two points between which another one lies, from its record. */
typedef struct end {
  int is, moves;      /* 0: there is no design; it is not known how it moves */
  double *x;          /* [n] its design */
  double *multiplier; /* [nconstraint] those of the constraints, for a normal of length one */
  double *move;       /* [n] dx by (6.20), and */
  double along[2];    /* with it the changes of the objectives as they are */
} end;

/* Adds the rests of a record to those that are known; returns 1 if it has any. */
static int add_rests(const json_t *record, secants *known) {
  const json_t *list = json_object_get(record, "rests");
  const int size = known->nf * known->n * known->n, is = size > 0 && json_array_size(list) == (size_t)size;
  for (int i = 0; i < size && is; i++) { known->rest[i] += json_number_of(json_array_get(list, (size_t)i)); }
  return is;
}

/* Reads the end e; *rests counts those whose rests were added to r->secants. */
static mbd_status read_end(study *s, const mechanism *m, const front *f, int i, pareto_run *r, end *e, int *rests,
                           mbd_error *err) {
  const size_t n = (size_t)m->n;
  runs_state state;
  json_t *record;
  double length = 0;
  e->multiplier = e->x + n, e->move = e->multiplier + m->nconstraint;
  if (i < 0) { return MBD_OK; }
  MBD_TRY(runs_read(s, i, &state, &record, err));
  for (int j = 0; record && j < m->n; j++) {
    e->x[j] = runs_number_in(record, "result.", m->name[j]);
    e->is = j == 0 ? isfinite(e->x[j]) != 0 : e->is && isfinite(e->x[j]);
  }
  const json_t *o = json_object_get(record, "front");
  /* An anchor minimizes its objective as it is. */
  const front_point *p = &f->point[i];
  for (int k = 0; k < f->m; k++) { length += p->normal[k] * p->normal[k]; }
  if (p->step.nlimit == 0) { length *= pow(f->high[p->step.minimized] - f->low[p->step.minimized], 2); }
  pareto_numbers(o, "constraint_multipliers", m->nconstraint, e->multiplier);
  for (int k = 0; k < m->nconstraint; k++) {
    e->multiplier[k] = isfinite(e->multiplier[k] / sqrt(length)) ? e->multiplier[k] / sqrt(length) : 0;
  }
  *rests += add_rests(o, &r->secants);
  pareto_numbers(o, "move", m->n, e->move);
  pareto_numbers(o, "along", 2, e->along);
  e->moves = f->m == 2 && m->n > 0 && isfinite(e->move[0]) && isfinite(e->along[0]);
  json_decref(record);
  return MEMORY_WHOLE(err, "the front in %s", s->folder);
}

/* ---- the start ---- */

/* The cubic with values and slopes at both ends, at t of the way h between them, and its slope there. */
static double cubic(double t, double h, const double v[2], const double slope[2], double *at) {
  const double a = 2 * v[0] + h * slope[0] - 2 * v[1] + h * slope[1],
               b = -3 * v[0] - 2 * h * slope[0] + 3 * v[1] - h * slope[1];
  if (at) { *at = (3 * a * t * t + 2 * b * t + h * slope[0]) / h; }
  return ((a * t + b) * t + h * slope[0]) * t + v[0];
}

/* The start on the cubics between both ends, and the multiplier of the limit there. Where they lead farther from the straight way than half of its length,
 * the ends are too far from each other for them, and nothing changes. */
static void follow(const end e[2], mechanism *m, const front *f, const pareto_run *r, double *estimate) {
  const int k = r->step.minimized, c = 1 - k;
  double u[2], limited[2], limited_slope[2], size[2], slope, low = 0, high = 1;
  for (int i = 0; i < 2; i++) {
    const double dk = e[i].along[k] / r->size[k], dc = e[i].along[c] / r->size[c];
    size[i] = dk - dc;
    limited[i] = front_scaled(f, c, f->point[r->step.from[i]].f[c]);
    u[i] = front_scaled(f, k, f->point[r->step.from[i]].f[k]) - limited[i];
    limited_slope[i] = dc / size[i];
    if (!(fabs(size[i]) > 1e-6 * (fabs(dk) + fabs(dc)))) { return; }
  }
  const double h = u[1] - u[0];
  for (int round = 0; round < 50; round++) {
    const double t = (low + high) / 2, value = cubic(t, h, limited, limited_slope, NULL);
    if ((value - r->step.limit[0]) * (limited[0] - r->step.limit[0]) > 0) {
      low = t;
    } else {
      high = t;
    }
  }
  double *start = e[0].move + m->n, aside = 0, apart = 0;
  cubic(low, h, limited, limited_slope, &slope);
  for (int j = 0; j < m->n; j++) {
    const double x[2] = {e[0].x[j], e[1].x[j]}, dx[2] = {e[0].move[j] / size[0], e[1].move[j] / size[1]};
    start[j] = fmin(fmax(cubic(low, h, x, dx, NULL), m->lower[j]), m->upper[j]);
    aside += pow((start[j] - x[0] - low * (x[1] - x[0])) / m->scale[j], 2);
    apart += pow((x[1] - x[0]) / m->scale[j], 2);
  }
  if (!(sqrt(aside) < sqrt(apart) / 2)) { return; }
  memcpy(m->design.start, start, (size_t)m->n * sizeof *start);
  if (slope < 0 && slope > -1) { *estimate = -(1 + slope) / slope; }
}

/* Lagrange's multipliers, for the normal that the estimates make. */
static void find_multipliers(const end e[2], const mechanism *m, const double *estimate, pareto_run *r) {
  const int nc = m->nconstraint;
  double normal[FRONT_OBJECTIVES_MAX] = {0}, length = 0;
  normal[r->step.minimized] = 1;
  for (int k = 0; k < r->step.nlimit; k++) {
    for (int i = 0; i < r->m; i++) { normal[i] += estimate[k] * r->step.row[k][i]; }
    r->multiplier[nc + k] = estimate[k];
  }
  for (int i = 0; i < r->m; i++) { length += normal[i] * normal[i]; }
  for (int k = 0; k < nc; k++) {
    const double sum = (e[0].is ? e[0].multiplier[k] : 0) + (e[1].is ? e[1].multiplier[k] : 0);
    r->multiplier[k] = sum / (e[0].is + e[1].is) * sqrt(length);
  }
}

/* Of two objectives the one of the two ends that meets the limit is another start. */
static void find_other(const end e[2], const mechanism *m, const front *f, pareto_run *r) {
  for (int i = 0; i < 2 && r->m == 2; i++) {
    const int k = r->step.minimized, c = 1 - k;
    const front_point *p = &f->point[r->step.from[i]];
    if (!e[i].is || front_scaled(f, c, p->f[c]) > r->step.limit[0]) { continue; }
    memcpy(r->other, e[i].x, (size_t)m->n * sizeof *e[i].x);
    r->other_value = p->f[k] / r->size[k];
  }
}

mbd_status pareto_start_find(study *s, mechanism *m, const front *f, pareto_run *r, mbd_error *err) {
  const int n = m->n;
  end e[2] = {{.x = r->ends}, {.x = r->ends + 3 * n + m->nconstraint}};
  double estimate[FRONT_LIMITS_MAX];
  int rests = 0;
  memcpy(estimate, r->step.multiplier, sizeof estimate);
  for (int i = 0; i < 2; i++) {
    MBD_TRY(read_end(s, m, f, r->step.from[i], r, &e[i], &rests, err));
    e[i].is &= r->step.from[i] != r->step.beyond;
  }
  for (int i = 0; i < r->secants.nf * n * n && rests > 1; i++) { r->secants.rest[i] /= rests; }
  if (e[0].is && e[1].is) {
    for (int j = 0; j < n; j++) { m->design.start[j] = (e[0].x[j] + e[1].x[j]) / 2; }
  } else if (e[0].is || e[1].is) {
    memcpy(m->design.start, e[e[0].is ? 0 : 1].x, (size_t)n * sizeof *e[0].x);
  } else {
    return MBD_OK;
  }
  if (e[0].is && e[0].moves && e[1].is && e[1].moves) { follow(e, m, f, r, estimate); }
  find_multipliers(e, m, estimate, r);
  find_other(e, m, f, r);
  return MBD_OK;
}

/* ---- what a point leaves ---- */

/* The system (6.20) in variables divided by their scales: L [n][n], A [n + nc][n], its right-hand side [n + n + nc]. */
typedef struct moves {
  int n, rows;
  double *L, *A, *v, *work;
} moves;

static void add_row(moves *sys, const mechanism *m, const double *g) {
  double length = 0, *row = sys->A + sys->rows++ * sys->n;
  for (int j = 0; j < sys->n; j++) { row[j] = g[j] * m->scale[j], length += row[j] * row[j]; }
  for (int j = 0; j < sys->n; j++) { row[j] /= sqrt(length); }
}

/* Rows of the constraints that have multipliers, and of bounds that are nearer than their multipliers, in scales, as interior-point methods end. */
static void find_rows(const mechanism *m, const double *x, const double *multipliers, const double *weight,
                      moves *sys) {
  const int n = m->n, no = m->nobjective;
  for (int k = 0; k < m->nconstraint; k++) {
    if (multipliers[k] != 0) { add_row(sys, m, m->grad + (no + k) * n); }
  }
  for (int j = 0; j < n; j++) {
    double rest = 0;
    for (int i = 0; i < no; i++) { rest += weight[i] * m->grad[i * n + j]; }
    for (int k = 0; k < m->nconstraint; k++) { rest += multipliers[k] * m->grad[(no + k) * n + j]; }
    const double way = rest > 0 ? x[j] - m->lower[j] : m->upper[j] - x[j];
    if (!(way / m->scale[j] < fabs(rest) * m->scale[j])) { continue; }
    double *row = sys->A + sys->rows++ * n;
    for (int i = 0; i < n; i++) { row[i] = i == j; }
  }
}

/* dx [n] by (6.20) with the changes along [m] of the objectives; returns 0 if it is not determined. */
static int find_move(const pareto_run *r, const mechanism *m, const double *x, const double *multipliers, double *block,
                     double *move, double *along) {
  const int n = m->n, no = m->nobjective, anchor = r->step.nlimit == 0;
  const double *other = anchor ? r->sum + (1 - r->step.minimized) * no : r->front.row;
  double *weight = block;
  moves sys = {.n = n, .L = weight + no};
  sys.A = sys.L + 2 * n * n, sys.v = sys.A + (n + m->nconstraint) * n, sys.work = sys.v + 2 * n + m->nconstraint;
  for (int i = 0; i < no; i++) {
    weight[i] = r->front.weight[i] + (anchor ? 0 : multipliers[m->nconstraint] * r->front.row[i]);
    double *one = sys.L + n * n;
    secants_matrix(&r->secants, i, one);
    for (int j = 0; j < n * n; j++) { sys.L[j] += weight[i] * one[j] * m->scale[j / n] * m->scale[j % n]; }
    for (int j = 0; j < n; j++) { sys.v[j] -= other[i] * m->grad[i * n + j] * m->scale[j]; }
  }
  find_rows(m, x, multipliers, weight, &sys);
  if (!kkt_solve(n, sys.rows, sys.L, sys.A, 1, sys.v, sys.work)) { return 0; }
  for (int j = 0; j < n; j++) { move[j] = sys.v[j] * m->scale[j]; }
  for (int k = 0; k < r->m; k++) {
    along[k] = 0;
    for (int i = 0; i < no; i++) {
      for (int j = 0; j < n; j++) { along[k] += r->sum[k * no + i] * m->grad[i * n + j] * move[j]; }
    }
  }
  return 1;
}

mbd_status pareto_start_leave(pareto_run *r, mechanism *m, const double *x, const double *multipliers, json_t *record,
                              mbd_error *err) {
  const size_t n = (size_t)m->n, nc = (size_t)m->nconstraint, all = 2 * n + nc;
  double *move = r->ends, along[FRONT_OBJECTIVES_MAX];
  if (r->secants.n == 0 || r->m != 2 || !multipliers) { return MBD_OK; }
  r->front.secants = &r->secants;
  const mbd_status status = mechanism_front_matrices(m, x, err);
  if (status != MBD_OK) { return status == MBD_NO_MEMORY || status == MBD_INTERRUPTED ? status : MBD_OK; }
  double *block = mbd_zeros((size_t)m->nobjective + 2 * n * n + (n + nc) * n + all + all * all, sizeof *block);
  MEMORY_TRY(block, err, "how the optimum moves along the front");
  if (find_move(r, m, x, multipliers, block, move, along)) {
    json_object_set_new(record, "move", json_numbers(move, m->n));
    json_object_set_new(record, "along", json_numbers(along, r->m));
  }
  json_object_set_new(record, "rests", json_numbers(r->secants.rest, r->secants.nf * m->n * m->n));
  free(block);
  return MBD_OK;
}
