/* The linear system of small motions about the present motion (theory.md §3, 5): the derivative of the accelerations
 *   M dzdd + Phi_z' dlam = -(K dz + C dzd),   Phi_z dzdd = -(Phidd_z dz + Phidd_zd dzd)
 * along deviations that respect the constraints. With independent coordinates y and rates w
 *   dz = N y,   dzd = N w + S y,   Phi_z N = 0,   Phi_z S = -Phid_z N
 * where N is the unit matrix and S zero in the rows of the independent coordinates: those rows of dzdd are w'. The coordinates s of states x = sd are
 * independent ones, the last. On s nothing depends, so that only its rate is a deviation here (theory.md §4.3).
 *
 * Velocity constraints leave fewer rates than coordinates free: of y' = U w + V y only the rates w of some independent coordinates are,
 *   (A N) y' = -(A S + Psi_z N) y,   dzd = N U w + (N V + S) y
 * and the rows of dzdd with w are w' (theory.md §3 (3.11)). */
#include "mbd/linearize.h"

#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "la/eigen.h"
#include "la/rigid.h"
#include "formulation/formulation.h"
#include "formulation/mass.h"
#include "objective/node_states.h"
#include "simulate/deviations.h"
#include "simulate/linearize.h"
#include "simulate/steady.h"
#include "base/sized.h"

static const double rank_tolerance = 1e-9;

static void layout(deviations *columns, mbd_arena *a) {
  const size_t n = (size_t)columns->n, m = (size_t)columns->nphi, k = 2 * n + 1;
  columns->row = mbd_arena_take(a, (m + 1) * sizeof *columns->row);
  columns->col = mbd_arena_take(a, n * sizeof *columns->col);
  columns->piv = mbd_arena_take(a, (m + 1) * sizeof *columns->piv);
  columns->rate = mbd_arena_take(a, n * sizeof *columns->rate);
  columns->work = mbd_arena_take(a, (m * (n + 1) + 1) * sizeof *columns->work);
  columns->weight = mbd_arena_take(a, n * sizeof *columns->weight);
  MBD_ARENA_REALS(a, n * k, &columns->dz, &columns->dzd, &columns->dzdd, &columns->f, &columns->step);
  MBD_ARENA_REALS(a, n * k, &columns->seen_dzd, &columns->seen_dzdd);
  MBD_ARENA_REALS(a, m * k + 1, &columns->g, &columns->dlam, &columns->rg);
  columns->lu = mbd_arena_real(a, m * m + 1);
  columns->dep = mbd_arena_real(a, m * k + 1);
  columns->AN = mbd_arena_real(a, m * n + 1);
  columns->y_rate = mbd_arena_real(a, n * k);
  MBD_ARENA_REALS(a, n * n, &columns->K, &columns->C);
  MBD_ARENA_REALS(a, m * n + 1, &columns->Phi_z, &columns->Phid_z, &columns->Phidd_z, &columns->Phidd_zd);
}

/* All derivatives at the start. */
static void evaluate(mbd_sim *s, deviations *columns) {
  motion_phi(s->w, s->eq, NULL, columns->Phi_z);
  motion_rates_z(s->w, s->eq, columns->Phid_z, columns->Phidd_z, columns->Phidd_zd);
  const motion_terms e = motion_equations(s->eq, s->now.lam);
  motion_jacobian(s->w, &e, NULL, columns->K, columns->C, NULL, NULL);
}

static void choose_independent(const mbd_sim *s, deviations *columns) {
  for (int i = 0; i < s->velocity_row * columns->n; i++) { columns->work[i] = mbd_first(columns->Phi_z[i]); }
  columns->rank = mbd_rank(s->velocity_row, columns->n, columns->work, rank_tolerance, columns->row, columns->col);
  columns->nfree = columns->n - columns->rank;
  columns->k = 2 * columns->nfree + 1;
  mbd_sort_numbers(columns->nfree, columns->col + columns->rank);
}

/* The first ncol columns of x [.][ncol] in the dependent coordinates: Phi_z x = right-hand side in columns->dep. */
static void solve_dependent(deviations *columns, int ncol, mbd_real *x) {
  mbd_lu_solve(columns->rank, columns->lu, columns->piv, ncol, columns->dep);
  for (int i = 0; i < columns->rank; i++) {
    for (int j = 0; j < ncol; j++) { x[columns->col[i] * columns->k + j] = columns->dep[i * ncol + j]; }
  }
}

