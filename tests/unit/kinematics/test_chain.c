/* Chains of columns (lib/kinematics/chain.h) beside the columns themselves, and the depth-first order of the bodies. */
#include "kinematics/chain.h"

#include "conformance/mechanism.h"
#include "kinematics/sweep.h"

static int carries(const mbd_model *m, int body, int other) {
  while (other > body) { other = m->body[other].parent; }
  return other == body;
}

/* Every body once; the parent of each is the one before it or carries that one. */
static void test_depth_first(void) {
  for (int which = 0; which < N_CASES; which++) {
    test_model q = model_open(cases[which].model);
    const mbd_model *m = q.m;
    int sum = 0;
    CU_ASSERT_EQUAL(m->depth_first[0], 0);
    for (int d = 1; d < m->nb; d++) {
      const int body = m->depth_first[d];
      CU_ASSERT(carries(m, m->body[body].parent, m->depth_first[d - 1]));
      sum += body;
    }
    CU_ASSERT_EQUAL(sum, m->nb * (m->nb - 1) / 2);
    model_close(&q);
  }
}

/* Column k of the chain is V, which is that of its coordinate at its body's own point. */
static void check_column(const mbd_work *w, int k, const mbd_real V[6], const mbd_real (*held)[LANES]) {
  const column_chain *chain = &w->formed.chain;
  mbd_real s[3], at[6];
  v3_sub(s, chain->r, w->body[w->model->col_body[chain->col[k]]].r);
  sv_shift_motion(at, V, s);
  for (int r = 0; r < 6; r++) { CHECK_CLOSE("column", held[r][k % LANES], at[r], 0); }
}

static void check_chain(const mbd_work *w, int body, int all) {
  const mbd_model *m = w->model;
  const column_chain *chain = &w->formed.chain;
  int k = chain->n;
  for (int i = model_last_column(m, body); i >= 0; i = model_column_above(m, i)) {
    const column_state *c = &w->col[i];
    const int j = m->col_z[i];
    CU_ASSERT(i == j || m->nbeam > 0); /* of joints that share none, coordinates are columns */
    const column_block *q = &chain->block[--k / LANES];
    CU_ASSERT_EQUAL(chain->col[k], i);
    CU_ASSERT_EQUAL(chain->z[k], j);
    CU_ASSERT_EQUAL(chain->row[k], j * m->nz);
    check_column(w, k, c->b, (const mbd_real(*)[LANES])q->b);
    if (!all) { continue; }
    check_column(w, k, c->c, (const mbd_real(*)[LANES])q->c);
    check_column(w, k, c->e, (const mbd_real(*)[LANES])q->e);
    check_column(w, k, c->cbd, (const mbd_real(*)[LANES])q->cbd);
  }
  CU_ASSERT_EQUAL(k, 0);
}

/* In the order of the sweeps and in that of the bodies, which changes from branch to branch. */
static void test_columns(void) {
  for (int which = 0; which < N_CASES; which++) {
    for (int reference = 0; reference <= MBD_RTDYN_JOINT; reference++) {
      bench b = {0};
      open_bench(&b, which, (mbd_reference)reference);
      motion_place(b.w, b.p, t, b.z);
      motion_move(b.w, b.zd, b.zdd, 1);
      sweep_columns(b.w);
      for (int all = 0; all < 2; all++) {
        chain_begin(b.w);
        for (int d = b.m->nb - 1; d >= 0; d--) {
          chain_hold(b.w, b.m->depth_first[d], all);
          check_chain(b.w, b.m->depth_first[d], all);
        }
        for (int i = 0; i < b.m->nb; i++) {
          chain_hold(b.w, i, all);
          check_chain(b.w, i, all);
        }
      }
      close_bench(&b);
    }
  }
}

TEST_MAIN(TEST(test_depth_first), TEST(test_columns))
