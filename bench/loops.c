/* What recursion of order n costs where there are closed loops, against sparse ALI3-P. There is no such formulation
 * in the library; this is the measurement by which it is decided whether there should be one (bench/README.md,
 * "Recursive closed loops").
 *
 * The tree that is left when all loops are cut has the articulated-body recursion of
 * lib/formulation/fully_recursive.c. Loops are closed by forces: of the rows Phi of the loops the independent ones,
 * chosen once at the start, have multipliers lam with
 *   M zdd + Phi_z' lam = f,   Phi_z zdd = g      ->      S lam = Phi_z M^-1 f - g,   S = Phi_z M^-1 Phi_z'
 * The recursion factors M = L A L' joint by joint, where A has the blocks of the joints. With T = L^-1 Phi_z',
 * E = A^-1 T and t = L^-1 f,
 *   S = T' E,   Phi_z M^-1 f = E' t,   zdd = L'^-1 (A^-1 t - E lam)
 * so the rows of a constraint need one sweep towards the ground, through the bodies between its two ends and the ground
 * alone; it begins with the wrenches of the rows on these ends, so that Phi_z is not formed. One sweep inwards and one
 * outwards serve f. S has an entry for two rows that share a joint on their ways, and is sparse.
 *
 * Steps: Runge-Kutta 4, each evaluation as above. At every node velocities are projected, and positions after every
 * step, with the factors that are there:  dzd = -M^-1 Phi_z' S^-1 (Phi_z zd + Phi_t). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "kinematics/sweep.h"
#include "dynamics/element.h"
#include "la/sparse.h"
#include "mbo/model_file.h"
#include "simulate/run.h"

/* The factors of the recursion are private to its source, so this is compiled once more here. */
#define mbd_formulation_fully_recursive bench_fully_recursive
#include "formulation/fully_recursive.c"
#undef mbd_formulation_fully_recursive

/* Parts that are counted by their names. */
#define PART __attribute__((noinline)) static

/* ---- rows of loops ---- */

/* The independent rows of one constraint. They pass through the bodies on which it acts and those between these and the
 * ground. */
typedef struct loop_rows {
  const mbd_constraint *c;
  int nrow, first;    /* how many; number of the first one among all of them */
  int r[MBD_ROW_MAX]; /* [nrow] rows of the constraint */
  int nbody, *body;   /* [nbody] from the leaves to the ground */
  int *into;          /* [nbody] place of the first row in the list of the joint */
  element_state at;   /* at the position of the last evaluation */
} loop_rows;

/* All rows that pass through one joint. */
typedef struct joint_rows {
  int n, *row;     /* [n] ascending */
  mbd_real *T, *E; /* [nz of the joint][n] */
  int *place;      /* [n] where the entry of row[k] and row[k] is in S */
  int **apart;     /* [n] where those of row[k] and row[k], row[k + 1], ... are; NULL: side by side */
} joint_rows;

typedef struct loops {
  mbd_sim s; /* a copy, with the memory of the recursion in the place of its formulation's */
  state_space space;
  independent none; /* no joint has constraints of its own */
  articulated *tree;
  motion_rows eq;
  int nrow, *row; /* those that are independent */
  int nloop;
  loop_rows *loop;
  joint_rows *joint; /* [nb] */
  mbd_sparse *S;
  mbd_real *f, *zero;   /* [nz] forces; zeros */
  mbd_real *lam, *rate; /* [nrow] multipliers; Phi, Phid or Phidd */
  mbd_real *p, *t;      /* [nb][6][MBD_ROW_MAX], [16][MBD_ROW_MAX] scratch */
} loops;

static void *take(size_t n, size_t size) {
  void *memory = calloc(n + 1, size);
  if (!memory) { exit(1); }
  return memory;
}

/* Marks body k and all between it and the ground. */
static void mark_way(const mbd_model *m, int k, unsigned char *on) {
  for (int i = k; i > 0; i = m->body[i].parent) { on[i] = 1; }
}

/* Lists the bodies through which the rows of a constraint pass. */
static void find_ways(loops *q, loop_rows *l) {
  const mbd_model *m = q->s.m;
  unsigned char *on = take((size_t)m->nb, 1);
  for (int a = 0; a < l->c->lift.narg; a++) {
    const mbd_arg *arg = &l->c->lift.arg[a];
    const int side[2] = {arg->b, arg->kind == MBD_ARG_COORDINATE ? -1 : arg->a};
    for (int k = 0; k < 2 && side[k] >= 0; k++) {
      switch (arg->kind) {
        case MBD_ARG_COORDINATE: mark_way(m, m->z_body[side[k]], on); break;
        case MBD_ARG_ROTATION: mark_way(m, side[k], on); break;
        default: mark_way(m, m->marker[side[k]].body, on); break;
      }
    }
  }
  l->body = take((size_t)m->nb, sizeof *l->body);
  l->into = take((size_t)m->nb, sizeof *l->into);
  for (int i = m->nb - 1; i > 0; i--) {
    if (on[i]) { l->body[l->nbody++] = i; }
  }
  free(on);
}

/* The lists of the joints, and memory for T and E. */
static void list_rows_of_joints(loops *q) {
  for (int g = 0; g < q->nloop; g++) {
    loop_rows *l = &q->loop[g];
    for (int k = 0; k < l->nbody; k++) {
      joint_rows *j = &q->joint[l->body[k]];
      if (!j->row) { j->row = take((size_t)q->nrow, sizeof *j->row); }
      l->into[k] = j->n;
      for (int r = 0; r < l->nrow; r++) { j->row[j->n++] = l->first + r; }
    }
  }
  for (int i = 1; i < q->s.m->nb; i++) {
    joint_rows *j = &q->joint[i];
    const size_t nz = (size_t)q->tree->joint[i].nz, n = (size_t)j->n;
    j->T = take(nz * n, sizeof *j->T), j->E = take(nz * n, sizeof *j->E);
    j->place = take(n, sizeof *j->place), j->apart = take(n, sizeof *j->apart);
  }
}

