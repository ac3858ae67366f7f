/* Whole simulations: direct differentiation against the complex step, and the adjoint against it, in every coefficient, for
 * every kind of output and of objective. The buggy varies by the scalars of its model file: one hard point alone can
 * contradict redundant constraints (a rod out of the plane in which it swings). */
#ifndef MBOPT_TESTS_ALL_COEFFICIENTS_H
#define MBOPT_TESTS_ALL_COEFFICIENTS_H

#include "coverage.h"
#include "gradient/driven.h"
#include "gradient/windows.h"
#include "integrator/integrator.h"
#include "mbd/referee.h"
#include "config/model_file.h"
#include "model.h"
#include "formulation/formulation.h"

enum { OUTPUTS_MAX = 60 };
static const struct {
  const char *model, *output[OUTPUTS_MAX + 1]; /* ends with NULL */
  const char *of_step[6];                      /* terms of a step, of formulations that have them */
  mbd_start start;
  int by_scalar; /* directions are the model file's scalars, not its coefficients */
  int stiff; /* slip of its tyres settles in 0.04 ms, which steps that are chosen for their error meet with noise or by the thousand */
  int exact; /* centres, which are defined where constraints hold: not with a soft penalty */
  int driven; /* kinematic and static cases alone, for one hard point contradicts redundant rows, which a motion cannot follow */
  const char
      *undriven;    /* not kinematic cases, which refuse it with this message, as a coordinate that is driven twice */
  int closed;       /* loops, redundant rows among them, and few coordinates: for all kinds of projections */
  const char *only; /* the formulations that take it, in a text; NULL: many do */
  int turns;        /* that it has where few formulations take it, fewer than `sample`; 0: as many */
  const char *
      couples; /* the first constraint that couples coordinates of different joints, which semi_recursive refuses; NULL: there is none */
  const char *bends; /* its first beam, for which natural coordinates and fully_recursive refuse it */
} cases[] = {
    {.model = "tests/conformance/models/tree.ini",
     .output = {"T1.position.x",
                "T2.velocity.norm",
                "T3.acceleration.norm",
                "shaft.rate.y",
                "arm.angle.z",
                "energy.kinetic",
                "s1.force",
                "s1.length",
                "s2.speed",
                "t1.force",
                "stop1.force",
                "stop2.force",
                "stop3.force",
                "bar.force",
                "wheel.torque",
                "wheel2.torque",
                "wheel2.speed",
                "cross.angle1.acceleration",
                "socket.e2.rate",
                "f2.force",
                "arm.roll",
                "arm.pitch",
                "arm.yaw",
                "arm.roll_rate",
                "shaft.pitch_rate",
                "ball.yaw_rate",
                "bush.force_x",
                "bush.moment_y",
                "mount.force_z",
                "bush.power",
                "wheel.power",
                "s1.power",
                "f2.power",
                "everything",
                "T1.velocity@ball.x",
                "between",
                "seen",
                "distance(T1, T2)",
                "distance(T1, T2).rate",
                "distance(T1, plate.com, slider.y)",
                "distance(T1, T2, u3).rate",
                "angle(u3, v1@ball)",
                "angle(u3, v1@ball).rate",
                "angle(u3, plate.x, ball.y)",
                "angle(u3, plate.x, ball.y).rate",
                "area(T1, T2, plate.com, u3)",
                "area(T1, T2, plate.com, u3).rate",
                "related",
                "mechanism.shaking_moment.y"}},
    {.model = "tests/conformance/models/cuts.ini",
     .couples = "j5.coincident",
     .closed = 1,
     .output = {"T1.position.y", "T2.velocity", "T3.acceleration.z", "b5.rate.norm", "energy.total", "s2.force",
                "j1.coincident.multiplier", "j1.coincident.multiplier.norm", "mechanism.shaking_force.norm",
                "T1.acceleration@b5.x", "j2.reaction_moment.norm", "j5.local_reaction_force.y"}},
    {.model = "tests/conformance/models/uncut.ini",
     .output = {"mechanism.angular_momentum.y", "mechanism.com_acceleration.x", "b5.angular_acceleration.z",
                "T1.acceleration.x", "j2.distance", "j4.angle2.rate", "energy.potential", "b5.rate.x",
                "j1.reaction_force.y", "j2.reaction_moment.x", "j4.local_reaction_moment.norm"}},
    {.model = "tests/conformance/models/constraints.ini",
     .couples = "k2",
     .closed = 1,
     .output = {"B.acceleration.norm", "length.rate", "k2.multiplier", "k1.multiplier", "Q.position.z",
                "b.angle.acceleration", "energy.kinetic", "energy.potential", "mechanism.com.norm",
                "a.reaction_force.x", "k3.drive_force", "k1.power", "k2.force.norm", "b.angle.force", "k2.tension"},
     .of_step = {"b.angle.unprojected_rate", "b.angle.unprojected_acceleration"}},
    {.model = "tests/conformance/models/wheels.ini",
     .output = {"tyre_f.deflection",   "tyre_f.load",        "tyre_f.longitudinal", "tyre_f.lateral",
                "tyre_f.slip",         "tyre_f.slip_angle",  "tyre_r.load",         "tyre_r.lateral",
                "tyre_r.slip",         "tyre_f.power",       "tyre_l.load",         "tyre_l.longitudinal",
                "tyre_l.lateral",      "tyre_l.slip",        "tyre_l.camber",       "tyre_l.aligning",
                "tyre_l.rolling",      "tyre_l.overturning", "tyre_f.rolling",      "rider.torque",
                "rider.roll",          "rider.roll_rate",    "rider.roll_error",    "rider.power",
                "O.acceleration.norm", "carriage.rate.norm"},
     .stiff = 1},
    {.model = "tests/conformance/models/rows.ini",
     .couples = "j4.in_plane.Pxd",
     .closed = 1,
     .output = {"T.acceleration.norm", "j4.in_plane.Pxd.multiplier", "c.rate.norm", "knee.angle.rate", "j2.distance",
                "energy.total", "p.reaction_moment.y", "knee.reaction_force.x"},
     .of_step = {"j4.in_plane.Pxd.step_multiplier", "j4.in_plane.Pxd.velocity_projection",
                 "j4.in_plane.Pxd.acceleration_projection", "j2.distance.unprojected_acceleration"}},
    {.model = "tests/conformance/models/drives.ini",
     .output = {"F.acceleration.norm", "T.position.z", "hanger.angle.rate", "friction.force", "rub.power",
                "motor.speed", "motor2.energy", "push.force", "push.power", "energy.kinetic", "energy.total"}},
    {.model = "tests/conformance/models/couplings.ini",
     .couples = "seam.coincident",
     .closed = 1,
     .output = {"T.acceleration.norm", "seam.coincident.multiplier.norm", "base.angle.rate", "gear.multiplier",
                "screw.multiplier", "D.acceleration.x", "travel.multiplier", "twist.acceleration", "M.velocity.z",
                "turn.acceleration", "cam.multiplier", "noncircular.multiplier", "lift.acceleration", "energy.total",
                "slide.reaction_moment.norm", "seam.local_reaction_moment.y", "base.reaction_force.x"},
     .of_step = {"seam.coincident.step_multiplier.norm", "seam.coincident.acceleration_projection.y",
                 "base.angle.unprojected_rate"}},
    {.model = "tests/conformance/models/beams.ini",
     .couples = "wrist.coincident",
     .bends = "vane",
     .output = {"P.acceleration.norm", "T.velocity@rod.x", "rod.up2.rate", "rod.elastic.energy", "arm.side1",
                "within.force", "elbow.reaction_moment.x", "strut.tension", "rod.elastic.power", "energy.total",
                "rod.tip.deflection_up", "rod.mid.moment_up", "arm.stress_torsion", "rod.mid.shear_force_up",
                "rod.axial_force", "vane.twist", "vane.elastic.energy"}},
    {.model = "tests/conformance/models/axles.ini",
     .couples = "head_L.coincident",
     .exact = 1,
     .output = {"instant_centre(upright_L, chassis, c_L, chassis.x, travel_L).z",
                "instant_centre(arm_L, chassis, r_L, chassis.x).y",
                "roll_centre(c_L, c_R, chassis, forward, travel_L, travel_R)",
                "roll_centre(r_L, r_R, chassis, chassis.x).norm",
                "velocity_ratio(c_L, A_L@chassis, chassis.y, c_L, A_L@chassis, chassis.z, travel_L)"}},
    {.model = "tests/conformance/models/image.ini",
     .couples = "arm.travel",
     .output = {"arm.S.acceleration.norm", "arm.W@arm.wheel.velocity.y", "arm.d.rate", "arm.drive.torque",
                "arm.twist.power", "arm.plunger.angle", "energy.total"}},
    {.model = "tests/conformance/models/own.ini",
     .couples = "rod",
     .closed = 1,
     .output = {"own.mixed", "own.swing", "loop.mixed", "own.power", "T.acceleration.norm", "energy.total"}},
    {.model = "tests/conformance/models/own.ini",
     .couples = "rod",
     .closed = 1,
     .by_scalar = 1,
     .output = {"own.swing", "loop.mixed", "loop.power", "T.velocity.norm"}},
    {.model = "tests/conformance/models/acting.ini",
     .couples = "rod",
     .closed = 1,
     .output = {"line.length", "line.speed", "line.force", "servo.force", "link.force", "twist.torque", "wind.force_x",
                "wind.force_y", "wind.force_z", "link.power", "twist.power", "gust.power", "T.acceleration.norm"}},
    {.model = "tests/conformance/models/acting.ini",
     .couples = "rod",
     .closed = 1,
     .by_scalar = 1,
     .output = {"line.force", "servo.power", "gust.force_z", "T.velocity.norm"}},
    {.model = "tests/conformance/models/states.ini",
     .couples = "rod",
     .closed = 1,
     .output = {"error", "torque", "torque.rate", "filtered", "slope.rate", "work", "servo.force", "work.rate",
                "damper.power", "T.acceleration.norm", "shoulder.angle.force", "energy.kinetic"}},
    {.model = "tests/conformance/models/states.ini",
     .couples = "rod",
     .closed = 1,
     .by_scalar = 1,
     .output = {"error.rate", "torque", "filtered", "T.velocity.norm"}},
    {.model = "tests/conformance/models/door.ini",
     .couples = "turn",
     .driven = 1,
     .output = {"h1.reaction_force.x", "h1.reaction_force.y", "h2.reaction_force.z", "h1.coincident.multiplier.norm",
                "h2.coincident.multiplier.x", "turn.multiplier", "knob.acceleration.norm", "closer.power",
                "mechanism.shaking_moment.x"}},
    {.model = "tests/conformance/models/door.ini",
     .couples = "turn",
     .closed = 1,
     .by_scalar = 1,
     .output = {"h1.reaction_force.x", "h2.reaction_force.z", "h1.coincident.multiplier.norm",
                "h2.coincident.multiplier.x", "knob.acceleration.norm", "closer.power"}},
    {.model = "tests/conformance/models/branches.ini",
     .undriven = "more drives than degrees of freedom: one of 'drive2', 'again' follows from the others",
     .output = {"T1.acceleration.norm", "T2.velocity.x", "T3.position.z", "jaw.rate.y", "table.angle.acceleration",
                "energy.total", "s1.force", "drive1.drive_force", "strut.tension", "clock.rate"}},
    {.model = "tests/conformance/models/floating_four_bars.ini",
     .couples = "D1.coincident",
     .closed = 1,
     .by_scalar = 1,
     .output = {"b1.rate.norm", "C2.acceleration.norm", "A1.angle.rate", "chassis.com_acceleration.z", "s2.force",
                "energy.total"}},
    {.model = "tests/conformance/models/hinges.ini",
     .output = {"E.acceleration.norm", "outer.rate.x", "s.force", "energy.kinetic", "energy.potential"}},
    {.model = "tests/conformance/models/mirrored.ini",
     .couples = "left.travel",
     .output = {"right.S.acceleration.norm", "left.W@left.wheel.velocity.y", "again.d.rate", "turned.drive.torque",
                "left.twist.power", "right.plunger.angle", "energy.total"}},
    {.model = "problems/five_bar/five_bar_found.ini",
     .couples = "B12-B23.coincident",
     .closed = 1,
     .output = {"P2.acceleration.norm", "energy.total", "B3.angle.z", "s2.speed", "ground-A1.reaction_force.norm",
                "B12-B23.reaction_force.norm"}},
    {.model = "problems/bicycle/bicycle.ini",
     .output = {"frame.roll", "saddle.velocity.norm", "tyre_F.lateral", "steer.angle.rate", "pedals.power",
                "rider.roll_error"},
     .stiff = 1},
    {.model = "problems/buggy/buggy.ini",
     .couples = "front_left.upper-front_left.knuckle.coincident",
     .output = {"P1.acceleration", "front_left.tyre.load", "rear_right.s.rate", "chassis.rate.y"},
     .by_scalar = 1},
    {.model = "problems/buggy/buggy.ini",
     .couples = "front_left.upper-front_left.knuckle.coincident",
     .output = {"P1.acceleration", "P1.position.z", "rear_left.tyre.load", "front_left.s", "chassis.angle.y",
                "front_left.upper-front_left.knuckle.coincident.multiplier"},
     .start = MBD_START_EQUILIBRIUM,
     .by_scalar = 1},
    {.model = "tests/conformance/models/velocities.ini",
     .couples = "rod",
     .closed = 1,
     .only = "ali3p, matrix_r, fully_recursive",
     .turns = 8,
     .output = {"C.acceleration.norm", "rolls.multiplier", "blade.multiplier", "speed.power", "rod.tension",
                "B.velocity.x", "base.reaction_force.z", "steer.angle.rate", "energy.total"},
     .of_step = {"rolls.acceleration_projection.y", "blade.velocity_projection", "speed.step_multiplier",
                 "base.x.unprojected_rate"}},
    {.model = "tests/conformance/models/velocities_expression.ini",
     .couples = "rod",
     .closed = 1,
     .only = "ali3p, matrix_r, fully_recursive",
     .turns = 8,
     .output = {"C.acceleration.norm", "rolls_x.multiplier", "steer.angle.force", "blade.multiplier", "blade.force.x",
                "speed.multiplier", "B.velocity.x", "base.reaction_force.z", "energy.total"},
     .of_step = {"rolls_y.acceleration_projection", "blade.velocity_projection", "speed.step_multiplier",
                 "base.x.unprojected_rate"}},
    {.model = "tests/conformance/models/own_image.ini",
     .output = {"left.own.mixed", "right.own.mixed", "right.own.swing", "right.lag", "right.own.power",
                "right.T.acceleration.norm", "right.elbow.angle.rate"}},
    {.model = "tests/conformance/models/signals.ini",
     .output = {"aim", "heading", "turning", "gain", "steepness", "load", "driver.force", "wind.force", "wind.power",
                "travelled.rate", "by_law", "memory", "shaker.drive_force", "slide.distance.rate", "damper.force",
                "T.acceleration.norm"}},
    {.model = "tests/conformance/models/settling.ini",
     .couples = "rolls",
     .only = "ali3p, matrix_r, fully_recursive",
     .turns = 8,
     .start = MBD_START_EQUILIBRIUM,
     .output = {"C@wheel.acceleration.norm", "rolls.multiplier", "blade.multiplier", "lean.angle", "ride.distance.rate",
                "energy.total"}},
    {.model = "tests/conformance/models/preview.ini",
     .output = {"pilot.error", "pilot.s", "pilot.curvature", "pilot.limit.output", "pilot.s.rate", "steering.force",
                "wind.power", "T.acceleration.norm"},
     .by_scalar = 1},
    {.model = "tests/conformance/models/relaxation.ini",
     .undriven = "has states of its own",
     .output = {"tyre_f.transient_slip", "tyre_f.lateral", "tyre_r.transient_side_slip.rate", "tyre_l.aligning",
                "brake.force"},
     .stiff = 1},
    {.model = "tests/conformance/models/acting_image.ini",
     .by_scalar = 1,
     .output = {"right.line.force", "right.twist.power", "right.lag", "right.T.acceleration.norm"}},
    {.model = "tests/conformance/models/measuring.ini",
     .couples = "turn",
     .closed = 1,
     .by_scalar = 1,
     .output = {"felt", "jolt.rate", "load", "load.rate", "spent", "shaken", "soft", "h1.reaction_force.z",
                "knob.acceleration.norm"}},
};
enum { N_CASES = sizeof cases / sizeof cases[0], MAX_TERMS = 64 };

