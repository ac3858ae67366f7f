/* Fully recursive formulation of open loops (S1, S2): the dynamic problem joint by joint, in O(bodies), without a mass matrix.
 *
 * Its solution is that of bodies that start from rest: a joint's rates x_i make V_i = B_i V_h + b_i x_i, wrenches are
 * balanced, joints carry f. At its joint, the tree beyond it acts as one body of inertia M^_i under a wrench p_i. The
 * equations of a joint's own coordinates, with the constraints Phi that involve them alone (the normalization of Euler
 * parameters, without which b' M^ b is singular; a drive),
 *   [ D Phi'; Phi 0 ] [ x; y ] = [ f - b' p - U' B V_h; g ],     U = M^ b,   D = b' U + inertias of single coordinates
 * give  x = x0 - G B V_h  with  G = A^-1 [ U'; 0 ], and the contributions to the parent are
 *   M^_h += B' (M^ - U G) B,     p_h += B' (p + U x0)
 * so two sweeps solve: inwards for x0, outwards for V and x. The rows Phi are scaled to the size of D. Of a joint with one
 * coordinate and no Phi, A is the number D.
 * Equations: theory.md §5.4 (5.8). */
#include <stdlib.h>
#include <string.h>

#include "formulation/state_space.h"

enum {
  WIDTH = 4,            /* columns that are swept together */
  MATRIX_FREE_FROM = 48 /* coordinates (bench/README.md) */
};

/* The coordinates of one joint. That of the ground has the added coordinates, which move no body. */
typedef struct joint_block {
  int z0, nz;
  int nblock;
  independent_block **block; /* [nblock] of Phi that depend on them */
  int nrow, *row;            /* of these, rows in use */
  int scalar;                /* one coordinate and no row: A is a number */
  mbd_real scale;            /* of these rows */
  mbd_real *A;               /* [nz + nrow][nz + nrow] factors */
  int *piv;                  /* [nz + nrow] */
  mbd_real *U;               /* [6][nz] */
  mbd_real *G;               /* [nz + nrow][6] */
} joint_block;

typedef struct articulated {
  const mbd_model *m;
  joint_block *joint;        /* [nb] by the body it carries */
  independent_block **block; /* [nblock] those of all joints, one after the other */
  mbd_real *inertia;         /* [nb][6][6] M^, at the reference points */
  mbd_real *p, *V;           /* [nb][6][WIDTH] */
  mbd_real *t;               /* [largest nz + nrow][WIDTH] */
  mbd_arena arena;
} articulated;

/* ---- memory ---- */

static int carrier(const mbd_model *m, const independent_block *block) {
  const int body = m->z_body[block->col[0]];
  return body < 0 ? 0 : body;
}

static int max_rows(const independent_block *block) {
  return block->nrow < block->ncol ? block->nrow : block->ncol;
}

static void joint_layout(joint_block *j, size_t rows, mbd_arena *a) {
  const size_t n = (size_t)j->nz + rows;
  j->row = mbd_arena_take(a, rows * sizeof *j->row);
  j->A = mbd_arena_real(a, n * n);
  j->piv = mbd_arena_take(a, n * sizeof *j->piv);
  j->U = mbd_arena_real(a, 6 * (size_t)j->nz);
  j->G = mbd_arena_real(a, 6 * n);
}

static void fully_recursive_layout(articulated *tree, mbd_arena *a) {
  const size_t nb = (size_t)tree->m->nb;
  size_t largest = 0;
  for (int i = 0; i < tree->m->nb; i++) {
    joint_block *j = &tree->joint[i];
    size_t rows = 0;
    for (int c = 0; c < j->nblock; c++) { rows += (size_t)max_rows(j->block[c]); }
    joint_layout(j, rows, a);
    if ((size_t)j->nz + rows > largest) { largest = (size_t)j->nz + rows; }
  }
  tree->inertia = mbd_arena_real(a, 36 * nb);
  MBD_ARENA_REALS(a, 6 * nb * WIDTH, &tree->p, &tree->V);
  tree->t = mbd_arena_real(a, largest * WIDTH);
}

