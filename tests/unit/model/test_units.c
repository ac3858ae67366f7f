/* Units that follow from the model. Those of multipliers are held against the equations: how does Phi grow when all lengths
 * are doubled? Those of added coordinates, of forces on coordinates and the names of their outputs on models. */
#include "base/v3.h"
#include "constraint/constraint.h"
#include "model.h"

/* ---- the multipliers of every constraint in the table ---- */

static int is_length(const char *unit) {
  return strcmp(unit, "m") == 0;
}

static int coordinate_is_length(const mbd_constraint_ops *q, int a) {
  const char *unit = q->arg_unit[a] ? q->arg_unit[a] : q->coordinate_unit;
  return !unit || is_length(unit);
}

/* Psi = A xd + b of velocities. */
static void psi_at(const mbd_constraint_ops *q, const mbd_element_input *in, mbd_real *psi) {
  mbd_real A[MBD_ROW_MAX][CONSTRAINT_ARG_MAX][3] = {{{0}}}, b[MBD_ROW_MAX] = {0}, bd[MBD_ROW_MAX] = {0};
  q->phi_x(in, A);
  if (q->phi_t) { q->phi_t(in, b, bd); }
  for (int r = 0; r < q->nphi; r++) {
    psi[r] = b[r];
    for (int a = 0; a < q->narg; a++) { psi[r] += v3_dot(A[r][a], in->s->xd[a]); }
  }
}

/* Phi (Psi of velocities) of any state, whose lengths are `factor` times as long. Coordinates without a unit of their own are lengths. */
static void phi_at(const mbd_constraint_ops *q, double factor, mbd_real *phi) {
  mbd_arg_state s = {0};
  mbd_real c[8] = {0}, own[8], level, none[1] = {0};
  int n = 0;
  for (int a = 0; a < q->narg; a++) {
    const int grows = q->arg[a].kind == MBD_ARG_POINT ||
                      (q->arg[a].kind == MBD_ARG_COORDINATE && q->nphi == 1 && coordinate_is_length(q, a));
    for (int k = 0; k < 3; k++) {
      s.x[a][k] = (0.3 + 0.7 * a + 0.2 * k * k) * (grows ? factor : 1);
      s.xd[a][k] = (0.8 - 0.3 * a + 0.1 * k) * (grows ? factor : 1);
    }
  }
  for (const mbd_coef_info *k = q->info.coefs; k->key; k++) { c[n++] = 0.6 * (is_length(k->unit) ? factor : 1); }
  for (int k = 0; k < 8; k++) { own[k] = 0.1; }
  level = 0.6 * factor; /* of a curve: a distance or a coordinate */
  const mbd_curve constant = {.ops = mbd_curve_find("polynomial"), .nc = 1};
  const mbd_element_input in = {.s = &s,
                                .c = c,
                                .curve = {&constant, &constant, &constant},
                                .theta = &level,
                                .aux = none,
                                .prepared = own,
                                .variant = q->variant};
  if (q->velocity) {
    psi_at(q, &in, phi);
  } else {
    q->phi(&in, phi);
  }
}

static void test_multipliers(void) {
  for (int i = 0; mbd_constraint_at(i); i++) {
    const mbd_constraint_ops *q = mbd_constraint_at(i);
    const char *const by_power[] = {"N m", "N", "N/m"}, *unit = q->lam_unit ? q->lam_unit : "N";
    mbd_real one[MBD_ROW_MAX], two[MBD_ROW_MAX], four[MBD_ROW_MAX];
    if (q->hold) { continue; }                                 /* acts on the start alone: it has no multiplier */
    if (strcmp(q->info.name, "expression") == 0) { continue; } /* which has the units of its outputs */
    if (strcmp(q->info.name, "unit_norm") == 0) {
      CU_ASSERT_STRING_EQUAL(unit, "J");
      continue;
    }
    phi_at(q, 1, one), phi_at(q, 2, two), phi_at(q, 4, four);
    for (int r = 0; r < q->nphi; r++) { /* a power of the lengths alone: what the constant part adds falls out */
      const double power = log2((four[r] - two[r]) / (two[r] - one[r]));
      const int fixed = two[r] == one[r];
      CU_ASSERT(fixed || fabs(power - round(power)) < 1e-12);
      CU_ASSERT_FATAL(fixed || (power > 0.5 && power < 2.5));
      if (strcmp(unit, by_power[fixed ? 0 : (int)round(power)]) != 0) {
        printf("\n  %s: [%s], expected [%s]\n", q->info.name, unit, by_power[fixed ? 0 : (int)round(power)]);
        CU_FAIL("unit of a multiplier");
      }
    }
  }
}

