/* Closed loops of the fully recursive formulation: the tree that is left when all loops are cut, and forces lam in the
 * rows Phi between joints (of them the independent ones, independent.h),
 *   M zdd + Phi_z' lam = f,   Phi_z zdd = g      ->      S lam = Phi_z M^-1 f - g,   S = Phi_z M^-1 Phi_z'
 * The recursion factors M = L A L' joint by joint, where A has the blocks of the joints. With T = L^-1 Phi_z',
 * E = A^-1 T and x0 = A^-1 L^-1 f, what the sweep inwards leaves,
 *   S = T' E,   Phi_z M^-1 f = T' x0,   zdd = L'^-1 (x0 - E lam)
 * so the rows of a constraint need one sweep, through the joints on which it depends and those between them and the
 * ground alone, and a solution one sweep inwards and one outwards. Two rows that share a joint have an entry in S; since
 * a way ends at the ground, these are the rows that share one next to the ground. Numbered by that joint, the rows of a
 * branch are neighbours, and S is eliminated in this order, from branch to branch.
 *
 * Rows that are not in use are zero in T and have ones in S, so that S keeps its places when the choice changes.
 * Equations: theory.md §5.4 (5.8a). */
#include <stdlib.h>
#include <string.h>

#include "formulation/articulated.h"
#include "la/ldl.h"

/* A pivot of S that is this part of what its row alone would have is rounding. */
static const double singular_below = 1e-14;

/* ---- the rows, once for a model ---- */

/* Marks the joints through which the rows of a constraint pass. Returns their number. */
static int mark_joints(const mbd_model *m, const mbd_constraint *c, unsigned char *on) {
  int count = 0;
  memset(on, 0, (size_t)m->nb);
  for (int k = 0; k < c->lift.ncol; k++) {
    const int body = m->z_body[c->lift.col[k]];
    if (body < 0) { count += !on[0], on[0] = 1; }
    for (int i = body; i > 0 && !on[i]; i = m->body[i].parent) { on[i] = 1, count++; }
  }
  return count;
}

/* Returns the first of the marked joints that are next to the ground. */
static int first_root(const mbd_model *m, const unsigned char *on) {
  int i = 0;
  while (!on[i] || m->body[i].parent > 0) { i++; }
  return i;
}

/* Lists the constraints between joints, those of a branch one after the other. */
static void list_loops(articulated *tree, unsigned char *on) {
  const mbd_model *m = tree->m;
  recursive_loops *loops = &tree->loops;
  for (int c = 0; c < m->nconstraint; c++) {
    if (articulated_joint(m, &m->constraint[c]) != BETWEEN_JOINTS) { continue; }
    const int count = mark_joints(m, &m->constraint[c], on), root = first_root(m, on);
    int at = loops->nloop++;
    for (; at > 0 && loops->loop[at - 1].root > root; at--) { loops->loop[at] = loops->loop[at - 1]; }
    loops->loop[at] = (loop_rows){.c = &m->constraint[c], .root = root, .nbody = count};
    for (int i = 0; i < m->nb; i++) { loops->joint[i].n += on[i] ? m->constraint[c].ops->nphi : 0; }
  }
  for (int g = 0; g < loops->nloop; g++) {
    loops->loop[g].first = loops->n;
    loops->n += loops->loop[g].c->ops->nphi;
  }
}

static void loops_layout(articulated *tree, mbd_arena *a) {
  recursive_loops *loops = &tree->loops;
  const size_t nb = (size_t)tree->m->nb, n = (size_t)loops->n;
  size_t largest = 1;
  for (int g = 0; g < loops->nloop; g++) {
    loop_rows *l = &loops->loop[g];
    l->body = mbd_arena_take(a, (size_t)l->nbody * sizeof *l->body);
    l->into = mbd_arena_take(a, (size_t)l->nbody * sizeof *l->into);
  }
  for (size_t i = 0; i < nb; i++) {
    joint_rows *rows = &loops->joint[i];
    const size_t count = (size_t)rows->n, nz = (size_t)tree->joint[i].nz, both = tree->joint[i].nown ? 2 * nz : nz;
    rows->row = mbd_arena_take(a, count * sizeof *rows->row);
    rows->run = mbd_arena_take(a, count * sizeof *rows->run);
    rows->T = mbd_arena_real(a, count * nz);
    rows->E = mbd_arena_real(a, count * both);
    if (both > largest) { largest = both; }
  }
  loops->diagonal = mbd_arena_take(a, n * sizeof *loops->diagonal);
  loops->used = mbd_arena_take(a, n);
  loops->scale = mbd_arena_take(a, n * sizeof *loops->scale);
  loops->lam = mbd_arena_real(a, n * WIDTH);
  loops->f = mbd_arena_real(a, (size_t)tree->m->nz * MBD_ROW_MAX);
  loops->p = mbd_arena_real(a, nb * 6 * MBD_ROW_MAX);
  loops->t = mbd_arena_real(a, largest * MBD_ROW_MAX);
}