/* The columns N of dz: independent coordinates move by 1, the dependent ones follow from Phi_z N = 0. */
static mbd_status move_positions(deviations *columns, mbd_error *err) {
  const int n = columns->n, nf = columns->nfree, rank = columns->rank;
  for (int i = 0; i < rank; i++) {
    for (int j = 0; j < rank; j++) {
      columns->lu[i * rank + j] = columns->Phi_z[columns->row[i] * n + columns->col[j]];
    }
    for (int j = 0; j < nf; j++) {
      columns->dep[i * nf + j] = -columns->Phi_z[columns->row[i] * n + columns->col[rank + j]];
    }
  }
  if (mbd_lu_factor(rank, columns->lu, columns->piv) != MBD_OK) {
    MBD_FAIL(err, MBD_SINGULAR, "the constraints at the start do not determine the dependent coordinates");
  }
  for (int j = 0; j < nf; j++) { columns->dz[columns->col[rank + j] * columns->k + j] = 1; }
  solve_dependent(columns, nf, columns->dz);
  return MBD_OK;
}

/* The columns S of dzd: the rates of the dependent coordinates follow from Phi_z S = -Phid_z N. */
static void move_dependent_rates(deviations *columns) {
  const int n = columns->n, nf = columns->nfree;
  for (int i = 0; i < columns->rank; i++) {
    for (int j = 0; j < nf; j++) {
      mbd_real v = 0;
      for (int c = 0; c < n; c++) { v -= columns->Phid_z[columns->row[i] * n + c] * columns->dz[c * columns->k + j]; }
      columns->dep[i * nf + j] = v;
    }
  }
  solve_dependent(columns, nf, columns->dzd);
}

/* x [n] . column j of the columns */
static mbd_real times_column(const deviations *columns, const mbd_real *x, const mbd_real *of, int j) {
  mbd_real sum = 0;
  for (int c = 0; c < columns->n; c++) { sum += x[c] * of[c * columns->k + j]; }
  return sum;
}

/* Chooses the independent rates by the pivots of A N; row: its independent rows. */
static void choose_rates(const mbd_sim *s, deviations *columns, int *row) {
  const int nf = columns->nfree, nrow = columns->nphi - s->velocity_row;
  for (int i = 0; i < nrow; i++) {
    const mbd_real *A = columns->Phi_z + (s->velocity_row + i) * columns->n;
    for (int j = 0; j < nf; j++) {
      columns->AN[i * nf + j] = times_column(columns, A, columns->dz, j);
      columns->work[i * nf + j] = mbd_first(columns->AN[i * nf + j]);
    }
  }
  const double size = mbd_norm_inf(nrow * columns->n, columns->Phi_z + s->velocity_row * columns->n);
  const int follow = mbd_rank_above(nrow, nf, columns->work, rank_tolerance * size, row, columns->rate);
  columns->nrate = nf - follow;
  mbd_sort_numbers(columns->nrate, columns->rate + follow);
}

/* y' = V y + U w in y_rate: the rates w are 1, those that follow satisfy (A N) y' = -(A S + Psi_z N) y. */
static mbd_status move_rates(const mbd_sim *s, deviations *columns, mbd_error *err) {
  const int n = columns->n, nf = columns->nfree, k = columns->k;
  int *const row = columns->row; /* those of Phi_z are not needed any more */
  choose_rates(s, columns, row);
  const int nw = columns->nrate, follow = nf - nw, ncol = nf + nw, *free_rate = columns->rate + follow;
  for (int j = 0; j < nw; j++) { columns->y_rate[free_rate[j] * k + nf + j] = 1; }
  for (int i = 0; i < follow; i++) {
    const mbd_real *AN = columns->AN + row[i] * nf, *A = columns->Phi_z + (s->velocity_row + row[i]) * n;
    const mbd_real *Psi_z = columns->Phid_z + (s->velocity_row + row[i]) * n;
    mbd_real *b = columns->dep + i * ncol;
    for (int j = 0; j < follow; j++) { columns->lu[i * follow + j] = AN[columns->rate[j]]; }
    for (int j = 0; j < nf; j++) {
      b[j] = -times_column(columns, A, columns->dzd, j) - times_column(columns, Psi_z, columns->dz, j);
    }
    for (int j = 0; j < nw; j++) { b[nf + j] = -AN[free_rate[j]]; }
  }
  if (mbd_lu_factor(follow, columns->lu, columns->piv) != MBD_OK) {
    MBD_FAIL(err, MBD_SINGULAR, "the velocity constraints at the start do not determine the dependent rates");
  }
  mbd_lu_solve(follow, columns->lu, columns->piv, ncol, columns->dep);
  for (int i = 0; i < follow; i++) {
    memcpy(columns->y_rate + columns->rate[i] * k, columns->dep + i * ncol, (size_t)ncol * sizeof *columns->dep);
  }
  return MBD_OK;
}

