/* Every model of the conformance tests at a state off its constraints, and the quantities whose derivatives are compared:
 * the residual, the constraints with their rates and reactions, the outputs. */
#ifndef TEST_MECHANISM_H
#define TEST_MECHANISM_H

#include "dynamics/motion.h"
#include "la/dense.h"
#include "model.h"
#include "output/output.h"

static const struct {
  const char *model;
  const char *output[24];
} cases[] = {
    {"tests/conformance/models/tree.ini",
     {"T1.position", "T2.velocity.norm", "T3.acceleration", "shaft.rate", "arm.angle.z", "energy.kinetic", "s1.force",
      "cross.angle1.acceleration", "arm.roll_rate", "wheel.power", "bush.moment_y", "everything", "between", "seen",
      "related"}},
    {"tests/conformance/models/cuts.ini", {"T1.acceleration", "energy.kinetic", "j1.coincident.multiplier.norm"}},
    {"tests/conformance/models/uncut.ini", {"T1.acceleration", "b5.rate", "energy.potential", "j2.distance.rate"}},
    {"tests/conformance/models/constraints.ini", {"B.acceleration.norm", "k2.multiplier", "energy.total", "reactions"}},
    {"tests/conformance/models/wheels.ini", {"tyre_f.load", "tyre_l.lateral", "carriage.rate.norm"}},
    {"tests/conformance/models/hinges.ini", {"energy.total"}},
    {"tests/conformance/models/axles.ini",
     {"instant_centre(upright_L, chassis, c_L, chassis.x, travel_L)",
      "instant_centre(upright_R, low_R, F_R, forward, travel_R).norm", "instant_centre(arm_L, chassis, r_L, chassis.x)",
      "roll_centre(c_L, c_R, chassis, forward, travel_L, travel_R)", "roll_centre(r_L, r_R, chassis, chassis.x)",
      "roll_centre(r_R, c_L, chassis, forward, travel_L, travel_R).norm",
      "velocity_ratio(c_L, A_L, forward, B_L@low_L, A_L@chassis, chassis.z, travel_L)"}},
    {"tests/conformance/models/rows.ini", {"T.acceleration", "c.rate", "knee.angle.rate", "energy.total"}},
    {"tests/conformance/models/drives.ini", {"F.acceleration", "T.velocity", "energy.total"}},
    {"tests/conformance/models/couplings.ini",
     {"T.acceleration", "seam.coincident.multiplier.norm", "gear.multiplier", "cam.multiplier", "energy.total"}},
    {"tests/conformance/models/image.ini",
     {"arm.S.acceleration", "arm.W@arm.wheel.velocity", "arm.plunger.angle.rate", "energy.total"}},
    {"tests/conformance/models/beams.ini",
     {"P.acceleration",
      "T.velocity@rod",
      "rod.up2.rate",
      "rod.elastic.energy",
      "within.force",
      "arm.tip.rate",
      "elbow.reaction_moment",
      "strut.tension",
      "rod.elastic.power",
      "energy.total",
      "rod.mid.deflection_up",
      "rod.tip.deflection_side",
      "rod.mid.chord_deflection_up",
      "rod.mid.chord_deflection_side",
      "rod.mid.slope_up",
      "rod.tip.slope_side",
      "rod.mid.twist",
      "rod.axial_force",
      "rod.mid.shear_force_up",
      "rod.shear_force_side",
      "rod.tip.stress_axial",
      "rod.mid.stress"}},
    {"tests/conformance/models/own.ini",
     {"own.mixed", "own.swing", "loop.mixed", "own.power", "T.acceleration", "energy.total"}},
    {"problems/five_bar/five_bar_found.ini", {"P2.acceleration.norm", "energy.total"}},
    {"problems/buggy/buggy.ini", {"P1.acceleration", "front_left.tyre.load", "chassis.pitch_rate"}},
    {"tests/conformance/models/velocities.ini",
     {"C.acceleration", "rolls.multiplier", "blade.multiplier", "rod.force.x", "energy.total"}},
    {"tests/conformance/models/velocities_expression.ini",
     {"C.acceleration", "rolls_x.multiplier", "blade.force.x", "speed.moment.y", "energy.total"}},
    {"tests/conformance/models/rolling.ini",
     {"B.acceleration", "sphere.x.multiplier", "rim.across.multiplier", "hill.rolls.multiplier", "energy.kinetic"}},
    {"tests/conformance/models/acting.ini",
     {"line.force", "servo.force", "link.force", "twist.torque", "wind.force_y", "gust.power", "line.power",
      "T.acceleration", "shoulder.angle.force", "shoulder.reaction_moment", "energy.total"}},
    {"tests/conformance/models/states.ini",
     {"error", "torque.rate", "filtered", "work", "servo.force", "damper.power", "shoulder.angle.force",
      "energy.kinetic"}},
    {"tests/conformance/models/own_image.ini",
     {"right.own.mixed", "right.lag", "right.own.power", "right.T.acceleration", "energy.total"}},
    {"tests/conformance/models/signals.ini",
     {"aim", "heading", "turning", "gain", "steepness", "load", "driver.force", "wind.power", "travelled.rate",
      "by_law", "memory", "shaker.drive_force", "T.acceleration", "energy.kinetic"}},
    {"tests/conformance/models/shipped.ini",
     {"position.output", "running.output", "weighted.output", "high.output", "low.y1.rate", "late.output",
      "damper.element.force", "motor.drive.power", "speed.drive2.force", "servo.force"}},
    {"tests/conformance/models/preview.ini",
     {"pilot.error", "pilot.s.rate", "pilot.curvature.rate", "pilot.limit.output", "steering.force", "wind.power",
      "T.acceleration"}},
    {"tests/conformance/models/relaxation.ini",
     {"tyre_f.transient_slip.rate", "tyre_f.transient_side_slip", "tyre_r.transient_side_slip.rate", "tyre_f.lateral",
      "tyre_l.longitudinal", "tyre_l.rolling", "tyre_l.overturning", "tyre_l.aligning", "tyre_f.rolling",
      "tyre_f.power", "tyre_l.power", "brake.power"}},
    {"tests/conformance/models/acting_image.ini",
     {"right.line.force", "right.twist.power", "right.swing.torque", "right.lag.rate", "right.T.acceleration"}},
    {"tests/conformance/models/measuring.ini",
     {"felt", "jolt.rate", "load", "spent.rate", "shaken", "soft", "brake.force", "knob.acceleration",
      "h1.reaction_force.x"}},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

/* This one at its start, on its constraints: centres are defined there alone, by what these leave free. */
static const char *const assembled = "tests/conformance/models/axles.ini";

static const double t = 0.137;

typedef struct bench {
  test_model base;
  const mbd_model *m; /* those of base */
  mbd_params *p;
  mbd_outputs *o;
  mbd_dparams *d;
  mbd_work *w;
  params_reverse *theta;
  mbd_reverse q;
  mbd_arena arena;
  motion_linear linear;
  double *z, *zd, *zdd, *mu, *lam; /* a state, and weights of coordinates and rows */
  double *lam_T;                   /* [lam_size] what an output says of lam */
} bench;

/* Numbers of lam: rows with those of held quantities, or reactions and the terms of a step. */
static inline int lam_size(const mbd_model *m) {
  const int rows = m->nphi + m->nhold_row, terms = 4 * m->nphi + 2 * m->nz;
  return rows > terms ? rows : terms;
}

/* Derivatives of Phi by the coordinates: velocity constraints have none, but their A in the place of Phi_z. */
static inline void rows_of_positions(bench *b, motion_rows rows, double *A) {
  const mbd_model *m = b->m;
  motion_phi(b->w, rows, NULL, A);
  memset(A + (m->nphi - m->nvelocity_row) * m->nz, 0, (size_t)(m->nvelocity_row * m->nz) * sizeof *A);
}

static inline void place(bench *b) {
  const mbd_model *m = b->m;
  const size_t n = (size_t)m->nz, rows = (size_t)lam_size(m) + 1;
  while (mbd_arena_pass(&b->arena)) {
    reverse_layout(&b->q, m, &b->arena);
    double **list[] = {&b->z, &b->zd, &b->zdd, &b->mu};
    for (int i = 0; i < 4; i++) { *list[i] = mbd_arena_real(&b->arena, n); }
    motion_linear_layout(&b->linear, m, &b->arena);
    b->lam = mbd_arena_real(&b->arena, rows);
    b->lam_T = mbd_arena_real(&b->arena, rows);
  }
}

/* ---- outputs: those above, and every quantity of the table of one object of each kind ---- */

static char covered[256], covered_seen[256]; /* rows of the table that some model has; as seen from a body */

static inline void try_output(bench *b, char *of_row, const char *name) {
  mbd_error err = {0};
  int first, count;
  if (mbd_outputs_add(b->o, name, &first, &count, &err) == MBD_OK) { *of_row = 1; }
}

/* One quantity: a vector with its norm, one axis of three. */
static inline void try_quantity(bench *b, int which, const output_ops *q, char *of_row, const char *name) {
  char full[400];
  if (q->shape != OUTPUT_AXIS) { try_output(b, of_row, name); }
  snprintf(full, sizeof full, "%s.%s", name, q->shape == OUTPUT_AXIS ? &"x\0y\0z"[2 * (which % 3)] : "norm");
  if (q->shape != OUTPUT_NUMBER) { try_output(b, of_row, full); }
}

/* One row: the words that the object has of its own; as it is, and as seen from a body. */
static inline void try_row(bench *b, int which, const output_object *of, const output_ops *q, int row,
                           const char *object) {
  char name[300], seen[364];
  const char *word;
  for (int k = 0; (word = q->quantity ? q->quantity : of->own_word(b->m, of->find ? 0 : which, k)) != NULL; k++) {
    snprintf(name, sizeof name, "%s%s%s", object, *word ? "." : "", word);
    try_quantity(b, which, q, &covered[row], name);
    snprintf(seen, sizeof seen, "%s@%s", name, b->m->body[1 + (which + 2) % (b->m->nb - 1)].name);
    if (of->seen) { try_quantity(b, which, q, &covered_seen[row], seen); }
    if (q->quantity) { return; }
  }
}

/* The k-th of the model's points or vectors, beginning again after the last, on the last body that has it. */
static inline int marker_name(const bench *b, int is_point, int k, char *text, size_t size) {
  const mbd_named_marker *q;
  int n = 0;
  for (int i = 0; i < b->m->nnamed; i++) { n += b->m->named[i].is_point == is_point; }
  if (n == 0) { return 0; }
  k %= n;
  for (q = b->m->named; q->is_point != is_point || k-- > 0; q++) {}
  snprintf(text, size, "%s@%s", q->name, b->m->body[b->m->marker[q->marker[q->n - 1]].body].name);
  return 1;
}

/* Vectors that are parallel at the state of the test have no rate of their angle. */
static inline int is_number(const bench *b, const char *name) {
  mbd_error err = {0};
  mbd_outputs *o;
  int first, count, finite = 0;
  must(mbd_outputs_create(b->m, &o, &err), &err);
  if (mbd_outputs_add(o, name, &first, &count, &err) == MBD_OK) {
    motion_place(b->w, b->p, t, b->z);
    motion_move(b->w, b->zd, b->zdd, 1);
    finite = isfinite(output_value(b->w, &o->item[first], b->lam));
  }
  mbd_outputs_destroy(o);
  return finite;
}

/* A relation between points and vectors of the model, its value and its rate. */
static inline void try_relation(bench *b, int k, const output_object *of, int row) {
  char name[300], ref[64];
  if (strpbrk(of->takes, "BC")) { return; } /* not all bodies of all models have a centre */
  int n = snprintf(name, sizeof name, "%s(", of->relation);
  for (int i = 0; of->takes[i]; i++) {
    if (!marker_name(b, of->takes[i] == 'P', k + 2 * i, ref, sizeof ref)) {
      snprintf(ref, sizeof ref, "%s.%c", b->m->body[1 + i % (b->m->nb - 1)].name, "xyz"[i]);
    }
    n += snprintf(name + n, sizeof name - (size_t)n, "%s%s", i ? ", " : "", ref);
  }
  for (const output_ops *q = of->row; q->doc; q++, row++) {
    snprintf(name + n, sizeof name - (size_t)n, ")%s%s", *q->quantity ? "." : "", q->quantity);
    if (is_number(b, name)) { try_quantity(b, k, q, &covered[row], name); }
  }
}

static inline void try_rows(bench *b, int k) {
  const output_object *of;
  for (int i = 0, row = 0; (of = output_object_at(i)) != NULL; i++) {
    const char *name = NULL;
    int n = 0, which;
    if (of->relation) { try_relation(b, k, of, row); }
    while (!of->relation && of->name(b->m, n)) { n++; }
    for (which = n ? (5 * k) % n : 0; which < n && !*(name = of->name(b->m, which)); which++) {}
    for (const output_ops *q = of->row; q->doc; q++, row++) {
      if (which < n) { try_row(b, which, of, q, row, name); }
      /* beams differ in what they have */
      for (int j = 0; of == &output_beams && j < n; j++) { try_row(b, j, of, q, row, of->name(b->m, j)); }
    }
  }
}

/* Of every object of a kind, where it has the quantity. */
static inline void try_all(bench *b, const char *word) {
  const output_object *of;
  for (int i = 0, row = 0; (of = output_object_at(i)) != NULL; i++) {
    for (const output_ops *q = of->row; q->doc; q++, row++) {
      char name[320];
      const char *object;
      if (!q->quantity || strcmp(q->quantity, word) != 0) { continue; }
      for (int k = 0; !of->relation && (object = of->name(b->m, k)) != NULL; k++) {
        snprintf(name, sizeof name, "%s.%s", object, word);
        try_output(b, &covered[row], name);
      }
    }
  }
}

/* What joints, constraints and coordinates transmit differs with their types and the side of the loop that they are on. */
static inline void try_reactions(bench *b) {
  static const char *const words[] = {
      "reaction_moment", "local_reaction_force", "moment", "force", "drive_force", "power", "tension"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) { try_all(b, words[i]); }
}

/* The outputs that are named above count, too. */
static inline void note_covered(const bench *b) {
  const output_object *of;
  for (int i = 0, row = 0; (of = output_object_at(i)) != NULL; i++) {
    for (const output_ops *q = of->row; q->doc; q++, row++) {
      for (int k = 0; k < b->o->n; k++) {
        if (b->o->item[k].ops == q) { (b->o->item[k].from ? covered_seen : covered)[row] = 1; }
      }
    }
  }
}

static inline void assemble(bench *b) {
  const mbd_case c = case_lasting(1e-3, 1e-3);
  mbd_error err = {0};
  mbd_sim *s;
  must(mbd_sim_create(b->m, &c, b->o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_start(s, b->p, b->z, b->zd, b->zdd, NULL, &err), &err);
  mbd_sim_destroy(s);
}

static inline void open_bench(bench *b, int k, mbd_reference reference) {
  mbd_error err = {0};
  b->base = model_open(cases[k].model);
  b->m = b->base.m, b->p = b->base.p, b->o = b->base.o;
  must(mbd_dparams_create(b->m, &b->d, &err), &err);
  must(mbd_work_create(b->m, reference, &b->w, &err), &err);
  must(params_reverse_create(b->m, &b->theta, &err), &err);
  place(b);
  for (int j = 0; j < b->m->nz; j++) {
    b->z[j] = 0.1 * sin(1.3 + 1.7 * j), b->zd[j] = cos(0.4 + 2.1 * j), b->zdd[j] = 2 * sin(2.2 + 0.9 * j);
    b->mu[j] = sin(0.7 + 1.1 * j);
  }
  for (int i = 1; i < b->m->nb; i++) { /* Euler parameters away from zero */
    const int e = b->m->joint[b->m->body[i].joint].ops->euler;
    if (e >= 0) { b->z[b->m->body[i].z0 + e] += 0.9; }
  }
  if (strcmp(cases[k].model, assembled) == 0) { assemble(b); }
  for (int i = 0; i < lam_size(b->m); i++) { b->lam[i] = cos(0.3 + 1.9 * i); }
  for (int i = 0; cases[k].output[i]; i++) { model_output(&b->base, cases[k].output[i]); }
  try_rows(b, k);
  try_reactions(b);
  note_covered(b);
}

static inline void close_bench(bench *b) {
  params_reverse_destroy(b->theta);
  mbd_work_destroy(b->w);
  mbd_dparams_destroy(b->d);
  model_close(&b->base);
  free(b->arena.base);
}

/* ---- quantities: one scalar L of each by the weights mu of coordinates, lam of rows ---- */

/* Rows: the constraints and the held quantities. */
typedef enum scalar_kind { RESIDUAL, REST, REACTION, PHI, PHID, PHIDD, OUTPUT } scalar_kind;

typedef struct scalar {
  scalar_kind kind;
  const char *name;
  int output;
} scalar;

static inline motion_rows rows_of(const bench *b) {
  return motion_with_holds(b->m, b->m->nhold);
}

/* The terms that a quantity of coordinates consists of. */
static inline motion_terms terms_of(const bench *b, scalar_kind kind) {
  return (motion_terms){.inertia = kind == RESIDUAL || kind == REST,
                        .forces = kind == RESIDUAL,
                        .rows = rows_of(b),
                        .lam = kind == REACTION ? b->lam : NULL};
}

static inline void sweep(const bench *b, scalar_kind kind) {
  motion_place(b->w, b->p, t, b->z);
  motion_move(b->w, kind == REST ? NULL : b->zd, b->zdd, kind != REST);
}

static inline void backward(bench *b, const scalar *s) {
  mbd_reverse *q = &b->q;
  const motion_terms e = terms_of(b, s->kind);
  reverse_begin(q, b->w, b->theta);
  params_reverse_clear(b->theta);
  memset(b->lam_T, 0, (size_t)lam_size(b->m) * sizeof *b->lam_T);
  switch (s->kind) {
    case RESIDUAL:
      motion_linearize(b->w, e.rows, NULL, &b->linear);
      motion_reverse_residual(q, &b->linear, b->mu);
      break;
    case REST:
    case REACTION: motion_reverse_mass(q, &e, b->mu, b->zdd); break;
    case PHI: motion_reverse_rows(q, e.rows, b->lam, NULL, NULL); break;
    case PHID: motion_reverse_rows(q, e.rows, NULL, b->lam, NULL); break;
    case PHIDD: motion_reverse_rows(q, e.rows, NULL, NULL, b->lam); break;
    case OUTPUT: output_reverse(q, &b->o->item[s->output], b->lam, 1, b->lam_T); break;
  }
  reverse_joints(q);
}

static inline double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) { sum += a[i] * b[i]; }
  return sum;
}