/* Lists the joints of each constraint and the rows of each joint. */
static void list_rows(articulated *tree, unsigned char *on) {
  recursive_loops *loops = &tree->loops;
  for (int i = 0; i < tree->m->nb; i++) { loops->joint[i].n = 0; }
  for (int g = 0; g < loops->nloop; g++) {
    loop_rows *l = &loops->loop[g];
    mark_joints(tree->m, l->c, on);
    l->nbody = 0;
    for (int i = tree->m->nb - 1; i >= 0; i--) {
      if (!on[i]) { continue; }
      joint_rows *rows = &loops->joint[i];
      l->body[l->nbody] = i, l->into[l->nbody++] = rows->n;
      for (int r = 0; r < l->c->ops->nphi; r++) { rows->row[rows->n++] = l->first + r; }
    }
  }
}

/* Marks the rows that share a joint with a constraint, and so one of those next to the ground. */
static void mark_neighbours(const articulated *tree, const loop_rows *l, unsigned char *seen) {
  memset(seen, 0, (size_t)tree->loops.n);
  for (int k = 0; k < l->nbody; k++) {
    const joint_rows *rows = &tree->loops.joint[l->body[k]];
    if (tree->m->body[l->body[k]].parent > 0) { continue; }
    for (int r = 0; r < rows->n; r++) { seen[rows->row[r]] = 1; }
  }
}

/* Sets loops->first, and, if there is memory for them, loops->col. */
static void list_places(articulated *tree, unsigned char *seen) {
  recursive_loops *loops = &tree->loops;
  int places = 0;
  for (int g = 0; g < loops->nloop; g++) {
    const loop_rows *l = &loops->loop[g];
    mark_neighbours(tree, l, seen);
    for (int r = 0; r < l->c->ops->nphi; r++) {
      loops->first[l->first + r] = places;
      for (int q = 0; q < loops->n; q++) {
        if (!seen[q]) { continue; }
        if (loops->col) { loops->col[places] = q; }
        places++;
      }
    }
  }
  loops->first[loops->n] = places;
}

/* The number of entries of row list[0] with row list[0], list[1], ..., list[n - 1] that follow each other from `place` on. */
static int run_from(const int *col, int place, const int *list, int n) {
  int k = 0;
  while (k < n && col[place + k] == list[k]) { k++; }
  return k;
}

/* Finds where the products of the rows are in S. */
static void find_products(articulated *tree) {
  recursive_loops *loops = &tree->loops;
  for (int r = 0; r < loops->n; r++) {
    loops->diagonal[r] = loops->first[r];
    while (loops->col[loops->diagonal[r]] != r) { loops->diagonal[r]++; }
  }
  for (int i = 0; i < tree->m->nb; i++) {
    joint_rows *rows = &loops->joint[i];
    for (int k = 0; k < rows->n; k++) {
      rows->run[k] = run_from(loops->col, loops->diagonal[rows->row[k]], rows->row + k, rows->n - k);
    }
  }
}

/* The places of S, which is eliminated row by row. */
static mbd_status create_matrix(articulated *tree, unsigned char *seen, mbd_error *err) {
  recursive_loops *loops = &tree->loops;
  const size_t n = (size_t)loops->n;
  int *order = calloc(n, sizeof *order);
  loops->first = calloc(n + 1, sizeof *loops->first);
  if (order && loops->first) {
    list_places(tree, seen);
    loops->col = calloc((size_t)loops->first[loops->n], sizeof *loops->col);
    loops->S = calloc((size_t)loops->first[loops->n], sizeof *loops->S);
  }
  if (!order || !loops->first || !loops->col || !loops->S) {
    free(order);
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for closed loops");
  }
  list_places(tree, seen);
  find_products(tree);
  for (int r = 0; r < loops->n; r++) { order[r] = r; }
  const mbd_status status = mbd_ldl_create(loops->n, loops->first, loops->col, order, 1, &loops->factors, err);
  free(order);
  return status;
}

static mbd_status create_rows(articulated *tree, unsigned char *marks, mbd_error *err) {
  recursive_loops *loops = &tree->loops;
  while (mbd_arena_pass(&loops->arena)) { loops_layout(tree, &loops->arena); }
  MBD_TRY(mbd_arena_check(&loops->arena, "closed loops", err));
  list_rows(tree, marks);
  return create_matrix(tree, marks, err);
}

