/* Compiles the values of forces by expression: finds their outputs, refuses those that cannot act, and gives the force the arguments of the
 * others (acting.h). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/operator.h"
#include "base/way.h"
#include "model/spec_internal.h"
#include "model/state.h"
#include "output/acting.h"
#include "output/beam_quantity.h"

typedef enum acting_state { NOT_SEEN, ON_PATH, COMPILED } acting_state;

typedef struct compiler {
  const mbd_spec *s;
  mbd_model *m;
  acting_state *state; /* [nforce] */
  int *path, depth;    /* forces that are being compiled, each of which needs the one behind it */
  mbd_error *err;
} compiler;

static mbd_status no_memory(const compiler *c, const mbd_force *f) {
  MBD_FAIL(c->err, MBD_NO_MEMORY, "no memory for force '%s'", f->name);
}

/* Value k of a force as it is described, or the rate of a state. */
static const model_quantity *described_value(const compiler *c, int number, int k) {
  const int state = model_state_of_force(c->m, number);
  return state < 0 ? &c->s->force[number].value[k] : &c->s->state[state].rate;
}

static const char *noun_of(const compiler *c, const mbd_force *f) {
  return described_value(c, (int)(f - c->m->force), 0)->noun;
}

static const char *unit_of_value(const compiler *c, const mbd_force *f, int k) {
  const int state = model_state_of_force(c->m, (int)(f - c->m->force));
  if (f->expression->user) { return ""; } /* not stated */
  return state < 0 ? model_scalar_unit(c->m, f, f->expression->line->ngeometry + k) : c->m->state[state].rate_unit;
}

/* ---- what can act ---- */

static int is_measuring_state(const compiler *c, const output *o) {
  return o->of == &output_states && model_state_measures(c->m, o->object);
}

/* The output which cannot act for which a state measures: in its rate, or in that of a state that this reads, and so on. */
static const output *measured_output(const compiler *c, const output *o) {
  while (is_measuring_state(c, o)) {
    const mbd_state *state = &c->m->state[o->object];
    o = &state->measured->input->item[state->measures];
  }
  return o;
}

static mbd_status check_outputs(const compiler *c, const mbd_force *f, const mbd_outputs *input) {
  for (int i = 0; i < input->n; i++) {
    const output *o = &input->item[i];
    const char *why = acting_why_not(o);
    if (why) {
      MBD_FAIL(c->err, MBD_BAD_INPUT,
               "%s '%s': '%s' %s; expected quantities of positions and velocities: of points, bodies, coordinates, "
               "distances, angles, states, or of other forces",
               noun_of(c, f), f->name, o->name, why);
    }
    if (is_measuring_state(c, o)) {
      const output *cause = measured_output(c, o);
      MBD_FAIL(c->err, MBD_BAD_INPUT,
               "%s '%s': '%s' is a state that measures, which cannot act: in its rate '%s' %s; expected a state whose "
               "rate contains quantities of positions and velocities alone",
               noun_of(c, f), f->name, o->name, cause->name, acting_why_not(cause));
    }
  }
  return MBD_OK;
}

/* ---- turns of angles ---- */

/* 0: the value depends on the whole turns of an angle atan2(a, b). turning[i]: operation i is such an angle, or a sum or a difference of
 * such; sin, cos and tan do not depend on the turns. */
static int turns_do_not_matter(const output_formula *f) {
  int turning[DERIVED_MAX];
  for (int i = 0; i < f->value.n; i++) {
    const mbd_operation *o = &f->value.op[i];
    const formula_leaf *leaf = o->op == MBD_OP_LEAF ? &f->leaf[o->a] : NULL;
    turning[i] = leaf && leaf->is == MBD_LEAF_OUTPUT && f->input->item[leaf->at].ops->turns;
    if (o->op <= MBD_OP_LEAF) { continue; }
    const int two = mbd_operator_at(o->op)->operands == 2;
    if (!turning[o->a] && !(two && turning[o->b])) { continue; }
    switch (o->op) {
      case MBD_OP_ADD:
      case MBD_OP_SUB:
      case MBD_OP_NEG: turning[i] = 1; break;
      case MBD_OP_SIN:
      case MBD_OP_COS:
      case MBD_OP_TAN: break;
      default: return 0;
    }
  }
  return !turning[f->value.n - 1];
}