typedef struct setup {
  test_model base;
  mbd_sim *sim;
  mbd_case c;
  mbd_dparams **d;
  test_directions to; /* what varies */
  int nc;             /* so many of it are differentiated directly and by the complex step: */
  int *pick;          /* [nc] these; the adjoint is of all */
  int duration;       /* the one that moves the duration, among them */
  int nterm, nname;
  mbd_term term[MAX_TERMS];
  const char *name[MAX_TERMS];
  const char *penalized[MAX_TERMS]; /* constraints with a penalty of their own, */
  double penalty[MAX_TERMS];        /* and that */
} setup;

/* Sharp enough to tell peaks from means, in the units of the output. */
static double sharpness_for(const char *of) {
  static const char *const forces[] = {"multiplier", "load", "force", "moment", "power", "longitudinal", "lateral"};
  for (size_t i = 0; i < sizeof forces / sizeof forces[0]; i++) {
    if (strstr(of, forces[i])) { return 0.01; }
  }
  return 7;
}

/* Curve number i of the model, beginning again after the last; NULL: it has none. */
static const char *curve_in_turn(const mbd_model *m, int i) {
  int n = 0;
  while (mbd_model_curve_name(m, n)) { n++; }
  return n ? mbd_model_curve_name(m, i % n) : NULL;
}

