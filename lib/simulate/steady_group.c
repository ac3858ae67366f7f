/* The symmetries of a mechanism on a flat road: shifts and a turn of the base, and the cyclic coordinates, on which nothing depends. They are those of
 * the residual and the constraints at motions and multipliers taken at random near the assembled position, where nothing vanishes by chance:
 *   a coordinate is cyclic if  K e_j = 0  without reactions, and with them  K e_j = Phi_z' c,  Phi_z of closures that turn along;   shifts likewise
 *   a turn:  K dz + C S zd + M S zdd = -S' r,   dz the turn on the spot
 * With up = sign e_k and the plane (p, t), cyclic after k, the Euler parameters e = (e_0, e_v) turn by
 *   L e = sign (-e_k, e_0 e_k^ + e_k^ x e_v),     ed = r/2 L e,     edd = -(r/2)^2 e
 * Equations: theory.md §5.8 (5.14), (5.17). */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "model/state.h"
#include "simulate/steady.h"

static const double symmetric = 1e-9; /* changes relative to the largest entries of the derivatives */
static const double near =
    1e-4; /* from the assembled position [m or rad]: wheels stay on the road, or lift off on one side of it alone */
static const double shifted_by = 1e-2; /* [m], for the name of a force that changes */

/* ---- the motion ---- */

static int first_cyclic(const sim_steady *trim) {
  return trim->base >= 0 ? 3 : 0;
}

mbd_real steady_turn(const mbd_sim *s) {
  return steady_of(s)->base >= 0 ? steady_of(s)->w[2] : 0;
}

/* L e of four Euler parameters */
static void turned(const sim_steady *trim, const mbd_real *e, mbd_real *Le) {
  const int k = trim->axis, p = (k + 1) % 3, t = (k + 2) % 3;
  Le[0] = -trim->sign * e[1 + k];
  Le[1 + k] = trim->sign * e[0];
  Le[1 + p] = -trim->sign * e[1 + t];
  Le[1 + t] = trim->sign * e[1 + p];
}

void steady_generator(const mbd_sim *s, const mbd_real *x, mbd_real *Sx) {
  const sim_steady *trim = steady_of(s);
  memset(Sx, 0, (size_t)s->m->nz * sizeof *Sx);
  if (trim->base < 0) { return; }
  Sx[trim->shift[0]] = -trim->sign * x[trim->shift[1]];
  Sx[trim->shift[1]] = trim->sign * x[trim->shift[0]];
  if (trim->euler < 0) { return; }
  turned(trim, x + trim->euler, Sx + trim->euler);
  for (int i = 0; i < 4; i++) { Sx[trim->euler + i] /= 2; }
}

/* The rates along unit w_i: X(z) e_i */
static void rate_of(const mbd_sim *s, int i, mbd_real *zd) {
  const sim_steady *trim = steady_of(s);
  const int cyclic = i - first_cyclic(trim);
  memset(zd, 0, (size_t)s->m->nz * sizeof *zd);
  if (cyclic >= 0) {
    zd[trim->cyclic[cyclic]] = 1;
  } else if (i < 2) {
    zd[trim->shift[i]] = 1;
  } else if (trim->angle >= 0) {
    zd[trim->angle] = trim->sign;
  } else {
    turned(trim, s->now.z + trim->euler, zd + trim->euler);
    for (int k = 0; k < 4; k++) { zd[trim->euler + k] /= 2; }
  }
}

int steady_symmetry(const mbd_sim *s, int i, mbd_real *dz) {
  if (i < 0 || i >= steady_of(s)->nrate) { return 0; }
  rate_of(s, i, dz);
  return 1;
}

