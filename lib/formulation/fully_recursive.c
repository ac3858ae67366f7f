/* Fully recursive formulation (S1, S2): the dynamic problem joint by joint, in O(bodies), without a mass matrix.
 *
 * Its solution is that of bodies that start from rest: a joint's rates x_i make V_i = B_i V_h + b_i x_i, wrenches are
 * balanced, joints carry f. At its joint, the tree beyond it acts as one body of inertia M^_i under a wrench p_i. The
 * equations of a joint's own coordinates, with the constraints Phi that involve them alone (the normalization of Euler
 * parameters, without which b' M^ b is singular; a drive),
 *   [ D Phi'; Phi 0 ] [ x; y ] = [ f - b' p - U' B V_h; g ],     U = M^ b,   D = b' U + inertias of single coordinates
 * give  x = x0 - G B V_h  with  G = A^-1 [ U'; 0 ], and the contributions to the parent are
 *   M^_h += B' (M^ - U G) B,     p_h += B' (p + U x0)
 * so two sweeps solve: inwards for x0, outwards for V and x. The rows Phi are scaled to the size of D. Of a joint with one
 * coordinate and no Phi, A is the number D. Constraints between joints, those of closed loops, are forces that are found
 * between the two sweeps (fully_recursive_loops.c).
 *
 * Coordinates c of loops that would move no mass where loops are cut have a chosen inertia N_c in A. With it
 *   x = x^ + W x_c,  y = y^ + Y x_c,  (1 - W_c) x_c = x^_c
 * where x^, y^ solve for f, g, and W, Y for f = N_c, that is, for the force N_c x_c which takes the inertia away again.
 * Equations: theory.md §5.4 (5.8), (5.8a), (5.8b). */
#include <stdlib.h>
#include <string.h>

#include "formulation/articulated.h"

enum {
  MATRIX_FREE_FROM = 48, /* coordinates (bench/README.md) */
  MAX_LIGHT = 24         /* joint coordinates that move no mass where loops are cut */
};

/* A joint's D is rounding if it is this part of what the mass and the moments of inertia beyond it would make. */
static const double massless = 1e-12;
/* 1 - W_c is the part of the real inertia in the sum with the chosen one; below this it is rounding. */
static const double no_inertia = 1e-10;

/* ---- memory ---- */

static void joint_layout(joint_block *j, size_t rows, mbd_arena *a) {
  const size_t n = (size_t)j->nz + rows;
  j->row = mbd_arena_take(a, rows * sizeof *j->row);
  j->A = mbd_arena_real(a, n * n);
  j->piv = mbd_arena_take(a, n * sizeof *j->piv);
  j->U = mbd_arena_real(a, 6 * (size_t)j->nz);
  j->G = mbd_arena_real(a, 6 * n);
}

static void light_layout(articulated *tree, size_t k, mbd_arena *a) {
  const size_t nz = (size_t)tree->m->nz, n = (size_t)tree->max_light;
  tree->light = mbd_arena_take(a, n * sizeof *tree->light);
  tree->light_piv = mbd_arena_take(a, n * sizeof *tree->light_piv);
  tree->added = mbd_arena_take(a, n * sizeof *tree->added);
  tree->W = mbd_arena_real(a, nz * n);
  tree->Y = mbd_arena_real(a, (size_t)tree->m->nphi * n);
  tree->K = mbd_arena_real(a, n * n);
  tree->light_rate = mbd_arena_real(a, n * k);
}