/* dz = [ N 0 zd ],  dzd = [ N V + S, N U, zdd ] */
static mbd_status deviate(const mbd_sim *s, deviations *columns, mbd_error *err) {
  const int n = columns->n, nf = columns->nfree;
  MBD_TRY(move_positions(columns, err));
  move_dependent_rates(columns);
  MBD_TRY(move_rates(s, columns, err));
  for (int i = 0; i < n; i++) {
    mbd_real *dzd = columns->dzd + i * columns->k;
    for (int c = 0; c < nf; c++) {
      const mbd_real N = columns->dz[i * columns->k + c];
      for (int j = 0; mbd_any(N != 0) && j < nf + columns->nrate; j++) {
        dzd[j] += N * columns->y_rate[c * columns->k + j];
      }
    }
  }
  /* The last column is the motion itself. */
  for (int i = 0; i < n; i++) {
    columns->dz[(i + 1) * columns->k - 1] = s->now.zd[i], columns->dzd[(i + 1) * columns->k - 1] = s->now.zdd[i];
  }
  return MBD_OK;
}

static mbd_status accelerate(mbd_sim *s, deviations *columns, mbd_error *err) {
  const int n = columns->n, m = columns->nphi, k = columns->k;
  MBD_TRY(mass_factor(s, &columns->x, err));
  mbd_mul_add(n, n, k, -1, columns->K, columns->dz, columns->f);
  mbd_mul_add(n, n, k, -1, columns->C, columns->dzd, columns->f);
  mbd_mul_add(m, n, k, -1, columns->Phidd_z, columns->dz, columns->g);
  mbd_mul_add(m, n, k, -1, columns->Phidd_zd, columns->dzd, columns->g);
  sim_leave_out(s, k, columns->g);
  MBD_TRY(mbd_saddle_solve(&columns->x.motion, k, columns->f, columns->g, columns->dzdd, columns->dlam, columns->step,
                           columns->rg, err));
  node_states_linear(s, k, columns->dz, columns->dzd, columns->dlam, columns->dzdd);
  return MBD_OK;
}

/* In a steady turn, seen from a frame that turns along at the rate r, deviations change by dzd - r S dz and dzdd - r S dzd, with constant
 * coefficients, theory.md §3 (3.12); so does the motion itself, which rests there. */
static void turn_along(const mbd_sim *s, deviations *columns) {
  const int n = columns->n, k = columns->k;
  const size_t size = (size_t)n * (size_t)k * sizeof *columns->dz;
  memcpy(columns->seen_dzd, columns->dzd, size), memcpy(columns->seen_dzdd, columns->dzdd, size);
  columns->turn = steady_requested(s) ? steady_turn(s) : 0;
  if (mbd_none(columns->turn != 0)) { return; }
  mbd_real *const from[] = {columns->dz, columns->dzd}, *const to[] = {columns->seen_dzd, columns->seen_dzdd};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < k; j++) {
      for (int c = 0; c < n; c++) { columns->step[c] = from[i][c * k + j]; }
      steady_generator(s, columns->step, columns->f);
      for (int c = 0; c < n; c++) { to[i][c * k + j] -= columns->turn * columns->f[c]; }
    }
  }
}

/* ---- results ---- */