void steady_move(mbd_sim *s) {
  const sim_steady *trim = steady_of(s);
  const int n = s->m->nz;
  memset(s->now.zd, 0, (size_t)n * sizeof *s->now.zd);
  for (int i = 0; i < trim->nrate; i++) {
    rate_of(s, i, trim->dzd);
    mbd_axpy(n, trim->w[i], trim->dzd, s->now.zd);
  }
  for (int j = model_first_state(s->m); j < n; j++) { s->now.zd[j] = s->now.z[j]; }
  steady_generator(s, s->now.zd, s->now.zdd);
  const mbd_real r = steady_turn(s);
  for (int j = 0; j < n; j++) { s->now.zdd[j] *= r; }
}

int steady_rates_along(const mbd_sim *s, int c, mbd_real *dzd, mbd_real *dzdd) {
  const sim_steady *trim = steady_of(s);
  const int n = s->m->nz, i = c - steady_col_rate(s);
  const mbd_real r = steady_turn(s);
  if (i >= 0 && i < trim->nrate) {
    rate_of(s, i, dzd);
  } else if (c < n && trim->base >= 0 && trim->euler >= 0 && c >= trim->euler && c < trim->euler + 4) {
    mbd_real unit[4] = {c == trim->euler, c == trim->euler + 1, c == trim->euler + 2, c == trim->euler + 3};
    memset(dzd, 0, (size_t)n * sizeof *dzd);
    turned(trim, unit, dzd + trim->euler);
    for (int k = 0; k < 4; k++) { dzd[trim->euler + k] *= r / 2; }
  } else if (c < n && model_is_state(s->m, c)) {
    memset(dzd, 0, (size_t)n * sizeof *dzd);
    dzd[c] = 1;
  } else {
    return 0;
  }
  /* zdd = r S zd */
  steady_generator(s, dzd, dzdd);
  for (int j = 0; j < n; j++) { dzdd[j] *= r; }
  if (trim->base >= 0 && i == 2) {
    steady_generator(s, s->now.zd, trim->dr);
    mbd_axpy(n, 1, trim->dr, dzdd);
  }
  return 1;
}

/* ---- the base ---- */

/* The axis along which up is, and the sign of it; -1: none. */
static int upwards(const mbd_sim *s, double *sign) {
  const mbd_real *g = s->m->gravity >= 0 ? s->p->theta + s->m->gravity : NULL;
  double size = 0;
  int axis = 2;
  *sign = 1;
  for (int k = 0; g && k < 3; k++) {
    if (mbd_largest(g[k]) > size) { size = mbd_largest(g[k]), axis = k, *sign = mbd_first(g[k]) > 0 ? -1 : 1; }
  }
  for (int k = 0; g && k < 3; k++) {
    if (k != axis && mbd_largest(g[k]) > 1e-12 * size) { return -1; }
  }
  return axis;
}

static mbd_status find_base(mbd_sim *s, mbd_error *err) {
  sim_steady *trim = steady_of(s);
  const mbd_model *m = s->m;
  double sign;
  const int up = upwards(s, &sign);
  trim->base = trim->angle = trim->euler = -1;
  for (int b = 1; b < m->nb; b++) {
    const mbd_joint *j = &m->joint[m->body[b].joint];
    const int floating = strcmp(j->ops->info.name, "floating") == 0, planar = strcmp(j->ops->info.name, "planar") == 0;
    const int z0 = m->body[b].z0;
    if (m->body[b].parent != 0 || (!floating && !planar)) { continue; }
    if (trim->base >= 0) {
      MBD_FAIL(
          err, MBD_UNSUPPORTED,
          "steady motion: '%s' and '%s' both have a place and a heading of their own; expected one body that joint "
          "'%s' of type floating or planar connects to the ground, and others connected to it",
          m->body[trim->base].name, m->body[b].name, m->joint[m->body[trim->base].joint].name);
    }
    if (up < 0) {
      MBD_FAIL(err, MBD_UNSUPPORTED, "steady motion: gravity is along none of the axes x, y, z; expected a level road");
    }
    trim->base = b;
    trim->axis = floating ? up : 2, trim->sign = sign;
    if (floating) {
      trim->shift[0] = z0 + (up + 1) % 3, trim->shift[1] = z0 + (up + 2) % 3, trim->euler = z0 + j->ops->euler;
    } else {
      const mbd_real *F = s->p->joint[m->body[b].joint].F[j->body[0] == 0 ? 0 : 1];
      const double along = sign * mbd_first(F[3 * up + 2]);
      trim->shift[0] = z0, trim->shift[1] = z0 + 1, trim->angle = z0 + 2, trim->sign = along > 0 ? 1 : -1;
      if (!(fabs(along) > 1 - 1e-9)) {
        MBD_FAIL(err, MBD_UNSUPPORTED, "steady motion: the axis of joint '%s' is not vertical; expected a level road",
                 j->name);
      }
    }
  }
  return MBD_OK;
}