/* S has the places of a product J' J, where J has a row for each joint. */
static void create_matrix(loops *q) {
  mbd_error err;
  const int nb = q->s.m->nb;
  size_t size = 0;
  for (int i = 0; i < nb; i++) { size += (size_t)q->joint[i].n; }
  mbd_columns J = {.first = take((size_t)nb + 1, sizeof(int)), .col = take(size, sizeof(int))};
  for (int i = 0; i < nb; i++) {
    const joint_rows *j = &q->joint[i];
    J.first[i + 1] = J.first[i] + j->n;
    for (int k = 0; k < j->n; k++) { J.col[J.first[i] + k] = j->row[k]; }
  }
  bench_must(mbd_sparse_create_gram(nb, q->nrow, &J, &q->S, &err), &err);
  bench_must(mbd_sparse_make_symmetric(q->S, &err), &err);
  free(J.first), free(J.col);
  /* Where the products of the rows of a joint are in S. */
  for (int i = 0; i < nb; i++) {
    joint_rows *j = &q->joint[i];
    for (int k = 0; k < j->n; k++) {
      j->place[k] = mbd_sparse_place(q->S, j->row[k], j->row[k]);
      const int last = mbd_sparse_place(q->S, j->row[k], j->row[j->n - 1]);
      if (last - j->place[k] == j->n - 1 - k) { continue; }
      j->apart[k] = take((size_t)(j->n - k), sizeof(int));
      for (int c = k; c < j->n; c++) { j->apart[k][c - k] = mbd_sparse_place(q->S, j->row[k], j->row[c]); }
    }
  }
}

/* The recursion and the loops of a simulation that has run: its start has found the independent rows of Phi. */
static loops *loops_create(const mbd_sim *s) {
  const mbd_model *m = s->m;
  mbd_error err;
  loops *q = take(1, sizeof *q);
  unsigned char *used = take((size_t)m->nphi, 1);
  if (m->nz != m->nz_tree) {
    fprintf(stderr, "coordinates without mass would have to be eliminated first\n");
    exit(1);
  }
  /* The recursion of the tree. */
  q->s = *s, q->s.memory = &q->space, q->space.indep = &q->none;
  q->eq = motion_constraints(m);
  void *tree;
  bench_must(fully_recursive_create(&q->s, &tree, &err), &err);
  q->tree = tree;
  /* The constraints with their independent rows. */
  for (int i = 0; i < s->rank; i++) { used[s->row[i]] = 1; }
  q->loop = take((size_t)m->nconstraint, sizeof *q->loop);
  q->joint = take((size_t)m->nb, sizeof *q->joint);
  q->row = take((size_t)m->nphi, sizeof *q->row);
  for (int i = 0, first = 0; i < m->nconstraint; first += m->constraint[i].ops->nphi, i++) {
    const mbd_constraint *c = &m->constraint[i];
    loop_rows *l = &q->loop[q->nloop];
    l->c = c, l->first = q->nrow;
    for (int r = 0; r < c->ops->nphi; r++) {
      if (used[first + r]) { q->row[q->nrow++] = first + r, l->r[l->nrow++] = r; }
    }
    if (l->nrow == 0) { continue; }
    find_ways(q, l);
    q->nloop++;
  }
  q->f = take((size_t)m->nz, sizeof *q->f), q->zero = take((size_t)m->nz, sizeof *q->zero);
  q->lam = take((size_t)q->nrow, sizeof *q->lam);
  q->rate = take((size_t)q->nrow, sizeof *q->rate);
  q->p = take((size_t)(6 * m->nb * MBD_ROW_MAX), sizeof *q->p);
  q->t = take((size_t)(MBD_ROW_MAX * 16), sizeof *q->t);
  list_rows_of_joints(q);
  create_matrix(q);
  free(used);
  return q;
}

static void loops_destroy(loops *q) {
  for (int g = 0; g < q->nloop; g++) { free(q->loop[g].body), free(q->loop[g].into); }
  for (int i = 0; i < q->s.m->nb; i++) {
    for (int k = 0; k < q->joint[i].n; k++) { free(q->joint[i].apart[k]); }
    free(q->joint[i].row), free(q->joint[i].T), free(q->joint[i].E), free(q->joint[i].place), free(q->joint[i].apart);
  }
  fully_recursive_destroy(q->tree);
  mbd_sparse_destroy(q->S);
  free(q->loop), free(q->joint), free(q->row);
  free(q->f), free(q->lam), free(q->zero), free(q->rate), free(q->p), free(q->t);
  free(q);
}

/* ---- one evaluation ---- */

/* The motion, and f = -r at zdd = 0. */
PART void loops_residual(loops *q, double t, const mbd_real *z, const mbd_real *zd) {
  motion_place(q->s.w, q->s.p, t, z);
  motion_move(q->s.w, zd, q->zero, 1);
  motion_residual(q->s.w, q->f);
  for (int k = 0; k < q->s.m->nz; k++) { q->f[k] = -q->f[k]; }
}

PART void loops_articulated(loops *q) {
  mbd_error err;
  bench_must(fully_recursive_factor(&q->s, q->tree, &err), &err);
}

/* Arguments of the rows and first derivatives in these, at the position of the last residual. */
PART void loops_elements(loops *q) {
  for (int g = 0; g < q->nloop; g++) {
    loop_rows *l = &q->loop[g];
    element_evaluate(q->s.w, l->c, 0, &l->at);
    element_first(l->c->ops, &l->at);
  }
}

