/* Damped least squares of what the loops leave open.
 *
 * Left open at a joint that closes a loop, with its frames (a, A) and (b, B), are the displacement b - a, the turn theta = log(B A') and the
 * inclination u_a x u_b of its axis, or the parts of these that its type closes. With the changes of both frames,
 *   d(b - a) = db - da,    d theta = dtheta_b - dtheta_a (near theta = 0),    d(u_a x u_b) = (dtheta_a x u_a) x u_b + u_a x (dtheta_b x u_b).
 * Steps  (J'J + mu diag J'J) dq = -J'e  are taken that reduce |e|; mu grows otherwise (Levenberg 1944, Marquardt 1963). */
#include "import/robot_pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cholesky.h"
#include "base/v3.h"
#include "files/memory.h"
#include "import/robot_fill.h"
#include "import/robot_place.h"

enum { COORDINATES_MAX = 3000, ITERATIONS_MAX = 300, SEARCHES_MAX = 12, ROWS_MAX = 6 };

static const double closed_to =
    1e-13; /* of the largest condition: lengths in units of the robot's size, angles in rad */

/* Longest step of a coordinate [rad, or m]: the loops are closed near the position of the file, in the branch in which that is, not beyond a dead point. */
static const double step_max = 0.3;

typedef struct pose_search {
  robot *r;
  int n, m;    /* coordinates, conditions */
  double size; /* [m] of the robot */
  robot_placement at;
  joint_motion *before; /* [njoint] */
  double *e, *J;        /* [m], [m][n] conditions and their derivatives */
  double *H, *g;        /* [n][n], [n] */
} pose_search;

/* ---- conditions ---- */

