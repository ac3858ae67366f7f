#include "study/pareto_start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/kkt.h"
#include "backend/optimality.h"
#include "base/memory.h"
#include "files/memory.h"

void pareto_numbers(const json_t *o, const char *key, int n, double *v) {
  const json_t *list = json_object_get(o, key);
  for (int i = 0; i < n; i++) { v[i] = json_number_of(json_array_get(list, (size_t)i)); }
}

/* ---- what points have left ---- */

/* One of the two points between which another one lies, from its record. */
typedef struct end {
  int is, moves;                      /* 0: there is no design; it is not known how it moves */
  double *x;                          /* [n] its design */
  double *multiplier;                 /* [nconstraint] those of the constraints, for a normal of length one */
  double *move;                       /* [n] dx by (6.20), and */
  double along[2];                    /* with it the changes of the objectives as they are */
  double above[FRONT_OBJECTIVES_MAX]; /* true values less smooth ones of the objectives, scaled */
} end;

/* Adds the rests of a record to those that are known; returns 1 if it has any. */
static int add_rests(const json_t *record, secants *known) {
  const json_t *list = json_object_get(record, "rests");
  const int size = known->nf * known->n * known->n, is = size > 0 && json_array_size(list) == (size_t)size;
  for (int i = 0; i < size && is; i++) { known->rest[i] += json_number_of(json_array_get(list, (size_t)i)); }
  return is;
}

/* Reads the end e; *rests counts those whose rests were added to r->secants; NULL: none are. */
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
  for (int k = 0; k < f->m; k++) { e->above[k] = 0; }
  for (int j = 0; j < m->nobjective; j++) {
    const double above =
        runs_number_in(record, "true ", mechanism_quantity(m, j)) - runs_number(record, mechanism_quantity(m, j));
    for (int k = 0; k < f->m && isfinite(above); k++) {
      e->above[k] += r->sum[k * m->nobjective + j] * above / r->size[k];
    }
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
  if (rests) { *rests += add_rests(o, &r->secants); }
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

/* The change of s_0 + sign s_1 along the move of an end; u changes with the sign -1. */
static double change_of(const pareto_run *r, const end *e, int sign) {
  return e->along[0] / r->size[0] + sign * e->along[1] / r->size[1];
}

/* s_0 + sign s_1 at point i. */
static double scaled_sum(const front *f, int i, int sign) {
  return front_scaled(f, 0, f->point[i].f[0]) + sign * front_scaled(f, 1, f->point[i].f[1]);
}

/* What has the derivative `slope` by u at point p, and had `before` at point q, goes so far to u + h (6.45); q = -1: there is no other point. */
static double ahead(const front *f, int p, int q, double h, double slope, double before) {
  const double turn = q < 0 ? 0 : (slope - before) / (scaled_sum(f, p, -1) - scaled_sum(f, q, -1));
  return h * slope + h * h / 2 * turn;
}

/* The design x at u + h from the end e, point p; behind it lies `outer`, point q, where that moves. Returns s_0 + s_1 there. */
static double go_ahead(const end *e, const end *outer, const mechanism *m, const front *f, const pareto_run *r, int p,
                       int q, double h, double *x) {
  const double du = change_of(r, e, -1), du_before = change_of(r, outer, -1);
  if (!outer->moves) { q = -1; }
  for (int j = 0; j < m->n; j++) {
    const double moved = e->x[j] + ahead(f, p, q, h, e->move[j] / du, outer->move[j] / du_before);
    x[j] = fmin(fmax(moved, m->lower[j]), m->upper[j]);
  }
  return scaled_sum(f, p, 1) + ahead(f, p, q, h, change_of(r, e, 1) / du, change_of(r, outer, 1) / du_before);
}

/* Between two ends on different branches, as the ways from both tell which do not meet in the middle: the start on the lower one. */
static void choose_branch(const end e[2], const end outer[2], mechanism *m, const front *f, const pareto_run *r) {
  const int *p = r->step.from, *q = r->step.outer;
  const double h = (scaled_sum(f, p[1], -1) - scaled_sum(f, p[0], -1)) / 2;
  double *x[2] = {e[0].move + m->n, e[1].move + m->n}, sum[2], aside = 0, apart = 0;
  for (int i = 0; i < 2; i++) { sum[i] = go_ahead(&e[i], &outer[i], m, f, r, p[i], q[i], i ? -h : h, x[i]); }
  for (int j = 0; j < m->n; j++) {
    aside += pow((x[0][j] - x[1][j]) / m->scale[j], 2), apart += pow((e[0].x[j] - e[1].x[j]) / m->scale[j], 2);
  }
  if (sqrt(aside) > sqrt(apart) / 4) { memcpy(m->design.start, x[sum[1] < sum[0]], (size_t)m->n * sizeof *x[0]); }
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

/* Limits are for true values; the optimizer sees smooth ones, which are apart from them as at the ends. */
static void shift_limits(const end e[2], pareto_run *r) {
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < r->step.nlimit && e[i].is; k++) {
      for (int j = 0; j < r->m; j++) { r->front.limit[k] -= r->step.row[k][j] * e[i].above[j] / (e[0].is + e[1].is); }
    }
  }
}