/* Numbers the angles whose turns the run counts for a value: none of them where turns do not matter. */
static void number_turns(const compiler *c, int force, output_formula *f) {
  const int counts = !turns_do_not_matter(f);
  for (int i = 0; i < f->input->n; i++) {
    output *o = &f->input->item[i];
    o->turn = -1;
    if (!counts || !o->ops->turns) { continue; }
    if (c->m->nturn == 0) { c->m->turning = force; }
    o->turn = c->m->nturn++;
  }
}

static void list_turns(const output_formula *f, const output **angle) {
  for (int i = 0; f && i < f->input->n; i++) {
    if (f->input->item[i].turn >= 0) { angle[f->input->item[i].turn] = &f->input->item[i]; }
  }
}

void acting_list_turns(const mbd_model *m, const output **angle) {
  for (int i = 0; i < m->nforce; i++) {
    const expression_law *law = m->force[i].expression;
    for (int k = 0; law && k < law->line->nvalue; k++) { list_turns(law->compiled[k].formula, angle); }
  }
  for (int i = 0; i < m->nstate; i++) { list_turns(m->state[i].measured, angle); }
}

/* ---- states that measure ---- */

/* The first output of an expression that makes a state measure, with what is known of the other states; -1: none. */
static int has_to_measure(const compiler *c, const output_formula *f) {
  for (int i = 0; f && f->input && i < f->input->n; i++) {
    const output *o = &f->input->item[i];
    if ((acting_why_not(o) && !acting_why_in_no_rate(o)) || is_measuring_state(c, o)) { return i; }
  }
  return -1;
}

static mbd_status compile_measured(const compiler *c, int state) {
  model_quantity rate = c->s->state[state].rate;
  output_formula **formula = &c->m->state[state].measured;
  derived_free(*formula), *formula = NULL;
  rate.unit = c->m->state[state].rate_unit;
  MBD_TRY(derived_compile(c->m, &rate, formula, c->err));
  for (int i = 0; i < (*formula)->input->n; i++) {
    const output *o = &(*formula)->input->item[i];
    if (acting_why_in_no_rate(o)) {
      MBD_FAIL(c->err, MBD_BAD_INPUT, "state '%s': '%s' %s", rate.name, o->name, acting_why_in_no_rate(o));
    }
  }
  number_turns(c, c->m->nforce - c->m->nstate + state, *formula);
  return MBD_OK;
}

/* Finds the states that measure: those whose rates contain what cannot act, and those that read others that measure. What is wrong with the
 * rates of the others is told where they are compiled. */
static mbd_status find_measuring(const compiler *c) {
  const mbd_model *m = c->m;
  output_formula **rate = mbd_zeros((size_t)m->nstate, sizeof *rate);
  mbd_error later = {0};
  int found = 1;
  if (!rate) { MBD_FAIL(c->err, MBD_NO_MEMORY, "no memory for states"); }
  mbd_status status = MBD_OK;
  for (int i = 0; i < m->nstate && status != MBD_NO_MEMORY; i++) {
    status = derived_compile(m, &c->s->state[i].rate, &rate[i], &later);
  }
  while (found && status != MBD_NO_MEMORY) {
    found = 0;
    for (int i = 0; i < m->nstate; i++) {
      const int measures = m->state[i].measured ? -1 : has_to_measure(c, rate[i]);
      if (measures < 0) { continue; }
      m->state[i].measured = rate[i], rate[i] = NULL, m->state[i].measures = measures;
      found = 1;
    }
  }
  for (int i = 0; i < m->nstate; i++) { derived_free(rate[i]); }
  free(rate);
  if (status == MBD_NO_MEMORY) { MBD_FAIL(c->err, MBD_NO_MEMORY, "no memory for the rates of states"); }
  return MBD_OK;
}

/* ---- arguments ---- */

static int is_same(const mbd_arg *a, const mbd_arg *b) {
  return a->kind == b->kind && a->b == b->b && a->a == b->a;
}