/* ---- spans of rows ---- */

/* [capacity][n] orthonormal rows */
typedef struct span {
  int count, n;
  mbd_real *Q;
} span;

/* The part of x [n], overwritten, outside of the span: its length. */
static double outside(const span *all, mbd_real *x) {
  return sqrt(fabs(mbd_first(mbd_orthogonalize(all->n, all->count, all->Q, x, NULL))));
}

static void add(span *all, const mbd_real *x, double length) {
  for (int i = 0; i < all->n; i++) { all->Q[all->count * all->n + i] = x[i] / length; }
  all->count++;
}

static const double nothing = 1e-12; /* length of a row that is zero, relative to the longest */
static const double independent_from =
    1e-8; /* part of a row, relative to its length, outside of the span of those before */

/* Adds row i of J, x [n] scratch; returns 0 where it depends on those before. */
static int add_row(span *all, const mbd_real *J, double longest, int i, mbd_real *x) {
  memcpy(x, J + i * all->n, (size_t)all->n * sizeof *x);
  const double size = sqrt(fabs(mbd_first(mbd_dot(all->n, x, x)))), length = outside(all, x);
  if (all->count == all->n || !(length > independent_from * size && size > nothing * longest)) { return 0; }
  add(all, x, length);
  return 1;
}

/* ---- what changes along them ---- */

/* Derivatives of r + Phi_z' lam, or of r alone, at a motion taken at random near the position z. */
static void random_motion(mbd_sim *s, const mbd_real *z, double distance, int reacts) {
  sim_steady *trim = steady_of(s);
  const int n = s->m->nz;
  const motion_terms e = motion_equations(s->eq, trim->lam);
  uint64_t state = 1;
  for (int j = 0; j < n; j++) {
    s->now.z[j] = z[j] + distance * (2 * random_unit(&state) - 1);
    s->now.zd[j] = 2 * random_unit(&state) - 1, s->now.zdd[j] = 2 * random_unit(&state) - 1;
  }
  if (trim->base >= 0) { s->now.zd[trim->shift[0]] += 5; }
  for (int i = 0; i < s->m->nphi; i++) { trim->lam[i] = reacts ? 100 * (2 * random_unit(&state) - 1) : 0; }
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  motion_residual(s->w, trim->r);
  motion_phi(s->w, s->eq, NULL, trim->J);
  mbd_mulT_add(s->m->nphi, n, 1, 1, trim->J, trim->lam, trim->r);
  motion_jacobian(s->w, &e, NULL, trim->K, trim->C, NULL, trim->M);
}

static int is_shape(const mbd_model *m, int j) {
  for (int i = 0; i < m->nbeam; i++) {
    if (j >= m->beam[i].z0 && j < m->beam[i].z0 + m->beam[i].layout.n) { return 1; }
  }
  return 0;
}

/* The largest entry of K, beside those between shapes: of elasticity, in which what changes along other coordinates would count as rounding. */
static double size_of_changes(const mbd_sim *s) {
  const int n = s->m->nz;
  double size = 0;
  for (int j = 0; j < n; j++) {
    for (int i = 0, shape = is_shape(s->m, j); i < n; i++) {
      if (!shape || !is_shape(s->m, i)) { size = fmax(size, mbd_largest(steady_of(s)->K[i * n + j])); }
    }
  }
  return size;
}