/* Of two objectives the one of the two ends that meets the limit is another start. */
static void find_other(const end e[2], const mechanism *m, const front *f, pareto_run *r) {
  for (int i = 0; i < 2 && r->m == 2; i++) {
    const int k = r->step.minimized, c = 1 - k;
    const front_point *p = &f->point[r->step.from[i]];
    if (!e[i].is || front_scaled(f, c, p->f[c]) > r->step.limit[0]) { continue; }
    memcpy(r->other, e[i].x, (size_t)m->n * sizeof *e[i].x);
    r->other_value = p->f[k] / r->size[k] - e[i].above[k];
  }
}

mbd_status pareto_start_find(study *s, mechanism *m, const front *f, pareto_run *r, mbd_error *err) {
  const int n = m->n;
  const size_t one = 3 * (size_t)n + (size_t)m->nconstraint;
  end e[2] = {{.x = r->ends}, {.x = r->ends + one}}, outer[2] = {{.x = r->ends + 2 * one}, {.x = r->ends + 3 * one}};
  double estimate[FRONT_LIMITS_MAX];
  int rests = 0;
  memcpy(estimate, r->step.multiplier, sizeof estimate);
  for (int i = 0; i < 2; i++) {
    const int from = r->step.ahead != 0 && i == 1 ? -1 : r->step.from[i]; /* the far one is for another wave */
    MBD_TRY(read_end(s, m, f, from, r, &e[i], &rests, err));
    MBD_TRY(read_end(s, m, f, r->step.outer[i], r, &outer[i], NULL, err));
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
  if (r->step.ahead != 0 && e[0].moves) {
    go_ahead(&e[0], &outer[0], m, f, r, r->step.from[0], r->step.outer[0], r->step.ahead, m->design.start);
  }
  if (e[0].is && e[0].moves && e[1].is && e[1].moves) {
    follow(e, m, f, r, estimate);
    if (outer[0].moves && outer[1].moves) { choose_branch(e, outer, m, f, r); }
  }
  find_multipliers(e, m, estimate, r);
  shift_limits(e, r);
  find_other(e, m, f, r);
  return MBD_OK;
}

/* ---- the conditions at a design ---- */

/* Their system in variables divided by their scales, with what the multipliers leave of the gradient. */
typedef struct moves {
  int n, rows;
  double *L, *A; /* [n][n] matrix of the Lagrangian, [rows][n] what holds the design, rows of length one */
  double *r;     /* [n] gradient of the Lagrangian without bounds */
  double *v;     /* [n + rows] right-hand side, then solution */
  double *work;
  double left; /* decrease on the way to constraints and bounds that count as holding the design */
} moves;

static void add_row(moves *sys, const mechanism *m, const double *g) {
  double length = 0, *row = sys->A + sys->rows++ * sys->n;
  for (int j = 0; j < sys->n; j++) { row[j] = g[j] * m->scale[j], length += row[j] * row[j]; }
  for (int j = 0; j < sys->n; j++) { row[j] /= sqrt(length); }
}

/* Rows of the constraints that have multipliers, and of bounds that are nearer than their multipliers, in scales, as interior-point methods end. */
static void find_rows(const mechanism *m, const double *x, const double *multipliers, moves *sys) {
  const int n = m->n;
  for (int k = 0; k < m->nconstraint; k++) {
    if (multipliers[k] == 0) { continue; }
    const double c = m->psi[m->nobjective + k], way = multipliers[k] > 0 ? m->c_upper[k] - c : c - m->c_lower[k];
    sys->left += fabs(multipliers[k]) * fmax(way, 0);
    add_row(sys, m, m->grad + (m->nobjective + k) * n);
  }
  for (int j = 0; j < n; j++) {
    const double way = sys->r[j] > 0 ? x[j] - m->lower[j] : m->upper[j] - x[j];
    if (!(way / m->scale[j] < fabs(sys->r[j]))) { continue; }
    sys->left += fabs(sys->r[j]) * way / m->scale[j];
    double *row = sys->A + sys->rows++ * n;
    for (int i = 0; i < n; i++) { row[i] = i == j; }
  }
}

/* The system at x with its multipliers [nconstraint + nlimit], where m->grad and the second derivatives are; sys->L is to be freed in any case. */
static mbd_status make_system(const pareto_run *r, const mechanism *m, const double *x, const double *multipliers,
                              moves *sys, mbd_error *err) {
  const size_t n = (size_t)m->n, rows = n + (size_t)m->nconstraint + FRONT_LIMITS_MAX, all = n + rows;
  *sys = (moves){.n = m->n, .L = mbd_zeros(2 * n * n + rows * n + n + all + all * all, sizeof *sys->L)};
  MEMORY_TRY(sys->L, err, "the conditions of a point of a front");
  double *one = sys->L + n * n;
  sys->A = one + n * n, sys->r = sys->A + rows * n, sys->v = sys->r + n, sys->work = sys->v + all;
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    double weight = i < m->nobjective ? r->front.weight[i] : multipliers[i - m->nobjective];
    for (int k = 0; k < r->front.nrow && i < m->nobjective; k++) {
      weight += multipliers[m->nconstraint + k] * r->front.row[k * m->nobjective + i];
    }
    for (int j = 0; j < m->n; j++) { sys->r[j] += weight * m->grad[i * m->n + j] * m->scale[j]; }
    if (i >= m->nobjective) { continue; }
    secants_matrix(&r->secants, i, one);
    for (int j = 0; j < m->n * m->n; j++) { sys->L[j] += weight * one[j] * m->scale[j / m->n] * m->scale[j % m->n]; }
  }
  find_rows(m, x, multipliers, sys);
  return MBD_OK;
}

