/* The gradient of an output from its transpose, where columns would cost more. Equations: theory.md §3 (3.5). */
#include "output/output.h"

void output_rows_by_reverse(const output_at *at,
                            void (*reverse)(const output_at *at, mbd_real s, const output_back *to),
                            const output_row *g) {
  mbd_reverse *sweep = at->w->reverse;
  reverse_begin(sweep, at->w, NULL);
  reverse(at, 1, &(output_back){sweep, g->lam});
  reverse_coordinates(sweep, g->z, g->zd, g->zdd);
}