static mbd_status allocate(const deviations *columns, mbd_linear *l, mbd_error *err) {
  l->n = columns->nfree - columns->nstate, l->nstate = columns->nstate, l->nrate = columns->nrate - columns->nstate;
  const size_t n = (size_t)l->n, states = (size_t)l->nstate, order = n + (size_t)l->nrate + states;
  l->z =
      calloc(2 * n + order + 1, sizeof *l->z); /* with rate and rigid behind, which callers with older headers lack */
  l->A = calloc(order * order + 1, sizeof *l->A);
  l->re = calloc(order + 1, sizeof *l->re);
  l->im = calloc(order + 1, sizeof *l->im);
  /* With share, residual and state_shape behind, which callers with older headers lack. */
  l->shape = calloc(order * (2 * n + 1 + states) + 1, sizeof *l->shape);
  if (!l->z || !l->A || !l->re || !l->im || !l->shape) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for eigenvalues"); }
  l->share = l->shape + order * n, l->residual = l->share + order * n, l->state_shape = l->residual + order;
  l->rate = l->z + n, l->rigid = l->rate + n;
  return MBD_OK;
}

/* Row `row` of A, from a row of columns: by the deviations of coordinates, then of rates, those of states last. */
static void fill_row(const deviations *columns, const mbd_real *from, const mbd_linear *l, int row) {
  const int order = linear_order_of(l);
  for (int j = 0; j < order; j++) {
    const mbd_real a = from[j < l->n ? j : columns->nfree + j - l->n];
    l->A[row * order + j] = mbd_first(a);
    if (columns->exact) { columns->exact[row * order + j] = a; }
  }
}

static void fill_matrix(const deviations *columns, mbd_linear *l) {
  const int n = l->n, k = columns->k, *col = columns->col + columns->rank;
  const int *free_rate = columns->rate + columns->nfree - columns->nrate;
  for (int i = 0; i < n; i++) {
    l->z[i] = col[i];
    fill_row(columns, columns->seen_dzd + col[i] * k, l, i);
  }
  for (int i = 0; i < columns->nrate; i++) {
    const int z = col[free_rate[i]];
    fill_row(columns, columns->seen_dzdd + z * k, l, n + i);
    if (i >= l->nrate) { continue; } /* of a state */
    l->rate[i] = z;
    const double a = mbd_largest(columns->seen_dzd[(z + 1) * k - 1]),
                 jerk = mbd_largest(columns->seen_dzdd[(z + 1) * k - 1]);
    if (a > l->acceleration || i == 0) { l->acceleration = a, l->accelerated = z; }
    if (jerk > l->jerk) { l->jerk = jerk; }
  }
}

/* The mass of the bodies that the present rates move, and are more than rounding of. */
static double mass_moved(const mbd_sim *s) {
  double largest = 0, mass = 0;
  for (int b = 1; b < s->m->nb; b++) { largest = fmax(largest, mbd_norm_inf(6, s->w->body[b].V)); }
  for (int b = 1; b < s->m->nb; b++) {
    const int moves = mbd_norm_inf(6, s->w->body[b].V) > rank_tolerance * largest;
    mass += moves ? mbd_first(s->w->body[b].in.m) : 0;
  }
  return mass;
}

/* Coordinates in m and in rad compare by the root mean square displacement, in m, of the mass that each moves at a unit while the other
 * independent ones rest: sqrt(N_k' M N_k / m_k) = sqrt(2 T_k / m_k). */
static void weigh_coordinates(mbd_sim *s, deviations *columns) {
  for (int k = 0; k < columns->nfree - columns->nstate; k++) {
    for (int i = 0; i < columns->n; i++) { columns->step[i] = columns->dz[i * columns->k + k], columns->f[i] = 0; }
    motion_move(s->w, columns->step, columns->f, 0);
    const double energy = mbd_first(motion_kinetic(s->w)),
                 mass = mass_moved(s); /* the energy is of all bodies, which are swept for it */
    columns->weight[k] = mass > 0 ? sqrt(2 * fmax(0, energy) / mass) : 0;
  }
}

static const double moves = 1e-9; /* least displacement of a mode in which coordinates move, relative to its states */

static void divide(int n, double by, double *x) {
  for (int k = 0; k < n && by > 0; k++) { x[k] /= by; }
}

/* Stores the magnitudes of states in the mode with this eigenvector as those of mode `to`. Returns the largest before scaling. */
static double take_states(const mbd_linear *l, const double *v, const double *imaginary, int to) {
  double *shape = l->state_shape + to * l->nstate, max = 0;
  for (int k = 0; k < l->nstate; k++) {
    const int at = l->n + l->nrate + k;
    shape[k] = hypot(v[at], imaginary ? imaginary[at] : 0);
    max = fmax(max, shape[k]);
  }
  divide(l->nstate, max, shape);
  return max;
}