static int chooses_steps(const mbd_case *c) {
  const mbd_tableau *t = mbd_integrator_find(c->integrator)->tableau;
  return t && t->error;
}

/* Unless all is asked for, one coefficient in so many has its turn, the next one with the next formulation, integrator, projection or
 * reference point: of kinematic and static cases one in four. */
static int sample = 14;

/* Of slow programs one in 64. */
static int one_in(void) {
  return test_slow() ? 64 : test_long() ? 1 : sample;
}

/* Turns after which every coefficient of a model has had its own. */
static int turns_of(int q) {
  return cases[q].turns > 0 && cases[q].turns < one_in() ? cases[q].turns : one_in();
}

/* > 0: the penalties of constraints are this number divided or multiplied by ten, or this number, in turn. */
static double penalties_about = 0;

static void spread_penalties(setup *s) {
  s->c.penalty_name = s->penalized, s->c.penalty_value = s->penalty;
  s->c.npenalty = mbd_model_nconstraint(s->base.m);
  CU_ASSERT_FATAL(s->c.npenalty <= MAX_TERMS);
  for (int i = 0; i < s->c.npenalty; i++) {
    const char *type;
    int row, nrow;
    s->penalized[i] = mbd_model_constraint_name(s->base.m, i, &type, &row, &nrow);
    s->penalty[i] = penalties_about * pow(10, i % 3 - 1);
  }
}