/* ---- models ---- */

/* A plane chain of two bars and a slider; coordinates are added in an order in which a sum comes before its parts. */
#define BODY(name) "[body " name "]\nmass = 1\ncom = 0.5, 0, 0\ninertia = 0, 0, 0.1\n"
#define CHAIN \
  "schema = 1\n[model]\njoints = named\n" BODY("a") BODY("b") BODY("c")                                              \
  "[point O]\nat = 0, 0, 0\nbodies = ground, a, c\n[point P]\nat = 1, 0, 0\nbodies = a, b\n"                         \
  "[point Q]\nat = 2, 0, 0\nbodies = b\n[vector n]\nalong = 0, 0, 1\nbodies = ground, a, b, c\n"                     \
  "[vector x]\nalong = 1, 0, 0\nbodies = ground\n"                                                                   \
  "[joint J1]\ntype = revolute\nbodies = ground, a\npoint = O\naxis = n\n"                                           \
  "[joint J2]\ntype = revolute\nbodies = a, b\npoint = P\naxis = n\n"                                                \
  "[joint S]\ntype = prismatic\nbodies = ground, c\npoint = O\naxis = n\n"                                           \
  "[coordinate more]\nguess = 0\n[coordinate absolute]\nguess = 0\n[coordinate length]\nguess = 2\n"                 \
  "[coordinate place]\nguess = 2\n[coordinate nothing]\nguess = 0\n"                                                 \
  "[constraint more_is]\ntype = sum_coordinate\ncoordinates = absolute, J1.angle\ncoordinate = more\n"               \
  "[constraint sum]\ntype = sum_coordinate\ncoordinates = J1.angle, J2.angle\ncoordinate = absolute\n"               \
  "[constraint length_is]\ntype = distance_coordinate\npoints = O@ground, Q\ncoordinate = length\n"                  \
  "[constraint place_is]\ntype = displacement_coordinate\npoints = O@ground, Q\nalong = x\ncoordinate = place\n"     \
  "[curve zero]\ntype = polynomial\ncoefficients = 0\n"                                                              \
  "[constraint drive]\ntype = driven_coordinate\ncoordinate = J2.angle\nmotion = zero\n"                             \
  "[constraint shift]\ntype = driven_coordinate\ncoordinate = S.distance\nmotion = zero\n"                       \
  "[constraint meet]\ntype = coincident\npoints = P@a, P@b\n"                                                        \
  "[force turn]\ntype = torsion_spring\ncoordinate = J1.angle\n"                                                     \
  "[force push]\ntype = torsion_spring\ncoordinate = S.distance\n"                                               \
  "[force bar]\ntype = anti_roll_bar\ncoordinates = length, place\n"                                                 \
  "[force motor]\ntype = coordinate_force\ncoordinate = absolute\nforce = zero\n"

static void test_units(void) {
  static const struct {
    const char *output, *unit;
  } expected[] = {{"J1.angle", "rad"},
                  {"absolute", "rad"},
                  {"absolute.rate", "rad/s"},
                  {"more", "rad"},
                  {"more.acceleration", "rad/s^2"},
                  {"length", "m"},
                  {"place.rate", "m/s"},
                  {"nothing", "-"},
                  {"nothing.rate", "1/s"},
                  {"S.distance", "m"},
                  {"sum.multiplier", "N m"},
                  {"more_is.multiplier", "N m"},
                  {"length_is.multiplier", "N/m"},
                  {"place_is.multiplier", "N"},
                  {"drive.multiplier", "N m"},
                  {"shift.multiplier", "N"},
                  {"meet.multiplier.y", "N"},
                  {"meet.multiplier.norm", "N"},
                  {"turn.force", "N m"},
                  {"push.force", "N"},
                  {"bar.force", "N"},
                  {"motor.force", "N m"}};
  test_model q = model_open_text(CHAIN);
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    const int k = model_output(&q, expected[i].output);
    CU_ASSERT_STRING_EQUAL(mbd_outputs_unit(q.o, k), expected[i].unit);
    CU_ASSERT_STRING_EQUAL(mbd_outputs_name(q.o, k), expected[i].output);
    if (strcmp(mbd_outputs_unit(q.o, k), expected[i].unit) != 0) { printf("\n  %s\n", expected[i].output); }
  }
  for (int row = 0; row < mbd_model_nphi(q.m); row++) { /* the same by equation */
    char name[200];
    snprintf(name, sizeof name, "%s", mbd_model_phi_name(q.m, row));
    if (strcmp(name, "length_is") == 0) { CU_ASSERT_STRING_EQUAL(mbd_model_lam_unit(q.m, row), "N/m"); }
    if (strcmp(name, "meet.z") == 0) { CU_ASSERT_STRING_EQUAL(mbd_model_lam_unit(q.m, row), "N"); }
  }
  model_close(&q);
}