/* log of a rotation, by its Euler parameters, so that it is exact up to half a turn. */
static void rotation_vector(const double R[9], double v[3]) {
  double e[4];
  robot_euler(R, e);
  const double s = sqrt(e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  const double scale = s > 1e-12 ? 2 * atan2(s, e[0]) / s : 2;
  v3_set(v, scale * e[1], scale * e[2], scale * e[3]);
}

/* What a type closes of the displacement, of the turn and of the inclination of its axis; along and across: parts of the displacement. */
typedef enum closed_displacement { NO_DISPLACEMENT, ALL, ALONG_AXIS, ACROSS_AXIS } closed_displacement;
typedef enum closed_turn { NO_TURN, EVERY_TURN, TILT } closed_turn;

static const struct {
  closed_displacement displacement;
  closed_turn turn;
} closes[] = {
    [ROBOT_REVOLUTE] = {ALL, TILT},
    [ROBOT_PRISMATIC] = {ACROSS_AXIS, EVERY_TURN},
    [ROBOT_CYLINDRICAL] = {ACROSS_AXIS, TILT},
    [ROBOT_SPHERICAL] = {ALL, NO_TURN},
    [ROBOT_PLANAR] = {ALONG_AXIS, TILT},
    [ROBOT_FLOATING] = {NO_DISPLACEMENT, NO_TURN},
    [ROBOT_WELD] = {ALL, EVERY_TURN},
};

/* The six conditions of a joint that closes a loop: three of the displacement, three of the turn. */
static void conditions(const pose_search *s, const robot_joint *j, const robot_pose end[2], double e[ROWS_MAX]) {
  double gap[3], u[2][3], AtB[9], local[3], axis[3];
  v3_sub(gap, end[1].xyz, end[0].xyz);
  robot_unit(axis, j->axis);
  for (int k = 0; k < 2; k++) { m3_vec(u[k], end[k].R, axis); }
  const double along = v3_dot(u[0], gap);
  memset(e, 0, ROWS_MAX * sizeof *e);
  for (int i = 0; i < 3; i++) {
    switch (closes[j->type].displacement) {
      case ALL: e[i] = gap[i] / s->size; break;
      case ALONG_AXIS: e[i] = along * u[0][i] / s->size; break;
      case ACROSS_AXIS: e[i] = (gap[i] - along * u[0][i]) / s->size; break;
      case NO_DISPLACEMENT: break;
    }
  }
  if (closes[j->type].turn == TILT) { v3_cross(e + 3, u[0], u[1]); }
  if (closes[j->type].turn == EVERY_TURN) {
    for (int i = 0; i < 9; i++) {
      AtB[i] = 0;
      for (int k = 0; k < 3; k++) { AtB[i] += end[0].R[3 * k + i / 3] * end[1].R[3 * k + i % 3]; }
    }
    rotation_vector(AtB, local);
    m3_vec(e + 3, end[0].R, local);
  }
}

/* Derivatives of these by a coordinate that moves the end k. Those of a displacement along or across the axis leave out how the axis turns,
 * by the displacement, which vanishes where the loop is closed. */
static void differentiate(const pose_search *s, const robot_joint *j, const robot_pose end[2], int k,
                          const joint_direction *a, double *column) {
  double dp[3], turn[3], u[2][3], du[3], axis[3], tilt[3];
  const double sign = k ? 1 : -1;
  direction_moves(a, end[k].xyz, dp, turn);
  robot_unit(axis, j->axis);
  for (int i = 0; i < 2; i++) { m3_vec(u[i], end[i].R, axis); }
  const double along = v3_dot(u[0], dp);
  for (int i = 0; i < 3; i++) {
    switch (closes[j->type].displacement) {
      case ALL: column[i * s->n] += sign * dp[i] / s->size; break;
      case ALONG_AXIS: column[i * s->n] += sign * along * u[0][i] / s->size; break;
      case ACROSS_AXIS: column[i * s->n] += sign * (dp[i] - along * u[0][i]) / s->size; break;
      case NO_DISPLACEMENT: break;
    }
  }
  v3_cross(du, turn, u[k]);
  v3_cross(tilt, k ? u[0] : du, k ? du : u[1]);
  for (int i = 0; i < 3; i++) {
    if (closes[j->type].turn == TILT) { column[(3 + i) * s->n] += tilt[i]; }
    if (closes[j->type].turn == EVERY_TURN) { column[(3 + i) * s->n] += sign * turn[i]; }
  }
}

/* All conditions e, and with `slopes` their derivatives J. Returns |e|^2. */
static double evaluate(pose_search *s, int slopes) {
  const robot *r = s->r;
  int row = 0;
  placement_place(&s->at);
  if (slopes) { memset(s->J, 0, (size_t)s->m * (size_t)s->n * sizeof *s->J); }
  for (int i = 0; i < r->njoint; i++) {
    const robot_joint *j = &r->joint[i];
    robot_pose end[2];
    if (!j->closes) { continue; }
    for (int k = 0; k < 2; k++) { placement_frame(&s->at, j, k, &end[k]); }
    conditions(s, j, end, s->e + row);
    for (int k = 0; k < 2 && slopes; k++) {
      for (int joint = r->link[j->link[k]].joint; joint >= 0; joint = r->link[r->joint[joint].link[0]].joint) {
        const joint_motion *move = &s->at.now[joint];
        for (int c = move->first; c < move->first + move->n; c++) {
          differentiate(s, j, end, k, &s->at.along[c], s->J + (size_t)row * (size_t)s->n + c);
        }
      }
    }
    row += ROWS_MAX;
  }
  for (int i = 0; i < r->ncoupling; i++, row++) {
    const robot_coupling *c = &r->coupling[i];
    const joint_motion *move = &s->at.now[c->joint], *other = c->other < 0 ? NULL : &s->at.now[c->other];
    double slope;
    s->e[row] = 0;
    if (move->n != 1 || (other && other->n != 1)) { continue; }
    s->e[row] = move->q[0] - robot_follows(c, other ? other->q[0] : 0, &slope);
    if (!slopes) { continue; }
    s->J[(size_t)row * (size_t)s->n + (size_t)move->first] = 1;
    if (other) { s->J[(size_t)row * (size_t)s->n + (size_t)other->first] = -slope; }
  }
  double sum = 0;
  for (int i = 0; i < s->m; i++) { sum += s->e[i] * s->e[i]; }
  return sum;
}

/* ---- the iteration ---- */

/* Solves (H + mu diag) x = -g by Cholesky's decomposition, which replaces the lower part of H; the diagonal and the upper part are kept in H. Returns
 * 0 if the matrix is not positive definite. */
static int solve_damped(pose_search *s, double mu, double *x, double *L) {
  const int n = s->n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) { L[i * n + j] = s->H[i * n + j] + (i == j ? mu * (s->H[i * n + i] + 1e-6) : 0); }
    x[i] = -s->g[i];
  }
  if (cholesky_factor(n, 0, L) >= 0) { return 0; }
  cholesky_forward(n, L, x);
  cholesky_back(n, L, x);
  return 1;
}

/* H = J'J, g = J'e; rows have few entries other than zero. */
static void normal_equations(pose_search *s) {
  const int n = s->n;
  memset(s->H, 0, (size_t)n * (size_t)n * sizeof *s->H);
  memset(s->g, 0, (size_t)n * sizeof *s->g);
  for (int row = 0; row < s->m; row++) {
    const double *J = s->J + (size_t)row * (size_t)n;
    for (int i = 0; i < n; i++) {
      if (J[i] == 0) { continue; }
      s->g[i] += J[i] * s->e[row];
      for (int j = 0; j <= i; j++) { s->H[i * n + j] += J[i] * J[j]; }
    }
  }
}

