/* Derived quantities: what is wrong with one is told, with its place; and in run files they stand where outputs do. */
#include "model.h"
#include "opened_run.h"

static const char *const pendulum =
    "schema = 1\n[model]\nname = pendulum\ngravity = 0, -9.81, 0\n[scalars]\nL = 1\nk = 2\n"
    "[body bob]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[point O]\nat.ground = 0, 0, 0\nat.bob = 0, L, 0\n"
    "[point P]\nat = 0, 0, 0\nbodies = bob\n[vector z]\nalong = 0, 0, 1\nbodies = ground, bob\n"
    "[joint J]\ntype = revolute\nbodies = ground, bob\npoint = O\naxis = z\n"
    "[force s]\ntype = spring\npoints = O@ground, P\nstiffness = 10\n[start]\nhold.J.angle = 0.5\n";

/* ---- messages ---- */

/* The model with these sections besides, and its quantity q as an output. */
static mbd_status open_quantity(const char *sections, test_model *model, int *first, mbd_error *err) {
  char text[4000];
  int count;
  *model = (test_model){0};
  edit(text, sizeof text, pendulum, "", sections);
  MBD_TRY(read_model(text, &model->file, err));
  MBD_TRY(mbd_model_create(mbo_model_file_spec(model->file), &model->m, err));
  MBD_TRY(mbd_outputs_create(model->m, &model->o, err));
  return mbd_outputs_add(model->o, "q", first, &count, err);
}