/* ---- what a point leaves ---- */

/* dx [n] by (6.20) with the changes along [m] of the objectives; returns 0 if it is not determined, or 0, as at a corner of what is allowed. */
static int find_move(const pareto_run *r, const mechanism *m, moves *sys, double *move, double *along) {
  const int n = m->n, no = m->nobjective;
  const double *other = r->step.nlimit == 0 ? r->sum + (1 - r->step.minimized) * no : r->front.row;
  for (int i = 0; i < no; i++) {
    for (int j = 0; j < n; j++) { sys->v[j] -= other[i] * m->grad[i * n + j] * m->scale[j]; }
  }
  if (!kkt_solve(n, sys->rows, sys->L, sys->A, 1, sys->v, sys->work)) { return 0; }
  double length = 0;
  for (int j = 0; j < n; j++) { move[j] = sys->v[j] * m->scale[j], length = fmax(length, fabs(sys->v[j])); }
  for (int k = 0; k < r->m; k++) {
    along[k] = 0;
    for (int i = 0; i < no; i++) {
      for (int j = 0; j < n; j++) { along[k] += r->sum[k * no + i] * m->grad[i * n + j] * move[j]; }
    }
  }
  return length > 1e-12;
}

mbd_status pareto_start_leave(pareto_run *r, mechanism *m, const double *x, const double *multipliers, json_t *record,
                              mbd_error *err) {
  double *move = r->ends, along[FRONT_OBJECTIVES_MAX];
  moves sys;
  if (r->secants.n == 0 || r->m != 2 || !multipliers) { return MBD_OK; }
  r->front.secants = &r->secants;
  const mbd_status status = mechanism_front_matrices(m, x, err);
  if (status != MBD_OK) { return status == MBD_NO_MEMORY || status == MBD_INTERRUPTED ? status : MBD_OK; }
  MBD_TRY(make_system(r, m, x, multipliers, &sys, err));
  if (find_move(r, m, &sys, move, along)) {
    json_object_set_new(record, "move", json_numbers(move, m->n));
    json_object_set_new(record, "along", json_numbers(along, r->m));
  }
  json_object_set_new(record, "rests", json_numbers(r->secants.rest, r->secants.nf * m->n * m->n));
  free(sys.L);
  return MBD_OK;
}

