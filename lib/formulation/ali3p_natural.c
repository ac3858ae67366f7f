/* ALI3-P in natural coordinates: the row of the formulation table. The equations are those of ali3p.c with q in the place of z and a constant mass
 * matrix (mechanics_natural.c); after each step the joint coordinates of the run follow from the bodies.
 * Equations: theory.md §5.1 (5.4a), (5.4b). */
#include <stdlib.h>
#include <string.h>

#include "formulation/ali3p.h"
#include "formulation/natural_run.h"

typedef struct natural_ali3p {
  natural_run base; /* first, so that s->memory is it too */
  ali3p step;
} natural_ali3p;

static natural_ali3p *natural_ali3p_of(const mbd_sim *s) {
  return s->memory;
}

static mbd_status natural_ali3p_create(mbd_sim *s, mbd_error *err) {
  natural_ali3p *run = s->memory = calloc(1, sizeof *run);
  if (!run) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  MBD_TRY(natural_run_create(s, &run->base, err));
  run->base.memory = &run->step;
  run->step.mech = &mechanics_natural, run->step.n = run->base.n->nq, run->step.m = run->base.n->nphi;
  return ali3p_create_in(natural_enter(s), &run->step, err);
}

static void natural_ali3p_destroy(mbd_sim *s) {
  natural_ali3p *run = s->memory;
  if (!run) { return; }
  ali3p_release(&run->step);
  natural_run_release(s, &run->base);
  free(run);
}

static mbd_status natural_ali3p_begin(mbd_sim *s, mbd_error *err) {
  natural_ali3p *run = natural_ali3p_of(s);
  MBD_TRY(natural_begin(s, err));
  memset(run->step.tangent.T0, 0, (size_t)run->base.system->count * sizeof *run->step.tangent.T0);
  natural_add_mass(run->base.system, run->base.v, 1, run->step.tangent.T0);
  matrices_take_mass(&run->step.x, run->step.tangent.T0);
  return ali3p_begin(natural_enter(s), err);
}

static mbd_status natural_ali3p_step(mbd_sim *s, mbd_error *err) {
  natural_swap_nodes(natural_run_of(s));
  MBD_TRY(natural_leave(s, ali3p_step(natural_enter(s), err)));
  MBD_TRY(natural_write_back(s, err));
  return s->np > 0 ? natural_sens_joints(s, err) : MBD_OK;
}

static size_t natural_ali3p_state_reals(const mbd_sim *s) {
  return natural_state_reals(s) + ali3p_state_reals(&natural_run_of(s)->in);
}

static void natural_ali3p_copy_state(mbd_sim *s, sim_copy copy, mbd_real **at) {
  natural_copy_state(s, copy, at);
  ali3p_copy_state(natural_enter(s), copy, at);
}

static size_t natural_ali3p_record_reals(const mbd_sim *s) {
  return ali3p_record_reals(&natural_run_of(s)->in) + (size_t)s->m->nz;
}

static void natural_ali3p_copy_record(mbd_sim *s, sim_copy copy, mbd_real **at) {
  ali3p_copy_record(natural_enter(s), copy, at);
  copy(at, natural_run_of(s)->x_z, s->m->nz);
}

static mbd_status natural_ali3p_adjoint_step(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  mbd_sim *in = natural_enter(s);
  return natural_leave(s, ali3p_adjoint_step(in, natural_enter_back(s, a), err));
}

/* Reactions of the start are those of its accelerations, without a remainder x of the equations of motion. */
static mbd_status natural_ali3p_continuous_adjoint(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err) {
  natural_run *r = natural_run_of(s);
  if (k == 0) { memset(r->x_z, 0, (size_t)s->m->nz * sizeof *r->x_z); }
  mbd_sim *in = natural_enter(s);
  MBD_TRY(natural_leave(s, ali3p_continuous_adjoint(in, natural_enter_back(s, a), k, err)));
  if (k > 0) { return MBD_OK; }
  /* The state at the start is q, qd: the part of the accelerations has gone to these. */
  adjoint_zero((size_t)r->n->nq * (size_t)a->npsi, r->by.zdd);
  natural_adjoint_begin(s, a);
  return MBD_OK;
}

const mbd_formulation_ops mbd_formulation_natural_ali3p = {
    .name = "ali3p",
    .doc = "ALI3-P in natural coordinates.",
    .velocities = 1,
    .create = natural_ali3p_create,
    .destroy = natural_ali3p_destroy,
    .begin = natural_ali3p_begin,
    .step = natural_ali3p_step,
    .state_reals = natural_ali3p_state_reals,
    .copy_state = natural_ali3p_copy_state,
    .record_reals = natural_ali3p_record_reals,
    .copy_record = natural_ali3p_copy_record,
    .adjoint_step = natural_ali3p_adjoint_step,
    .adjoint_begin = natural_adjoint_begin,
    .continuous_adjoint = natural_ali3p_continuous_adjoint,
    .tangent = 1,
    .matrices = natural_joint_matrices,
};
