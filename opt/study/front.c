#include "study/front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "files/memory.h"

enum { TRIES_MAX = 3 }; /* between two neighbours: in the middle, beyond an end, in the middle the other way round */
static const double share = 0.5; /* of the largest gap, which others of the same wave have at least */
/* Steps over u go at least so far, and so many times as far as equal ones would. */
static const double step_min = 0.17, wider = 1.2;
static const double part = 0.2;     /* band of a limit, of the way of the limited objective */
static const double too_close = 10; /* times FRONT_SAME: neighbours so near to each other have nothing between them */

const char *front_state_name(front_state s) {
  static const char *const names[] = {"unknown",    "efficient", "dominated", "repeated",
                                      "infeasible", "failed",    "not needed"};
  return names[s];
}

mbd_status front_create(int m, int n, front *f, mbd_error *err) {
  *f = (front){.m = m, .n = n};
  f->point = mbd_zeros((size_t)n, sizeof *f->point);
  f->place = mbd_zeros((size_t)n, sizeof *f->place);
  f->triangle = mbd_zeros(2 * (size_t)n, sizeof *f->triangle);
  MEMORY_TRY(f->point && f->place && f->triangle, err, "the front");
  for (int i = 0; i < n; i++) {
    front_point *p = &f->point[i];
    p->by = -1;
    for (int k = 0; k < FRONT_OBJECTIVES_MAX; k++) { p->f[k] = p->normal[k] = NAN; }
    for (int k = 0; k < FRONT_LIMITS_MAX; k++) { p->multiplier[k] = NAN; }
  }
  return MBD_OK;
}

void front_free(front *f) {
  free(f->point), free(f->place), free(f->triangle);
  *f = (front){0};
}

double front_scaled(const front *f, int objective, double value) {
  return f->scaled ? (value - f->low[objective]) / (f->high[objective] - f->low[objective]) : value;
}

static double scaled_at(const front *f, int point, int objective) {
  return front_scaled(f, objective, f->point[point].f[objective]);
}

static int has_values(const front *f, int i) {
  const front_state s = f->point[i].state;
  return s == FRONT_EFFICIENT || s == FRONT_DOMINATED || s == FRONT_REPEATED;
}

/* Values, and the normal by (6.16). */
void front_take(front *f, int i, const double *value, const double *multiplier) {
  front_point *p = &f->point[i];
  const front_step *step = &p->step;
  p->state = FRONT_EFFICIENT;
  for (int k = 0; k < f->m; k++) { p->f[k] = value[k], p->normal[k] = k == step->minimized; }
  for (int j = 0; j < step->nlimit; j++) {
    p->multiplier[j] = multiplier ? multiplier[j] : NAN;
    for (int k = 0; k < f->m; k++) { p->normal[k] += p->multiplier[j] * step->row[j][k]; }
  }
}

/* ---- what points are ---- */

/* By how much point i is worse than point j in the objective where it is worst, and best, against it. */
static void compare(const front *f, int i, int j, double *worst, double *best) {
  *worst = -INFINITY, *best = INFINITY;
  for (int k = 0; k < f->m; k++) {
    const double d = scaled_at(f, i, k) - scaled_at(f, j, k);
    *worst = fmax(*worst, d), *best = fmin(*best, d);
  }
}

void front_classify(front *f) {
  double worst, best;
  for (int i = 0; i < f->n; i++) {
    if (has_values(f, i)) { f->point[i].state = FRONT_EFFICIENT, f->point[i].by = -1; }
  }
  for (int i = 0; i < f->n; i++) {
    front_point *p = &f->point[i];
    for (int j = 0; j < i && has_values(f, i); j++) {
      if (!has_values(f, j) || f->point[j].state == FRONT_REPEATED) { continue; }
      compare(f, i, j, &worst, &best);
      if (worst < FRONT_SAME && best > -FRONT_SAME) {
        p->state = FRONT_REPEATED, p->by = j;
        break;
      }
    }
  }
  for (int i = 0; i < f->n; i++) {
    front_point *p = &f->point[i];
    double farthest = FRONT_SAME;
    for (int j = 0; j < f->n && p->state != FRONT_REPEATED && has_values(f, i); j++) {
      if (j == i || !has_values(f, j) || f->point[j].state == FRONT_REPEATED) { continue; }
      compare(f, i, j, &worst, &best);
      if (best >= -FRONT_SAME && worst > farthest) { p->state = FRONT_DOMINATED, p->by = j, farthest = worst; }
    }
  }
}