/* Phi, or (rates) Phid at the motion of the last move, into rate; returns the largest. */
PART double loops_phi(loops *q, int rates) {
  for (int g = 0; g < q->nloop; g++) {
    loop_rows *l = &q->loop[g];
    mbd_real phi[MBD_ROW_MAX], phi_tt[MBD_ROW_MAX];
    element_evaluate(q->s.w, l->c, rates, &l->at);
    if (rates) {
      element_explicit_time(l->c->ops, &l->at, phi, phi_tt);
    } else {
      l->c->ops->phi(&l->at.in, phi);
    }
    for (int r = 0; r < l->nrow; r++) {
      q->rate[l->first + r] = phi[l->r[r]];
      if (rates) {
        q->rate[l->first + r] += element_row_dot(CONST3(l->at.J[l->r[r]]), l->c->ops->narg, CONST3(l->at.s.xd));
      }
    }
  }
  return mbd_norm_inf(q->nrow, q->rate);
}

/* Phidd at zdd = 0, at the motion of the last move, into rate. */
PART void loops_phidd(loops *q) {
  for (int g = 0; g < q->nloop; g++) {
    loop_rows *l = &q->loop[g];
    mbd_real phidd[MBD_ROW_MAX];
    element_evaluate(q->s.w, l->c, 1, &l->at);
    element_phidd(l->c->ops, &l->at, phidd);
    for (int r = 0; r < l->nrow; r++) { q->rate[l->first + r] = phidd[l->r[r]]; }
  }
}

/* Takes the force f of row c of w on one side of an argument, as a wrench, from p. */
static inline void take_side(loops *q, const mbd_arg *arg, int k, mbd_real sign, const mbd_real f[3], int w, int c) {
  const int is_rotation = arg->kind == MBD_ARG_ROTATION, body = is_rotation ? k : q->s.m->marker[k].body;
  mbd_real g[3], arm[3], F[6] = {0};
  v3_scale(g, sign, f);
  if (is_rotation) {
    v3_copy(F + 3, g);
  } else {
    marker_arm(q->s.w, k, arm);
    marker_wrench_add(F, g, arm, q->s.m->marker[k].is_point);
  }
  for (int r = 0; r < 6; r++) { q->p[6 * w * body + r * w + c] -= F[r]; }
}

static inline void take_wrenches(loops *q, const loop_rows *l, int w) {
  for (int a = 0; a < l->c->lift.narg; a++) {
    const mbd_arg *arg = &l->c->lift.arg[a];
    if (arg->kind == MBD_ARG_COORDINATE) { continue; }
    for (int c = 0; c < w; c++) {
      take_side(q, arg, arg->b, 1, l->at.J[l->r[c]][a], w, c);
      if (arg->a >= 0) { take_side(q, arg, arg->a, -1, l->at.J[l->r[c]][a], w, c); }
    }
  }
}

/* t += the force of the rows on coordinate z itself */
static inline void take_coordinate(const loop_rows *l, int z, int w, mbd_real *t) {
  for (int a = 0; a < l->c->lift.narg; a++) {
    const mbd_arg *arg = &l->c->lift.arg[a];
    if (arg->kind != MBD_ARG_COORDINATE || arg->b != z) { continue; }
    for (int c = 0; c < w; c++) { t[c] += l->at.J[l->r[c]][a][0]; }
  }
}

/* T and E of the rows of one constraint: w rows at once, a constant where this is inlined. p is minus the wrench of the
 * rows on the bodies beyond a joint. */
static inline void sweep_rows(loops *q, const loop_rows *l, int w) {
  const mbd_work *work = q->s.w;
  mbd_real *t = q->t;
  for (int k = 0; k < l->nbody; k++) { memset(q->p + 6 * w * l->body[k], 0, (size_t)(6 * w) * sizeof *q->p); }
  take_wrenches(q, l, w);
  for (int k = 0; k < l->nbody; k++) {
    const int i = l->body[k], h = work->model->body[i].parent;
    const joint_block *j = &q->tree->joint[i];
    const joint_rows *rows = &q->joint[i];
    mbd_real *p = q->p + 6 * w * i, arm[3];
    memset(t, 0, (size_t)(j->nz * w) * sizeof *t);
    for (int a = 0; a < j->nz; a++) {
      take_coordinate(l, j->z0 + a, w, t + a * w);
      for (int r = 0; r < 6; r++) { add(w, -work->col[j->z0 + a].b[r], p + r * w, t + a * w); }
      memcpy(rows->T + a * rows->n + l->into[k], t + a * w, (size_t)w * sizeof *t);
    }
    fully_recursive_eliminate(j, w, t);
    for (int a = 0; a < j->nz; a++) {
      memcpy(rows->E + a * rows->n + l->into[k], t + a * w, (size_t)w * sizeof *t);
      for (int r = 0; h > 0 && r < 6; r++) { add(w, j->U[r * j->nz + a], t + a * w, p + r * w); }
    }
    if (h == 0) { continue; }
    if (moves_reference(work)) {
      arm_of(work, i, arm);
      move_wrench(w, arm, p);
    }
    add(6 * w, 1, p, q->p + 6 * w * h);
  }
}

PART void loops_rows(loops *q) {
  for (int g = 0; g < q->nloop; g++) {
    const loop_rows *l = &q->loop[g];
    switch (l->nrow) {
      case 1: sweep_rows(q, l, 1); break;
      case 2: sweep_rows(q, l, 2); break;
      default: sweep_rows(q, l, 3); break;
    }
  }
}

