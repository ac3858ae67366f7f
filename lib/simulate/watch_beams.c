/* Does a run stay within the theory of beams, and do its steps resolve their shapes? Slopes beyond 0.1 and twists beyond 0.17 leave the theory; a highest frequency w
 * with w h > 0.5 is not resolved by implicit steps, which keep it as a ringing if nothing damps it, and w h > 2 is unstable in explicit ones.
 * Frequencies are those of the clamped beam. Equations: theory.md §12 (12.1), (12.9), §5.1 (5.1). */
#include <string.h>

#include "flexible/legendre.h"
#include "formulation/formulation.h"
#include "objective/objectives.h"
#include "simulate/analysis.h"
#include "simulate/watch.h"

static const double gentle = 0.1; /* slopes that the theory holds for, */
static const double gentle_twist =
    0.17; /* [rad] and twists q, whose torque is too large by q^2/3, here 1 %, by the map (12.1) */
static const double resolved = 0.5; /* w h of implicit steps, */
static const double stable = 2;     /* and of explicit ones */
static const double enough = 1e-3;  /* damping ratio of the highest mode that lets it fade */

static const char *const kinds[] = {[BEAM_UP] = "bending along `up`",
                                    [BEAM_SIDE] = "bending across",
                                    [BEAM_TWIST] = "torsion",
                                    [BEAM_STRETCH] = "extension",
                                    [BEAM_OUTSIDE] = "its shapes"};

/* ---- frequencies ---- */

/* The highest frequency of a beam, its kind, and its damping ratio. */
static double highest(const mbd_sim *s, const mbd_beam *b, int *kind, double *ratio) {
  const int n = b->layout.n;
  const mbd_real *numbers = s->p->theta + b->numbers, *D = numbers + n * n, *M = numbers + beam_mass_at(&b->layout);
  double max = 0;
  *ratio = 0;
  for (int of = BEAM_UP; of <= BEAM_OUTSIDE; of++) {
    mbd_real x[MBD_NZ_MAX], xDx = 0, xMx = 0;
    const int with_bending = of == BEAM_SHEAR_UP || of == BEAM_SHEAR_SIDE;
    if (with_bending || !beam_has(&b->layout, of)) { continue; }
    const double w = sim_of(s, beam_frequency(&b->layout, numbers, of, 1, x));
    if (!(w > max)) { continue; } /* torsion without rotary inertia has none */
    for (int k = 0; k < n * n; k++) { xDx += x[k / n] * D[k] * x[k % n], xMx += x[k / n] * M[k] * x[k % n]; }
    max = w, *kind = of, *ratio = sim_of(s, xDx / xMx) / (2 * w);
  }
  return max;
}

/* 1: the scheme itself damps what its steps do not resolve. */
static int scheme_damps(const mbd_sim *s) {
  return strcmp(s->integrator->name, "generalized_alpha") == 0 && s->c.rho_inf < 1;
}

static mbd_status check_frequency(mbd_sim *s, const mbd_beam *b, mbd_error *err) {
  int kind = 0;
  double ratio;
  const double w = highest(s, b, &kind, &ratio);
  const char *fewer = kind == BEAM_STRETCH ? "axial = 0" : "fewer shapes";
  if (!s->integrator->scheme && w * s->h > stable) {
    MBD_FAIL(err, MBD_NO_CONVERGENCE,
             "explicit steps of %g s are too long for beam '%s', whose highest frequency, of %s, is %.3g rad/s: steps "
             "of at most %.2g s, integrator = newmark, generalized_alpha or dormand_prince, or %s",
             s->h, b->name, kinds[kind], w, stable / w, fewer);
  }
  if (!s->integrator->scheme || w * s->h <= resolved || ratio >= enough || scheme_damps(s)) { return MBD_OK; }
  sim_warn(s, "ringing", 0,
           "steps of %g s do not resolve the highest frequency of beam '%s', of %s, %.3g rad/s, and nothing damps it: "
           "its accelerations and forces may ring. damping_ratio = 0.01 of the beam, integrator = generalized_alpha "
           "with rho_inf below 1, %s, or steps of at most %.2g s",
           s->h, b->name, kinds[kind], w, fewer, resolved / w);
  return MBD_OK;
}

/* ---- slopes and twists ---- */

/* The largest slope or twist at the nodes and points of a beam, relative to what the theory holds for, from the rotations Psi_k of its shapes about the
 * axes across it and along it. */
static double largest_turn(const mbd_sim *s, const mbd_beam *b, int *twists) {
  const beam_layout *l = &b->layout;
  double max = 0;
  for (int node = 0; node < l->nnode + l->npoint; node++) {
    const double *own = s->m->modal + b->modal + node * modal_size(l->n);
    double phi[3] = {0, 0, 0};
    for (int k = 0; k < l->n; k++) {
      const double *Psi = own + modal_shape(k) + 3, eta = sim_of(s, s->now.z[b->z0 + k]);
      for (int i = 0; i < 3; i++) { phi[i] += Psi[i] * eta; }
    }
    const double of[] = {hypot(phi[0], phi[1]) / gentle, fabs(phi[2]) / gentle_twist};
    for (int i = 0; i < 2; i++) {
      if (of[i] > max) { max = of[i], *twists = i; }
    }
  }
  return max;
}

/* ---- lateral buckling ---- */

/* The first shape of a kind, whose stiffness is the mean rigidity over L; -1: there is none. */
static int first_shape(const beam_layout *l, int kind) {
  for (int k = 0; k < l->n; k++) {
    if (l->kind[k] == kind && l->degree[k] == 1) { return k; }
  }
  return -1;
}