static void fully_recursive_layout(articulated *tree, size_t k, mbd_arena *a) {
  const size_t nb = (size_t)tree->m->nb;
  size_t largest = 0;
  for (int i = 0; i < tree->m->nb; i++) {
    joint_block *j = &tree->joint[i];
    size_t rows = 0;
    for (int c = 0; c < j->nown; c++) { rows += (size_t)j->own[c]->ops->nphi; }
    if (rows > (size_t)j->nz) { rows = (size_t)j->nz; } /* independent ones */
    joint_layout(j, rows, a);
    if ((size_t)j->nz + rows > largest) { largest = (size_t)j->nz + rows; }
  }
  tree->inertia = mbd_arena_real(a, 36 * nb);
  tree->beyond = mbd_arena_take(a, nb * sizeof *tree->beyond);
  tree->used = mbd_arena_take(a, (size_t)tree->m->nphi);
  MBD_ARENA_REALS(a, 6 * nb * WIDTH, &tree->p, &tree->V);
  tree->t = mbd_arena_real(a, largest * WIDTH);
  light_layout(tree, k, a);
}

/* Lists the constraints that depend on the coordinates of one joint alone, joints in order. */
static void find_joints(articulated *tree) {
  const mbd_model *m = tree->m;
  const mbd_constraint **at = tree->own;
  tree->joint[0].z0 = m->nz_tree, tree->joint[0].nz = m->nz - m->nz_tree;
  for (int i = 1; i < m->nb; i++) { tree->joint[i].z0 = m->body[i].z0, tree->joint[i].nz = m->body[i].nz; }
  for (int i = 0; i < m->nb; i++) {
    joint_block *j = &tree->joint[i];
    j->own = at;
    for (int c = 0; c < m->nconstraint; c++) {
      if (articulated_joint(m, &m->constraint[c]) == i) { *at++ = &m->constraint[c]; }
    }
    j->nown = (int)(at - j->own);
  }
}

static mbd_status fully_recursive_create(mbd_sim *s, void **memory, mbd_error *err) {
  if (s->m->nbeam) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "formulation = fully_recursive: the nodes of beam '%s' have the same coordinates, so that no joint can be "
             "eliminated by itself; expected ali3p, penalty, matrix_r or semi_recursive",
             s->m->beam[0].name);
  }
  articulated *tree = calloc(1, sizeof *tree);
  *memory = tree;
  if (tree) {
    tree->m = s->m, tree->indep = ss_of(s)->indep;
    tree->joint = calloc((size_t)s->m->nb, sizeof *tree->joint);
    tree->own = calloc((size_t)s->m->nconstraint + 1, sizeof *tree->own);
  }
  if (!tree || !tree->joint || !tree->own) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for articulated inertias"); }
  find_joints(tree);
  MBD_TRY(loops_create(tree, err));
  if (tree->loops.n > 0) {
    const int max = s->m->nz - s->m->nz_tree + MAX_LIGHT;
    tree->max_light = max < s->m->nz ? max : s->m->nz;
  }
  while (mbd_arena_pass(&tree->arena)) { fully_recursive_layout(tree, (size_t)ss_columns(s), &tree->arena); }
  return mbd_arena_check(&tree->arena, "articulated inertias", err);
}

static void fully_recursive_destroy(void *memory) {
  articulated *tree = memory;
  loops_destroy(tree);
  free(tree->joint), free(tree->own);
  free(tree->arena.base);
  free(tree);
}

/* ---- factors, from the leaves to the ground ---- */

/* [6][6], of a body alone: f = m v + w x h,  n = h x v + J w */
static void rigid(const mbd_inertia *in, mbd_real *M) {
  const mbd_real *h = in->h;
  const mbd_real hx[9] = {0, -h[2], h[1], h[2], 0, -h[0], -h[1], h[0], 0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      M[6 * i + j] = i == j ? in->m : 0;
      M[6 * i + 3 + j] = -hx[3 * i + j];
      M[6 * (3 + i) + j] = hx[3 * i + j];
      M[6 * (3 + i) + 3 + j] = in->J[3 * i + j];
    }
  }
}

/* A += the inertias of single coordinates */
static void add_rotors(const mbd_work *w, joint_block *j, int n) {
  for (int i = 0; i < w->model->nrotor; i++) {
    int z;
    const mbd_real I = motion_rotor(w, i, &z);
    if (z >= j->z0 && z < j->z0 + j->nz) { j->A[(z - j->z0) * (n + 1)] += I; }
  }
}

