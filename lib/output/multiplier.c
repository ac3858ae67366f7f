/* Outputs of constraints: their Lagrange multipliers, the force and the moment on a body, and the forces and torques of drives.
 * Equations: theory.md §3 (3.7), theory.md §6 (6.4). */
#include <string.h>

#include "output/output.h"

/* ---- multipliers: of one equation, or the norm of those of all equations of a constraint; reactions, or terms of a step ---- */

static const char *name(const mbd_model *m, int i) {
  return i == m->nconstraint ? NULL : m->constraint[i].name;
}

static const char *unit_of(const mbd_model *m, const output *o) {
  return model_lam_unit(m, &m->constraint[o->object]);
}

/* sigma is a force over some time. */
static const char *sigma_unit(const mbd_model *m, const output *o) {
  static const char *const unit[][2] = {{"N", "N s"}, {"N/m", "N s/m"}, {"N m", "N m s"}};
  const char *force = model_lam_unit(m, &m->constraint[o->object]);
  for (size_t i = 0; i < sizeof unit / sizeof *unit; i++) {
    if (strcmp(force, unit[i][0]) == 0) { return unit[i][1]; }
  }
  return "";
}

/* Value, and its gradient g [n] in the n numbers of lam from *first on. The norm of zero has the gradient zero. */
static mbd_real evaluate(const output_at *at, int *first, int *n, mbd_real g[MBD_ROW_MAX]) {
  const mbd_constraint *c = &at->m->constraint[at->o->object];
  const int from = output_term_at(at->m, (int)at->o->ops->term) + c->row;
  const mbd_real *lam = at->lam + from;
  mbd_real sum = 0;
  if (at->o->component < 3) {
    *first = from + at->o->component, *n = 1, g[0] = 1;
    return lam[at->o->component];
  }
  *first = from, *n = c->ops->nphi;
  for (int r = 0; r < *n; r++) { sum += lam[r] * lam[r]; }
  const mbd_real norm = mbd_sqrt(sum);
  for (int r = 0; r < *n; r++) { g[r] = mbd_select(mbd_re(norm) > 0, lam[r] / norm, 0); }
  return norm;
}

static mbd_real value(const output_at *at) {
  mbd_real g[MBD_ROW_MAX];
  int first, n;
  return evaluate(at, &first, &n, g);
}

static void gradient(const output_at *at, const output_row *row) {
  mbd_real g[MBD_ROW_MAX];
  int first, n;
  evaluate(at, &first, &n, g);
  for (int r = 0; r < n; r++) { row->lam[first + r] += g[r]; }
}

static mbd_real direction(const output_at *at) {
  mbd_real g[MBD_ROW_MAX], dy = 0;
  int first, n;
  if (!at->dlam) { return 0; }
  evaluate(at, &first, &n, g);
  for (int r = 0; r < n; r++) { dy += g[r] * at->dlam[first + r]; }
  return dy;
}

static void reverse(const output_at *at, mbd_real s, const output_back *to) {
  mbd_real g[MBD_ROW_MAX];
  int first, n;
  evaluate(at, &first, &n, g);
  for (int r = 0; r < n; r++) { to->lam[first + r] += s * g[r]; }
}

/* ---- force and moment on the body of the last point, or, without points, of the last vector ---- */

/* The argument with that point or vector; -1: all are coordinates. */
static int last_marker(const mbd_constraint *c) {
  static const mbd_arg_kind kind[] = {MBD_ARG_POINT, MBD_ARG_VECTOR};
  int last = -1;
  for (int k = 0; k < 2 && last < 0; k++) {
    for (int a = 0; a < c->lift.narg; a++) {
      if (c->ops->arg[a].kind == kind[k] && (last < 0 || c->ops->arg[a].b > c->ops->arg[last].b)) { last = a; }
    }
  }
  return last;
}

static mbd_status has_body(const output *o, const mbd_model *m, const char *asked, mbd_error *err) {
  const mbd_constraint *c = &m->constraint[o->object];
  if (last_marker(c) >= 0) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "output '%s': constraint '%s' (%s) acts on coordinates alone, expected '%s.multiplier', or '.force' of a "
           "coordinate",
           asked, c->name, c->ops->info.name, c->name);
}