/* S = T' E, the entries on and above the diagonal */
PART void loops_products(loops *q) {
  mbd_real *S = mbd_sparse_values(q->S);
  memset(S, 0, (size_t)mbd_sparse_count(q->S) * sizeof *S);
  for (int i = 1; i < q->s.m->nb; i++) {
    const joint_rows *j = &q->joint[i];
    for (int a = 0; a < q->tree->joint[i].nz; a++) {
      const mbd_real *T = j->T + a * j->n, *E = j->E + a * j->n;
      for (int r = 0; r < j->n; r++) {
        if (!j->apart[r]) {
          add(j->n - r, T[r], E + r, S + j->place[r]);
          continue;
        }
        for (int c = r; c < j->n; c++) { S[j->apart[r][c - r]] += T[r] * E[c]; }
      }
    }
  }
}

PART void loops_factor(loops *q) {
  if (mbd_sparse_factor(q->S) != MBD_OK) {
    fprintf(stderr, "the rows of the loops have become dependent\n");
    exit(1);
  }
}

/* x -= E lam, then x := L'^-1 x */
static void outwards_with_loops(loops *q, const columns *at) {
  for (int i = 1; i < q->s.m->nb; i++) {
    const joint_rows *j = &q->joint[i];
    for (int a = 0; a < q->tree->joint[i].nz; a++) {
      const mbd_real *E = j->E + a * j->n;
      mbd_real sum = 0;
      for (int r = 0; r < j->n; r++) { sum += E[r] * q->lam[j->row[r]]; }
      at->x[q->tree->joint[i].z0 + a] -= sum;
    }
    outwards(&q->s, q->tree, i, 1, at);
  }
}

/* x and lam of M x + Phi_z' lam = f, Phi_z x = -rate, on the factors. */
PART void loops_solve(loops *q, const mbd_real *f, const mbd_real *rate, mbd_real *x) {
  const int nb = q->s.m->nb;
  const columns at = {1, f, NULL, x, NULL};
  memset(q->tree->p, 0, (size_t)(6 * nb) * sizeof *q->tree->p);
  for (int r = 0; r < q->nrow; r++) { q->lam[r] = rate[r]; }
  for (int i = nb - 1; i > 0; i--) {
    const joint_rows *j = &q->joint[i];
    inwards(&q->s, q->tree, i, 1, &at);
    for (int a = 0; a < q->tree->joint[i].nz; a++) { /* lam += T' A^-1 t */
      const mbd_real *T = j->T + a * j->n;
      const mbd_real x0 = x[q->tree->joint[i].z0 + a];
      for (int r = 0; r < j->n; r++) { q->lam[j->row[r]] += T[r] * x0; }
    }
  }
  mbd_sparse_solve(q->S, 0, 1, q->lam);
  outwards_with_loops(q, &at);
}

/* The same with f = 0: x = -M^-1 Phi_z' S^-1 rate. */
PART void loops_project(loops *q, const mbd_real *rate, mbd_real *x) {
  const columns at = {1, NULL, NULL, x, NULL};
  for (int r = 0; r < q->nrow; r++) { q->lam[r] = rate[r]; }
  mbd_sparse_solve(q->S, 0, 1, q->lam);
  memset(x, 0, (size_t)q->s.m->nz * sizeof *x);
  outwards_with_loops(q, &at);
}

/* All factors at the position of the last residual. */
static void loops_prepare(loops *q) {
  loops_articulated(q);
  loops_elements(q);
  loops_rows(q);
  loops_products(q);
  loops_factor(q);
}

PART void loops_evaluate(loops *q, double t, const mbd_real *z, const mbd_real *zd, mbd_real *zdd) {
  loops_residual(q, t, z, zd);
  loops_phidd(q);
  loops_prepare(q);
  loops_solve(q, q->f, q->rate, zdd);
}

/* Puts the solution into the equations: the largest of |M zdd + Phi_z' lam - f| over |f|, and of |Phidd| of all rows,
 * those that are not used as well, over |rate|. */
static void loops_check(loops *q, const mbd_real *zd, const mbd_real *zdd, double error[2]) {
  const size_t n = (size_t)q->s.m->nz, m = (size_t)q->s.m->nphi;
  mbd_real *r = take(n, sizeof *r), *lam = take(m, sizeof *lam), *phi = take(m, sizeof *phi);
  const double f = mbd_norm_inf((int)n, q->f), rate = mbd_norm_inf(q->nrow, q->rate);
  for (int i = 0; i < q->nrow; i++) { lam[q->row[i]] = q->lam[i]; }
  motion_move(q->s.w, zd, zdd, 1);
  motion_residual_held(q->s.w, q->eq, lam, phi, r);
  motion_phidd(q->s.w, q->eq, phi);
  error[0] = mbd_norm_inf((int)n, r) / f;
  error[1] = mbd_norm_inf((int)m, phi) / fmax(rate, 1);
  free(r), free(lam), free(phi);
}

/* ---- derivatives of an evaluation ---- */

typedef struct loops_gradient {
  mbd_real *lam, *dr, *dphidd, *x, *mu, *nu;
  params_reverse *theta;
  mbd_reverse sweep;
  motion_linear linear;
  mbd_arena arena;
} loops_gradient;

static void gradient_create(loops *q, loops_gradient *g) {
  const mbd_model *m = q->s.m;
  mbd_error err;
  *g = (loops_gradient){0};
  bench_must(params_reverse_create(m, &g->theta, &err), &err);
  while (mbd_arena_pass(&g->arena)) {
    MBD_ARENA_REALS(&g->arena, (size_t)m->nz, &g->dr, &g->x, &g->mu);
    MBD_ARENA_REALS(&g->arena, (size_t)m->nphi + 1, &g->lam, &g->dphidd, &g->nu);
    reverse_layout(&g->sweep, m, &g->arena);
    motion_linear_layout(&g->linear, m, &g->arena);
  }
  bench_must(mbd_arena_check(&g->arena, "derivatives", &err), &err);
}

static void gradient_destroy(loops_gradient *g) {
  params_reverse_destroy(g->theta);
  free(g->arena.base);
}