/* The inertias that coordinates of the joint have in the factors beside their own, on the diagonal of A [n][n]. */
static void add_light(const articulated *tree, joint_block *j, int n) {
  for (int c = 0; c < tree->nlight; c++) {
    const int at = tree->light[c] - j->z0;
    if (at >= 0 && at < j->nz) { j->A[at * (n + 1)] += tree->added[c]; }
  }
}

/* Computes, for a joint with one coordinate and no row, U, the number D with the inertias of the coordinate, and G = U'/D. Returns 0 if D is zero but
 * for rounding, or not a number. */
static int factor_scalar(const mbd_work *w, const articulated *tree, int body, joint_block *j) {
  const mbd_real *M = tree->inertia + 36 * body, *b = w->col[j->z0].b;
  const double *beyond = tree->beyond[body];
  for (int r = 0; r < 6; r++) { j->U[r] = sv_dot(M + 6 * r, b); }
  j->A[0] = sv_dot(b, j->U);
  add_rotors(w, j, 1);
  add_light(tree, j, 1);
  const double size = beyond[0] * mbd_largest(v3_dot(b, b)) + beyond[1] * mbd_largest(v3_dot(b + 3, b + 3));
  if (!(mbd_min(j->A[0]) > massless * size)) { return 0; } /* also NaN */
  const mbd_real inverse = 1 / j->A[0];
  for (int r = 0; r < 6; r++) { j->G[r] = inverse * j->U[r]; }
  return 1;
}

/* U = M^ b, and D = b' U into A of order n */
static void fully_recursive_project(const mbd_work *w, const mbd_real *M, joint_block *j, int n) {
  for (int k = 0; k < j->nz; k++) {
    const mbd_real *b = w->col[j->z0 + k].b;
    for (int r = 0; r < 6; r++) { j->U[r * j->nz + k] = sv_dot(M + 6 * r, b); }
  }
  for (int i = 0; i < j->nz; i++) {
    const mbd_real *b = w->col[j->z0 + i].b;
    for (int k = 0; k < j->nz; k++) {
      mbd_real d = 0;
      for (int r = 0; r < 6; r++) { d += b[r] * j->U[r * j->nz + k]; }
      j->A[i * n + k] = d;
    }
  }
}

/* Copies the rows of Phi in use to the border of A, of order n. */
static void border(const articulated *tree, joint_block *j, int n) {
  double size = 0;
  for (int i = 0; i < j->nz; i++) { size = fmax(size, mbd_largest(j->A[i * n + i])); }
  j->scale = size > 0 ? size : 1;
  j->nrow = 0;
  for (int c = 0; c < j->nown; c++) {
    const mbd_lift *lift = &j->own[c]->lift;
    for (int r = j->own[c]->row; r < j->own[c]->row + j->own[c]->ops->nphi; r++) {
      if (!tree->used[r]) { continue; }
      const int row = j->nz + j->nrow;
      j->row[j->nrow++] = r;
      for (int k = 0; k < lift->ncol; k++) {
        const mbd_real v = j->scale * articulated_entry(tree, r, lift->col[k]);
        const int at = lift->col[k] - j->z0;
        j->A[row * n + at] = j->A[at * n + row] = v;
      }
    }
  }
}

