/* A time step is solved through shorter steps if Newton's iteration does not converge. Where a force has a kink (friction that sets in, a
 * contact), whole corrections may alternate across it without end. The equations of a step of length h' from the same node have a
 * solution that depends continuously on h', and for short steps the masses make them nearly linear. So they are solved for increasing h',
 * each time from the solution before, up to the whole step. The result solves the same equations, and its derivatives are those of the
 * step.
 * Equations: theory.md §5.1 (5.2). */
#include <string.h>

#include "formulation/newton.h"

enum { SOLUTIONS_MAX = 200 };

static const double shortest = 1.0 / 1024; /* growth of h', relative to the step */

/* The length, time and scheme of the whole step, while those of a part replace them. */
typedef struct whole_step {
  double h;
  mbd_real t;
  mbd_scheme scheme;
} whole_step;

static void set_part(mbd_sim *s, const whole_step *w, double part) {
  s->h = part * w->h;
  s->t = w->t - (1 - part) * w->h;
  s->scheme = part < 1 ? s->integrator->scheme(&s->c, s->h) : w->scheme;
}

/* Computes the guess at the end of a part, from the end of the part before, or from the node. */
static void guess(mbd_sim *s, newton_memory *newton, const newton_ops *o, double done, double ahead) {
  const sim_state *from = &s->before;
  for (int j = 0; j < newton->nz; j++) {
    s->now.z[j] =
        done > 0 ? newton->z[j] + ahead * newton->zd[j] : from->z[j] + ahead * (from->zd[j] + ahead / 2 * from->zdd[j]);
    newton->moved[j] = s->now.z[j] - from->z[j];
  }
  memcpy(s->now.lam, done > 0 ? newton->lam : from->lam, (size_t)newton->nphi * sizeof *newton->lam);
  o->begin(s);
}

static void newton_part_keep(mbd_sim *s, newton_memory *newton, const newton_ops *o) {
  memcpy(newton->z, s->now.z, (size_t)newton->nz * sizeof *newton->z);
  memcpy(newton->zd, o->velocities(s), (size_t)newton->nz * sizeof *newton->zd);
  memcpy(newton->lam, s->now.lam, (size_t)newton->nphi * sizeof *newton->lam);
}

mbd_status newton_in_parts(mbd_sim *s, newton_memory *newton, const newton_ops *o, mbd_error *err) {
  const whole_step whole = {s->h, s->t, s->scheme};
  mbd_status status = MBD_NO_CONVERGENCE;
  double done = 0, growth = 0.5;
  /* Each pass solves the equations of a step of length part * h. `growth` is halved after a failure and doubled after a success. */
  for (int i = 0; i < SOLUTIONS_MAX && done < 1 && growth >= shortest; i++) {
    const double part = fmin(1, done + growth);
    set_part(s, &whole, part);
    guess(s, newton, o, done, (part - done) * whole.h);
    status = newton_damped(s, o, err);
    if (status < 0) { break; }
    if (status != MBD_OK) {
      growth /= 2;
    } else {
      newton_part_keep(s, newton, o);
      done = part, growth *= 2;
    }
  }
  /* The step has its own length again, whatever the result. */
  set_part(s, &whole, 1);
  return done < 1 && status == MBD_OK ? MBD_NO_CONVERGENCE : status;
}