/* What both need once for an evaluation: the motion with its accelerations, and the multipliers of all rows. */
PART void gradient_move(loops *q, loops_gradient *g, const mbd_real *zd, const mbd_real *zdd) {
  for (int i = 0; i < q->nrow; i++) { g->lam[q->row[i]] = q->lam[i]; }
  motion_move(q->s.w, zd, zdd, 1);
  sweep_columns(q->s.w);
}

/* The change of zdd along a direction of coefficients and coordinates, into g->x. */
PART void gradient_along(loops *q, loops_gradient *g, const mbd_dparams *d, const mbd_real *dz, const mbd_real *dzd) {
  const motion_terms e = motion_equations(q->eq, g->lam);
  motion_along(q->s.w, d, dz, dzd, NULL);
  motion_direction(q->s.w, &e, g->dr, NULL, NULL, g->dphidd);
  for (int k = 0; k < q->s.m->nz; k++) { g->dr[k] = -g->dr[k]; }
  for (int i = 0; i < q->nrow; i++) { q->rate[i] = g->dphidd[q->row[i]]; }
  loops_solve(q, g->dr, q->rate, g->x);
}

/* The derivatives of weight . zdd by all coefficients, into g->theta, and by coordinates, z, zd [nz] added to. */
PART void gradient_back(loops *q, loops_gradient *g, const mbd_real *weight, mbd_real *z, mbd_real *zd) {
  memset(q->rate, 0, (size_t)q->nrow * sizeof *q->rate);
  loops_solve(q, weight, q->rate, g->mu);
  for (int k = 0; k < q->s.m->nz; k++) { g->mu[k] = -g->mu[k]; }
  for (int i = 0; i < q->nrow; i++) { g->nu[q->row[i]] = -q->lam[i]; }
  motion_linearize(q->s.w, q->eq, g->lam, &g->linear);
  reverse_begin(&g->sweep, q->s.w, g->theta);
  motion_reverse_residual(&g->sweep, &g->linear, g->mu);
  motion_reverse_rows(&g->sweep, q->eq, NULL, NULL, g->nu);
  reverse_coordinates(&g->sweep, z, zd, NULL);
  reverse_joints(&g->sweep);
}

/* ---- steps ---- */

typedef struct stepper {
  mbd_real *z, *zd, *at, *dx, *k[4], *kd[4];
} stepper;

static void stepper_create(stepper *x, int n) {
  x->z = take((size_t)(12 * n), sizeof *x->z);
  x->zd = x->z + n, x->at = x->zd + n, x->dx = x->at + n;
  for (int i = 0; i < 4; i++) { x->k[i] = x->dx + (1 + i) * n, x->kd[i] = x->dx + (5 + i) * n; }
}

/* Positions at the end of a step, with the factors of its last stage. Returns the number of corrections. */
PART int project_positions(loops *q, stepper *x, double t) {
  for (int count = 0; count < 5; count++) {
    motion_place(q->s.w, q->s.p, t, x->z);
    if (loops_phi(q, 0) < 1e-11) { return count; }
    loops_project(q, q->rate, x->dx);
    mbd_axpy(q->s.m->nz, 1, x->dx, x->z);
  }
  return 5;
}

/* zdd at a node, where positions have been placed. Velocities are projected before. */
PART void node_evaluate(loops *q, stepper *x, mbd_real *zdd) {
  loops_prepare(q);
  motion_move(q->s.w, x->zd, q->zero, 1);
  loops_phi(q, 1);
  loops_project(q, q->rate, x->dx);
  mbd_axpy(q->s.m->nz, 1, x->dx, x->zd);
  motion_move(q->s.w, x->zd, q->zero, 1);
  motion_residual(q->s.w, q->f);
  for (int k = 0; k < q->s.m->nz; k++) { q->f[k] = -q->f[k]; }
  loops_phidd(q);
  loops_solve(q, q->f, q->rate, zdd);
}

/* One step h of Runge-Kutta 4. Returns the number of corrections of positions. */
PART int loops_step(loops *q, stepper *x, double t, double h) {
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const int n = q->s.m->nz;
  node_evaluate(q, x, x->kd[0]);
  memcpy(x->k[0], x->zd, (size_t)n * sizeof *x->zd);
  for (int i = 1; i < 4; i++) {
    for (int k = 0; k < n; k++) {
      x->at[k] = x->z[k] + node[i] * h * x->k[i - 1][k];
      x->k[i][k] = x->zd[k] + node[i] * h * x->kd[i - 1][k];
    }
    loops_evaluate(q, t + node[i] * h, x->at, x->k[i], x->kd[i]);
  }
  for (int i = 0; i < 4; i++) {
    mbd_axpy(n, weight[i] * h, x->k[i], x->z);
    mbd_axpy(n, weight[i] * h, x->kd[i], x->zd);
  }
  return project_positions(q, x, t + h);
}

/* ---- families ---- */

typedef struct family {
  const char *name;
  int columns, levels; /* of linkages */
  int links;           /* of a closed chain */
  const char *file;    /* of a model file */
  double step;         /* [s] of ALI3-P */
} family;