static mbd_status factor_joint(const mbd_work *w, articulated *tree, int body) {
  joint_block *j = &tree->joint[body];
  const mbd_real *M = body > 0 ? tree->inertia + 36 * body : NULL;
  int n = j->nz;
  for (int c = 0; c < j->nown; c++) {
    for (int r = 0; r < j->own[c]->ops->nphi; r++) { n += tree->used[j->own[c]->row + r]; }
  }
  /* One coordinate without rows Phi: D is a number, and a division takes the place of the factors. */
  j->scalar = M && n == 1 && j->nz == 1;
  if (j->scalar) {
    j->nrow = 0;
    return factor_scalar(w, tree, body, j) ? MBD_OK : MBD_SINGULAR;
  }
  /* A = [ D Phi'; Phi 0 ], D = b' M^ b + inertias of single coordinates. */
  memset(j->A, 0, (size_t)n * (size_t)n * sizeof *j->A);
  if (M) { fully_recursive_project(w, M, j, n); }
  add_rotors(w, j, n);
  add_light(tree, j, n);
  border(tree, j, n);
  if (n > 0) { MBD_TRY(mbd_lu_factor(n, j->A, j->piv)); }
  if (!M) { return MBD_OK; }
  /* G = A^-1 [ U'; 0 ], theory.md §5.4 (5.8). */
  for (int i = 0; i < n; i++) {
    for (int r = 0; r < 6; r++) { j->G[6 * i + r] = i < j->nz ? j->U[r * j->nz + i] : 0; }
  }
  mbd_lu_solve(n, j->A, j->piv, 6, j->G);
  return MBD_OK;
}

/* N = M^ - U U'/D, symmetric to the last digit */
static void less_scalar(const joint_block *j, const mbd_real *restrict M, mbd_real *restrict N) {
  const mbd_real inverse = 1 / j->A[0];
  mbd_real U[6];
  sv_copy(U, j->U);
  for (int r = 0; r < 6; r++) {
    for (int c = 0; c < 6; c++) { N[6 * r + c] = M[6 * r + c] - inverse * (U[r] * U[c]); }
  }
}

/* N = M^ - U G */
static void less_joint(const joint_block *j, const mbd_real *M, mbd_real N[36]) {
  memcpy(N, M, 36 * sizeof *N);
  for (int k = 0; k < j->nz; k++) {
    for (int r = 0; r < 6; r++) { sv_axpy(N + 6 * r, -j->U[r * j->nz + k], j->G + 6 * k); }
  }
}

/* N := B' N B:  rows and columns are wrenches that move by s. */
static void move_inertia(const mbd_real s[3], mbd_real N[36]) {
  for (int r = 0; r < 6; r++) { v3_cross_add(N + 6 * r + 3, s, N + 6 * r); }
  for (int r = 0; r < 3; r++) {
    const int a = (r + 1) % 3, b = (r + 2) % 3;
    sv_axpy(N + 6 * (3 + r), s[a], N + 6 * b);
    sv_axpy(N + 6 * (3 + r), -s[b], N + 6 * a);
  }
}

/* Removes the asymmetry of rounding, which would grow from joint to joint. */
static void symmetrize(mbd_real N[36]) {
  for (int r = 0; r < 6; r++) {
    for (int c = 0; c < r; c++) { N[6 * r + c] = N[6 * c + r] = (N[6 * r + c] + N[6 * c + r]) / 2; }
  }
}

/* M^_h += B' (M^ - U G) B of body i */
static void hand_inertia(const mbd_work *w, const joint_block *j, int i, const mbd_real *M, mbd_real *Mh) {
  mbd_real N[36], s[3];
  if (j->scalar) {
    less_scalar(j, M, N);
  } else {
    less_joint(j, M, N);
  }
  if (moves_reference(w)) {
    arm_of(w, i, s);
    move_inertia(s, N);
  }
  if (!j->scalar || moves_reference(w)) { symmetrize(N); }
  for (int k = 0; k < 36; k++) { Mh[k] += N[k]; }
}

static mbd_status without_mass(const mbd_sim *s, int i, mbd_error *err) {
  if (i == 0) {
    MBD_FAIL(err, MBD_SINGULAR, "coordinate '%s' moves no body, and constraints do not determine it",
             s->m->z_name[s->m->nz_tree]);
  }
  MBD_FAIL(err, MBD_SINGULAR, "joint '%s' can move without moving any mass", s->m->joint[s->m->body[i].joint].name);
}

/* ---- coordinates of loops that would move no mass where loops are cut ----
 *
 * What inertia they get changes the solution by rounding alone, so that it is a constant of derivatives. */

