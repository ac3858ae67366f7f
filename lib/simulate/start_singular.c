/* Is the start a singular position, where Phi_z has a smaller rank than beside it? A parallelogram whose bars are in line is taken there for a
 * mechanism with two degrees of freedom. A position beside the start is found from shifted coordinates, on the constraints again; near a
 * point where two motions cross it is on one of them. Where there is none, the mechanism is locked: a beam between two fixed hinges, which its shortening by
 * bending would pull at, or a truss that moves to the first order alone. Only where rows are redundant, and once for all runs of a simulation, as the rank beside the
 * start is that of almost all positions. Equations: theory.md §5.5. */
#include <stdio.h>
#include <string.h>

#include "model/loop.h"
#include "simulate/start.h"

static const double shift = 1e-3, shorter = 1e-4;
static const int locked = -1; /* in the place of a rank */

/* The rank of Phi_z at a position that far from the start; its independent rows come first in s->start->all_rows. `locked`: no such position was found. */
static int rank_at(mbd_sim *s, double distance) {
  const mbd_model *m = s->m;
  for (int j = 0; j < m->nz; j++) {
    s->now.z[j] = s->start->tried[j] + distance * (1 + j * 37 % 101 / 101.0) * (j % 2 ? -1 : 1);
  }
  const int closed = assembly_close_damped(s);
  start_evaluate_rows(s);
  return closed ? assembly_rank(s, s->start->all_rows) : locked;
}

/* The same beside the start. Where it is not locked, but of small lengths, a shorter distance does, and rows depend on the others there, too. */
static int rank_beside(mbd_sim *s) {
  const int without_held = s->start->without_held;
  s->start->without_held = 1;
  int rank = rank_at(s, shift);
  if (rank == locked) {
    s->start->lost = start_worst_row(s, s->m->nphi);
    if (rank_at(s, shorter) == s->rank) { rank = s->rank; }
  }
  s->start->without_held = without_held;
  return rank;
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

static void warn_singular(mbd_sim *s) {
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

/* A beam that bends and does not stretch, among the coordinates of this row; NULL: there is none. */
static const mbd_beam *bends_alone(const mbd_model *m, int row) {
  const mbd_lift *l = &model_row_constraint(m, row)->lift;
  for (int i = 0; i < m->nbeam; i++) {
    const beam_layout *b = &m->beam[i].layout;
    const int bends = beam_has(b, BEAM_UP) || beam_has(b, BEAM_SIDE);
    if (!bends || beam_has(b, BEAM_STRETCH)) { continue; }
    for (int k = 0; k < l->ncol; k++) {
      if (l->col[k] == m->beam[i].z0) { return &m->beam[i]; }
    }
  }
  return NULL;
}

/* The row that is left beside the start. */
static void warn_locked(mbd_sim *s) {
  const int row = s->start->lost;
  const mbd_beam *beam = bends_alone(s->m, row);
  char advice[200] = "Expected constraints that leave it free, or none that depend on others";
  if (beam) {
    snprintf(
        advice, sizeof advice,
        "Beam '%.60s', held so that its ends cannot come closer, cannot bend without stretching: axial = 1, or an end "
        "that slides along it",
        beam->name);
  }
  sim_warn(
      s, "singular start", 0,
      "no position was found beside the start in which all constraints hold: '%.80s' follows from the others at the "
      "start alone, so that the mechanism is locked, or less free than it is taken for, and what is computed of its "
      "motion means nothing. %s",
      s->m->phi_name[row], advice);
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
  if (start->beside > s->rank) { warn_singular(s); }
  if (start->beside == locked) { warn_locked(s); }
  return MBD_OK;
}