/* The place of an argument among those of the force, to which it is added if it is new. */
static mbd_status place_argument(const compiler *c, mbd_force *f, mbd_arg arg, unsigned char *place) {
  mbd_lift *l = &f->lift;
  int k = 0;
  while (k < l->narg && !is_same(&l->arg[k], &arg)) { k++; }
  if (k == ELEMENT_ARG_MAX) {
    MBD_FAIL(c->err, MBD_BAD_INPUT,
             "%s '%s': the quantities in its value depend on more than %d points, vectors, rotations and "
             "coordinates; expected fewer, as in several forces along the same line, which add up",
             noun_of(c, f), f->name, ELEMENT_ARG_MAX);
  }
  if (k == l->narg) { l->arg[l->narg++] = arg; }
  *place = (unsigned char)k;
  return MBD_OK;
}

/* The axes of the frame along which the values are components stand behind the arguments of the line. */
static mbd_status place_frame(const compiler *c, mbd_force *f) {
  unsigned char place;
  for (int k = 0; f->expression->frame >= 0 && k < 3; k++) {
    const mbd_arg axis = {MBD_ARG_VECTOR, model_axis_marker(c->m, f->expression->frame, k), -1};
    MBD_TRY(place_argument(c, f, axis, &place));
  }
  return MBD_OK;
}

static mbd_status place_arguments(const compiler *c, mbd_force *f, acting_value *value) {
  const mbd_outputs *input = value->formula->input;
  value->place = calloc((size_t)input->n + 1, sizeof *value->place);
  if (!value->place) { return no_memory(c, f); }
  for (int i = 0; i < input->n; i++) {
    int narg;
    const mbd_arg *arg = acting_arguments(c->m, &input->item[i], &narg);
    for (int a = 0; a < narg; a++) { MBD_TRY(place_argument(c, f, arg[a], &value->place[i][a])); }
  }
  return MBD_OK;
}

/* ---- what it depends on ---- */

static int add_number(int **list, int *n, int number) {
  for (int i = 0; i < *n; i++) {
    if ((*list)[i] == number) { return 1; }
  }
  int *grown = mbd_list_grow(*list, *n, sizeof *grown);
  if (!grown) { return 0; }
  *list = grown;
  grown[(*n)++] = number;
  return 1;
}

/* The coefficients, curves and forces on which an output of a force depends become those of the force that reads it. */
static int add_force(expression_law *law, const mbd_model *m, int number) {
  const expression_law *other = m->force[number].expression;
  int whole = 1;
  law->ops.timed |= params_force_has_time(&m->force[number]);
  if (!other || other->user) { whole &= add_number(&law->force, &law->nforce, number); }
  for (int k = 0; other && k < other->ncoef; k++) { whole &= add_number(&law->coef, &law->ncoef, other->coef[k]); }
  for (int k = 0; other && k < other->ncurve; k++) { whole &= add_number(&law->curve, &law->ncurve, other->curve[k]); }
  for (int k = 0; other && k < other->nforce; k++) { whole &= add_number(&law->force, &law->nforce, other->force[k]); }
  return whole;
}

/* So do the coefficients of a beam, and its length. */
static int add_beam(expression_law *law, const mbd_beam *b) {
  int whole = add_number(&law->coef, &law->ncoef, b->numbers + beam_length_at(&b->layout));
  for (int k = 0; k < beam_ncoef(&b->layout); k++) { whole &= add_number(&law->coef, &law->ncoef, b->coef + k); }
  return whole;
}