/* Entries of the quantity: one for each coordinate, each row, or one of an output. */
static inline int entries(const bench *b, const scalar *s) {
  const scalar_kind k = s->kind;
  if (k == OUTPUT) { return 1; }
  return k <= REACTION ? b->m->nz : rows_of(b).nrow;
}

/* What differences are measured by at least: reactions of held angles, of size 1, do not change at all in a plane, nor does
 * the size of an angular velocity when the plane turns. */
static inline double least_scale(const scalar *s) {
  return s->kind == REACTION ? 1 : s->kind == OUTPUT ? 0.1 : 0;
}

/* The weights that make L of them. */
static inline const double *weights(const bench *b, const scalar *s) {
  static const double one = 1;
  if (s->kind == OUTPUT) { return &one; }
  return s->kind <= REACTION ? b->mu : b->lam;
}

/* Its change [entries] along coefficients d and coordinates; each NULL: held. */
static inline void along(bench *b, const scalar *s, const mbd_dparams *d, const double *dz, const double *dzd,
                         const double *dzdd, const double *dlam, double *out) {
  const motion_terms e = terms_of(b, s->kind);
  memset(out, 0, (size_t)entries(b, s) * sizeof *out);
  motion_along(b->w, d, dz, dzd, dzdd);
  switch (s->kind) {
    case RESIDUAL:
    case REST:
    case REACTION: motion_direction(b->w, &e, out, NULL, NULL, NULL); break;
    case PHI: motion_direction(b->w, &e, NULL, out, NULL, NULL); break;
    case PHID: motion_direction(b->w, &e, NULL, NULL, out, NULL); break;
    case PHIDD: motion_direction(b->w, &e, NULL, NULL, NULL, out); break;
    case OUTPUT: out[0] = output_direction(b->w, &b->o->item[s->output], b->lam, dlam); break;
  }
}