/* The mean mass of the bodies that have one, and the mean moment of inertia about their centres, with half of the mass
 * at the distance to the centre of the parent. */
static void mean_inertia(const mbd_work *w, double mean[2]) {
  int count = 0;
  mean[0] = mean[1] = 0;
  for (int i = 1; i < w->model->nb; i++) {
    const mbd_inertia *in = &w->body[i].in, *parent = &w->body[w->model->body[i].parent].in;
    mbd_real c[3], d[3];
    if (!(mbd_min(in->m) > 0)) { continue; }
    v3_scale(c, 1 / in->m, in->h);
    mean[0] += mbd_largest(in->m);
    mean[1] += mbd_largest((in->J[0] + in->J[4] + in->J[8] - 2 * in->m * v3_dot(c, c)) / 3);
    count++;
    if (w->model->body[i].parent <= 0 || !(mbd_min(parent->m) > 0)) { continue; }
    v3_scale(d, 1 / parent->m, parent->h);
    v3_sub(c, c, d);
    if (moves_reference(w)) {
      arm_of(w, i, d);
      v3_add(c, c, d);
    }
    mean[1] += mbd_largest(in->m * v3_dot(c, c)) / 2;
  }
  if (count > 0) { mean[0] /= count, mean[1] /= count; }
  if (!(mean[1] > 0)) { mean[1] = mean[0]; } /* one point mass */
}

/* The mean inertia of a tree's coordinate */
static double inertia_of(const mbd_work *w, const double mean[2], int z) {
  const mbd_real *b = w->col[z].b;
  const double turns = mbd_largest(v3_dot(b + 3, b + 3));
  return turns > 0 ? mean[1] * turns : mean[0] * mbd_largest(v3_dot(b, b));
}

/* Gives an inertia to the coordinates of joint i. */
static void add_inertia(const mbd_work *w, articulated *tree, int i) {
  const joint_block *j = &tree->joint[i];
  double mean[2];
  mean_inertia(w, mean);
  for (int z = j->z0; z < j->z0 + j->nz; z++) {
    tree->light[tree->nlight] = z, tree->added[tree->nlight++] = inertia_of(w, mean, z);
  }
}

/* The inertia that an added coordinate would seem to have by its rows if those of the tree had the mean one, and not
 * more than a multiple of the mean one where the rows hardly connect it to them. */
static double inertia_of_added(const mbd_work *w, const articulated *tree, const double mean[2], int z) {
  const double max = 1e3 * fmax(mean[0], mean[1]);
  double inertia = 0;
  for (int g = 0; g < tree->loops.nloop; g++) {
    const mbd_constraint *c = tree->loops.loop[g].c;
    for (int r = c->row; r < c->row + c->ops->nphi; r++) {
      double of_z = 0, others = 0;
      for (int k = 0; tree->used[r] && k < c->lift.ncol; k++) {
        const int col = c->lift.col[k];
        const double v = mbd_largest(articulated_entry(tree, r, col));
        if (col == z) { of_z = v * v; }
        if (col < w->model->nz_tree) { others += v * v / inertia_of(w, mean, col); }
      }
      if (others > of_z / max) { inertia += of_z / others; }
    }
  }
  return inertia > 0 ? inertia : max;
}

/* Gives an inertia to the added coordinates that have none. */
static void add_inertia_of_added(const mbd_work *w, articulated *tree) {
  const joint_block *j = &tree->joint[0];
  double mean[2];
  if (!loops_pass(tree, 0)) { return; }
  mean_inertia(w, mean);
  for (int z = j->z0; z < j->z0 + j->nz; z++) {
    int of, rotor = 0;
    for (int i = 0; i < w->model->nrotor; i++) {
      const mbd_real inertia = motion_rotor(w, i, &of);
      rotor |= of == z && mbd_min(inertia) > 0;
    }
    if (rotor) { continue; }
    tree->light[tree->nlight] = z, tree->added[tree->nlight++] = inertia_of_added(w, tree, mean, z);
  }
}

