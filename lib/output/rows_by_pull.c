/* The gradient of an output from its transpose, where columns would cost more. Equations: theory.md §3 (3.5). */
#include "output/output.h"

void output_rows_by_pull(const output_at *at, void (*pull)(const output_at *at, mbd_real s, const output_back *to),
                         const output_row *g) {
  mbd_pull *q = at->w->pull;
  pull_begin(q, at->w, NULL);
  pull(at, 1, &(output_back){q, g->lam});
  pull_coordinates(q, g->z, g->zd, g->zdd);
}