int front_order(const front *f, int *order) {
  int n = 0;
  for (int i = 0; i < f->n; i++) {
    if (f->point[i].state != FRONT_EFFICIENT) { continue; }
    int k = n++;
    for (; k > 0 && f->point[order[k - 1]].f[0] > f->point[i].f[0]; k--) { order[k] = order[k - 1]; }
    order[k] = i;
  }
  return n;
}

/* (6.17), for a normal of any direction. */
double front_slope(const front *f, int point, int i, int j) {
  const double *w = f->point[point].normal;
  const double size_i = f->scaled ? f->high[i] - f->low[i] : 1, size_j = f->scaled ? f->high[j] - f->low[j] : 1;
  return w[i] == 0 ? NAN : 0 - (w[j] / size_j) / (w[i] / size_i); /* no -0 */
}

/* The unit normal of the line or plane through the anchors in scaled objectives, towards smaller ones; 0: they lie on a line. */
static int anchor_plane(const front *f, double normal[3], double *distance) {
  double a[3][3] = {{0}}, to[2][3];
  for (int i = 0; i < f->m; i++) {
    for (int k = 0; k < f->m; k++) { a[i][k] = scaled_at(f, i, k); }
  }
  if (f->m == 2) {
    normal[0] = a[1][1] - a[0][1], normal[1] = a[0][0] - a[1][0], normal[2] = 0;
  } else {
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < 3; k++) { to[i][k] = a[i + 1][k] - a[0][k]; }
    }
    v3_cross(normal, to[0], to[1]);
  }
  const double sign = normal[0] + normal[1] + normal[2] > 0 ? -1 : 1, size = sign * sqrt(v3_dot(normal, normal));
  for (int k = 0; k < 3; k++) { normal[k] /= size; }
  *distance = v3_dot(normal, a[0]);
  return isfinite(normal[0]) != 0;
}

int front_knee(const front *f, double *distance) {
  double normal[3], plane;
  int knee = -1;
  *distance = FRONT_SAME;
  if (!f->scaled || !anchor_plane(f, normal, &plane)) { return -1; }
  for (int i = 0; i < f->n; i++) {
    double s[3] = {0};
    for (int k = 0; k < f->m; k++) { s[k] = scaled_at(f, i, k); }
    const double d = v3_dot(normal, s) - plane;
    if (f->point[i].state == FRONT_EFFICIENT && d > *distance) { *distance = d, knee = i; }
  }
  return knee;
}

/* ---- the next wave ---- */

/* Scales of the objectives; 0: an anchor is not known, or all anchors have the same value of an objective. */
static int find_scales(front *f) {
  for (int k = 0; k < f->m; k++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < f->m; i++) {
      if (!has_values(f, i)) { return 0; }
      low = fmin(low, f->point[i].f[k]), high = fmax(high, f->point[i].f[k]);
    }
    f->low[k] = low, f->high[k] = high;
    if (!(high - low > 1e-9 * fmax(fabs(low), fabs(high)))) { return 0; }
  }
  return 1;
}

/* A place where a point may come: between two points, with the size of the gap. */
typedef struct gap {
  int a, b, outer[2]; /* of two objectives: the neighbours of a and of b on the other side; -1: none */
  double size;
} gap;