/* The largest bending moment of a kind at both ends and in the middle, theory.md §12 (12.17). */
static double largest_moment(const mbd_sim *s, const mbd_beam *b, int kind) {
  const beam_layout *l = &b->layout;
  const mbd_real *K = s->p->theta + b->numbers;
  double max = 0;
  for (int at = 0; at < 3; at++) {
    double P[3][LEGENDRE_MAX], M = 0;
    legendre_integrals(l->n, at / 2.0, P);
    for (int i = 0; i < l->n * l->n; i++) {
      const int j = i / l->n, k = i % l->n;
      if (l->kind[j] != kind || l->kind[k] != kind) { continue; }
      M += (2 * l->degree[j] - 1) * P[0][l->degree[j] - 1] * sim_of(s, K[i] * s->now.z[b->z0 + k]);
    }
    max = fmax(max, fabs(M));
  }
  return max;
}

/* Bent in its stiff plane, a beam tips over sideways from the moment pi/2 (E I G Jt)^(1/2)/L on, with E I across that plane: that of a cantilever under a
 * couple at its end, the least of the usual cases; 4.01 in the place of pi/2 for a force there (L. Prandtl, 1899). The denominators are those of its
 * deflection before. Shapes do not see this: terms of bending times torsion are not among those of (12.1). Where a run is shown. */
static void watch_lateral(mbd_sim *s, const mbd_beam *b) {
  const beam_layout *l = &b->layout;
  const int up = first_shape(l, BEAM_UP), side = first_shape(l, BEAM_SIDE), twist = first_shape(l, BEAM_TWIST);
  if (l->data || up < 0 || side < 0 || twist < 0) { return; }
  const mbd_real *K = s->p->theta + b->numbers;
  const double by_up = sim_of(s, K[up * l->n + up]), by_side = sim_of(s, K[side * l->n + side]);
  const double stiff = fmax(by_up, by_side), across = fmin(by_up, by_side),
               torsion = sim_of(s, K[twist * l->n + twist]);
  if (across > 0.9 * stiff || torsion > 0.9 * stiff) { return; } /* no plane is the stiff one */
  const double critical = M_PI / 2 * sqrt(across * torsion / ((1 - across / stiff) * (1 - torsion / stiff)));
  const double moment = largest_moment(s, b, by_up > by_side ? BEAM_UP : BEAM_SIDE);
  if (!(moment > critical)) { return; }
  sim_warn(
      s, "unstable", mbd_first(s->t),
      "at t = %.4g s beam '%s' bends in its stiff plane by %.3g N m, more than the %.3g N m from which it may tip over "
      "sideways (lateral buckling), which one beam does not show. A wider section, a support across, or the beam in "
      "pieces that are welded to each other, which do show it",
      mbd_first(s->t), b->name, moment, critical);
}

/* ---- the run ---- */

static mbd_status begin_one(mbd_sim *s, mbd_error *err) {
  for (int i = 0; i < s->m->nbeam; i++) { MBD_TRY(check_frequency(s, &s->m->beam[i], err)); }
  return MBD_OK;
}

mbd_status watch_beams_begin(mbd_sim *s, mbd_error *err) {
  const int fixed_steps = s->integrator->scheme || (s->integrator->tableau && !s->integrator->tableau->error);
  if (!fixed_steps || !analysis_integrates(s->analysis)) { return MBD_OK; }
  SIM_EACH_DESIGN(s) {
    MBD_TRY(begin_one(s, err));
  }
  return MBD_OK;
}

static void node_of_one(mbd_sim *s) {
  sim_bending *b = &s->bending[s->design];
  for (int i = 0; i < s->m->nbeam; i++) {
    int twists = 0;
    if (s->objectives->watched) { watch_lateral(s, &s->m->beam[i]); }
    const double size = largest_turn(s, &s->m->beam[i], &twists);
    if (!(size > fmax(b->size, 1))) { continue; }
    if (b->beam < 0) { b->begun = mbd_first(s->t); }
    *b = (sim_bending){.beam = i, .twists = twists, .size = size, .at = mbd_first(s->t), .begun = b->begun};
  }
}

void watch_beams_node(mbd_sim *s) {
  SIM_EACH_DESIGN(s) {
    node_of_one(s);
  }
}

static const char *turns_of(const sim_bending *b) {
  return b->twists ? "twists" : "slopes";
}

static double allowed_of(const sim_bending *b) {
  return b->twists ? gentle_twist : gentle;
}

static void warn_of_slopes(mbd_sim *s, const sim_bending *b) {
  const int loose = !b->twists && !s->m->beam[b->beam].layout.stiffening;
  sim_warn(s, "slopes", b->begun,
           "from t = %.4g s on, %s of beams exceed %g%s, and the theory of beams loses its accuracy: the largest is "
           "%.2g, of beam '%s' at t = %.4g s. %sA stiffer section, or the beam in pieces that are welded to each other",
           b->begun, turns_of(b), allowed_of(b), b->twists ? " rad" : "", allowed_of(b) * b->size,
           s->m->beam[b->beam].name, b->at, loose ? "stiffening = yes, where it turns or is pulled; else " : "");
}

mbd_status watch_beams_end(mbd_sim *s, mbd_status status, mbd_error *err) {
  const sim_bending *bent = NULL;
  SIM_EACH_DESIGN(s) {
    const sim_bending *b = &s->bending[s->design];
    if (b->beam >= 0) { warn_of_slopes(s, b), bent = b; }
  }
  if (!bent || status == MBD_OK || status == MBD_INTERRUPTED) { return status; }
  return mbd_locate(err, status, "beam '%s' deforms by %s of %.2g, beyond the theory of beams from t = %.4g s on: ",
                    s->m->beam[bent->beam].name, turns_of(bent), allowed_of(bent) * bent->size, bent->begun);
}