/* Stores mode i of LAPACK, with its eigenvector in v, as mode `to`. Returns the largest displacement of a
 * coordinate. */
static double take_mode(const mbd_linear *l, const deviations *columns, int i, const double *re, const double *im,
                        const double *v, int to) {
  const int n = l->n, order = linear_order_of(l), first = im[i] < 0 ? i - 1 : i;
  const double *imaginary = im[i] == 0 ? NULL : v + (first + 1) * order;
  double max = 0, max_share = 0;
  l->re[to] = re[i], l->im[to] = im[i];
  for (int k = 0; k < n; k++) {
    const double moved = hypot(v[first * order + k], imaginary ? imaginary[k] : 0);
    l->shape[to * n + k] = moved, l->share[to * n + k] = moved * columns->weight[k];
    max = fmax(max, moved), max_share = fmax(max_share, moved * columns->weight[k]);
  }
  /* Where only states move, the displacements are rounding. */
  if (max <= moves * take_states(l, v + first * order, imaginary, to)) {
    memset(l->shape + to * n, 0, (size_t)n * sizeof *l->shape),
        memset(l->share + to * n, 0, (size_t)n * sizeof *l->share);
    return 0;
  }
  divide(n, max, l->shape + to * n), divide(n, max_share, l->share + to * n);
  return max;
}

/* The part of an eigenvector [order] that is real, or imaginary, as displacements of the bodies: the coordinates move
 * by N y, and the displacements of the bodies are the velocities at the coordinate rates N y, times one second. */
static void move_bodies(mbd_sim *s, const deviations *columns, const double *v, double *out) {
  const int n = columns->n, nf = columns->nfree - columns->nstate;
  for (int i = 0; i < n; i++) {
    columns->step[i] = 0;
    for (int j = 0; j < nf; j++) { columns->step[i] += columns->dz[i * columns->k + j] * v[j]; }
    columns->f[i] = 0;
  }
  motion_move(s->w, columns->step, columns->f, 0);
  memset(out, 0, 6 * (size_t)(s->m->nb - 1) * sizeof *out);
  for (int b = 1; b < s->m->nb; b++) {
    if (s->m->body[b].light) { continue; } /* its beam moves with it */
    const body_state *body = &s->w->body[b];
    mbd_real arm[3], moved[3];
    v3_sub(arm, body->g, body->r);
    v3_copy(moved, body->V);
    v3_cross_add(moved, body->V + 3, arm);
    for (int i = 0; i < 3; i++) {
      out[6 * (b - 1) + i] = mbd_first(moved[i]);
      out[6 * (b - 1) + 3 + i] = mbd_first(body->V[3 + i]);
    }
  }
}

/* Displacements of the bodies in mode i of LAPACK; for the second mode of a pair the imaginary part has the opposite
 * sign. They are divided by `max`, so that the largest displacement of a coordinate is 1. */
static void take_bodies(mbd_sim *s, const deviations *columns, int i, const double *im, const double *v, double max,
                        double *out) {
  const int order = columns->nfree - columns->nstate + columns->nrate, first = im[i] < 0 ? i - 1 : i,
            size = 6 * (s->m->nb - 1);
  const double sign = im[i] < 0 ? -1 : 1;
  move_bodies(s, columns, v + first * order, out);
  if (im[i] != 0) { move_bodies(s, columns, v + (first + 1) * order, out + size); }
  for (int k = 0; k < size && max > 0; k++) { out[k] /= max, out[size + k] *= sign / max; }
}

static const double apart_from = 100; /* size, relative to the rest of a vector, from which parts are set apart */

/* What mbd_eigen_rigid leaves, and the places of its eigenvalues by their real parts. */
typedef struct eigenvalues {
  int nrigid, *place, *single;
  double *re, *im, *residual, *v, *w, *pair;
} eigenvalues;

static void layout_eigenvalues(eigenvalues *found, size_t order, mbd_arena *a) {
  found->place = mbd_arena_take(a, order * sizeof *found->place);
  found->single = mbd_arena_take(a, order * sizeof *found->single);
  found->re = mbd_arena_take(a, order * sizeof *found->re);
  found->im = mbd_arena_take(a, order * sizeof *found->im);
  found->residual = mbd_arena_take(a, order * sizeof *found->residual);
  found->v = mbd_arena_take(a, order * order * sizeof *found->v);
  found->w = mbd_arena_take(a, order * order * sizeof *found->w);
  found->pair = mbd_arena_take(a, 2 * order * sizeof *found->pair);
}