static mbd_status note_dependence(const compiler *c, const mbd_force *f, const output_formula *formula) {
  expression_law *law = f->expression;
  int whole = 1;
  for (int i = 0; i < formula->nleaf; i++) {
    const formula_leaf *leaf = &formula->leaf[i];
    law->ops.timed |= leaf->is == MBD_LEAF_TIME;
    if (leaf->is == MBD_LEAF_COEFFICIENT) { whole &= add_number(&law->coef, &law->ncoef, leaf->at); }
  }
  for (int i = 0; i < formula->value.n; i++) {
    const mbd_operation *o = &formula->value.op[i];
    if (o->op == MBD_OP_CURVE) { whole &= add_number(&law->curve, &law->ncurve, o->b); }
  }
  for (int i = 0; i < formula->input->n; i++) {
    const output *o = &formula->input->item[i];
    if (acting_reads_force(c->m, o)) { whole &= add_force(law, c->m, o->object); }
    const mbd_beam *beam = beam_of_output(c->m, o);
    if (beam) { whole &= add_beam(law, beam); }
  }
  return whole ? MBD_OK : no_memory(c, f);
}

/* ---- a force ---- */

static mbd_status compile_force(compiler *c, int number);

/* 1: the leaf is an output of this force. */
static int is_output_of(const mbd_leaf *leaf, const char *force) {
  const size_t n = strlen(force);
  return leaf->is == MBD_LEAF_OUTPUT && strncmp(leaf->output, force, n) == 0 && leaf->output[n] == '.';
}

/* The first quantity in an expression, by its name, through which it reads outputs of a force; NULL: it reads them itself, or by a sum. */
static const model_quantity *quantity_between(const compiler *c, const model_quantity *from, const char *force) {
  for (int i = 0; i < from->nleaf; i++) {
    if (is_output_of(&from->leaf[i], force)) { return NULL; }
  }
  for (int i = 0; i < from->nleaf; i++) {
    const int k =
        from->leaf[i].is == MBD_LEAF_OUTPUT ? mbd_names_find(&c->m->quantity_names, from->leaf[i].output) : -1;
    const model_quantity *quantity = k < 0 ? NULL : &c->m->quantity[k];
    if (!quantity) { continue; }
    for (int j = 0; j < quantity->nleaf; j++) {
      if (is_output_of(&quantity->leaf[j], force)) { return quantity; }
    }
    if (quantity_between(c, quantity, force)) { return quantity; }
  }
  return NULL;
}

/* Adds a force and the quantities through which its values read the next one. */
static void add_way(const compiler *c, int number, int next, mbd_way *way) {
  const mbd_force *f = &c->m->force[number];
  const model_quantity *at = NULL;
  mbd_way_add(way, f->name);
  for (int k = 0; k < f->expression->line->nvalue && !at; k++) {
    at = quantity_between(c, described_value(c, number, k), c->m->force[next].name);
  }
  for (; at; at = quantity_between(c, at, c->m->force[next].name)) { mbd_way_add(way, at->name); }
}

static mbd_status circle(const compiler *c, int number) {
  mbd_way way = {0};
  int i = c->depth - 1;
  while (c->path[i] != number) { i--; }
  for (; i < c->depth; i++) { add_way(c, c->path[i], i + 1 < c->depth ? c->path[i + 1] : number, &way); }
  MBD_FAIL(c->err, MBD_BAD_INPUT, "force '%s' depends on itself: %s", c->m->force[number].name,
           mbd_way_end(&way, c->m->force[number].name));
}

static mbd_status compile_value(compiler *c, mbd_force *f, int k, const model_quantity *given) {
  model_quantity described = *given;
  acting_value *value = &f->expression->compiled[k];
  described.unit = unit_of_value(c, f, k);
  /* That an output cannot act is told before units that do not fit for that reason. */
  const mbd_status status = derived_compile(c->m, &described, &value->formula, c->err);
  if (value->formula && value->formula->input) { MBD_TRY(check_outputs(c, f, value->formula->input)); }
  MBD_TRY(status);
  number_turns(c, (int)(f - c->m->force), value->formula);
  /* Forces by expression whose outputs it reads have their arguments only when they are compiled. */
  for (int i = 0; i < value->formula->input->n; i++) {
    const output *o = &value->formula->input->item[i];
    if (acting_reads_force(c->m, o) && c->m->force[o->object].expression) { MBD_TRY(compile_force(c, o->object)); }
  }
  MBD_TRY(place_arguments(c, f, value));
  return note_dependence(c, f, value->formula);
}