/* Lists the constraints of each joint, joints in order. */
static void find_joints(articulated *tree, independent *indep) {
  const mbd_model *m = tree->m;
  independent_block **at = tree->block;
  tree->joint[0].z0 = m->nz_tree, tree->joint[0].nz = m->nz - m->nz_tree;
  for (int i = 1; i < m->nb; i++) { tree->joint[i].z0 = m->body[i].z0, tree->joint[i].nz = m->body[i].nz; }
  for (int b = 0; b < indep->nblock; b++) { tree->joint[carrier(m, &indep->block[b])].nblock++; }
  for (int i = 0; i < m->nb; at += tree->joint[i].nblock, i++) { tree->joint[i].block = at; }
  for (int i = 0; i < m->nb; i++) { tree->joint[i].nblock = 0; }
  for (int b = 0; b < indep->nblock; b++) {
    joint_block *j = &tree->joint[carrier(m, &indep->block[b])];
    j->block[j->nblock++] = &indep->block[b];
  }
}

static mbd_status fully_recursive_create(mbd_sim *s, void **memory, mbd_error *err) {
  independent *indep = ss_of(s)->indep;
  articulated *tree = calloc(1, sizeof *tree);
  *memory = tree;
  if (tree) {
    tree->m = s->m;
    tree->joint = calloc((size_t)s->m->nb, sizeof *tree->joint);
    tree->block = calloc((size_t)indep->nblock + 1, sizeof(independent_block *));
  }
  if (!tree || !tree->joint || !tree->block) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for articulated inertias"); }
  find_joints(tree, indep);
  while (mbd_arena_pass(&tree->arena)) { fully_recursive_layout(tree, &tree->arena); }
  return mbd_arena_check(&tree->arena, "articulated inertias", err);
}

static void fully_recursive_destroy(void *memory) {
  articulated *tree = memory;
  free(tree->joint), free(tree->block);
  free(tree->arena.base);
  free(tree);
}

/* ---- reference points ---- */

/* Returns 1 if reference points differ from body to body, so that wrenches and motions are transferred by B. With the origin as reference point of
 * all bodies, B = 1. */
static inline int moves_reference(const mbd_work *w) {
  return w->reference != MBD_RTDYN1;
}