static void check_message(const char *sections, const char *message) {
  test_model model;
  mbd_error err = {0};
  int first;
  CU_ASSERT_EQUAL(open_quantity(sections, &model, &first, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, message);
  model_close(&model);
}

static void test_names(void) {
  check_message("[quantity q]\n", ":32: [quantity q] key 'value' is missing: an expression of outputs");
  check_message("[quantity q]\nvalue = kk*P.position.x\n",
                "'kk' is no scalar, quantity or output (OBJECT.QUANTITY; 'time' is the time), did you mean 'k'?");
  check_message("[quantity q]\nvalue = 2*P.positon.x\n",
                "quantity 'q': output 'P.positon.x': point 'P' has no quantity 'positon'");
  check_message("[quantity q]\nvalue = P.position\n",
                "quantity 'q': output 'P.position' has 3 components, expected one of them: 'P.position.x'");
  check_message("[quantity q]\nvalue = J.angel\n", "joint 'J' has no quantity 'angel', did you mean 'J.angle'?");
  check_message("[quantity q]\nvalue = sum(X*.position.x)\n", "quantity 'q': no output matches 'X*.position.x'");
  check_message("[quantity q]\nvalue = sinus(time)\n",
                "column 1: found 'sinus(time)', expected a function, did you mean");
  check_message("[quantity q]\nvalue = 1\n[quantity q]\nvalue = 2\n", "[quantity q]");
  check_message("[quantity k]\nvalue = 1\n[quantity q]\nvalue = k\n",
                "'k' is a scalar and a quantity, state or coordinate");
  check_message("[quantity q]\nvalue = P.position.x\nunti = m\n", "'unti'");
}

/* A joint that is found, as expressions name it: in the model, in a part, and where '-' stands for a minus. */
static const char *const two_links =
    "schema = 1\n[body up]\nmass = 1\ncom = 0.5, 0, 0\ninertia = 0, 0, 1\n"
    "[body low_arm]\nmass = 1\ncom = 1.5, 0, 0\ninertia = 0, 0, 1\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, up\n[point Q]\nat = 1, 0, 0\nbodies = up, low_arm\n"
    "[vector z]\nalong = 0, 0, 1\nbodies = ground, up, low_arm\n"
    "[force s]\ntype = torsion_spring\ncoordinate = up_low_arm.angle\nstiffness = 3\n"
    "[quantity q]\nvalue = 2*ground_up.angle*up_low_arm.angle.rate\n"
    "[start]\nhold.ground_up.angle = 0.3\nrate.ground_up.angle = 1\nhold.up-low_arm.angle = -0.2\n"
    "rate.up-low_arm.angle = 2\n";

static void test_found_joints(void) {
  static const char *const in_model[] = {"q",
                                         "ground-up.angle",
                                         "up-low_arm.angle.rate",
                                         "ground_up.reaction_force.x",
                                         "ground-up.reaction_force.x",
                                         "ground_up.angle"};
  static const char *const in_part[] = {"p.q", "ground-p.up.angle", "p.up-p.low_arm.angle.rate",
                                        "p.up_p.low_arm.angle.rate"};
  double y[6];
  test_model q = model_open_text(two_links);
  model_outputs_at_end(&q, 6, in_model, 0.1, 0.01, y, NULL);
  CU_ASSERT(y[1] > 0.35 && fabs(y[2]) > 1 && fabs(y[3]) > 0.1);
  CHECK_CLOSE("quantity", y[0], 2 * y[1] * y[2], 1e-14);
  CHECK_CLOSE("reaction", y[3], y[4], 0);
  CHECK_CLOSE("coordinate", y[5], y[1], 0);
  model_close(&q);
  char path[] = "/tmp/mbopt_part_XXXXXX", text[200];
  write_file(path, two_links);
  snprintf(text, sizeof text, "schema = 1\n[part p]\nfile = %s\n", path);
  q = model_open_text(text);
  unlink(path);
  double of_part[4];
  model_outputs_at_end(&q, 4, in_part, 0.1, 0.01, of_part, NULL);
  CHECK_CLOSE("quantity of a part", of_part[0], y[0], 1e-12);
  CHECK_CLOSE("its coordinate", of_part[1], y[1], 1e-12);
  CHECK_CLOSE("its rate", of_part[3], of_part[2], 0);
  model_close(&q);
  /* '-' is a minus. */
  char changed[2000];
  mbd_error err = {0};
  mbo_model_file *file;
  edit(changed, sizeof changed, two_links, "2*ground_up.angle", "2*ground-up.angle");
  CU_ASSERT_EQUAL(read_model(changed, &file, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "'ground' is a body, expected a number; expressions have '_' for the '-'");
  edit(changed, sizeof changed, two_links, "[body up]", "[scalars]\nground = 1\n[body up]");
  edit(text, sizeof text, "[quantity r]\nvalue = ground-up.angle\n", "", "");
  CU_ASSERT_EQUAL(model_compile(changed, text, &err), MBD_OK);
  q = model_open_parts(changed, text);
  int first, count;
  CU_ASSERT_EQUAL(mbd_outputs_add(q.o, "r", &first, &count, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text,
                 "body 'up' has no quantity 'angle', did you mean 'ground_up.angle', as expressions have "
                 "'ground-up.angle'? Else expected one of");
  model_close(&q);
}

static void test_circles(void) {
  check_message("[quantity q]\nvalue = sum(q*)\n", "quantity 'q' depends on itself: q -> q");
  check_message("[quantity q]\nvalue = 2*q\n", "quantity 'q' depends on itself: q -> q");
  check_message(
      "[quantity a]\nvalue = b + 1\n[quantity b]\nvalue = P.position.x*c\n[quantity c]\nvalue = a\n[quantity q]\nvalue "
      "= a\n",
      "quantity 'a' depends on itself: a -> b -> c -> a");
}

static void test_units(void) {
  check_message("[quantity q]\nvalue = P.position.x + P.velocity.x\nunit = m\n",
                "quantity 'q': '+' of m and m s^-1, expected the same units on both sides");
  check_message("[quantity q]\nvalue = s.force*P.velocity.x\nunit = kN\n",
                "quantity 'q': its value is in m^2 kg s^-3, expected unit = kN, which is m kg s^-2");
  check_message(
      "[quantity q]\nvalue = sin(P.position.x)\nunit = -\n",
      "quantity 'q': 'sin' of m, expected no unit; a factor that is a number or a scalar may have the missing");
  check_message("[quantity q]\nvalue = 0.5*exp(time)\nunit = m\n", "'exp' of s, expected no unit");
  check_message("[quantity q]\nvalue = 0.5*P.position.x + 3*time\nunit = m\n", "'+' of m and s");
  check_message("[quantity q]\nvalue = bob.angle.z\nunit = m\n", "its value is in no unit, expected unit = m");
  check_message("[quantity a]\nvalue = k*P.position.x\nunit = deg\n[quantity q]\nvalue = a + P.position.x\nunit = m\n",
                "'+' of no unit and m");
}

/* ---- in a run ---- */

static const char *const right[] = {"value = bob.angle.z*180/pi\nunit = deg",
                                    "value = sqrt(2*k*P.position.x*L)*time\nunit = m s",
                                    "value = k*P.position.x + s.length\nunit = mm",
                                    "value = s.force*s.length\nunit = J",
                                    "value = hypot(P.velocity.x, 3)\nunit = m/s",
                                    "value = P.position.x\nunit = EUR",
                                    "value = atan2(P.position.x, L)*time^2\nunit = s^2",
                                    "value = -k^2*P.position.x\nunit = m/s^2",
                                    "value = 0 - k^2*P.position.x\nunit = m/s^2",
                                    "value = (k + 1)*P.position.x\nunit = m/s^2",
                                    "value = 0.05*sin(2*pi*0.6*time + 0.3) + P.position.x\nunit = m",
                                    "value = L*exp(-3*time)*cos(P.position.x/2)\nunit = N",
                                    "value = 2 - 0.5*tan(bob.angle.z)\nunit = N m"};

static void test_units_that_fit(void) {
  for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
    char section[200];
    test_model model;
    mbd_error err = {0};
    int first;
    snprintf(section, sizeof section, "[quantity q]\n%s\n", right[i]);
    must(open_quantity(section, &model, &first, &err), &err);
    CU_ASSERT_EQUAL(mbd_outputs_count(model.o), 1);
    CU_ASSERT_STRING_EQUAL(mbd_outputs_unit(model.o, first), strstr(right[i], "unit = ") + 7);
    model_close(&model);
  }
}

/* Objectives on quantities of the run file: direct, adjoint and complex step agree, and the quantity has its value. */
static void test_objectives(void) {
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[quantity swing]\nvalue = bob.angle.z*180/pi\nunit = deg\n"
      "[quantity odd]\nvalue = swing^2/100*L + k*P.acceleration.y - s.force*time\n[design L]\nstart = 1.3\n[design k]\n"
      "[case c]\nduration = 0.5\nstep = 0.01\n[objective o]\nof = odd\nform = integral_square\ntarget = 0.1\n"
      "[objective p]\nof = swing\nform = terminal\n";
  static const char *const methods[] = {"direct", "discrete_adjoint", "complex_step"};
  mbd_error err = {0};
  double rho[] = {1.3, 2}, psi[3], grad[3][2];
  opened_run r = run_open_texts(pendulum, run, 0, NULL);
  for (int i = 0; i < 3; i++) {
    must(mechanism_evaluate(r.m, rho, methods[i], &err), &err);
    psi[i] = r.m->psi[0];
    memcpy(grad[i], r.m->grad, sizeof grad[i]);
    CU_ASSERT(test_close("odd", psi[i], psi[0], 1e-13));
    for (int j = 0; j < 2; j++) {
      CU_ASSERT(fabs(grad[i][j]) > 1e-2);
      CU_ASSERT(test_close(methods[i], grad[i][j], grad[0][j], 1e-9));
    }
  }
  CU_ASSERT(fabs(r.m->psi[1]) > 1 && fabs(r.m->psi[1]) < 30); /* degrees of a swing from 0.5 rad */
  run_close(&r);
}

TEST_MAIN(TEST(test_names), TEST(test_found_joints), TEST(test_circles), TEST(test_units), TEST(test_units_that_fit),
          TEST(test_objectives))