static double distance_of(const front *f, int a, int b) {
  double sum = 0;
  for (int k = 0; k < f->m; k++) { sum += pow(scaled_at(f, a, k) - scaled_at(f, b, k), 2); }
  return sqrt(sum);
}

/* Distance (1 + angle between the normals). */
static double gap_size(const front *f, int a, int b) {
  const double *v = f->point[a].normal, *w = f->point[b].normal;
  double vv = 0, vw = 0, ww = 0;
  for (int k = 0; k < f->m; k++) { vv += v[k] * v[k], vw += v[k] * w[k], ww += w[k] * w[k]; }
  const double cosine = vw / sqrt(vv * ww), angle = isfinite(cosine) ? acos(fmax(fmin(cosine, 1), -1)) : 0;
  return distance_of(f, a, b) * (1 + angle);
}

/* Was the point sought in the middle of both, or beyond one of them? */
static int is_between(const front_step *step, int a, int b) {
  const int of = (step->from[0] == a && step->from[1] == b) || (step->from[0] == b && step->from[1] == a);
  return of && step->ahead == 0;
}

static int tries(const front *f, int a, int b) {
  int n = 0;
  for (int i = 0; i < f->planned; i++) { n += is_between(&f->point[i].step, a, b); }
  return n;
}

/* The last point that was computed between two others; -1: there is none. */
static int try_of(const front *f, int a, int b) {
  int i = f->planned - 1;
  while (i >= 0 && !is_between(&f->point[i].step, a, b)) { i--; }
  return i;
}

/* What else can be tried between two neighbours: another time beyond an end, where the middle gave that end again, and then what is left. */
static int can_try(const front *f, int a, int b) {
  const int n = tries(f, a, b), last = try_of(f, a, b);
  return n == TRIES_MAX - 1 ? f->point[last].step.beyond >= 0 : n < TRIES_MAX;
}

int front_has_gap(const front *f, int a, int b) {
  int any = f->m == 2 && (f->point[a].step.beyond == b || f->point[b].step.beyond == a);
  for (int i = 0; i < f->planned && f->m == 2; i++) {
    const front_point *p = &f->point[i];
    const int end = p->step.beyond, other = end == a ? b : a;
    any |= is_between(&p->step, a, b) && end >= 0 && p->state == FRONT_REPEATED && p->by == other && !p->stopped;
  }
  return any;
}

/* The gaps of a front of two objectives, between neighbours; returns their number. */
static int gaps_of_two(front *f, gap *list) {
  int n = 0;
  int *order = mbd_zeros((size_t)f->n, sizeof *order);
  front_classify(f);
  const int points = order ? front_order(f, order) : 0;
  for (int i = 0; i + 1 < points; i++) {
    const int a = order[i], b = order[i + 1];
    if (!front_has_gap(f, a, b) && can_try(f, a, b) && distance_of(f, a, b) > too_close * FRONT_SAME) {
      list[n++] = (gap){a, b, {i > 0 ? order[i - 1] : -1, i + 2 < points ? order[i + 2] : -1}, gap_size(f, a, b)};
    }
  }
  free(order);
  return n;
}

/* Those of three: the edges of all triangles. Where an end has no values, the distance in the triangle of the anchors counts by half. */
static int gaps_of_three(const front *f, gap *list) {
  int n = 0;
  for (int t = 0; t < f->ntriangle; t++) {
    for (int e = 0; e < 3; e++) {
      const int p = f->triangle[t].corner[e], q = f->triangle[t].corner[(e + 1) % 3], a = p < q ? p : q,
                b = p < q ? q : p;
      int known = 0;
      while (known < n && (list[known].a != a || list[known].b != b)) { known++; }
      if (known < n) { continue; }
      double between[3];
      for (int k = 0; k < 3; k++) { between[k] = f->place[a][k] - f->place[b][k]; }
      const double size = has_values(f, a) && has_values(f, b) ? gap_size(f, a, b) : sqrt(v3_dot(between, between)) / 2;
      if (size > too_close * FRONT_SAME) { list[n++] = (gap){a, b, {-1, -1}, size}; }
    }
  }
  return n;
}

