/* Columns of elements in random trees, against their definition: a coordinate moves an argument's side if its body is on
 * the way from the side's body to the ground; columns that move all sides alike are left out for elements that do not see
 * that, unless one of them is an argument itself. */
#include "model/model.h"
#include "test.h"

enum { BODIES = 24, TRIALS = 400 };

static unsigned seed = 1;

static int random_below(int n) {
  seed = seed * 1664525u + 1013904223u;
  return (int)((seed >> 8) % (unsigned)n);
}

typedef struct tree {
  mbd_model m;
  mbd_body body[BODIES];
  int z_body[6 * BODIES], z_above[6 * BODIES], col_z[6 * BODIES];
} tree;

static void random_tree(tree *t) {
  t->m = (mbd_model){.nb = BODIES,
                     .body = t->body,
                     .z_body = t->z_body,
                     .z_above = t->z_above,
                     .col_body = t->z_body,
                     .col_z = t->col_z};
  t->body[0] = (mbd_body){.parent = -1};
  for (int i = 1; i < BODIES; i++) {
    const int h = random_below(3) ? i - 1 : random_below(i), above = t->body[h].z0 + t->body[h].nz - 1;
    t->body[i] =
        (mbd_body){.parent = h, .level = t->body[h].level + 1, .z0 = t->m.nz, .c0 = t->m.nz, .nz = 1 + random_below(3)};
    for (int k = 0; k < t->body[i].nz; k++, t->m.nz++) {
      t->z_body[t->m.nz] = i, t->col_z[t->m.nz] = t->m.nz;
      t->z_above[t->m.nz] = k ? t->m.nz - 1 : h ? above : -1;
    }
  }
  t->z_body[t->m.nz] = t->z_above[t->m.nz] = -1; /* one coordinate that belongs to no joint */
  t->m.nz++;
}

static int moves(const tree *t, int j, int body) {
  for (int i = body; i > 0; i = t->body[i].parent) {
    if (i == t->z_body[j]) { return 1; }
  }
  return 0;
}

/* Which sides of argument a coordinate j moves: bits 1 and 2. */
static int sides(const tree *t, const mbd_arg *q, int j) {
  if (q->kind == MBD_ARG_COORDINATE) { return q->b == j; }
  return moves(t, j, q->b) + 2 * (q->a >= 0 && moves(t, j, q->a));
}

static int is_common(const tree *t, const mbd_lift *l, int j) {
  int bodies = 0;
  for (int a = 0; a < l->narg; a++) {
    if (l->arg[a].kind == MBD_ARG_COORDINATE) { continue; }
    bodies = 1;
    if (sides(t, &l->arg[a], j) != (l->arg[a].a >= 0 ? 3 : 1)) { return 0; }
  }
  return bodies;
}

static int coordinate_is_common(const tree *t, const mbd_lift *l) {
  for (int a = 0; a < l->narg; a++) {
    if (l->arg[a].kind == MBD_ARG_COORDINATE && is_common(t, l, l->arg[a].b)) { return 1; }
  }
  return 0;
}

static void check(const tree *t, const mbd_lift *l, int frame_free) {
  const int leave_out = frame_free && !coordinate_is_common(t, l);
  int n = 0, common = 0, wrong = 0;
  for (int j = 0; j < t->m.nz; j++) {
    int any = 0;
    for (int a = 0; a < l->narg; a++) { any |= sides(t, &l->arg[a], j); }
    if (any && leave_out && is_common(t, l, j)) {
      common = t->z_body[j];
    } else if (any) {
      wrong += n >= l->ncol || l->col[n] != j;
      for (int a = 0; a < l->narg && !wrong; a++) { wrong += l->flag[a * l->ncol + n] != sides(t, &l->arg[a], j); }
      n++;
    }
  }
  CU_ASSERT_EQUAL(wrong, 0);
  CU_ASSERT_EQUAL(l->ncol, n);
  CU_ASSERT_EQUAL(l->common, common);
}

static void test_random(void) {
  static tree t;
  mbd_error err = {0};
  for (int trial = 0; trial < TRIALS; trial++) {
    mbd_lift l = {.narg = 1 + random_below(3)};
    random_tree(&t);
    for (int a = 0; a < l.narg; a++) {
      l.arg[a] = random_below(3) ? (mbd_arg){MBD_ARG_ROTATION, random_below(BODIES), random_below(BODIES + 1) - 1}
                                 : (mbd_arg){MBD_ARG_COORDINATE, random_below(t.m.nz), -1};
    }
    CU_ASSERT_EQUAL(lift_create(&t.m, &l, trial % 2, &err), MBD_OK);
    check(&t, &l, trial % 2);
    lift_destroy(&l);
  }
}

TEST_MAIN(TEST(test_random))