static int turns[N_CASES]; /* that each model has had */

/* Of four turns kinematic cases have three, one at each reference point, and static ones the last: between them every coefficient of the
 * models that both take has its turn. */
enum { KINEMATIC_TURNS = 3 };

static inline void take_turns_from(int first) {
  sample = KINEMATIC_TURNS + 1;
  for (int q = 0; q < N_CASES; q++) { turns[q] = first; }
}
static int times;          /* that models have been gone through */
static char seen[N_CASES]; /* models whose derivatives have been compared */

/* Unless all is asked for, derivatives of motions are compared for every seventh model, and for the next ones the next time. */
static int is_drawn(int q, const mbd_case *how) {
  return test_long() || !is_motion(how) || (q + times) % 7 == 0;
}
static coverage elements; /* of the models that have been simulated */

/* Those, and the one that moves the duration. */
static void pick_directions(setup *s, int q) {
  const int has = turns_of(q), each = has < s->to.n ? has : s->to.n;
  s->pick = calloc((size_t)s->to.n + 1, sizeof *s->pick);
  for (int k = 0; k < s->to.n; k++) {
    if (k == s->duration || k % each == turns[q] % each) { s->pick[s->nc++] = k; }
  }
}

/* The model with a coefficient that is the duration: a number, or one that the first scalar that varies stretches. */
static test_model open_timed(const char *file, const mbd_case *c, int by_scalar, int *index) {
  char path[512], text[200] = "";
  mbo_model_file *f;
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, file);
  must(read_model_file(path, 0, NULL, NULL, &f, &err), &err);
  if (by_scalar) {
    int first = 0;
    double value;
    while (f->scalar[first].fixed) { first++; }
    const char *name = mbo_model_file_scalar(f, first, &value);
    snprintf(text, sizeof text, "%.17g*exp(%s - %.17g)", c->duration, name, value);
  } else {
    snprintf(text, sizeof text, "%.17g", c->duration);
  }
  must(model_file_coefficient(f, "duration", text, index, &err), &err);
  add_for_analysis(f, file, c);
  return model_from(f);
}