static inline void all_scalars(double (*check)(bench *b, const char *model, const scalar *s)) {
  static const scalar mechanics[] = {{RESIDUAL, "residual", 0},  {REST, "inertia at rest", 0},
                                     {REACTION, "reactions", 0}, {PHI, "Phi", 0},
                                     {PHID, "Phid", 0},          {PHIDD, "Phidd", 0}};
  double worst = 0;
  for (int k = 0; k < 3 * N_CASES; k++) {
    bench b = {0};
    if (!(test_long() && !test_slow()) && k % 3 != k / 3 % 3) { continue; } /* each model at one reference point */
    open_bench(&b, k / 3, (mbd_reference)(k % 3));
    for (size_t i = 0; i < sizeof mechanics / sizeof mechanics[0]; i++) {
      worst = fmax(worst, check(&b, cases[k / 3].model, &mechanics[i]));
    }
    for (int i = 0; i < b.o->n; i++) {
      const scalar s = {OUTPUT, b.o->item[i].name, i};
      worst = fmax(worst, check(&b, cases[k / 3].model, &s));
    }
    close_bench(&b);
  }
  mbd_output_info q;
  for (int i = 0; mbd_output_info_at(i, &q); i++) {
    const int whole = covered[i] && (covered_seen[i] || !strstr(q.name, "[@BODY]"));
    if (!whole) {
      printf(
          "\n  no model of tests/conformance/mechanism.h has the output %s: add an object that has it to a model in "
          "tests/conformance/models\n",
          q.name);
    }
    CU_ASSERT(whole);
  }
  printf("(largest difference %.2g) ", worst);
}

#endif