/* changes [nz] := the largest entries of the columns of K, at least those that are there. Of columns with reactions the parts count that are no sums of
 * rows of constraints of several equations: along axes of the ground, these turn into sums of each other. Equation (5.17). */
static void add_changes(mbd_sim *s, int reacts, double *changes) {
  sim_steady *trim = steady_of(s);
  const int n = s->m->nz;
  const double longest = mbd_norm_inf(s->m->nphi * n, trim->J);
  span all = {0, n, trim->Gy};
  for (int k = 0; reacts && k < s->m->nconstraint; k++) {
    const mbd_constraint *c = &s->m->constraint[k];
    for (int i = 0; c->ops->nphi > 1 && i < c->ops->nphi; i++) {
      add_row(&all, trim->J, longest, c->row + i, trim->dr);
    }
  }
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) { trim->dr[i] = trim->K[i * n + j]; }
    if (all.count > 0) { outside(&all, trim->dr); }
    changes[j] = fmax(changes[j], mbd_norm_inf(n, trim->dr));
  }
}

/* The force that changes as the base is shifted from the present motion; NULL: none does. */
static const char *force_that_changes(mbd_sim *s, int shifted) {
  mbd_arg_state at;
  for (int i = 0; i < s->m->nforce; i++) {
    mbd_real f[2][ELEMENT_ARG_MAX][3] = {{{0}}};
    double change = 0, size = 0;
    for (int k = 0; k < 2; k++) {
      s->now.z[shifted] += k == 0 ? 0 : shifted_by;
      motion_place(s->w, s->p, s->t, s->now.z);
      motion_move(s->w, s->now.zd, s->now.zdd, 1);
      motion_force(s->w, i, &at, f[k]);
      s->now.z[shifted] -= k == 0 ? 0 : shifted_by;
    }
    for (int a = 0; a < s->m->force[i].lift.narg; a++) {
      for (int c = 0; c < 3; c++) {
        change = fmax(change, mbd_largest(f[1][a][c] - f[0][a][c])), size = fmax(size, mbd_largest(f[0][a][c]));
      }
    }
    if (change > 1e-9 * (1 + size)) { return s->m->force[i].name; }
  }
  return NULL;
}

static mbd_status check_shifts(mbd_sim *s, const double *changes, double scale, mbd_error *err) {
  const sim_steady *trim = steady_of(s);
  for (int k = 0; k < 2; k++) {
    if (changes[trim->shift[k]] <= symmetric * scale) { continue; }
    const char *force = force_that_changes(s, trim->shift[k]);
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "no steady motion: %s%s%s changes as '%s' does; expected a level road, and no path, wall or spring to the "
             "ground on the way",
             force ? "force '" : "what acts", force ? force : "", force ? "'" : "", s->m->z_name[trim->shift[k]]);
  }
  return MBD_OK;
}

/* K dz + C S zd + M S zdd + S' r */
static mbd_status check_turn(mbd_sim *s, double scale, mbd_error *err) {
  sim_steady *trim = steady_of(s);
  const int n = s->m->nz;
  mbd_real *sum = trim->phi, *x = trim->dzd; /* [rows of the start] holds nz numbers */
  int worst = 0;
  memset(sum, 0, (size_t)n * sizeof *sum);
  rate_of(s, 2, x);
  mbd_mul_add(n, n, 1, 1, trim->K, x, sum);
  steady_generator(s, s->now.zd, x);
  mbd_mul_add(n, n, 1, 1, trim->C, x, sum);
  steady_generator(s, s->now.zdd, x);
  mbd_mul_add(n, n, 1, 1, trim->M, x, sum);
  /* S' = -S on the place, and on Euler parameters */
  steady_generator(s, trim->r, x);
  mbd_axpy(n, -1, x, sum);
  for (int j = 1; j < n; j++) { worst = mbd_largest(sum[j]) > mbd_largest(sum[worst]) ? j : worst; }
  const mbd_body *base = &s->m->body[trim->base];
  const double size = mbd_norm_inf(base->nz, trim->r + base->z0);
  if (mbd_largest(sum[worst]) <= symmetric * (scale + size)) { return MBD_OK; }
  MBD_FAIL(
      err, MBD_UNSUPPORTED,
      "no steady motion in a turn: what acts along '%s' changes as the mechanism turns about the vertical; expected "
      "a level road, and forces that turn along",
      s->m->z_name[worst]);
}