/* Computes the vector from the reference point of the parent to that of body i. */
static inline void arm_of(const mbd_work *w, int i, mbd_real s[3]) {
  v3_sub(s, w->body[i].r, w->body[w->model->body[i].parent].r);
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

/* Computes, for a joint with one coordinate and no row, U, the number D with the inertias of the coordinate, and G = U'/D. Returns 0 if D is zero or
 * not a number. */
static int factor_scalar(const mbd_work *w, const mbd_real *M, joint_block *j) {
  const mbd_real *b = w->col[j->z0].b;
  for (int r = 0; r < 6; r++) { j->U[r] = sv_dot(M + 6 * r, b); }
  j->A[0] = sv_dot(b, j->U);
  add_rotors(w, j, 1);
  if (!(mbd_min(j->A[0]) > 0)) { return 0; } /* also NaN */
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
static void border(joint_block *j, int n) {
  double size = 0;
  for (int i = 0; i < j->nz; i++) { size = fmax(size, mbd_largest(j->A[i * n + i])); }
  j->scale = size > 0 ? size : 1;
  j->nrow = 0;
  for (int b = 0; b < j->nblock; b++) {
    const independent_block *block = j->block[b];
    for (int r = 0; r < block->rank; r++) {
      const int row = j->nz + j->nrow;
      j->row[j->nrow++] = block->row[block->use[r]];
      for (int c = 0; c < block->ncol; c++) {
        const mbd_real v = j->scale * block->J[block->use[r] * block->ncol + c];
        const int at = block->col[c] - j->z0;
        j->A[row * n + at] = j->A[at * n + row] = v;
      }
    }
  }
}

static mbd_status factor_joint(const mbd_work *w, const mbd_real *M, joint_block *j) {
  int n = j->nz;
  for (int b = 0; b < j->nblock; b++) { n += j->block[b]->rank; }
  /* One coordinate without rows Phi: D is a number, and a division takes the place of the factors. */
  j->scalar = M && n == 1 && j->nz == 1;
  if (j->scalar) {
    j->nrow = 0;
    return factor_scalar(w, M, j) ? MBD_OK : MBD_SINGULAR;
  }
  /* A = [ D Phi'; Phi 0 ], D = b' M^ b + inertias of single coordinates. */
  memset(j->A, 0, (size_t)n * (size_t)n * sizeof *j->A);
  if (M) { fully_recursive_project(w, M, j, n); }
  add_rotors(w, j, n);
  border(j, n);
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

static mbd_status fully_recursive_factor(mbd_sim *s, void *memory, mbd_error *err) {
  articulated *tree = memory;
  const mbd_model *m = s->m;
  const mbd_work *w = s->w;
  for (int i = 1; i < m->nb; i++) { rigid(&w->body[i].in, tree->inertia + 36 * i); }
  for (int i = m->nb - 1; i >= 0; i--) {
    const mbd_real *M = i > 0 ? tree->inertia + 36 * i : NULL;
    if (factor_joint(w, M, &tree->joint[i]) != MBD_OK) { return without_mass(s, i, err); }
    const int h = m->body[i].parent;
    if (h <= 0) { continue; }
    hand_inertia(w, &tree->joint[i], i, M, tree->inertia + 36 * h);
  }
  return MBD_OK;
}

/* ---- solution: w columns at a time, a constant where the sweeps are inlined ---- */

/* Right-hand sides and solutions, from the first of the current columns on; rows are k apart. */
typedef struct columns {
  int k;
  const mbd_real *f, *g;
  mbd_real *x, *y;
} columns;

/* y += s x */
static inline void add(int w, mbd_real s, const mbd_real *restrict x, mbd_real *restrict y) {
  for (int c = 0; c < w; c++) { y[c] += s * x[c]; }
}

static inline void put(int w, mbd_real s, const mbd_real *restrict x, mbd_real *restrict y) {
  for (int c = 0; c < w; c++) { y[c] = s * x[c]; }
}

/* n += s x f, of a wrench [6][w] */
static inline void move_wrench(int w, const mbd_real s[3], mbd_real *F) {
  for (int r = 0; r < 3; r++) {
    const int a = (r + 1) % 3, b = (r + 2) % 3;
    add(w, s[a], F + b * w, F + (3 + r) * w);
    add(w, -s[b], F + a * w, F + (3 + r) * w);
  }
}

/* v += w x s, of a motion [6][w] */
static inline void move_motion(int w, const mbd_real s[3], mbd_real *V) {
  for (int r = 0; r < 3; r++) {
    const int a = (r + 1) % 3, b = (r + 2) % 3;
    add(w, s[b], V + (3 + a) * w, V + r * w);
    add(w, -s[a], V + (3 + b) * w, V + r * w);
  }
}

/* t := A^-1 t */
static inline void fully_recursive_eliminate(const joint_block *j, int w, mbd_real *t) {
  if (!j->scalar) {
    mbd_lu_solve(j->nz + j->nrow, j->A, j->piv, w, t);
    return;
  }
  const mbd_real inverse = 1 / j->A[0];
  for (int c = 0; c < w; c++) { t[c] *= inverse; }
}

/* Computes x0, y0 of a joint in t from the wrench beyond it. */
static inline void solve_joint(const mbd_sim *s, const joint_block *j, int w, const columns *factors, const mbd_real *p,
                               mbd_real *t) {
  for (int a = 0; a < j->nz; a++) {
    put(w, 1, factors->f + (j->z0 + a) * factors->k, t + a * w);
    for (int r = 0; p && r < 6; r++) { add(w, -s->w->col[j->z0 + a].b[r], p + r * w, t + a * w); }
  }
  for (int r = 0; r < j->nrow; r++) { put(w, j->scale, factors->g + j->row[r] * factors->k, t + (j->nz + r) * w); }
  fully_recursive_eliminate(j, w, t);
  for (int a = 0; a < j->nz; a++) { put(w, 1, t + a * w, factors->x + (j->z0 + a) * factors->k); }
  for (int r = 0; r < j->nrow; r++) { put(w, j->scale, t + (j->nz + r) * w, factors->y + j->row[r] * factors->k); }
}

/* Computes x0, y0 of a joint and its wrench on the parent. */
static inline void inwards(const mbd_sim *s, articulated *tree, int i, int w, const columns *factors) {
  const joint_block *j = &tree->joint[i];
  const int h = s->m->body[i].parent;
  mbd_real *t = tree->t, *p = tree->p + 6 * i * w, arm[3];
  solve_joint(s, j, w, factors, p, t);
  if (h == 0) { return; }
  for (int a = 0; a < j->nz; a++) {
    for (int r = 0; r < 6; r++) { add(w, j->U[r * j->nz + a], t + a * w, p + r * w); }
  }
  if (moves_reference(s->w)) {
    arm_of(s->w, i, arm);
    move_wrench(w, arm, p);
  }
  add(6 * w, 1, p, tree->p + 6 * h * w);
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
    for (int c = 0; c < 6; c++) { add(w, -j->G[6 * a + c], V + c * w, factors->x + (j->z0 + a) * factors->k); }
  }
  for (int r = 0; r < j->nrow; r++) {
    for (int c = 0; c < 6; c++) {
      add(w, -j->scale * j->G[6 * (j->nz + r) + c], V + c * w, factors->y + j->row[r] * factors->k);
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
    for (int r = 0; r < 6; r++) { add(w, s->w->col[j->z0 + a].b[r], factors->x + (j->z0 + a) * factors->k, V + r * w); }
  }
}

static inline void sweeps(mbd_sim *s, articulated *tree, int w, const columns *factors) {
  const int nb = s->m->nb;
  memset(tree->p, 0, (size_t)(6 * nb * w) * sizeof *tree->p);
  for (int i = nb - 1; i > 0; i--) { inwards(s, tree, i, w, factors); }
  solve_joint(s, &tree->joint[0], w, factors, NULL, tree->t);
  for (int i = 1; i < nb; i++) { outwards(s, tree, i, w, factors); }
}

static mbd_status fully_recursive_solve(mbd_sim *s, void *memory, int k, const mbd_real *f, const mbd_real *g,
                                        mbd_real *x, mbd_real *y, mbd_error *err) {
  /* The elimination goes joint by joint with checked pivots and without a penalty. Its residual is rounding (1e-13 in
   * test_fully_recursive.c), so the solution is not refined by iteration. */
  (void)err;
  memset(y, 0, (size_t)(s->m->nphi * k) * sizeof *y);
  for (int c = 0; c < k;) {
    const columns at = {k, f + c, g + c, x + c, y + c};
    if (k - c >= WIDTH) {
      sweeps(s, memory, WIDTH, &at);
      c += WIDTH;
    } else {
      sweeps(s, memory, 1, &at);
      c++;
    }
  }
  return MBD_OK;
}

static const ss_ops recursive = {.open_loops = 1,
                                 .matrix_free_from = MATRIX_FREE_FROM,
                                 .create = fully_recursive_create,
                                 .destroy = fully_recursive_destroy,
                                 .factor = fully_recursive_factor,
                                 .solve = fully_recursive_solve};

const mbd_formulation_ops mbd_formulation_fully_recursive = {
    .name = "fully_recursive",
    .doc =
        "Articulated-body recursion of an open loop, joint by joint without a mass matrix: time in proportion to the "
        "number of bodies; state space.",
    .space = &recursive,
    .factor_motion = ss_factor_motion,
    .solve_motion = ss_solve_motion,
    SS_FORMULATION};