static int by_size(const void *a, const void *b) {
  const gap *p = a, *q = b;
  return p->size != q->size ? (p->size < q->size ? 1 : -1) : p->a != q->a ? p->a - q->a : p->b - q->b;
}

/* ds/du along the front, across its normal. Returns 0 if it is not known. */
static int along(const front *f, int i, double ds[2]) {
  const double *w = f->point[i].normal, sum = w[0] + w[1];
  ds[0] = w[1] / sum, ds[1] = -w[0] / sum;
  return f->point[i].moves && w[0] >= 0 && w[1] >= 0 && isfinite(ds[0]);
}

static double u_of(const front *f, int i) {
  return scaled_at(f, i, 0) - scaled_at(f, i, 1);
}

/* The step from a towards b (6.45). Returns 0 where there is none: they are too near, it is not known how a moves, or it was tried. */
static int step_ahead(const front *f, int a, int b, int outer, front_step *step) {
  const double size = fmax(step_min, wider * 2 / (f->n - 1)), way = u_of(f, b) - u_of(f, a), h = copysign(size, way);
  double ds[2], before[2], turn[2] = {0}, move[2];
  if (fabs(way) < 2.2 * size || !along(f, a, ds)) { return 0; }
  for (int i = 0; i < f->planned; i++) {
    const front_step *other = &f->point[i].step;
    if (other->from[0] == a && other->ahead * h > 0) { return 0; }
  }
  const int turns = outer >= 0 && along(f, outer, before);
  for (int k = 0; k < 2; k++) {
    if (turns) { turn[k] = (ds[k] - before[k]) / (u_of(f, a) - u_of(f, outer)); }
    move[k] = h * ds[k] + h * h / 2 * turn[k];
  }
  const int c = fabs(move[1]) > fabs(move[0]), k = 1 - c;
  /* The slope there; from an anchor, where it is 0 on most fronts, as far as it has come on the way to 1 in the middle. */
  const double slope = -(ds[k] + h * turn[k]) / (ds[c] + h * turn[c]), come = fabs(h) / 2;
  const double estimate = slope > come || (turns && slope > 0) ? slope : come;
  *step = (front_step){.minimized = k,
                       .from = {a, b},
                       .outer = {turns ? outer : -1, -1},
                       .ahead = h,
                       .beyond = -1,
                       .nlimit = 1,
                       .limit = {scaled_at(f, a, c) + move[c]},
                       .band = part * fabs(move[c]),
                       .multiplier = {estimate}};
  step->row[0][c] = 1;
  return 1;
}

/* The step of a point between two neighbours on a front of two objectives. */
static front_step step_of_two(const front *f, const gap *g) {
  const int a = g->a, b = g->b;
  double far[2];
  for (int k = 0; k < 2; k++) { far[k] = fabs(scaled_at(f, a, k) - scaled_at(f, b, k)); }
  int c = far[1] > far[0];
  const int before = try_of(f, a, b), n = tries(f, a, b), end = before < 0 ? -1 : f->point[before].by;
  if (before >= 0) { c = 1 - c; }
  const int k = 1 - c, ends = n == 1 && f->point[before].state == FRONT_REPEATED && (end == a || end == b);
  front_step step = {.minimized = k,
                     .from = {a, b},
                     .outer = {g->outer[0], g->outer[1]},
                     .beyond = ends ? end : -1,
                     .nlimit = 1,
                     .band = ends ? 0 : part * far[c] / 2};
  step.row[0][c] = 1;
  step.limit[0] = ends ? scaled_at(f, end, c) - FRONT_STEP : (scaled_at(f, a, c) + scaled_at(f, b, c)) / 2;
  step.multiplier[0] = far[k] / far[c];
  return step;
}