mbd_status steady_find_symmetries(mbd_sim *s, mbd_error *err) {
  sim_steady *trim = steady_of(s);
  const mbd_model *m = s->m;
  const int n = m->nz;
  if (trim->known) { return MBD_OK; }
  MBD_TRY(find_base(s, err));
  memcpy(trim->kept, s->now.z, (size_t)n * sizeof *trim->kept);
  memcpy(trim->from, s->now.zd, (size_t)n * sizeof *trim->from);
  /* Cyclic coordinates, on either side of the position, with reactions and without. */
  double *changes = trim->work, scale = 0;
  memset(changes, 0, (size_t)n * sizeof *changes);
  for (int k = 3; k >= 0; k--) {
    random_motion(s, trim->kept, (k & 2 ? -1 : 1) * near, k & 1);
    add_changes(s, k & 1, changes);
    scale = fmax(scale, size_of_changes(s));
  }
  trim->ncyclic = 0;
  for (int j = 0; j < model_first_state(m); j++) {
    const int of_base =
        trim->base >= 0 && j >= m->body[trim->base].z0 && j < m->body[trim->base].z0 + m->body[trim->base].nz;
    if (!of_base && changes[j] <= symmetric * scale) { trim->cyclic[trim->ncyclic++] = j; }
  }
  trim->nrate = first_cyclic(trim) + trim->ncyclic;
  mbd_status status = MBD_OK;
  if (isnan(mbd_norm_inf(n * n, trim->K))) {
    status = MBD_FAILED(err, MBD_NOT_FINITE, "the forces near the assembled position are not finite");
  }
  if (status == MBD_OK && trim->base >= 0) { status = check_shifts(s, changes, scale, err); }
  /* the last motion, without reactions: closures on the ground turn */
  if (status == MBD_OK && trim->base >= 0) { status = check_turn(s, scale, err); }
  trim->known = status == MBD_OK;
  memcpy(s->now.z, trim->kept, (size_t)n * sizeof *trim->kept);
  memcpy(s->now.zd, trim->from, (size_t)n * sizeof *trim->from);
  return status;
}

/* ---- where along them ---- */

/* x [nrate] := row i of the start, of Phi, held quantities and kept coordinates, along the rates */
static void row_along_rates(mbd_sim *s, int i, mbd_real *x) {
  const sim_steady *trim = steady_of(s);
  for (int k = 0; k < trim->nrate; k++) {
    rate_of(s, k, trim->dzd);
    x[k] = i < s->held.nrow ? mbd_dot(s->m->nz, trim->J + i * s->m->nz, trim->dzd)
                            : trim->dzd[s->start->free_z[i - s->held.nrow]];
  }
}

/* The state whose value a held quantity gives; -1: it is another quantity. */
static int state_held(const mbd_model *m, int hold) {
  const mbd_arg *arg = &m->hold[hold].lift.arg[0];
  return arg->kind == MBD_ARG_COORDINATE && model_is_state(m, arg->b) ? arg->b : -1;
}

static int is_phase(const mbd_sim *s, int row) {
  const int hold = row - s->m->nphi;
  if (hold >= s->held.nhold) { return !model_is_state(s->m, s->start->free_z[hold - s->held.nhold]); }
  return hold < s->m->nhold_kept && state_held(s->m, hold) < 0;
}

/* Redundant constraints are dependent on each other where all of them hold, as here, but not on the way of an iteration. */
static void find_redundant(mbd_sim *s) {
  sim_steady *trim = steady_of(s);
  const int n = s->m->nz;
  span all = {0, n, trim->K};
  const double longest = mbd_norm_inf(s->m->nphi * n, trim->J);
  for (int i = 0; i < s->m->nphi; i++) { trim->dependent[i] = !add_row(&all, trim->J, longest, i, trim->r); }
}