/* The largest condition; infinite where one is not a number. */
static double largest(const pose_search *s) {
  double e = 0;
  for (int i = 0; i < s->m; i++) { e = isfinite(s->e[i]) ? fmax(e, fabs(s->e[i])) : INFINITY; }
  return e;
}

/* Steps from the present motions. Returns the largest condition that is left. */
static double close_from_here(pose_search *s, double *x, double *L) {
  double mu = 1e-3, sum = evaluate(s, 1);
  for (int it = 0; it < ITERATIONS_MAX && largest(s) > closed_to && mu < 1e12; it++) {
    normal_equations(s);
    memcpy(s->before, s->at.now, (size_t)s->r->njoint * sizeof *s->at.now);
    double after = INFINITY;
    if (solve_damped(s, mu, x, L)) {
      double step = 0;
      for (int k = 0; k < s->n; k++) { step = fmax(step, fabs(x[k])); }
      for (int k = 0; k < s->n && step > step_max; k++) { x[k] *= step_max / step; }
      placement_step(&s->at, x);
      after = evaluate(s, 0);
    }
    if (after < sum) {
      mu = fmax(mu / 5, 1e-15);
    } else {
      memcpy(s->at.now, s->before, (size_t)s->r->njoint * sizeof *s->at.now);
      mu *= 4;
    }
    sum = evaluate(s, 1);
  }
  return largest(s);
}

/* Sets the motions of the file, moved by a quasi-random part of `spread` [rad, or sizes of the robot]. */
static void begin(pose_search *s, int attempt, double spread) {
  static const double golden = 0.61803398874989485;
  for (int k = 0; k < s->n; k++) {
    const int joint = s->at.along[k].joint, number = s->at.now[joint].number + k - s->at.now[joint].first;
    const double x = golden * (attempt + 1) * (number + 1);
    const int slides = s->r->joint[joint].type == ROBOT_PRISMATIC;
    s->g[k] = spread * (2 * (x - floor(x)) - 1) * (slides ? s->size : 1);
  }
  placement_reset(&s->at, s->g);
}

/* From the position of the file, then from others farther and farther away; ends with the closest one. */
static void search(pose_search *s, double *x, double *L, joint_motion *best) {
  const size_t size = (size_t)s->r->njoint * sizeof *best;
  double nearest = INFINITY;
  for (int attempt = 0; attempt < SEARCHES_MAX && nearest > closed_to; attempt++) {
    begin(s, attempt, 1.5 * attempt / SEARCHES_MAX);
    const double left = close_from_here(s, x, L);
    if (left < 0.5 * nearest) {
      nearest = left;
      memcpy(best, s->at.now, size);
    }
  }
  if (isfinite(nearest)) {
    memcpy(s->at.now, best, size);
  } else { /* numbers of the file that are too large */
    begin(s, 0, 0);
  }
}

/* ---- places that keep the loops closed ---- */

/* Returns 1 if the change e of the conditions cannot be undone by the coordinates, to first order: the least |e + J x| is no small part of |e|. */
static int stays_open(pose_search *s, double *x, double *L) {
  double change = 0, left = 0;
  memset(s->g, 0, (size_t)s->n * sizeof *s->g);
  for (int row = 0; row < s->m; row++) {
    change += s->e[row] * s->e[row];
    for (int k = 0; k < s->n; k++) { s->g[k] += s->J[(size_t)row * (size_t)s->n + (size_t)k] * s->e[row]; }
  }
  if (change == 0 || !solve_damped(s, 1e-10, x, L)) { return 0; }
  for (int row = 0; row < s->m; row++) {
    double e = s->e[row];
    for (int k = 0; k < s->n; k++) { e += s->J[(size_t)row * (size_t)s->n + (size_t)k] * x[k]; }
    left += e * e;
  }
  return left > 1e-4 * change;
}

/* Moves each frame along each axis of its body, as a design variable would: that of a linkage in a plane, out of it. */
static void find_opening(pose_search *s, double *x, double *L) {
  evaluate(s, 1);
  normal_equations(s);
  for (int i = 0; i < 6 * s->r->njoint; i++) {
    robot_joint *j = &s->r->joint[i / 6];
    const int k = i / 3 % 2, axis = i % 3;
    if (!j->bound && !j->closes) { continue; } /* no loop passes it */
    const double *turn = s->r->link[j->link[k]].turn, *row = turn + 3 * axis, step = 1e-6 * s->size;
    double *xyz = j->frame[k].xyz, before[3];
    v3_copy(before, xyz);
    v3_axpy(xyz, step, row); /* turn' along the axis */
    evaluate(s, 0);
    v3_copy(xyz, before);
    if (stays_open(s, x, L)) { j->opens[k] |= 1u << axis; }
  }
}

