/* Rounding of a motion, and what the tolerance of the steps leaves, grow as sensitivities do: where joints come into line, and over long
 * unstable or chaotic motions, by orders of magnitude. Equations: theory.md §7.6 (7.10), (7.11). */
#include "simulate/growth.h"

#include "model/params_reverse.h"
#include "objective/objectives.h"
#include "simulate/analysis.h"

static const double considerable = 1e3; /* growth that regular motions stay below; from it on, its time is kept */
static const double decisive = 1e8;     /* rounding of the coefficients alone changes the motion in the eighth digit */
static const double min_output = 1e-6;  /* size of an output that hardly moves, in its unit */
enum { LOOKS = 64 };                    /* of an adjoint pass at the derivatives by the coefficients */

struct sim_growth {
  double *size;      /* [np_max] size of the coefficients along each direction, in units of the direction */
  double max, begun; /* largest growth; time at which it was considerable first [s], NaN: never */
};

void growth_layout(mbd_sim *s, mbd_arena *a) {
  sim_growth counted, *g = s->growth = mbd_arena_take(a, sizeof *g);
  if (!g) { g = &counted; }
  g->size = mbd_arena_take(a, ((size_t)s->np_max + 1) * sizeof *g->size);
}

/* The largest coefficient that direction k changes, relative to the largest change; coefficients that are zero have the size 1. */
static double size_of(const mbd_sim *s, int k) {
  double value = 0, change = 0;
  for (int i = 0; i < s->m->ncoef; i++) {
    const double d = mbd_largest(s->d[k]->dtheta[i]);
    if (d > 0) { value = fmax(value, mbd_largest(s->p->theta[i])), change = fmax(change, d); }
  }
  return change > 0 ? (value > 0 ? value : 1) / change : 0;
}

void growth_begin(mbd_sim *s) {
  sim_growth *g = s->growth;
  g->max = 0, g->begun = NAN;
  for (int k = 0; k < s->np; k++) { g->size[k] = size_of(s, k); }
}

static void keep(mbd_sim *s, double growth) {
  sim_growth *g = s->growth;
  if (growth > considerable && isnan(g->begun)) { g->begun = mbd_first(s->t); }
  if (growth > g->max) { g->max = growth; }
}

/* (7.10) at the current node */
void growth_node(mbd_sim *s) {
  const int np = s->np;
  if (!analysis_integrates(s->analysis)) { return; }
  for (int j = 0; j < s->m->nz; j++) {
    const mbd_real *row = s->sens.z + j * np;
    double max = 0;
    for (int k = 0; k < np; k++) { max = fmax(max, mbd_largest(row[k]) * s->growth->size[k]); }
    keep(s, max / (1 + mbd_largest(s->now.z[j])));
  }
}

/* The largest derivative by a coefficient, relative to it, or by a place [m] or an angle of a joint or marker, as far as they are summed. */
static double largest_part(const mbd_sim *s, const params_reverse *u) {
  double max = 0;
  for (int c = 0; c < s->m->ncoef; c++) {
    if (u->requested[c]) { max = fmax(max, mbd_largest(u->theta[c] * s->p->theta[c])); }
  }
  for (int i = 0; i < 3 * s->m->nmarker; i++) { max = fmax(max, mbd_largest(u->dlocal[i])); }
  for (int i = 0; i < 6 * s->m->njoint; i++) {
    const joint_reverse *joint = &u->joint[i / 6];
    const int side = i / 3 % 2, axis = i % 3;
    max = fmax(max, fmax(mbd_largest(joint->ds[side][axis]), mbd_largest(joint->phi[side][axis])));
  }
  return max;
}

/* (7.11), from the nodes that the pass has visited */
void growth_back(mbd_sim *s, const sim_adjoint *a, int k) {
  const sim_objectives *objectives = s->objectives;
  const int no = s->o->n;
  if (!analysis_integrates(s->analysis) || (k > 0 && k % (s->nsteps / LOOKS + 1) != 0)) { return; }
  for (int i = 0; i < a->npsi; i++) {
    double size = 0;
    for (int o = 0; o < no; o++) { size += objectives->reach[i * no + o] * fmax(objectives->top[o], min_output); }
    if (size > 0) { keep(s, largest_part(s, a->theta[i]) / size); }
  }
}

void growth_end(mbd_sim *s) {
  const sim_growth *g = s->growth;
  if (!(g->max > decisive)) { return; }
  sim_warn(
      s, "growth", g->begun,
      "from t = %.4g s on sensitivities grow, to %.1e times the relative change of a coefficient: its rounding changes "
      "the "
      "motion by %.1e of its size, or more. The gradient is that of one of many motions which differ by rounding: a "
      "shorter duration, more damping, or a design away from positions where joints come into line",
      g->begun, g->max, g->max * 1.1e-16);
}

double mbd_sim_growth(const mbd_sim *s, double *time) {
  *time = s->growth->begun;
  return s->growth->max;
}