/* The mass, and a bound of the moments of inertia about the reference point, of body i and of those beyond it: those of
 * the parent grow by its own. */
static void add_beyond(const mbd_work *w, articulated *tree, int i) {
  const int h = w->model->body[i].parent;
  const double *of = tree->beyond[i];
  mbd_real s[3] = {0, 0, 0};
  if (moves_reference(w)) { arm_of(w, i, s); }
  const double radius = sqrt(of[1]) + sqrt(of[0] * mbd_largest(v3_dot(s, s))); /* of gyration, times root of mass */
  tree->beyond[h][0] += of[0];
  tree->beyond[h][1] += radius * radius;
}

static void mark_used(articulated *tree) {
  memset(tree->used, 0, (size_t)tree->m->nphi);
  for (int b = 0; b < tree->indep->nblock; b++) {
    const independent_block *block = &tree->indep->block[b];
    for (int r = 0; r < block->rank; r++) { tree->used[block->row[block->use[r]]] = 1; }
  }
  const independent_velocity *v = tree->indep->velocity;
  for (int r = 0; v && r < v->rank; r++) { tree->used[v->first_row + v->use[r]] = 1; }
}

/* Factors a joint that carries a body, with an inertia of its coordinates if loops pass through it and it has none. */
static mbd_status factor_or_add(const mbd_sim *s, articulated *tree, int i, mbd_error *err) {
  if (factor_joint(s->w, tree, i) == MBD_OK) { return MBD_OK; }
  if (!loops_pass(tree, i)) { return without_mass(s, i, err); }
  if (tree->nlight + tree->joint[i].nz > tree->max_light) {
    MBD_FAIL(err, MBD_SINGULAR,
             "joint '%s' is one of more than %d coordinates that would move no mass where loops are cut: formulation = "
             "matrix_r or ali3p",
             s->m->joint[s->m->body[i].joint].name, tree->max_light);
  }
  add_inertia(s->w, tree, i);
  return factor_joint(s->w, tree, i) == MBD_OK ? MBD_OK : without_mass(s, i, err);
}

static mbd_status factor_tree(mbd_sim *s, articulated *tree, mbd_error *err) {
  const mbd_model *m = s->m;
  const mbd_work *w = s->w;
  for (int i = 1; i < m->nb; i++) {
    const mbd_inertia *in = &w->body[i].in;
    rigid(in, tree->inertia + 36 * i);
    tree->beyond[i][0] = mbd_largest(in->m), tree->beyond[i][1] = mbd_largest(in->J[0] + in->J[4] + in->J[8]);
  }
  for (int i = m->nb - 1; i > 0; i--) {
    MBD_TRY(factor_or_add(s, tree, i, err));
    const int h = m->body[i].parent;
    if (h == 0) { continue; }
    hand_inertia(w, &tree->joint[i], i, tree->inertia + 36 * i, tree->inertia + 36 * h);
    add_beyond(w, tree, i);
  }
  add_inertia_of_added(w, tree);
  return factor_joint(w, tree, 0) == MBD_OK ? MBD_OK : without_mass(s, 0, err);
}

/* ---- solution: w columns at a time, a constant where the sweeps are inlined ---- */

/* Computes x0, y0 of a joint in t from the wrench beyond it. */
static inline void solve_joint(const mbd_sim *s, const joint_block *j, int w, const columns *factors, const mbd_real *p,
                               mbd_real *t) {
  for (int a = 0; a < j->nz; a++) {
    put_columns(w, 1, factors->f + (j->z0 + a) * factors->k, t + a * w);
    for (int r = 0; p && r < 6; r++) { add_columns(w, -s->w->col[j->z0 + a].b[r], p + r * w, t + a * w); }
  }
  for (int r = 0; r < j->nrow; r++) {
    put_columns(w, j->scale, factors->g + j->row[r] * factors->k, t + (j->nz + r) * w);
  }
  articulated_eliminate(j, w, t);
  for (int a = 0; a < j->nz; a++) { put_columns(w, 1, t + a * w, factors->x + (j->z0 + a) * factors->k); }
  for (int r = 0; r < j->nrow; r++) {
    put_columns(w, j->scale, t + (j->nz + r) * w, factors->y + j->row[r] * factors->k);
  }
}