/* That of point i in the middle of an edge of a triangle. */
static front_step step_of_three(front *f, int i, int a, int b) {
  front_step step = {.minimized = 2, .from = {a, b}, .outer = {-1, -1}, .beyond = -1, .nlimit = 2};
  for (int k = 0; k < 3; k++) { f->place[i][k] = (f->place[a][k] + f->place[b][k]) / 2; }
  for (int j = 0; j < 2; j++) {
    double sum = 0, known = 0;
    for (int k = 0; k < 3; k++) {
      step.row[j][k] = scaled_at(f, 2, k) - scaled_at(f, j, k);
      for (int corner = 0; corner < 3; corner++) {
        step.limit[j] += step.row[j][k] * f->place[i][corner] * scaled_at(f, corner, k);
      }
    }
    for (int e = 0; e < 2; e++) {
      const double one = f->point[step.from[e]].multiplier[j];
      if (isfinite(one)) { sum += one, known++; }
    }
    step.multiplier[j] = known > 0 ? sum / known : 1. / 3;
  }
  return step;
}

/* Halves the triangles that have the edge from a to b by point i. */
static void halve(front *f, int i, int a, int b) {
  for (int t = 0, n = f->ntriangle; t < n; t++) {
    int *corner = f->triangle[t].corner, at[2] = {-1, -1};
    for (int k = 0; k < 3; k++) {
      if (corner[k] == a) { at[0] = k; }
      if (corner[k] == b) { at[1] = k; }
    }
    if (at[0] < 0 || at[1] < 0) { continue; }
    front_triangle *other = &f->triangle[f->ntriangle++];
    memcpy(other->corner, corner, sizeof other->corner);
    corner[at[0]] = i, other->corner[at[1]] = i;
  }
}

static void add_step(front *f, front_step step) {
  f->point[f->planned].step = step;
  f->point[f->planned++].wave = f->waves;
}

static void plan_anchors(front *f) {
  for (int i = 0; i < f->m; i++) {
    add_step(f, (front_step){.minimized = i, .from = {-1, -1}, .outer = {-1, -1}, .beyond = -1});
    f->place[i][i] = 1;
  }
  f->triangle[0] = (front_triangle){{0, 1, 2}};
  f->ntriangle = 1;
}

/* The largest gaps, and all that are nearly as large. Returns 0 if there is no memory. */
static int plan_gaps(front *f) {
  gap *list = mbd_zeros(6 * (size_t)f->n, sizeof *list);
  if (!list) { return 0; }
  const int n = f->m == 2 ? gaps_of_two(f, list) : gaps_of_three(f, list), before = f->planned;
  qsort(list, (size_t)n, sizeof *list, by_size);
  for (int g = 0; g < n && f->planned < f->n && list[g].size >= share * list[0].size; g++) {
    const int a = list[g].a, b = list[g].b, i = f->planned;
    if (f->m == 3) {
      add_step(f, step_of_three(f, i, a, b));
      halve(f, i, a, b);
      continue;
    }
    front_step ahead[2];
    int known = step_ahead(f, a, b, list[g].outer[0], ahead);
    known += step_ahead(f, b, a, list[g].outer[1], ahead + known);
    for (int e = 0; e < known && f->planned < f->n; e++) { add_step(f, ahead[e]); }
    if (known == 0) { add_step(f, step_of_two(f, &list[g])); }
  }
  free(list);
  return f->planned > before;
}

int front_plan(front *f) {
  if (f->planned == f->n) { return 0; }
  if (f->planned == 0) {
    plan_anchors(f);
  } else {
    if (!f->scaled) { f->scaled = find_scales(f); }
    if (!f->scaled || !plan_gaps(f)) {
      while (f->planned < f->n) {
        add_step(f, (front_step){.minimized = -1, .from = {-1, -1}, .outer = {-1, -1}, .beyond = -1});
      }
    }
  }
  f->waves++;
  return 1;
}