static void wrench_on(const mbd_model *m, const output *o, output_wrench *wrench) {
  const mbd_constraint *c = &m->constraint[o->object];
  const int marker = c->lift.arg[last_marker(c)].b;
  *wrench = (output_wrench){.section = {.body = m->marker[marker].body, .first = o->object, .count = 1},
                            .sign = 1,
                            .moment = o->ops->moment,
                            .joint = -1,
                            .marker = marker};
}

/* ---- drives, of one equation: force -lam |J| along what is driven, power -lam J . xd; tension lam |J| of a rod ---- */

typedef struct drive_state {
  mbd_real lam, J[MBD_ROW_MAX][CONSTRAINT_ARG_MAX][3], H[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9];
  int n;
} drive_state;

static void drive_at(const output_at *at, const mbd_arg_state *s, drive_state *state) {
  const mbd_constraint *c = &at->m->constraint[at->o->object];
  const mbd_real one[MBD_ROW_MAX] = {1};
  mbd_element_input in;
  state->n = c->lift.narg, state->lam = at->lam[c->row];
  params_constraint_input(at->w->p, c, at->w->t, s, &in);
  mbd_args_zero(state->n, state->J[0]);
  mbd_blocks_zero(state->n, state->H);
  c->ops->phi_x(&in, state->J);
  if (c->ops->phi_xx) { c->ops->phi_xx(&in, one, state->H); }
}

/* y = lam p with p = sign |J|, -J . xd; and p in *per_lam */
static mbd_real force_along(const output_at *at, const mbd_arg_state *s, double sign, output_gradient *g,
                            mbd_real *per_lam) {
  drive_state q;
  mbd_real along[3];
  drive_at(at, s, &q);
  const mbd_real size = mbd_sqrt(v3_dot(q.J[0][0], q.J[0][0]));
  v3_scale(along, sign * q.lam / size, q.J[0][0]);
  for (int b = 0; b < q.n; b++) { m3_Tvec(g->x[b], q.H[0][b], along); }
  *per_lam = sign * size;
  return *per_lam * q.lam;
}

static mbd_real drive_power(const output_at *at, const mbd_arg_state *s, output_gradient *g, mbd_real *per_lam) {
  drive_state q;
  drive_at(at, s, &q);
  *per_lam = 0;
  for (int a = 0; a < q.n; a++) {
    *per_lam -= v3_dot(q.J[0][a], s->xd[a]);
    v3_axpy(g->xd[a], -q.lam, q.J[0][a]);
    for (int b = 0; b < q.n; b++) {
      mbd_real y[3];
      m3_Tvec(y, q.H[b][a], s->xd[b]);
      v3_axpy(g->x[a], -q.lam, y);
    }
  }
  return q.lam * *per_lam;
}

static mbd_real tension_eval(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  mbd_real per_lam;
  return force_along(at, s, 1, g, &per_lam);
}

static mbd_real drive(const output_at *at, const mbd_arg_state *s, output_gradient *g, mbd_real *per_lam) {
  if (at->o->ops->eval == tension_eval) { return force_along(at, s, 1, g, per_lam); }
  return at->o->ops->order ? drive_power(at, s, g, per_lam) : force_along(at, s, -1, g, per_lam);
}

static mbd_real drive_eval(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  mbd_real per_lam;
  return drive(at, s, g, &per_lam);
}

static mbd_real drive_per_lam(const output_at *at) {
  mbd_arg_state s;
  output_gradient g = {0};
  mbd_real per_lam;
  lift_values(at->w, &at->o->lift, 1, &s);
  drive(at, &s, &g, &per_lam);
  return per_lam;
}

static void drive_rows(const output_at *at, const output_row *row) {
  arguments_rows(at, row);
  row->lam[at->m->constraint[at->o->object].row] += drive_per_lam(at);
}

static mbd_real drive_direction(const output_at *at) {
  const mbd_real dy = arguments_direction(at);
  return at->dlam ? dy + drive_per_lam(at) * at->dlam[at->m->constraint[at->o->object].row] : dy;
}

static void drive_reverse(const output_at *at, mbd_real s, const output_back *to) {
  arguments_reverse(at, s, to);
  to->lam[at->m->constraint[at->o->object].row] += s * drive_per_lam(at);
}

static void driven_arguments(const mbd_model *m, const output *o, mbd_lift *l) {
  const mbd_lift *from = &m->constraint[o->object].lift;
  l->narg = from->narg;
  memcpy(l->arg, from->arg, sizeof l->arg);
}