static const double fixes = 1e-6; /* least part of a row in a symmetry that it fixes */

/* A base that constraints [couplings of the rates] keep where it is goes nowhere: what carries it may, with coordinates of its own. */
static mbd_status check_carried(const mbd_sim *s, const span *couplings, mbd_error *err) {
  const sim_steady *trim = steady_of(s);
  double free = 0;
  for (int k = 0; k < first_cyclic(trim); k++) {
    memset(trim->b, 0, (size_t)trim->nrate * sizeof *trim->b);
    trim->b[k] = 1;
    free = fmax(free, outside(couplings, trim->b));
  }
  if (trim->base < 0 || free > fixes) { return MBD_OK; }
  const char *name = s->m->body[trim->base].name;
  MBD_FAIL(
      err, MBD_UNSUPPORTED,
      "steady motion: '%s' floats on the ground, and constraints keep it from moving; expected [joint NAME] of type "
      "floating between the body that carries it and '%s'",
      name, name);
}

mbd_status steady_find_phases(mbd_sim *s, mbd_error *err) {
  sim_steady *trim = steady_of(s);
  const int nrow = s->held.nrow + s->start->nfree;
  span all = {0, trim->nrate, trim->Gy};
  mbd_real *x = trim->b;
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_phi(s->w, s->held, trim->phi, trim->J);
  find_redundant(s);
  /* Constraints couple rates. */
  trim->nmoving = 0;
  for (int i = 0; i < s->m->nphi; i++) {
    row_along_rates(s, i, x);
    const int couples = mbd_norm_inf(trim->nrate, x) > fixes;
    if (couples || i >= s->velocity_row) { trim->moving[trim->nmoving++] = i; }
    const double length = i < s->velocity_row && couples ? outside(&all, x) : 0;
    if (length > fixes) { add(&all, x, length); }
  }
  MBD_TRY(check_carried(s, &all, err));
  /* Of the held quantities and kept coordinates those that fix most of what is left. */
  trim->nphase = 0;
  while (all.count < trim->nrate) {
    int best = -1;
    double largest = fixes;
    for (int i = s->m->nphi; i < nrow; i++) {
      if (!is_phase(s, i)) { continue; }
      row_along_rates(s, i, x);
      const double length = outside(&all, x);
      if (length > largest * (1 + MBD_EQUAL_PIVOTS)) { best = i, largest = length; }
    }
    if (best < 0) { break; }
    row_along_rates(s, best, x);
    add(&all, x, outside(&all, x));
    trim->phase[trim->nphase++] = best;
  }
  if (all.count < trim->nrate) {
    MBD_FAIL(
        err, MBD_BAD_INPUT,
        "steady motion: nothing says where the mechanism is along its way; expected the place, the heading and the "
        "angles of wheels held in [start], and not in its 'settle'");
  }
  /* The two that the base's place moves. */
  trim->place[0] = trim->place[1] = -1;
  for (int i = 0; trim->base >= 0 && i < trim->nphase; i++) {
    row_along_rates(s, trim->phase[i], x);
    if (!(mbd_largest(x[0]) > fixes || mbd_largest(x[1]) > fixes)) { continue; }
    trim->place[trim->place[0] < 0 ? 0 : 1] = i;
  }
  /* States that have a given value, which does not settle. */
  for (int j = 0; j < s->m->nz; j++) { trim->held_state[j] = -1; }
  for (int i = 0; i < s->m->nhold_kept; i++) {
    const int j = state_held(s->m, i);
    if (j >= 0) { trim->held_state[j] = s->m->nphi + i; }
  }
  trim->nrow = steady_row_given(s) + (trim->speed >= 0) + (trim->curvature >= 0 || trim->lateral >= 0);
  trim->nunknown = steady_col_input(s) + trim->ninput;
  return MBD_OK;
}