/* Angles and lengths are not added. */
static void test_mixed(void) {
  static const char *const mixed[][2] = {
      {"[constraint mixed]\ntype = sum_coordinate\ncoordinates = J1.angle, length\ncoordinate = nothing\n",
       "constraint 'mixed': coordinate 'length' is in m, expected rad"},
      {"[constraint mixed]\ntype = distance_coordinate\npoints = O@ground, Q\ncoordinate = absolute\n",
       "constraint 'mixed': coordinate 'absolute' is in rad, expected m"},
      {"[force mixed]\ntype = anti_roll_bar\ncoordinates = J1.angle, length\n",
       "force 'mixed': coordinate 'length' is in m, expected rad"}};
  for (size_t i = 0; i < sizeof mixed / sizeof mixed[0]; i++) {
    mbd_error err = {0};
    CU_ASSERT_EQUAL(model_compile(CHAIN, mixed[i][0], &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, mixed[i][1]);
  }
}

/* ---- outputs that are no quantity, and those that are there twice ---- */

static void test_refused(void) {
  static const char *const refused[][2] = {
      {"length_is.multiplier.z", "constraint 'length_is' is one equation, expected 'length_is.multiplier'"},
      {"length_is.multiplier.sum", "no point, body, force, constraint or coordinate is called 'length_is.multiplier'"},
      {"turn.force.x", "'turn.force' is one number, expected no component"},
      {"turn.power.norm", "'turn.power' is one number, expected no component"},
      {"energy.total.x", "'energy.total' is one number, expected no component"}};
  test_model q = model_open_text(CHAIN);
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    int first, count;
    mbd_error err = {0};
    CU_ASSERT_EQUAL(mbd_outputs_add(q.o, refused[i][0], &first, &count, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, refused[i][1]);
  }
  CU_ASSERT_EQUAL(mbd_outputs_count(q.o), 0);
  model_close(&q);
}

static void test_repeated(void) {
  static const char *const names[] = {"Q.position.y",   "Q.position",       "meet.multiplier",      "meet.multiplier.z",
                                      "sum.multiplier", "sum.multiplier.x", "meet.multiplier.norm", "meet.multiplier"};
  test_model q = model_open_text(CHAIN);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) { model_output(&q, names[i]); }
  CU_ASSERT_EQUAL(mbd_outputs_count(q.o), 9); /* y, x y z, three multipliers, one, the norm of three */
  for (int i = 0; i < mbd_outputs_count(q.o); i++) {
    CU_ASSERT_EQUAL(mbd_outputs_is_repeated(q.o, i), i == 2);
    CU_ASSERT_EQUAL(mbd_outputs_multiplier(q.o, i) >= 0, i >= 4 && i <= 7);
    CU_ASSERT_EQUAL(mbd_outputs_coordinate(q.o, i), -1);
  }
  CU_ASSERT_STRING_EQUAL(mbd_model_phi_name(q.m, mbd_outputs_multiplier(q.o, 7)), "sum");
  const int rate = model_output(&q, "absolute.rate");
  CU_ASSERT_STRING_EQUAL(mbd_model_z_name(q.m, mbd_outputs_coordinate(q.o, rate)), "absolute");
  model_close(&q);
}

TEST_MAIN(TEST(test_multipliers), TEST(test_units), TEST(test_mixed), TEST(test_refused), TEST(test_repeated))