static const family families[] = {
    {.name = "five_bar", .file = "five_bar/five_bar.ini", .step = 1e-2},
    {.name = "linkages_1x15", .columns = 1, .levels = 15, .step = 1e-2},
    {.name = "linkages_4x15", .columns = 4, .levels = 15, .step = 1e-2},
    {.name = "linkages_7x15", .columns = 7, .levels = 15, .step = 1e-2},
    {.name = "linkages_112x1", .columns = 112, .levels = 1, .step = 1e-2},
    {.name = "chain_8", .links = 8, .step = 1e-2},
    {.name = "chain_16", .links = 16, .step = 1e-2},
    {.name = "chain_32", .links = 32, .step = 5e-3},
    {.name = "chain_64", .links = 64, .step = 2.5e-3},
    {.name = "chain_128", .links = 128, .step = 1e-3},
    {.name = "chain_256", .links = 256, .step = 5e-4},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

static const char *problems_folder; /* bench_loops */

/* opened: a chain without its closure; cut: with more joints cut */
static mbd_model *family_model(const family *f, int opened, int cut) {
  mbd_error err;
  mbd_model *m;
  mbo_model_file *file;
  char path[1024];
  if (f->columns > 0) { return bench_linkage(f->columns, f->levels); }
  if (f->links > 0) { return bench_arc(f->links, !opened, cut); }
  snprintf(path, sizeof path, "%s/%s", problems_folder, f->file);
  bench_must(mbo_model_file_read(path, 0, NULL, NULL, &file, &err), &err);
  bench_must(mbd_model_create(mbo_model_file_spec(file), &m, &err), &err);
  mbo_model_file_destroy(file);
  return m;
}

/* ---- simulations by the library ---- */

typedef struct library_run {
  mbd_model *m;
  mbd_params *p;
  mbd_outputs *o;
  mbd_sim *s;
  mbd_dparams *d;
  int n, last;
  double *z0, *zd0, *zdd0, *z; /* at the start; z at the end */
  double psi;
} library_run;

static int observe(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                   const double *y) {
  library_run *r = user;
  const size_t size = (size_t)r->n * sizeof *z;
  (void)t, (void)lam, (void)y;
  if (k == 0) { memcpy(r->z0, z, size), memcpy(r->zd0, zd, size), memcpy(r->zdd0, zdd, size); }
  memcpy(r->z, z, size);
  return 0;
}

/* The coefficient of the first mass. */
static int a_mass(const mbd_model *m) {
  for (int k = 0; k < mbd_model_ncoef(m); k++) {
    if (strstr(mbd_model_coef_name(m, k), "mass")) { return k; }
  }
  return 3; /* of chains, after gravity */
}

/* method: ali3p, natural, matrix_r; cut16: ali3p of a chain that is cut every 16 links; opened: a chain without its
 * closure, fully recursive; with _direct or _adjoint behind it: with a gradient of the kinetic energy at the end. */
static void library_open(library_run *r, const family *f, const char *method, double step, int steps) {
  mbd_error err;
  mbd_case c;
  int first, count;
  const int cut = strncmp(method, "cut", 3) == 0 ? atoi(method + 3) : 0;
  *r = (library_run){.m = family_model(f, strcmp(method, "opened") == 0, cut)};
  r->n = mbd_model_nz(r->m);
  r->z0 = take((size_t)(4 * r->n), sizeof *r->z0);
  r->zd0 = r->z0 + r->n, r->zdd0 = r->zd0 + r->n, r->z = r->zdd0 + r->n;
  bench_must(mbd_params_create(r->m, NULL, &r->p, &err), &err);
  bench_must(mbd_outputs_create(r->m, &r->o, &err), &err);
  bench_must(mbd_outputs_add(r->o, "energy.kinetic", &first, &count, &err), &err);
  mbd_case_init(&c);
  c.step = step, c.duration = steps * step;
  c.linear_solver = MBD_LINEAR_SPARSE;
  if (strncmp(method, "natural", 7) == 0) { c.coordinates = MBD_COORDINATES_NATURAL; }
  if (strncmp(method, "matrix_r", 8) == 0) {
    c.formulation = "matrix_r", c.integrator = "runge_kutta_4", c.linear_solver = MBD_LINEAR_AUTO;
  }
  if (strcmp(method, "opened") == 0) { c.formulation = "fully_recursive", c.linear_solver = MBD_LINEAR_AUTO; }
  const mbd_term term = {.output = first, .form = "terminal", .weight = 1};
  bench_must(mbd_sim_create(r->m, &c, r->o, 1, &term, 1, 1, &r->s, &err), &err);
  const int index = a_mass(r->m);
  const double one = 1;
  bench_must(mbd_dparams_create(r->m, &r->d, &err), &err);
  mbd_dparams_set(r->d, r->p, 1, &index, &one);
}

static void library_run_it(library_run *r, const char *method) {
  mbd_error err;
  double grad, *all = take((size_t)mbd_model_ncoef(r->m), sizeof *all);
  const mbd_adjoint_options options = {0};
  if (strstr(method, "_adjoint")) {
    bench_must(mbd_sim_adjoint(r->s, r->p, &options, &r->psi, all, observe, r, &err), &err);
  } else if (strstr(method, "_direct")) {
    bench_must(mbd_sim_run(r->s, r->p, 1, &r->d, &r->psi, &grad, NULL, observe, r, &err), &err);
  } else {
    bench_must(mbd_sim_run(r->s, r->p, 0, NULL, &r->psi, NULL, NULL, observe, r, &err), &err);
  }
  free(all);
}

static void library_close(library_run *r) {
  mbd_dparams_destroy(r->d), mbd_sim_destroy(r->s), mbd_outputs_destroy(r->o), mbd_params_destroy(r->p);
  mbd_model_destroy(r->m);
  free(r->z0);
}

/* ---- the recursion on such a model ---- */

typedef struct recursion {
  library_run host; /* its start, its independent rows */
  loops *q;
  stepper x;
} recursion;

static void recursion_open(recursion *r, const family *f) {
  library_open(&r->host, f, "ali3p", f->step, 1);
  library_run_it(&r->host, "ali3p");
  work_sweep_element_markers(r->host.s->w);
  r->q = loops_create(r->host.s);
  stepper_create(&r->x, r->host.n);
  memcpy(r->x.z, r->host.z0, (size_t)r->host.n * sizeof *r->x.z);
  memcpy(r->x.zd, r->host.zd0, (size_t)r->host.n * sizeof *r->x.zd);
  motion_place(r->q->s.w, r->q->s.p, 0, r->x.z);
}

/* Returns the number of corrections of positions. */
static int recursion_run(recursion *r, double step, int steps) {
  int corrections = 0;
  for (int k = 0; k < steps; k++) { corrections += loops_step(r->q, &r->x, k * step, step); }
  return corrections;
}

static void recursion_close(recursion *r) {
  free(r->x.z);
  loops_destroy(r->q);
  library_close(&r->host);
}

static double apart(int n, const double *a, const double *b) {
  double max = 0;
  for (int k = 0; k < n; k++) { max = fmax(max, fabs(a[k] - b[k])); }
  return max;
}

/* ---- what is printed ---- */

/* The solution in the equations of motion, and accelerations at the start against those of the library. */
static void check_evaluation(const family *f) {
  recursion r;
  double error[2];
  recursion_open(&r, f);
  loops *q = r.q;
  const int n = r.host.n;
  double *zdd = take((size_t)n, sizeof *zdd);
  loops_evaluate(q, 0, r.x.z, r.x.zd, zdd);
  const double start = apart(n, zdd, r.host.zdd0) / fmax(mbd_norm_inf(n, zdd), 1);
  recursion_run(&r, f->step / 4, 8);
  loops_evaluate(q, 8 * f->step / 4, r.x.z, r.x.zd, zdd);
  loops_check(q, r.x.zd, zdd, error);
  printf("| %-14s | %6d | %4d | %11d | %4d | %13.1e | %9.1e | %9.1e |", f->name, mbd_model_nbody(r.host.m),
         mbd_model_nphi(r.host.m), q->nrow, mbd_sparse_count(q->S), start, error[0], error[1]);
  free(zdd);
  recursion_close(&r);
}

/* The derivative along a coefficient and a direction of the coordinates, by both ways and by differences. */
static void check_gradient(const family *f) {
  recursion r;
  loops_gradient g;
  mbd_error err;
  recursion_open(&r, f);
  loops *q = r.q;
  const int n = r.host.n, ncoef = mbd_model_ncoef(r.host.m);
  const double h = 1e-6;
  double *mem = take((size_t)(9 * n + 2 * ncoef), sizeof *mem), *dz = mem + n, *dzd = dz + n, *weight = dzd + n,
         *z = weight + n, *zd = z + n, *by_z = zd + n, *by_zd = by_z + n, *c = by_zd + n, *dc = c + ncoef;
  double *zdd = mem, by[2], L[2];
  int *index = take((size_t)ncoef, sizeof *index);
  for (int k = 0; k < n; k++) { dz[k] = sin(1 + k), dzd[k] = cos(k), weight[k] = cos(2.0 * k); }
  for (int k = 0; k < ncoef; k++) { index[k] = k, c[k] = mbd_model_nominal(r.host.m, k), dc[k] = 1e-2 * sin(3 + k); }
  mbd_dparams *d;
  bench_must(mbd_dparams_create(r.host.m, &d, &err), &err);
  mbd_dparams_set(d, r.host.p, ncoef, index, dc);
  recursion_run(&r, f->step / 4, 8);
  loops_evaluate(q, 0, r.x.z, r.x.zd, zdd);
  gradient_create(q, &g);
  gradient_move(q, &g, r.x.zd, zdd);
  gradient_along(q, &g, d, dz, dzd);
  by[0] = mbd_dot(n, weight, g.x);
  gradient_back(q, &g, weight, by_z, by_zd);
  params_reverse_finish(g.theta, r.host.p);
  by[1] = mbd_dot(ncoef, g.theta->theta, dc) + mbd_dot(n, by_z, dz) + mbd_dot(n, by_zd, dzd);
  for (int side = 0; side < 2; side++) {
    const double s = side ? h : -h;
    mbd_params *p;
    double *at = take((size_t)ncoef, sizeof *at);
    for (int k = 0; k < ncoef; k++) { at[k] = c[k] + s * dc[k]; }
    bench_must(mbd_params_create(r.host.m, at, &p, &err), &err);
    q->s.p = p;
    for (int k = 0; k < n; k++) { z[k] = r.x.z[k] + s * dz[k], zd[k] = r.x.zd[k] + s * dzd[k]; }
    loops_evaluate(q, 0, z, zd, zdd);
    L[side] = mbd_dot(n, weight, zdd);
    mbd_params_destroy(p), free(at);
  }
  const double difference = (L[1] - L[0]) / (2 * h);
  printf(" %16.1e | %20.1e |\n", fabs(by[0] / by[1] - 1), fabs(by[0] / difference - 1));
  mbd_dparams_destroy(d), gradient_destroy(&g);
  free(mem), free(index);
  recursion_close(&r);
}

enum { STEPS = 30 };

/* The largest difference of the coordinates that a cut chain shares with the chain `of`, which has `exact`. */
static double apart_by_name(const library_run *r, const mbd_model *of, const double *exact) {
  double max = 0;
  for (int k = 0; k < of->nz; k++) {
    const int j = model_find_coordinate(r->m, of->z_name[k]);
    if (j >= 0) { max = fmax(max, fabs(r->z[j] - exact[k])); }
  }
  return max;
}

static double library_error(const family *f, const char *method, int finer, const mbd_model *of, const double *exact,
                            mbd_stats *stats) {
  library_run r;
  library_open(&r, f, method, f->step / finer, STEPS * finer);
  library_run_it(&r, method);
  const double error = apart_by_name(&r, of, exact);
  *stats = *mbd_sim_stats(r.s);
  library_close(&r);
  return error;
}

/* The least number of steps of the recursion, from a sixteenth of those of ALI3-P on, whose error of the coordinates at
 * the end is not above `target`. */
static int steps_as_exact(const family *f, const double *exact, double target) {
  for (int steps = STEPS / 16 + 1;; steps++) {
    recursion r;
    recursion_open(&r, f);
    recursion_run(&r, STEPS * f->step / steps, steps);
    const double error = apart(r.host.n, r.x.z, exact);
    recursion_close(&r);
    if (error <= target) { return steps; } /* not where it is NaN */
  }
}

/* A cell of a table, empty if there is no number. */
static void print_if(int any, const char *format, double x) {
  char text[32] = "";
  if (any) { snprintf(text, sizeof text, format, x); }
  printf(" %8s |", text);
}

/* Errors of ALI3-P and of the recursion over the same time, against those of the recursion in steps of a 32nd. */
static void accuracy(const family *f) {
  recursion r;
  mbd_stats stats, other;
  recursion_open(&r, f);
  recursion_run(&r, f->step / 32, 32 * STEPS);
  const int n = r.host.n;
  double *exact = take((size_t)n, sizeof *exact);
  memcpy(exact, r.x.z, (size_t)n * sizeof *exact);
  recursion_close(&r);
  /* The library: Matrix R in steps of an eighth, which has other factors; ALI3-P, and with more cuts. */
  recursion_open(&r, f);
  const mbd_model *m = r.host.m;
  const double matrix_r = n <= 64 ? library_error(f, "matrix_r", 8, m, exact, &other) : NAN;
  const double error = library_error(f, "ali3p", 1, m, exact, &stats);
  const double cut = f->links > 16 ? library_error(f, "cut16", 1, m, exact, &other) : NAN;
  /* The recursion: the same steps, and as long ones as have these errors. */
  recursion_run(&r, f->step, STEPS);
  const double same_step = apart(n, r.x.z, exact);
  recursion_close(&r);
  const int steps = steps_as_exact(f, exact, error), steps_cut = isnan(cut) ? 0 : steps_as_exact(f, exact, cut);
  printf("| %-14s | %8.1e | %20.2f | %7.2f | %8.1e |", f->name, f->step, (double)stats.iterations / stats.steps,
         (double)stats.factorizations / stats.steps, error);
  print_if(!isnan(cut), "%8.1e", cut);
  printf(" %9.1e |", same_step);
  print_if(!isnan(matrix_r), "%8.1e", matrix_r);
  printf(" %18.1f |", (double)STEPS / steps);
  print_if(!isnan(cut), "%8.1f", (double)STEPS / (steps_cut + isnan(cut)));
  printf("\n");
  fflush(stdout);
  free(exact);
}

/* Steps of one method, whose instructions are counted from outside. */
static void repeat(const family *f, const char *method, int steps) {
  library_run l;
  recursion r;
  if (strncmp(method, "loops", 5) == 0) { /* loops6: in steps six times as long */
    const double longer = method[5] ? atof(method + 5) : 1;
    recursion_open(&r, f);
    const int corrections = recursion_run(&r, f->step * longer, steps);
    motion_move(r.q->s.w, r.x.zd, r.q->zero, 0);
    printf("%.2f corrections of positions a step; kinetic energy at the end %.8g J\n", (double)corrections / steps,
           motion_kinetic(r.q->s.w));
    recursion_close(&r);
    return;
  }
  if (strcmp(method, "gradient") == 0) {
    loops_gradient g;
    recursion_open(&r, f);
    gradient_create(r.q, &g);
    double *mem = take((size_t)(4 * r.host.n), sizeof *mem), *zdd = mem + r.host.n, *by_z = zdd + r.host.n,
           *by_zd = by_z + r.host.n;
    for (int k = 0; k < r.host.n; k++) { mem[k] = 1; }
    for (int k = 0; k < steps; k++) {
      loops_evaluate(r.q, 0, r.x.z, r.x.zd, zdd);
      gradient_move(r.q, &g, r.x.zd, zdd);
      gradient_along(r.q, &g, r.host.d, mem, mem);
      gradient_back(r.q, &g, mem, by_z, by_zd);
    }
    free(mem), gradient_destroy(&g);
    recursion_close(&r);
    return;
  }
  library_open(&l, f, method, f->step, steps);
  library_run_it(&l, method);
  const mbd_stats *stats = mbd_sim_stats(l.s);
  printf("%.2f corrections, %.2f factors a step; kinetic energy at the end %.8g J\n",
         (double)stats->iterations / stats->steps, (double)stats->factorizations / stats->steps, l.psi);
  library_close(&l);
}

void bench_loops(const char *problems, int argc, char **argv) {
  problems_folder = problems;
  if (argc >= 3) {
    for (int i = 0; i < FAMILIES; i++) {
      if (strcmp(families[i].name, argv[0]) == 0) { repeat(&families[i], argv[1], atoi(argv[2])); }
    }
    return;
  }
  const family *begin = families, *end = families + FAMILIES;
  for (const family *f = families; argc == 1 && f < families + FAMILIES; f++) {
    if (strcmp(f->name, argv[0]) == 0) { begin = f, end = f + 1; }
  }
  printf(
      "| family         | bodies | rows | independent | of S | zdd - library | equations | Phidd     | direct - "
      "adjoint | direct - differences |\n"
      "|----------------|-------:|-----:|------------:|-----:|--------------:|----------:|----------:|-----------------"
      ":|---------------------:|\n");
  for (const family *f = begin; f < end; f++) {
    check_evaluation(f);
    check_gradient(f);
  }
  printf(
      "\n| family         | step [s] | corrections per step | factors |   ALI3-P |      cut | recursion | Matrix R | "
      "longer than ALI3-P | than cut |\n"
      "|----------------|---------:|---------------------:|--------:|---------:|---------:|----------:|---------:|-----"
      "--------------:|---------:|\n");
  for (const family *f = begin; f < end; f++) { accuracy(f); }
}
