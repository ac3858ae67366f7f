/* Articulated bodies of a tree of joints, and the rows of closed loops on them: what fully_recursive.c (the tree) and
 * fully_recursive_loops.c (the loops) have in common. */
#ifndef MBD_ARTICULATED_H
#define MBD_ARTICULATED_H

#include "formulation/state_space.h"
#include "la/ldl.h"

enum { WIDTH = 4 };                          /* columns that are swept together */
enum { NO_JOINT = -1, BETWEEN_JOINTS = -2 }; /* articulated_joint */

/* The coordinates of one joint. That of the ground has the added coordinates, which move no body. */
typedef struct joint_block {
  int z0, nz;
  int nown;
  const mbd_constraint **own; /* [nown] that depend on these coordinates alone */
  int nrow, *row;             /* of these, rows in use */
  int scalar;                 /* one coordinate and no row: A is a number */
  mbd_real scale;             /* of these rows */
  mbd_real *A;                /* [nz + nrow][nz + nrow] factors */
  int *piv;                   /* [nz + nrow] */
  mbd_real *U;                /* [6][nz] */
  mbd_real *G;                /* [nz + nrow][6] */
} joint_block;

/* The rows of loops that pass through one joint. */
typedef struct joint_rows {
  int n, *row;     /* [n] numbers in recursive_loops, ascending */
  mbd_real *T, *E; /* [nz][n]; [nz + nrow][n] */
  int *run;        /* [n] as many of the entries of row[k] with row[k], row[k + 1], ... are side by side in S */
} joint_rows;

/* One constraint between joints. Its rows pass through the joints on which it depends and those between them and the
 * ground. */
typedef struct loop_rows {
  const mbd_constraint *c;
  int first;                  /* number of its first row */
  int root;                   /* the first of those joints that are next to the ground */
  int nuse, use[MBD_ROW_MAX]; /* [nuse] rows of the constraint in use */
  int nbody,
      *body; /* [nbody] the joints by the bodies they carry, from the leaves to the ground; 0: added coordinates */
  int *into; /* [nbody] place of the first row among those of the joint */
} loop_rows;

typedef struct recursive_loops {
  int n; /* rows of all constraints between joints; 0: open loops */
  int nloop;
  loop_rows *loop;     /* [nloop] */
  joint_rows *joint;   /* [nb] */
  int *first, *col;    /* the places of S, row by row */
  int *diagonal;       /* [n] of each row the place on the diagonal */
  mbd_ldl *factors;    /* of S, scaled: */
  double *scale;       /* [n] */
  unsigned char *used; /* [n] */
  mbd_real *S;         /* [places] */
  mbd_real *lam;       /* [n][WIDTH] */
  mbd_real *f, *p, *t; /* [nz][MBD_ROW_MAX], [nb][6][MBD_ROW_MAX], as that of the tree: scratch */
  mbd_arena arena;
} recursive_loops;

typedef struct articulated {
  const mbd_model *m;
  const independent *indep;
  unsigned char *used;        /* [nphi] rows in use */
  joint_block *joint;         /* [nb] by the body it carries */
  const mbd_constraint **own; /* those of all joints, one after the other */
  mbd_real *inertia;          /* [nb][6][6] M^, at the reference points */
  double (*beyond)[2];        /* [nb] mass and bound of the moments of inertia of the bodies beyond a joint */
  mbd_real *p, *V;            /* [nb][6][WIDTH] */
  mbd_real *t;                /* [largest nz + nrow][WIDTH] */
  recursive_loops loops;

  /* Coordinates that would move no mass where loops are cut. */
  int nlight, max_light;
  int *light;           /* [nlight] */
  double *added;        /* [nlight] inertia that they have in the factors */
  mbd_real *W, *Y;      /* [nz][nlight], [nphi][nlight] solutions for f = `added` times one of them */
  mbd_real *K;          /* [nlight][nlight] factors */
  int *light_piv;       /* [nlight] */
  mbd_real *light_rate; /* [nlight][columns] */
  mbd_arena arena;
} articulated;

/* Right-hand sides and solutions, from the first of the current columns on; rows are k apart. */
typedef struct columns {
  int k;
  const mbd_real *f, *g;
  mbd_real *x, *y;
} columns;

/* The joint on whose coordinates alone a constraint depends, by the body it carries, 0: added coordinates; NO_JOINT:
 * nothing moves it; BETWEEN_JOINTS: it depends on those of several. */
static inline int articulated_joint(const mbd_model *m, const mbd_constraint *c) {
  int joint = NO_JOINT;
  for (int k = 0; k < c->lift.ncol; k++) {
    const int body = m->z_body[c->lift.col[k]], of = body < 0 ? 0 : body;
    if (joint >= 0 && of != joint) { return BETWEEN_JOINTS; }
    joint = of;
  }
  return joint;
}