mbd_status loops_create(articulated *tree, mbd_error *err) {
  recursive_loops *loops = &tree->loops;
  const size_t nb = (size_t)tree->m->nb, m = (size_t)tree->m->nphi;
  unsigned char *marks = calloc(nb + m, 1);
  loops->loop = calloc((size_t)tree->m->nconstraint + 1, sizeof *loops->loop);
  loops->joint = calloc(nb, sizeof *loops->joint);
  if (!marks || !loops->loop || !loops->joint) {
    free(marks);
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for closed loops");
  }
  list_loops(tree, marks);
  const mbd_status status = loops->n > 0 ? create_rows(tree, marks, err) : MBD_OK;
  free(marks);
  return status;
}

void loops_destroy(articulated *tree) {
  recursive_loops *loops = &tree->loops;
  mbd_ldl_destroy(loops->factors);
  free(loops->loop), free(loops->joint), free(loops->first), free(loops->col), free(loops->S);
  free(loops->arena.base);
}

/* ---- T and E ---- */

/* Lists the rows in use. T and E of the others are set to zero when this changes. */
static void choose_rows(articulated *tree) {
  recursive_loops *loops = &tree->loops;
  int changed = 0;
  for (int g = 0; g < loops->nloop; g++) {
    loop_rows *l = &loops->loop[g];
    l->nuse = 0;
    for (int r = 0; r < l->c->ops->nphi; r++) {
      const unsigned char used = tree->used[l->c->row + r];
      changed |= used != loops->used[l->first + r];
      loops->used[l->first + r] = used;
      if (used) { l->use[l->nuse++] = r; }
    }
  }
  for (int i = 0; changed && i < tree->m->nb; i++) {
    joint_rows *rows = &loops->joint[i];
    const size_t count = (size_t)rows->n * sizeof *rows->T, nz = (size_t)tree->joint[i].nz;
    if (rows->n == 0) { continue; }
    memset(rows->T, 0, nz * count);
    memset(rows->E, 0, (tree->joint[i].nown ? 2 * nz : nz) * count);
  }
}

/* The rows of one constraint as forces f of the coordinates on which it depends, without wrenches. */
static inline void begin_rows(articulated *tree, const loop_rows *l, int w) {
  recursive_loops *loops = &tree->loops;
  for (int k = 0; k < l->nbody; k++) {
    const joint_block *j = &tree->joint[l->body[k]];
    memset(loops->f + j->z0 * w, 0, (size_t)(j->nz * w) * sizeof *loops->f);
    memset(loops->p + 6 * w * l->body[k], 0, (size_t)(6 * w) * sizeof *loops->p);
  }
  for (int c = 0; c < l->c->lift.ncol; c++) {
    const int z = l->c->lift.col[c];
    for (int r = 0; r < w; r++) { loops->f[z * w + r] = articulated_entry(tree, l->c->row + l->use[r], z); }
  }
}

/* The rows of T or E, [n][rows of the joint], of w rows t [n][w] of one constraint */
static inline void keep_rows(const loop_rows *l, int w, int n, const mbd_real *t, int count, mbd_real *into) {
  for (int a = 0; a < n; a++) {
    for (int r = 0; r < w; r++) { into[a * count + l->use[r]] = t[a * w + r]; }
  }
}

/* T and E of the rows of one constraint, from the leaves to the ground: w rows, a constant where this is inlined. */
static inline void sweep_rows(const mbd_work *work, articulated *tree, const loop_rows *l, int w) {
  recursive_loops *loops = &tree->loops;
  mbd_real *t = loops->t;
  begin_rows(tree, l, w);
  for (int k = 0; k < l->nbody; k++) {
    const int i = l->body[k], h = work->model->body[i].parent;
    const joint_block *j = &tree->joint[i];
    const joint_rows *rows = &loops->joint[i];
    mbd_real *p = loops->p + 6 * w * i, arm[3];
    /* T: what the joint has to carry, and E: its rates, and the multipliers of its own constraints, from rest. */
    for (int a = 0; a < j->nz; a++) {
      put_columns(w, 1, loops->f + (j->z0 + a) * w, t + a * w);
      for (int r = 0; i > 0 && r < 6; r++) { add_columns(w, -work->col[j->z0 + a].b[r], p + r * w, t + a * w); }
    }
    keep_rows(l, w, j->nz, t, rows->n, rows->T + l->into[k]);
    memset(t + j->nz * w, 0, (size_t)(j->nrow * w) * sizeof *t);
    articulated_eliminate(j, w, t);
    keep_rows(l, w, j->nz + j->nrow, t, rows->n, rows->E + l->into[k]);
    /* Its wrench on the parent. */
    if (h <= 0) { continue; }
    for (int a = 0; a < j->nz; a++) {
      for (int r = 0; r < 6; r++) { add_columns(w, j->U[r * j->nz + a], t + a * w, p + r * w); }
    }
    if (moves_reference(work)) {
      arm_of(work, i, arm);
      move_wrench(w, arm, p);
    }
    add_columns(6 * w, 1, p, loops->p + 6 * w * h);
  }
}