/* The largest real part first, of equal ones the lowest frequency. A real part that is rounding of the frequency is none: it decides nothing. */
static void sort(int order, eigenvalues *found) {
  static const double rounding = 1e-12; /* as of mbd_linear.residual */
  double *re = found->re, *im = found->im;
  for (int i = 0; i < order; i++) { /* insertion sort, which is stable: pairs stay together */
    int k = i;
    if (fabs(re[i]) <= rounding * fabs(im[i])) { re[i] = 0; }
    for (; k > 0; k--) {
      const int before = found->place[k - 1];
      if (re[before] > re[i] || (re[before] == re[i] && fabs(im[before]) <= fabs(im[i]))) { break; }
      found->place[k] = before;
    }
    found->place[k] = i;
  }
}

/* Vectors of eigenvalue i, of which rows hold the real parts and those of pairs the imaginary parts, as those of mode `to`. */
static void take_vectors(int order, int i, const double *im, const double *rows, int to, double *out) {
  const int first = im[i] < 0 ? i - 1 : i;
  double *real = out + (size_t)to * 2 * (size_t)order, *imaginary = real + order;
  memcpy(real, rows + first * order, (size_t)order * sizeof *real);
  for (int k = 0; im[i] != 0 && k < order; k++) { imaginary[k] = (im[i] < 0 ? -1 : 1) * rows[(first + 1) * order + k]; }
}

/* Of a slow mode the parts in rigid motions are large, 1/lam and 1/lam^2: the place of a vehicle that drifts. Added to the rest they would leave the rounding
 * of their size in it, so that those of rigid motions of a single entry are taken out of the vector v [2][order], and listed in `apart`. */
static void set_apart(int order, const int *single, double *v, mode_apart *apart) {
  double rest = 0;
  for (int k = 0; k < order; k++) { rest = single[k] ? rest : fmax(rest, hypot(v[k], v[order + k])); }
  for (int k = 0, n = 0; k < order && n < MODE_APART; k++) {
    if (!single[k] || !(hypot(v[k], v[order + k]) > apart_from * rest)) { continue; }
    apart[n++] = (mode_apart){.entry = k + 1, .re = v[k], .im = v[order + k]};
    v[k] = v[order + k] = 0;
  }
}

/* single [order] := the entries that are rigid motions by themselves */
static void find_single(int order, const eigenvalues *found, int *single) {
  for (int k = 0; k < found->nrigid; k++) {
    int n = 0, at = 0;
    for (int j = 0; j < order; j++) {
      if (found->v[k * order + j] != 0) { n++, at = j; }
    }
    if (n == 1) { single[at] = 1; }
  }
}

/* A rigid motion that begins with rates alone, as a higher speed, is shown by the displacements to which these lead: v := A v. */
static void show_rates(const mbd_linear *l, double *v, double *scratch) {
  const int order = linear_order_of(l);
  double displaced = 0;
  for (int k = 0; k < l->n; k++) { displaced = fmax(displaced, fabs(v[k])); }
  if (displaced > 0) { return; }
  memcpy(scratch, v, (size_t)order * sizeof *v);
  memset(v, 0, (size_t)order * sizeof *v);
  for (int i = 0; i < order; i++) {
    for (int k = 0; k < order; k++) { v[i] += l->A[i * order + k] * scratch[k]; }
  }
}

/* The two shifts in the plane, which the frame of a steady turn turns into each other: pair [2][order]; NULL: there is none. */
static const double *shifts_of_turn(const mbd_sim *s, const deviations *columns, const mbd_linear *l, double *pair) {
  if (mbd_none(columns->turn != 0)) { return NULL; }
  for (int side = 0; side < 2; side++) {
    if (!steady_symmetry(s, side, columns->step)) { return NULL; }
    for (int k = 0; k < l->n; k++) { pair[side * linear_order_of(l) + k] = mbd_first(columns->step[l->z[k]]); }
  }
  return pair;
}