/* Computes x0, y0 of a joint and its wrench on the parent. */
static inline void inwards(const mbd_sim *s, articulated *tree, int i, int w, const columns *factors) {
  const joint_block *j = &tree->joint[i];
  const int h = s->m->body[i].parent;
  mbd_real *t = tree->t, *p = tree->p + 6 * i * w, arm[3];
  solve_joint(s, j, w, factors, p, t);
  if (h == 0) { return; }
  for (int a = 0; a < j->nz; a++) {
    for (int r = 0; r < 6; r++) { add_columns(w, j->U[r * j->nz + a], t + a * w, p + r * w); }
  }
  if (moves_reference(s->w)) {
    arm_of(s->w, i, arm);
    move_wrench(w, arm, p);
  }
  add_columns(6 * w, 1, p, tree->p + 6 * h * w);
}

/* V := the parent's motion at r_i, with what it adds to x, y of the joint. */
static inline void carry(const mbd_sim *s, articulated *tree, int i, int w, const columns *factors, mbd_real *V) {
  const joint_block *j = &tree->joint[i];
  const int h = s->m->body[i].parent;
  mbd_real arm[3];
  memcpy(V, tree->V + 6 * h * w, (size_t)(6 * w) * sizeof *V);
  if (moves_reference(s->w)) {
    arm_of(s->w, i, arm);
    move_motion(w, arm, V);
  }
  for (int a = 0; a < j->nz; a++) {
    for (int c = 0; c < 6; c++) { add_columns(w, -j->G[6 * a + c], V + c * w, factors->x + (j->z0 + a) * factors->k); }
  }
  for (int r = 0; r < j->nrow; r++) {
    for (int c = 0; c < 6; c++) {
      add_columns(w, -j->scale * j->G[6 * (j->nz + r) + c], V + c * w, factors->y + j->row[r] * factors->k);
    }
  }
}

/* Computes x, y of a joint and the motion of its body. */
static inline void outwards(const mbd_sim *s, articulated *tree, int i, int w, const columns *factors) {
  const joint_block *j = &tree->joint[i];
  mbd_real *V = tree->V + 6 * i * w;
  if (s->m->body[i].parent > 0) {
    carry(s, tree, i, w, factors, V);
  } else {
    memset(V, 0, (size_t)(6 * w) * sizeof *V);
  }
  for (int a = 0; a < j->nz; a++) {
    for (int r = 0; r < 6; r++) {
      add_columns(w, s->w->col[j->z0 + a].b[r], factors->x + (j->z0 + a) * factors->k, V + r * w);
    }
  }
}

static inline void sweeps(mbd_sim *s, articulated *tree, int w, const columns *factors) {
  const int nb = s->m->nb;
  memset(tree->p, 0, (size_t)(6 * nb * w) * sizeof *tree->p);
  loops_begin(tree, w, factors);
  for (int i = nb - 1; i > 0; i--) {
    inwards(s, tree, i, w, factors);
    loops_collect(tree, i, w, factors);
  }
  solve_joint(s, &tree->joint[0], w, factors, NULL, tree->t);
  loops_collect(tree, 0, w, factors);
  loops_solve(tree, w, factors);
  loops_release(tree, 0, w, factors);
  for (int i = 1; i < nb; i++) {
    loops_release(tree, i, w, factors);
    outwards(s, tree, i, w, factors);
  }
}