/* Phi_z, or A of a velocity constraint, of a row by a coordinate on which it depends. */
static inline mbd_real articulated_entry(const articulated *tree, int row, int z) {
  return tree->indep->row[row][tree->indep->place[z]];
}

/* Returns 1 if reference points differ from body to body, so that wrenches and motions are transferred by B. With the origin as reference point of
 * all bodies, B = 1. */
static inline int moves_reference(const mbd_work *w) {
  return w->reference != MBD_RTDYN1;
}

/* Computes the vector from the reference point of the parent to that of body i. */
static inline void arm_of(const mbd_work *w, int i, mbd_real s[3]) {
  v3_sub(s, w->body[i].r, w->body[w->model->body[i].parent].r);
}

/* ---- w columns at a time, a constant where these are inlined ---- */

/* y += s x */
static inline void add_columns(int w, mbd_real s, const mbd_real *restrict x, mbd_real *restrict y) {
  for (int c = 0; c < w; c++) { y[c] += s * x[c]; }
}

static inline void put_columns(int w, mbd_real s, const mbd_real *restrict x, mbd_real *restrict y) {
  for (int c = 0; c < w; c++) { y[c] = s * x[c]; }
}

/* n += s x f, of a wrench [6][w] */
static inline void move_wrench(int w, const mbd_real s[3], mbd_real *F) {
  for (int r = 0; r < 3; r++) {
    const int a = (r + 1) % 3, b = (r + 2) % 3;
    add_columns(w, s[a], F + b * w, F + (3 + r) * w);
    add_columns(w, -s[b], F + a * w, F + (3 + r) * w);
  }
}

/* v += w x s, of a motion [6][w] */
static inline void move_motion(int w, const mbd_real s[3], mbd_real *V) {
  for (int r = 0; r < 3; r++) {
    const int a = (r + 1) % 3, b = (r + 2) % 3;
    add_columns(w, s[b], V + (3 + a) * w, V + r * w);
    add_columns(w, -s[a], V + (3 + b) * w, V + r * w);
  }
}

/* t := A^-1 t */
static inline void articulated_eliminate(const joint_block *j, int w, mbd_real *t) {
  if (!j->scalar) {
    mbd_lu_solve(j->nz + j->nrow, j->A, j->piv, w, t);
    return;
  }
  const mbd_real inverse = 1 / j->A[0];
  for (int c = 0; c < w; c++) { t[c] *= inverse; }
}

/* Adds what the rates of joint i, inwards, make of the rows: lam += T' x0. */
static inline void loops_collect(articulated *tree, int i, int w, const columns *factors) {
  if (tree->loops.n == 0) { return; }
  const joint_rows *rows = &tree->loops.joint[i];
  const joint_block *j = &tree->joint[i];
  for (int a = 0; rows->n > 0 && a < j->nz; a++) {
    const mbd_real *T = rows->T + a * rows->n, *x = factors->x + (j->z0 + a) * factors->k;
    for (int r = 0; r < rows->n; r++) { add_columns(w, T[r], x, tree->loops.lam + rows->row[r] * w); }
  }
}

/* Takes what the multipliers make of the rates of joint i, and of the multipliers of its own constraints: x0 - E lam. */
static inline void loops_release(articulated *tree, int i, int w, const columns *factors) {
  if (tree->loops.n == 0) { return; }
  const joint_rows *rows = &tree->loops.joint[i];
  const joint_block *j = &tree->joint[i];
  for (int a = 0; rows->n > 0 && a < j->nz + j->nrow; a++) {
    const mbd_real *E = rows->E + a * rows->n;
    mbd_real sum[WIDTH] = {0};
    for (int r = 0; r < rows->n; r++) { add_columns(w, E[r], tree->loops.lam + rows->row[r] * w, sum); }
    if (a < j->nz) {
      add_columns(w, -1, sum, factors->x + (j->z0 + a) * factors->k);
    } else {
      add_columns(w, -j->scale, sum, factors->y + j->row[a - j->nz] * factors->k);
    }
  }
}

/* ---- fully_recursive_loops.c ---- */

/* Memory for the constraints between joints; those of the joints are known. MBD_NO_MEMORY. */
mbd_status loops_create(articulated *tree, mbd_error *err);
void loops_destroy(articulated *tree);

/* Does a constraint between joints pass through joint i? */
static inline int loops_pass(const articulated *tree, int i) {
  return tree->loops.n > 0 && tree->loops.joint[i].n > 0;
}

/* T, E and the factors of S, from those of the joints. MBD_SINGULAR. */
mbd_status loops_factor(mbd_sim *s, articulated *tree, mbd_error *err);

/* lam [n][w] = -g; after all of loops_collect lam := S^-1 lam, and y. */
void loops_begin(articulated *tree, int w, const columns *factors);
void loops_solve(articulated *tree, int w, const columns *factors);

#endif