/* Every form in turn, each a psi of its own, some along a curve. */
static void add_terms(setup *s, const char *of) {
  mbd_error err = {0};
  int first, count;
  must(mbd_outputs_add(s->base.o, of, &first, &count, &err), &err);
  for (int k = 0; k < count; k++) {
    s->term[s->nterm] = (mbd_term){.psi = s->nterm,
                                   .output = first + k,
                                   .form = mbd_form_name(s->nterm % form_count()),
                                   .weight = 1.3,
                                   .target = 0.2,
                                   .smoothing = 0.1,
                                   .sharpness = sharpness_for(of),
                                   .target_curve = s->nterm % 3 ? NULL : curve_in_turn(s->base.m, s->nterm / 3)};
    s->nterm++;
  }
}

/* Returns 0 where the formulation does not take the model or the integrator. */
static int open_setup(setup *s, int q, const mbd_case *how) {
  mbd_error err = {0};
  pilot p;
  const int shift = turns[q]; /* another window for each output the next time */
  int duration;
  s->c = *how;
  s->c.start = cases[q].start;
  /* Steps follow an estimate of their error, a small difference, whose rounding the two builds do not share; where an integrand bends sharply,
   * derivatives follow the steps: by 4e-7 with rtol = 1e-8, by 2e-9 with this one. */
  if (chooses_steps(how)) { s->c.rtol = 1e-5, s->c.atol = 1e-8; }
  if (cases[q].stiff && chooses_steps(how)) { s->c.duration = 2e-3, s->c.step = 5e-4, s->c.max_step = 1e-4; }
  s->base = open_timed(cases[q].model, &s->c, cases[q].by_scalar, &duration);
  s->c.free_duration = duration + 1;
  if (penalties_about > 0) { spread_penalties(s); }
  for (int i = 0; cases[q].output[i]; i++) {
    /* where all is driven, centres are those of motions that the drives leave which they name */
    if (!is_motion(&s->c) && cases[q].exact && !strstr(cases[q].output[i], "travel")) { continue; }
    add_terms(s, cases[q].output[i]);
  }
  const mbd_formulation_ops *ops = mbd_formulation_find(s->c.formulation);
  const int has_terms = is_motion(&s->c) && ops->step_terms && s->c.coordinates == MBD_COORDINATES_JOINT;
  for (int i = 0; has_terms && cases[q].of_step[i]; i++) { add_terms(s, cases[q].of_step[i]); }
  for (int i = 0; !is_motion(&s->c) && i < 3 && drive_name(s->base.m, i); i++) {
    char name[320];
    snprintf(name, sizeof name, "%s.%s", drive_name(s->base.m, i), i == 1 ? "power" : "drive_force");
    add_terms(s, name);
  }
  s->nname = mbd_outputs_count(s->base.o);
  for (int i = 0; i < s->nname; i++) { s->name[i] = mbd_outputs_name(s->base.o, i); }
  if (!pilot_run(&s->base, &s->c, &p)) { return 0; }
  for (int i = 0; i < s->nterm; i++) { pilot_set(&p, i + shift, &s->term[i]); }
  free(p.y);
  s->to = (cases[q].by_scalar ? directions_of_scalars : directions_of_coefficients)(&s->base);
  s->duration = cases[q].by_scalar ? 0 : duration;
  pick_directions(s, q);
  s->d = calloc((size_t)s->nc + 1, sizeof *s->d);
  for (int i = 0; i < s->nc; i++) {
    const int first = s->to.start[s->pick[i]];
    must(mbd_dparams_create(s->base.m, &s->d[i], &err), &err);
    mbd_dparams_set(s->d[i], s->base.p, s->to.start[s->pick[i] + 1] - first, s->to.index + first, s->to.value + first);
  }
  const mbd_status status =
      mbd_sim_create(s->base.m, &s->c, s->base.o, s->nterm, s->term, s->nterm, s->nc, &s->sim, &err);
  if (status == MBD_UNSUPPORTED) { return 0; }
  must(status, &err);
  return 1;
}

