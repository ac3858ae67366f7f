/* Is the start a singular position, where Phi_z has a smaller rank than beside it? A parallelogram whose bars are in line is taken there for a
 * mechanism with two degrees of freedom. A position beside the start is found from shifted coordinates, on the constraints again; near a
 * point where two motions cross it is on one of them. Only where rows are redundant, and once for all runs of a simulation, as the rank beside the
 * start is that of almost all positions. Equations: theory.md §5.5. */
#include <stdio.h>
#include <string.h>

#include "simulate/start.h"

static const double shift = 1e-3;

/* The rank of Phi_z beside the start; its independent rows come first in s->start->all_rows. -1: no such position was found. */
static int rank_beside(mbd_sim *s) {
  const mbd_model *m = s->m;
  for (int j = 0; j < m->nz; j++) { s->now.z[j] += shift * (1 + j * 37 % 101 / 101.0) * (j % 2 ? -1 : 1); }
  s->start->without_held = 1;
  const int closed = assembly_close_damped(s);
  if (closed) { start_evaluate_rows(s); }
  s->start->without_held = 0;
  return closed ? assembly_rank(s, s->start->all_rows) : -1;
}

/* The first row that is independent beside the start alone. */
static int lost_row(const mbd_sim *s, int beside) {
  for (int i = 0; i < beside; i++) {
    int k = 0;
    while (k < s->rank && s->row[k] != s->start->all_rows[i]) { k++; }
    if (k == s->rank) { return s->start->all_rows[i]; }
  }
  return s->row[s->rank];
}

static void warn(mbd_sim *s) {
  const int more = s->start->beside - s->rank;
  sim_warn(s, "singular start", 0,
           "the start is a singular position: beside it %d more equation%s of constraints %s independent, that of "
           "'%.100s' among them, as of a "
           "linkage with all bars in line. There it is taken for a mechanism with %d degree%s of freedom more than it "
           "has, and can move in more "
           "ways than one. Expected a start beside this position: another held value, or another guess",
           more, more > 1 ? "s" : "", more > 1 ? "are" : "is", s->m->phi_name[s->start->lost], more,
           more > 1 ? "s" : "");
}

mbd_status start_check_singular(mbd_sim *s, mbd_error *err) {
  sim_start *start = s->start;
  if (s->rank == s->m->nphi) { return MBD_OK; }
  if (!start->beside) {
    const int nfree = start->nfree;
    memcpy(start->tried, s->now.z, (size_t)s->m->nz * sizeof *start->tried);
    start->beside = rank_beside(s);
    if (start->beside > s->rank) { start->lost = lost_row(s, start->beside); }
    memcpy(s->now.z, start->tried, (size_t)s->m->nz * sizeof *start->tried);
    start->nfree = nfree;
    MBD_TRY(start_factor_rows(s, err));
  }
  if (start->beside > s->rank) { warn(s); }
  return MBD_OK;
}