/* The solution with the inertias that have been added; f and x, g and y may be the same. */
static void solve_with_added(mbd_sim *s, articulated *tree, int k, const mbd_real *f, const mbd_real *g, mbd_real *x,
                             mbd_real *y) {
  for (int c = 0; c < k;) {
    const columns at = {k, f + c, g + c, x + c, y + c};
    if (k - c >= WIDTH) {
      sweeps(s, tree, WIDTH, &at);
      c += WIDTH;
    } else {
      sweeps(s, tree, 1, &at);
      c++;
    }
  }
}

/* W, Y and the factors of 1 - W_c. */
static mbd_status factor_light(mbd_sim *s, articulated *tree, mbd_error *err) {
  const int n = tree->nlight;
  const size_t bytes = (size_t)n * sizeof *tree->W;
  memset(tree->W, 0, (size_t)s->m->nz * bytes), memset(tree->Y, 0, (size_t)s->m->nphi * bytes);
  for (int c = 0; c < n; c++) { tree->W[tree->light[c] * n + c] = tree->added[c]; }
  solve_with_added(s, tree, n, tree->W, tree->Y, tree->W, tree->Y);
  for (int c = 0; c < n; c++) {
    for (int a = 0; a < n; a++) { tree->K[c * n + a] = (c == a) - tree->W[tree->light[c] * n + a]; }
  }
  mbd_status status = mbd_lu_factor(n, tree->K, tree->light_piv);
  for (int c = 0; c < n && status == MBD_OK; c++) {
    if (!(mbd_min(tree->K[c * (n + 1)]) > no_inertia)) { status = MBD_SINGULAR; }
  }
  const int body = s->m->z_body[tree->light[0]];
  return status == MBD_OK ? MBD_OK : without_mass(s, body < 0 ? 0 : body, err);
}

static mbd_status fully_recursive_factor(mbd_sim *s, void *memory, mbd_error *err) {
  articulated *tree = memory;
  mark_used(tree);
  tree->nlight = 0;
  MBD_TRY(factor_tree(s, tree, err));
  MBD_TRY(loops_factor(s, tree, err));
  return tree->nlight > 0 ? factor_light(s, tree, err) : MBD_OK;
}

static mbd_status fully_recursive_solve(mbd_sim *s, void *memory, int k, const mbd_real *f, const mbd_real *g,
                                        mbd_real *x, mbd_real *y, mbd_error *err) {
  /* The elimination goes joint by joint with checked pivots and without a penalty. Its residual is rounding (1e-13 in
   * test_fully_recursive.c), so the solution is not refined by iteration. */
  articulated *tree = memory;
  const int n = tree->nlight;
  (void)err;
  memset(y, 0, (size_t)(s->m->nphi * k) * sizeof *y);
  solve_with_added(s, tree, k, f, g, x, y);
  if (n == 0) { return MBD_OK; }
  /* x_c without the added inertias, and what it makes of the others. */
  for (int c = 0; c < n; c++) { memcpy(tree->light_rate + c * k, x + tree->light[c] * k, (size_t)k * sizeof *x); }
  mbd_lu_solve(n, tree->K, tree->light_piv, k, tree->light_rate);
  mbd_mul_add(s->m->nz, n, k, 1, tree->W, tree->light_rate, x);
  mbd_mul_add(s->m->nphi, n, k, 1, tree->Y, tree->light_rate, y);
  return MBD_OK;
}

static const ss_ops recursive = {.matrix_free_from = MATRIX_FREE_FROM,
                                 .create = fully_recursive_create,
                                 .destroy = fully_recursive_destroy,
                                 .factor = fully_recursive_factor,
                                 .solve = fully_recursive_solve};

const mbd_formulation_ops mbd_formulation_fully_recursive = {
    .name = "fully_recursive",
    .doc =
        "Articulated-body recursion, joint by joint without a mass matrix, with the reactions of closed loops as "
        "forces: "
        "time in proportion to the number of bodies of open loops and long closed chains; state space.",
    .space = &recursive,
    .velocities = 1,
    .factor_motion = ss_factor_motion,
    .solve_motion = ss_solve_motion,
    SS_FORMULATION};