static void close_setup(setup *s) {
  for (int i = 0; i < s->nc; i++) { mbd_dparams_destroy(s->d[i]); }
  mbd_sim_destroy(s->sim);
  directions_free(&s->to);
  model_close(&s->base);
  free(s->d), free(s->pick);
}

/* Terms of a step are small differences of rates, or rates divided by the step: rounding of the rates counts. Largest seen against the complex
 * step: 2.3e-9, between solvers 5e-9. Samples between nodes move with the duration by the rate of their output, which of reactions and of these terms is a
 * difference of such rounding over a step: 1.04e-9 and 5e-8; a settling time of a reaction divides by it: 3.5e-9. Quotients of velocities in admissible motions enlarge what the steps of a complex run leave: 1.04e-9.
 * Returns the factor of their tolerance; others: 1. */
static double tolerance_factor(const setup *s, int term, double *scale) {
  const output *o = &s->base.o->item[s->term[term].output];
  const int samples = (mbd_form_find(s->term[term].form)->needs & MBD_NEEDS_SAMPLES) != 0;
  if (!output_reads_step(o) && output_reads_reactions(o) && strcmp(s->term[term].form, "settling_time") == 0) {
    return 10;
  }
  if (!output_reads_step(o)) { return o->mobility || (samples && output_reads_reactions(o)) ? 5 : 1; }
  *scale = fmax(*scale, 0.1);
  return samples ? 200 : 10;
}

