/* Is a steady motion stable, or a static equilibrium in which states act, of which its stiffness does not tell (equilibrium_check.c)? Small motions about
 * it, theory.md §3 (3.12), grow as exp(lam t). An eigenvalue counts where its real part is more than rounding,
 * which with the vectors of the mode, w'v = 1, moves it by
 *   |dlam| = |w'dA v| <= e |w|'|A||v|,   |dA| <= e |A|
 * so that motions which nothing opposes, and oscillations which nothing damps, are none. Each motion is linearized once, and only where a run is shown. */
#include <math.h>
#include <stdio.h>

#include "model/state.h"
#include "objective/objectives.h"
#include "simulate/analysis.h"
#include "simulate/deviations.h"
#include "simulate/equilibrium.h"
#include "simulate/linearize.h"
#include "simulate/start.h"
#include "simulate/steady.h"
#include "simulate/watch.h"

static const double rounding = 1e-10; /* e: of sums of forces that balance, and of the motion that was found */
static const double uncertain = 1e-6; /* part of the largest eigenvalue, where eigenvectors are linearly dependent */

static double size_of(int order, const double *vector, int k) {
  return hypot(vector[k], vector[order + k]);
}

/* |w|'|A||v| of mode i */
static double sensitivity(const mbd_modes *m, int i) {
  const int order = linear_order_of(&m->l);
  const double *v = m->v + (size_t)i * 2 * (size_t)order, *w = m->w + (size_t)i * 2 * (size_t)order;
  double sum = 0;
  for (int j = 0; j < order; j++) {
    for (int k = 0; k < order; k++) {
      sum += size_of(order, w, j) * fabs(m->l.A[j * order + k]) * size_of(order, v, k);
    }
  }
  return sum;
}

/* The mode that grows fastest; -1: none grows. */
static int fastest(const mbd_modes *m) {
  const int order = linear_order_of(&m->l);
  double largest = 0;
  for (int i = 0; i < order; i++) { largest = fmax(largest, hypot(m->l.re[i], m->l.im[i])); }
  for (int i = 0; i < order && m->l.re[i] > 0; i++) { /* the least stable one is the first */
    if (m->l.rigid[i]) { continue; }
    const double known_to = rounding * sensitivity(m, i);
    if (m->l.re[i] > (isfinite(known_to) ? known_to : uncertain * largest)) { return i; }
  }
  return -1;
}

/* The coordinates that mode i moves most, or else its states. */
static void list_moving(const mbd_sim *s, const mbd_linear *l, int i, mbd_real *x, size_t size, char *text) {
  double moved = 0;
  memset(x, 0, (size_t)s->m->nz * sizeof *x);
  for (int k = 0; k < l->n; k++) { x[l->z[k]] = l->share[i * l->n + k], moved += l->share[i * l->n + k]; }
  for (int k = 0; k < l->nstate && !(moved > 0); k++) {
    x[model_first_state(s->m) + k] = l->state_shape[i * l->nstate + k];
  }
  equilibrium_list_moving(s, x, 3, text, size);
}

static void warn(mbd_sim *s, const mbd_linear *l, int i) {
  const int steady = steady_requested(s);
  const double t = mbd_first(s->t), im = fabs(l->im[i]);
  char moving[200], frequency[60] = "", where[60] = "the static equilibrium that the run starts from";
  list_moving(s, l, i, steady ? steady_of(s)->zdd : s->start->equilibrium->dz, sizeof moving, moving);
  if (im > 0) { snprintf(frequency, sizeof frequency, ", in oscillations of %.3g Hz", im / (2 * M_PI)); }
  if (steady) { snprintf(where, sizeof where, "the steady motion at t = %.4g s", t); }
  sim_warn(s, "unstable", t,
           "%s is unstable: with its %s as they are, a small push along %s grows%s, and doubles every %.3g s, so that "
           "the mechanism leaves it. %s; mbopt linearize lists all modes%s",
           where, steady ? "inputs" : "controllers", moving, frequency, log(2) / l->re[i],
           steady ? "Another speed or turn, other numbers of the model, or a controller that holds it"
                  : "Other gains, or other numbers of the model",
           steady ? " of a case with start = steady" : "");
}

static int is_to_judge(const mbd_sim *s) {
  if (MBD_DESIGNS > 1 || !s->objectives->watched) { return 0; }
  if (steady_requested(s)) { return !steady_of(s)->told; }
  return analysis_integrates(s->analysis) && s->c.start == MBD_START_EQUILIBRIUM && s->start->equilibrium->states_act &&
         s->w->second.state && !(mbd_norm_inf(model_first_state(s->m), s->now.zd) > 0);
}

void watch_stability(mbd_sim *s) {
  mbd_modes modes = {0};
  if (!is_to_judge(s)) { return; }
  if (linearize_present(s, &modes.l, NULL, NULL, &modes, NULL) == MBD_OK) {
    const int i = fastest(&modes);
    if (i >= 0) { warn(s, &modes.l, i); }
    if (i >= 0 && steady_requested(s)) { steady_of(s)->told = 1; }
    mbd_linear_free(&modes.l);
  }
  modes_release(&modes);
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
}
