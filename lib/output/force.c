/* Outputs of forces: the quantities of their type, and their power (force_output.c). The rates of states, which are the last forces, are no forces here. */
#include "model/state.h"
#include "output/output.h"

static const char *name(const mbd_model *m, int i) {
  return i == m->nforce - m->nstate ? NULL : m->force[i].name;
}

static const mbd_force *force_of(const output_at *at) {
  return &at->m->force[at->o->object];
}

static mbd_element_input input_of(const output_at *at, const mbd_arg_state *s) {
  mbd_element_input in;
  params_force_input(at->w->p, force_of(at), at->w->t, at->w->turns, s, &in);
  return in;
}

/* ---- quantities of its type ---- */

static const char *scalar_word(const mbd_model *m, int object, int k) {
  const mbd_force_ops *ops = m->force[object].ops;
  return k < ops->nscalar ? ops->scalar_name[k] : NULL;
}

static const char *unit_of(const mbd_model *m, const output *o) {
  return model_scalar_unit(m, &m->force[o->object], o->own_word);
}

/* ---- at the motion in the work ---- */

static mbd_real eval(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  const mbd_element_input in = input_of(at, s);
  return force_output(at->m, at->o, &in, g->x, g->xd);
}

static mbd_real eval_c(const output_at *at, const mbd_arg_state *s, const mbd_real *dtheta) {
  (void)dtheta;
  if (!motion_force_moves(at->w, at->o->object)) { return 0; }
  const mbd_element_input in = input_of(at, s);
  const mbd_element_direction e = motion_force_along(at->w, at->o->object);
  return force_output_along(at->m, at->o, &in, &e);
}

static void reverse_c(const output_at *at, const mbd_arg_state *s, mbd_real scale, params_reverse *theta) {
  if (!theta->force_requests[at->o->object]) { return; }
  const mbd_element_input in = input_of(at, s);
  force_output_reverse(at->w->p, at->o, &in, scale, theta);
}

#define OF_FORCE .order = 1, OUTPUT_OF_ARGUMENTS, .eval = eval, .eval_c = eval_c, .reverse_c = reverse_c

static const output_ops rows[] = {
    {.quantity = NULL,
     .unit_of = unit_of,
     .doc = "what the force's type offers, such as `length` or `load`: see there",
     OF_FORCE},
    {.quantity = "power", .unit = "W", .doc = "power of the force on the mechanism", OF_FORCE},
    {0}};

const output_object output_forces = {
    .word = "FORCE", .noun = "force", .row = rows, .name = name, .own_word = scalar_word};