/* adjoint [terms][directions] := gtheta [terms][coefficients] times the columns of the directions */
static void along_directions(const setup *s, const double *gtheta, double *adjoint) {
  const int ncoef = mbd_model_ncoef(s->base.m);
  for (int i = 0; i < s->nterm; i++) {
    for (int k = 0; k < s->to.n; k++) {
      double sum = 0;
      for (int a = s->to.start[k]; a < s->to.start[k + 1]; a++) {
        sum += gtheta[i * ncoef + s->to.index[a]] * s->to.value[a];
      }
      adjoint[i * s->to.n + k] = sum;
    }
  }
}

static void run_adjoint(setup *s, double *psi, double *adjoint) {
  mbd_error err = {0};
  const mbd_adjoint_options all = {0};
  double *gtheta = calloc((size_t)s->nterm * (size_t)mbd_model_ncoef(s->base.m) + 1, sizeof *gtheta);
  must(mbd_sim_adjoint(s->sim, s->base.p, &all, psi, gtheta, NULL, NULL, &err), &err);
  along_directions(s, gtheta, adjoint);
  free(gtheta);
}

/* Returns the number of models that the case takes. */
static int against_complex_step(const mbd_case *how, int closed, double tol) {
  double worst = 0, apart = 0;
  int taken = 0;
  times++;
  for (int q = 0; q < N_CASES; q++) {
    if (closed && !cases[q].closed) { continue; }
    if (is_motion(how) ? cases[q].driven : cases[q].start != MBD_START_GIVEN) { continue; }
    if (is_driven(how) && cases[q].undriven) { continue; }
    if (cases[q].exact && strcmp(how->formulation, "penalty") == 0 && how->penalty > 0) { continue; }
    setup s = {0};
    mbd_error err = {0};
    mbd_referee *r;
    if (!open_setup(&s, q, how)) {
      close_setup(&s);
      continue;
    }
    taken++, turns[q]++;
    if (!is_drawn(q, how)) {
      close_setup(&s);
      continue;
    }
    seen[q] = 1;
    cover(&elements, s.base.m);
    const size_t all = (size_t)s.nterm * (size_t)s.to.n;
    double *psi = calloc((size_t)s.nterm, sizeof *psi), *dpsi = calloc((size_t)s.nterm, sizeof *dpsi);
    double *grad = calloc(all, sizeof *grad), *exact = calloc(all, sizeof *exact),
           *adjoint = calloc(all, sizeof *adjoint);
    run_adjoint(&s, psi, adjoint);
    must(mbd_sim_run(s.sim, s.base.p, s.nc, s.d, psi, grad, NULL, NULL, NULL, &err), &err);
    must(
        mbd_referee_create(mbo_model_file_spec(s.base.file), &s.c, s.nname, s.name, s.nterm, s.term, s.nterm, &r, &err),
        &err);
    for (int j = 0; j < s.nc; j++) {
      const int first = s.to.start[s.pick[j]];
      must(mbd_referee_derivative(r, s.to.theta, s.to.start[s.pick[j] + 1] - first, s.to.index + first,
                                  s.to.value + first, psi, dpsi, &err),
           &err);
      for (int i = 0; i < s.nterm; i++) { exact[i * s.nc + j] = dpsi[i]; }
    }
    for (int i = 0; i < s.nterm; i++) {
      const double *row = adjoint + i * s.to.n;
      double scale = 0;
      for (int k = 0; k < s.to.n; k++) { scale = fmax(scale, fabs(row[k])); }
      /* some coefficient moves every output; but what is at rest is at rest */
      CU_ASSERT(scale > 0 || is_static(how));
      const double of_step = tolerance_factor(&s, i, &scale);
      scale = fmax(scale, is_motion(how)   ? 1e-7 /* of an output that is its target curve, */
                          : is_driven(how) ? 1e-5 /* or given, */
                                           : 0.05 /* or at rest, rounding is left */);
      for (int j = 0; j < s.nc; j++) {
        char name[400];
        const double direct = grad[i * s.nc + j], back = row[s.pick[j]], expected = exact[i * s.nc + j];
        snprintf(name, sizeof name, "%s: d %s (form %s) / d %s", cases[q].model, s.name[s.term[i].output],
                 s.term[i].form, s.to.name[s.pick[j]]);
        CHECK_NEAR(name, direct, expected, scale, (chooses_steps(how) ? 10 : 1) * of_step * tol);
        CHECK_NEAR(name, back, direct, scale, tol);
        worst = fmax(worst, fabs(direct - expected) / scale), apart = fmax(apart, fabs(back - direct) / scale);
      }
    }
    mbd_referee_destroy(r);
    free(psi), free(dpsi), free(grad), free(exact), free(adjoint);
    close_setup(&s);
  }
  printf("\n  %s, %s: %d models, direct to complex step %.2g, adjoint to direct %.2g ",
         is_motion(how) ? how->formulation : how->analysis, is_motion(how) ? how->integrator : "exact nodes", taken,
         worst, apart);
  return taken;
}

#endif