/* ---- where a point ends ---- */

static const double of_anchor = 0.1; /* of the tolerance, for an anchor */

/* The decrease (6.46) at x. */
static double decrease_left(const pareto_run *r, const mechanism *m, const double *x, const mbo_eval *v,
                            const double *multipliers) {
  const int n = m->n;
  moves sys;
  if (make_system(r, m, x, multipliers, &sys, NULL) != MBD_OK) { return INFINITY; }
  for (int k = 0; k < r->front.nrow; k++) { add_row(&sys, m, v->jac + (m->nconstraint + k) * n); }
  for (int j = 0; j < n; j++) { sys.v[j] = -sys.r[j]; }
  const int solved = kkt_solve(n, sys.rows, sys.L, sys.A, 1, sys.v, sys.work);
  double left = 0;
  for (int j = 0; j < n; j++) { left -= sys.r[j] * sys.v[j] / 2; }
  free(sys.L);
  return solved && left >= 0 ? left + sys.left : INFINITY;
}

int pareto_is_enough(pareto_run *r, mechanism *m, double tol_constraint, double tolerance, const double *x,
                     const mbo_eval *v) {
  const int nc = m->nconstraint, nrow = r->front.nrow;
  double *limit = m->c_upper + nc, *multipliers = r->ends, left = INFINITY;
  mbo_problem p;
  const int asked = !isnan(r->first);
  if (!asked) { r->first = v->f; }
  if (nrow == 0) { tolerance *= of_anchor * fmin(fabs(v->f), fabs(v->f - r->first)); }
  for (int k = 0; k < nrow; k++) {
    if (!(fabs(v->c[nc + k] - r->front.limit[k]) <= fmax(r->step.band, FRONT_SAME))) { return 0; }
  }
  /* The point of the front at its own values. */
  for (int k = 0; k < nrow; k++) { limit[k] = v->c[nc + k]; }
  mechanism_problem(m, &p);
  if (optimality(&p, x, v->g, v->c, v->jac, tol_constraint, &left, multipliers, NULL) != MBD_OK) { left = NAN; }
  if (left > tolerance && mechanism_front_matrices(m, x, NULL) == MBD_OK) {
    left = decrease_left(r, m, x, v, multipliers);
  }
  if (left <= tolerance) { return 1; }
  for (int k = 0; k < nrow; k++) { *(asked ? &limit[k] : &r->front.limit[k]) = asked ? r->front.limit[k] : limit[k]; }
  return 0;
}