/* The force of a state x that measures: -x, so that a static equilibrium has it at zero. In steps nothing depends on it. */
static mbd_status compile_decay(const compiler *c, mbd_force *f) {
  mbd_operation operation[] = {{.op = MBD_OP_LEAF}, {.op = MBD_OP_NEG}};
  const mbd_leaf x = {.is = MBD_LEAF_OUTPUT, .output = f->name};
  const model_quantity decay = {f->name, "", {2, operation}, 1, &x, "state"};
  acting_value *value = &f->expression->compiled[0];
  MBD_TRY(derived_compile(c->m, &decay, &value->formula, c->err));
  return place_arguments(c, f, value);
}

static mbd_status compile_force(compiler *c, int number) {
  mbd_force *f = &c->m->force[number];
  expression_law *law = f->expression;
  if (c->state[number] == COMPILED) { return MBD_OK; }
  if (c->state[number] == ON_PATH) { return circle(c, number); }
  c->state[number] = ON_PATH, c->path[c->depth++] = number;
  law->m = c->m;
  law->value = acting_value_at, law->along = acting_value_along, law->reverse = acting_values_reverse;
  law->compiled = calloc((size_t)law->line->nvalue, sizeof *law->compiled);
  if (!law->compiled) { return no_memory(c, f); }
  MBD_TRY(place_frame(c, f));
  const int state = model_state_of_force(c->m, number), decays = state >= 0 && model_state_measures(c->m, state);
  if (decays) { MBD_TRY(compile_decay(c, f)); }
  for (int k = 0; !decays && k < law->line->nvalue; k++) {
    MBD_TRY(compile_value(c, f, k, described_value(c, number, k)));
  }
  /* The columns of all its arguments. */
  lift_destroy(&f->lift);
  law->ops.narg = f->lift.narg;
  MBD_TRY(lift_create(c->m, &f->lift, law->ops.frame_free, c->err));
  c->state[number] = COMPILED, c->depth--;
  return MBD_OK;
}

mbd_status acting_compile(const mbd_spec *s, mbd_model *m, mbd_error *err) {
  compiler c = {.s = s, .m = m, .err = err};
  mbd_status status = MBD_OK;
  c.state = mbd_zeros((size_t)m->nforce, sizeof *c.state), c.path = mbd_zeros((size_t)m->nforce, sizeof *c.path);
  if (!c.state || !c.path) { status = MBD_FAILED(err, MBD_NO_MEMORY, "no memory for the values of forces"); }
  if (status == MBD_OK) { status = find_measuring(&c); }
  for (int i = 0; i < m->nforce && status == MBD_OK; i++) {
    if (m->force[i].expression) { status = compile_force(&c, i); }
  }
  for (int i = 0; i < m->nconstraint && status == MBD_OK; i++) {
    if (m->constraint[i].expression) { status = acting_compile_constraint(s, m, &m->constraint[i], err); }
  }
  for (int i = 0; i < m->nstate && status == MBD_OK; i++) { /* which may read outputs of those forces */
    if (model_state_measures(m, i)) { status = compile_measured(&c, i); }
  }
  free(c.state), free(c.path);
  return status;
}

void acting_free(mbd_model *m) {
  for (int i = 0; m->force && i < m->nforce; i++) {
    expression_law *law = m->force[i].expression;
    for (int k = 0; law && law->compiled && k < law->line->nvalue; k++) {
      derived_free(law->compiled[k].formula), free(law->compiled[k].place);
    }
    if (law) { free(law->compiled), free(law->coef), free(law->curve), free(law->force); }
  }
  for (int i = 0; m->state && i < m->nstate; i++) { derived_free(m->state[i].measured); }
}

/* ---- the model ---- */

mbd_status mbd_model_create(const mbd_spec *s, mbd_model **out, mbd_error *err) {
  MBD_TRY(model_build(s, out, err));
  const mbd_status status = acting_compile(s, *out, err);
  if (status == MBD_OK) { return MBD_OK; }
  mbd_model_destroy(*out);
  *out = NULL;
  return status;
}

/* Frees a model, whole or half built. */
void mbd_model_destroy(mbd_model *m) {
  if (!m) { return; }
  acting_free(m);
  model_free(m);
}