static void sweep_all_rows(const mbd_work *work, articulated *tree) {
  for (int g = 0; g < tree->loops.nloop; g++) {
    const loop_rows *l = &tree->loops.loop[g];
    switch (l->nuse) {
      case 0: break;
      case 1: sweep_rows(work, tree, l, 1); break;
      case 2: sweep_rows(work, tree, l, 2); break;
      default: sweep_rows(work, tree, l, 3); break;
    }
  }
}

/* ---- S ---- */

/* S += T' E of one joint, the entries on and above the diagonal */
static void add_products(recursive_loops *loops, const joint_rows *rows, int nz) {
  const int n = rows->n;
  for (int a = 0; a < nz; a++) {
    const mbd_real *T = rows->T + a * n, *E = rows->E + a * n;
    for (int r = 0; r < n; r++) {
      if (!loops->used[rows->row[r]]) { continue; }
      const int diagonal = loops->diagonal[rows->row[r]];
      add_columns(rows->run[r], T[r], E + r, loops->S + diagonal);
      for (int c = r + rows->run[r], place = diagonal + rows->run[r]; c < n; place++) {
        if (loops->col[place] == rows->row[c]) { loops->S[place] += T[r] * E[c++]; }
      }
    }
  }
}

/* Divides S by the sizes of its rows, which have different units; rows that are not in use get a one. */
static void scale_matrix(recursive_loops *loops) {
  for (int r = 0; r < loops->n; r++) {
    mbd_real *diagonal = &loops->S[loops->diagonal[r]];
    if (!loops->used[r]) { *diagonal = 1; }
    const double size = mbd_largest(*diagonal);
    loops->scale[r] = size > 0 ? 1 / sqrt(size) : 1;
  }
  for (int r = 0; r < loops->n; r++) {
    for (int place = loops->first[r]; place < loops->first[r + 1]; place++) {
      loops->S[place] *= loops->scale[r] * loops->scale[loops->col[place]];
    }
  }
}

mbd_status loops_factor(mbd_sim *s, articulated *tree, mbd_error *err) {
  recursive_loops *loops = &tree->loops;
  if (loops->n == 0) { return MBD_OK; }
  choose_rows(tree);
  sweep_all_rows(s->w, tree);
  memset(loops->S, 0, (size_t)loops->first[loops->n] * sizeof *loops->S);
  for (int i = 0; i < tree->m->nb; i++) { add_products(loops, &loops->joint[i], tree->joint[i].nz); }
  scale_matrix(loops);
  if (mbd_ldl_factor(loops->factors, loops->S, singular_below, 0)) { return MBD_OK; }
  MBD_FAIL(
      err, MBD_SINGULAR,
      "the reactions of closed loops are not determined to working precision (a nearly singular position, or masses "
      "of very different sizes: formulation = matrix_r or ali3p)");
}

/* ---- solutions ---- */

void loops_begin(articulated *tree, int w, const columns *factors) {
  recursive_loops *loops = &tree->loops;
  for (int g = 0; g < loops->nloop; g++) {
    const loop_rows *l = &loops->loop[g];
    for (int r = 0; r < l->c->ops->nphi; r++) {
      const int at = l->first + r;
      put_columns(w, loops->used[at] ? -1 : 0, factors->g + (l->c->row + r) * factors->k, loops->lam + at * w);
    }
  }
}

static void scale_lam(recursive_loops *loops, int w) {
  for (int r = 0; r < loops->n; r++) {
    for (int c = 0; c < w; c++) { loops->lam[r * w + c] *= loops->scale[r]; }
  }
}

void loops_solve(articulated *tree, int w, const columns *factors) {
  recursive_loops *loops = &tree->loops;
  if (loops->n == 0) { return; }
  scale_lam(loops, w);
  mbd_ldl_solve(loops->factors, 0, w, loops->lam);
  scale_lam(loops, w);
  for (int g = 0; g < loops->nloop; g++) {
    const loop_rows *l = &loops->loop[g];
    for (int r = 0; r < l->c->ops->nphi; r++) {
      put_columns(w, 1, loops->lam + (l->first + r) * w, factors->y + (l->c->row + r) * factors->k);
    }
  }
}