/* ---- the result ---- */

static mbd_status add_guess(robot *r, int joint, const char *coordinate, double value, mbd_error *err) {
  robot_guess *grown = mbd_list_grow(r->guess, r->nguess, sizeof *grown);
  MEMORY_TRY(grown, err, "%s", r->path);
  r->guess = grown;
  grown[r->nguess++] = (robot_guess){mbd_sprintf_dup("%s.%s", r->joint[joint].joint, coordinate), joint, value};
  return MEMORY_WHOLE(err, "%s", r->path);
}

/* The coordinates of the model. Rotations are those of the bodies: turn_0 F0 R F1' turn_1'. */
static mbd_status store(pose_search *s, int joint, mbd_error *err) {
  static const char *const place[3] = {"x", "y", "z"}, *const euler[4] = {"e0", "e1", "e2", "e3"};
  static const char *const screw[2] = {"distance", "angle"}, *const flat[3] = {"x", "y", "angle"};
  robot_joint *j = &s->r->joint[joint];
  const joint_motion *move = &s->at.now[joint];
  double A[9], B[9], e[4], d[3];
  if (j->closes) { return MBD_OK; }
  if (robot_coordinate(j)) {
    if (j->bound || isnan(j->start)) { j->start = move->q[0]; }
    return add_guess(s->r, joint, robot_coordinate(j), j->start, err);
  }
  for (int k = 0; k < move->n && j->type == ROBOT_PLANAR; k++) {
    MBD_TRY(add_guess(s->r, joint, flat[k], move->q[k], err));
  }
  for (int k = 0; k < move->n && j->type == ROBOT_CYLINDRICAL; k++) {
    MBD_TRY(add_guess(s->r, joint, screw[k], move->q[k], err));
  }
  if (j->type != ROBOT_SPHERICAL && j->type != ROBOT_FLOATING) { return MBD_OK; }
  m3_mul(A, s->r->link[j->link[0]].turn, j->frame[0].R);
  m3_vec(d, A, move->d);
  m3_mul(B, A, move->R);
  m3_mulT(A, B, j->frame[1].R);
  m3_mulT(B, A, s->r->link[j->link[1]].turn);
  robot_euler(B, e);
  for (int k = 0; k < 3 && j->type == ROBOT_FLOATING; k++) { MBD_TRY(add_guess(s->r, joint, place[k], d[k], err)); }
  for (int k = 0; k < 4; k++) { MBD_TRY(add_guess(s->r, joint, euler[k], e[k], err)); }
  return MBD_OK;
}

/* The mean distance of the frames of a joint from each other along the links, as a size of the robot. */
static double size_of(const robot *r) {
  double sum = 0;
  for (int i = 0; i < r->njoint; i++) {
    for (int k = 0; k < 2; k++) { sum += sqrt(v3_dot(r->joint[i].frame[k].xyz, r->joint[i].frame[k].xyz)); }
  }
  return sum > 0 ? sum / r->njoint : 1;
}

static mbd_status create(pose_search *s, joint_motion **best, mbd_error *err) {
  MBD_TRY(placement_create(&s->at, s->r, 1, err));
  const int is_small = s->at.n <= COORDINATES_MAX; /* else the file's position stays */
  const size_t njoint = (size_t)s->r->njoint, n = (size_t)(s->n = s->at.n) + 1, m = (size_t)s->m + 1;
  s->before = mbd_zeros(2 * njoint, sizeof *s->before);
  *best = s->before + njoint;
  s->e = mbd_zeros(m + n, sizeof *s->e);
  s->g = s->e + m;
  s->J = mbd_zeros(is_small ? m * n + 2 * n * n + n : 1, sizeof *s->J);
  s->H = is_small ? s->J + m * n : NULL;
  return MEMORY_WHOLE(err, "%s", s->r->path);
}

mbd_status robot_search_closed(robot *r, mbd_error *err) {
  pose_search s = {.r = r, .m = ROWS_MAX * r->nclosing + r->ncoupling, .size = size_of(r)};
  joint_motion *best;
  mbd_status status = create(&s, &best, err);
  if (status == MBD_OK) {
    const size_t n = (size_t)s.n + 1;
    begin(&s, 0, 0);
    if (s.H) { search(&s, s.H + 2 * n * n, s.H + n * n, best); }
    if (s.H && largest(&s) <= closed_to) { find_opening(&s, s.H + 2 * n * n, s.H + n * n); }
  }
  for (int i = 0; i < r->njoint && status == MBD_OK; i++) { status = store(&s, i, err); }
  placement_free(&s.at);
  free(s.before), free(s.e), free(s.J);
  return status;
}