/* Finds the modes, and, unless `bodies` is NULL, the displacements of the bodies, unless `modes` is NULL, their vectors. */
static mbd_status find_modes(mbd_sim *s, const deviations *columns, mbd_linear *l, double *bodies, mbd_modes *modes,
                             mbd_error *err) {
  const int order = linear_order_of(l);
  eigenvalues found = {0};
  mbd_arena a = {0};
  if (order == 0) { return MBD_OK; }
  while (mbd_arena_pass(&a)) { layout_eigenvalues(&found, (size_t)order, &a); }
  MBD_TRY(mbd_arena_check(&a, "eigenvalues", err));
  const double *pair = shifts_of_turn(s, columns, l, found.pair);
  const mbd_status status =
      mbd_eigen_rigid(order, l->A, pair, &found.nrigid, found.re, found.im, found.v, found.w, found.residual, err);
  if (status == MBD_OK) { sort(order, &found); }
  for (int to = 0; modes && status == MBD_OK && to < order; to++) {
    take_vectors(order, found.place[to], found.im, found.v, to, modes->v);
    take_vectors(order, found.place[to], found.im, found.w, to, modes->w);
  }
  if (status == MBD_OK) { find_single(order, &found, found.single); }
  for (int to = 0; modes && status == MBD_OK && to < order; to++) {
    if (found.place[to] < found.nrigid) { continue; }
    set_apart(order, found.single, modes->v + (size_t)to * 2 * (size_t)order, modes->apart + (size_t)to * MODE_APART);
  }
  for (int k = 0; status == MBD_OK && k < found.nrigid; k++) {
    show_rates(l, found.v + k * order, found.w + k * order);
  }
  for (int to = 0; status == MBD_OK && to < order; to++) {
    const int i = found.place[to];
    const double max = take_mode(l, columns, i, found.re, found.im, found.v, to);
    l->rigid[to] = i < found.nrigid, l->residual[to] = found.residual[i];
    if (bodies) {
      take_bodies(s, columns, i, found.im, found.v, max, bodies + (size_t)to * 12 * (size_t)(s->m->nb - 1));
    }
  }
  free(a.base);
  return status;
}

static mbd_status linearize(mbd_sim *s, deviations *columns, mbd_linear *out, double **bodies, mbd_modes *modes,
                            mbd_error *err) {
  evaluate(s, columns);
  choose_independent(s, columns);
  MBD_TRY(deviate(s, columns, err));
  MBD_TRY(accelerate(s, columns, err));
  turn_along(s, columns);
  MBD_TRY(allocate(columns, out, err));
  fill_matrix(columns, out);
  if (columns->exact) { return MBD_OK; } /* the matrix alone */
  weigh_coordinates(s, columns);
  if (bodies && linear_order_of(out) > 0) {
    *bodies = calloc((size_t)linear_order_of(out) * 12 * (size_t)s->m->nb, sizeof **bodies);
    if (!*bodies) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for modes"); }
  }
  if (modes) { MBD_TRY(modes_allocate(s, out, modes, err)); }
  MBD_TRY(find_modes(s, columns, out, bodies ? *bodies : NULL, modes, err));
  return modes && modes->differentiated ? modes_vectors(s, columns, out, modes, err) : MBD_OK;
}

void mbd_linear_free_sized(mbd_linear *l, size_t size) {
  mbd_linear ours;
  (void)sized_read(&ours, sizeof ours, l, size);
  free(ours.z), free(ours.A), free(ours.re), free(ours.im), free(ours.shape);
  memset(l, 0, size);
}

mbd_status linearize_present(mbd_sim *s, mbd_linear *out, double **bodies, mbd_real *exact, mbd_modes *modes,
                             mbd_error *err) {
  deviations q = {.n = s->m->nz, .nphi = s->m->nphi, .nstate = s->m->nstate, .exact = exact};
  mbd_arena a = {0};
  /* The memory is released at the end of this call. */
  while (mbd_arena_pass(&a)) { layout(&q, &a); }
  MBD_TRY(mbd_arena_check(&a, "a linearization", err));
  mbd_status status = matrices_create(s, &q.x, err);
  if (status == MBD_OK) { status = linearize(s, &q, out, bodies, modes, err); }
  matrices_destroy(&q.x);
  free(a.base);
  if (status != MBD_OK) { mbd_linear_free(out); }
  return status;
}