static mbd_status is_drive(const output *o, const mbd_model *m, const char *asked, mbd_error *err) {
  const mbd_constraint *c = &m->constraint[o->object];
  if (c->ops->phi_t && !c->expression) { return MBD_OK; }
  if (c->expression) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "output '%s': constraint '%s' is an expression, expected its multiplier, '%s.multiplier'", asked, c->name,
             c->name);
  }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "output '%s': constraint '%s' (%s) does not depend on time and transmits no power, expected a drive", asked,
           c->name, c->ops->info.name);
}

static mbd_status has_tension(const output *o, const mbd_model *m, const char *asked, mbd_error *err) {
  const mbd_constraint *c = &m->constraint[o->object];
  if (c->ops->tension) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "output '%s': constraint '%s' (%s) has no tension, expected a rod or a distance of two points", asked,
           c->name, c->ops->info.name);
}

static const char *drive_unit(const mbd_model *m, const output *o) {
  const mbd_constraint *c = &m->constraint[o->object];
  return c->lift.arg[0].kind == MBD_ARG_COORDINATE ? model_unit_on(m->z_unit[c->lift.arg[0].b]) : "N";
}

#define OF_DRIVE(CHECK, EVAL)                                                                                 \
  .check = CHECK, .reactions = 1, .value = arguments_value, .rows = drive_rows, .direction = drive_direction, \
  .reverse = drive_reverse, .arguments = driven_arguments, .eval = EVAL
#define OF_MULTIPLIERS(WHICH) \
  .shape = OUTPUT_EQUATIONS, WHICH, .value = value, .rows = gradient, .direction = direction, .reverse = reverse
#define OF_BODY .shape = OUTPUT_VECTOR, .check = has_body, OUTPUT_OF_WRENCH, .wrench = wrench_on

static const output_ops rows[] = {
    {.quantity = "multiplier",
     .unit_of = unit_of,
     .doc = "Lagrange multiplier, the reaction per unit of the equation: [N] where that is a length, [N/m] the square "
            "of one, [N m] an angle or a product of unit vectors; of the order of the integrator (see "
            "projection_matrix); closures of cut joints are named by `mbopt model` (a joint with cut = yes has its "
            "reactions there)",
     OF_MULTIPLIERS(.reactions = 1)},
    {.quantity = "step_multiplier",
     .unit_of = unit_of,
     .doc = "lam* of ali3p and penalty: the multiplier with which a step satisfies its equations of motion, before its "
            "accelerations are projected",
     OF_MULTIPLIERS(.term = OUTPUT_LAM_STAR)},
    {.quantity = "velocity_projection",
     .unit_of = sigma_unit,
     .doc = "sigma of ali3p and penalty: the multiplier that projects the velocities of a step, with projection_matrix "
            "= mass an impulse",
     OF_MULTIPLIERS(.term = OUTPUT_SIGMA)},
    {.quantity = "acceleration_projection",
     .unit_of = unit_of,
     .doc = "kappa of ali3p and penalty: the multiplier that projects the accelerations of a step, with "
            "projection_matrix = mass a force",
     OF_MULTIPLIERS(.term = OUTPUT_KAPPA)},
    {.quantity = "force",
     .unit = "N",
     .doc = "force of a constraint on the body of its last point (without points: of its last vector), global "
            "components; of a closure, on the second body of its joint; redundant equations as in "
            "JOINT.reaction_force",
     OF_BODY},
    {.quantity = "moment",
     .unit = "N m",
     .doc = "the moment that goes with it, about that point",
     OF_BODY,
     .moment = 1},
    {.quantity = "drive_force",
     .unit_of = drive_unit,
     .doc = "of a driven coordinate or distance: force or torque of the drive, positive where it makes what it drives "
            "grow",
     OF_DRIVE(is_drive, drive_eval)},
    {.quantity = "power",
     .unit = "W",
     .doc = "power of a drive on the mechanism; its integral (form = integral) is the work",
     .order = 1,
     OF_DRIVE(is_drive, drive_eval)},
    {.quantity = "tension",
     .unit = "N",
     .doc = "of a rod, or of a distance of two points that is kept or driven: force along the line between the points, "
            "positive where it pulls them together",
     OF_DRIVE(has_tension, tension_eval)},
    {0}};

const output_object output_multipliers = {.word = "CONSTRAINT", .noun = "constraint", .row = rows, .name = name};
