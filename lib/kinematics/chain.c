/* The columns b of the coordinates that move one body, side by side in blocks (chain.h).
 * Equations: theory.md §2 (2.1); S0 (5). */
#include "kinematics/chain.h"

void chain_begin(mbd_work *w) {
  w->formed.chain.held = 0;
}

static inline void put(mbd_real to[6][LANES], int lane, const mbd_real V[6]) {
  for (int r = 0; r < 6; r++) { to[r][lane] = V[r]; }
}

static inline void put_column(const column_state *c, int all, int moving, column_block *block, int lane) {
  put(block->b, lane, c->b);
  if (!all) { return; }
  put(block->e, lane, c->e);
  put(block->c, lane, c->c);
  for (int r = 0; r < 6; r++) { block->cbd[r][lane] = moving ? c->cbd[r] : 0; }
}

/* Stores the columns at the point displaced by s. */
static void put_shifted(const column_state *c, int all, int moving, const mbd_real s[3], column_block *block,
                        int lane) {
  column_state at = {0};
  sv_shift_motion(at.b, c->b, s);
  if (all) {
    sv_shift_motion(at.e, c->e, s);
    sv_shift_motion(at.c, c->c, s);
    if (moving) { sv_shift_motion(at.cbd, c->cbd, s); }
  }
  put_column(&at, all, moving, block, lane);
}

void chain_hold(mbd_work *w, int i, int all) {
  const mbd_model *m = w->model;
  column_chain *chain = &w->formed.chain;
  assert(chain->z); /* a work with matrices */
  /* From the last coordinate towards the ground, down to the part that the previous chain has in common with it. */
  int k = chain->n = m->body[i].before + m->body[i].nz;
  for (int c = model_last_column(m, i); k > 0 && (k > chain->held || chain->col[k - 1] != c);
       c = model_column_above(m, c)) {
    chain->col[--k] = c;
  }
  if (k < chain->n) { chain->held = chain->n; } /* the coordinates beyond belong to another branch */
  if (k == 0 && chain->n > 0) {
    v3_copy(chain->r, w->body[m->col_body[chain->col[0]]].r); /* a point near all columns */
  }
  /* The remaining columns, all at one point. */
  for (; k < chain->n; k++) {
    const int c = chain->col[k];
    column_block *block = &chain->block[k / LANES];
    chain->z[k] = m->col_z[c];
    chain->row[k] = chain->z[k] * m->nz;
    if (w->reference == MBD_RTDYN1) { /* the origin for all columns */
      put_column(&w->col[c], all, w->moving, block, k % LANES);
    } else {
      mbd_real s[3];
      v3_sub(s, chain->r, w->body[m->col_body[c]].r);
      put_shifted(&w->col[c], all, w->moving, s, block, k % LANES);
    }
  }
}
