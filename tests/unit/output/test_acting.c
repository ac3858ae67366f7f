/* Forces by expression: what cannot act is refused by name, and what is wrong with one is told, with its place. */
#include "element/arg.h"
#include "mbd/inverse.h"
#include "model.h"
#include "model/model.h"
#include "opened_run.h"

static const char *const pendulum =
    "schema = 1\n[model]\nname = pendulum\ngravity = 0, -9.81, 0\n[scalars]\nL = 1\nk = 2\n"
    "[body bob]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[point O]\nat.ground = 0, 0, 0\nat.bob = 0, L, 0\n"
    "[point P]\nat = 0, 0, 0\nbodies = bob\n[vector z]\nalong = 0, 0, 1\nbodies = ground, bob\n"
    "[joint J]\ntype = revolute\nbodies = ground, bob\npoint = O\naxis = z\n"
    "[force s]\ntype = spring\npoints = O@ground, P\nstiffness = 10\n[start]\nhold.J.angle = 0.5\n";

static mbd_status open_force(const char *sections, test_model *model, mbd_error *err) {
  static char text[8000];
  *model = (test_model){0};
  edit(text, sizeof text, pendulum, "", sections);
  MBD_TRY(read_model(text, &model->file, err));
  return mbd_model_create(mbo_model_file_spec(model->file), &model->m, err);
}

static void check_message(const char *sections, const char *message) {
  test_model model;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(open_force(sections, &model, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, message);
  model_close(&model);
}

static void check_accepted(const char *sections) {
  test_model model;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(open_force(sections, &model, &err), MBD_OK);
  model_close(&model);
}

/* A force on the joint with this value. */
static const char *on_joint(const char *value) {
  static char text[6000];
  snprintf(text, sizeof text, "[force f]\ntype = expression\ncoordinate = J.angle\nvalue = %s\n", value);
  return text;
}

static void test_keys(void) {
  check_message(
      "[force f]\ntype = expression\nvalue = k\n",
      ":32: [force f] its line of action is missing; expected one of the keys points, coordinate, coordinates, "
      "bodies (with axis) or point (with frame)");
  check_message("[force f]\ntype = expression\ncoordiante = J.angle\nvalue = k\n", "did you mean 'coordinate'");
  check_message("[force f]\ntype = expresion\ncoordinate = J.angle\nvalue = k\n", "did you mean 'expression'");
  check_message("[force f]\ntype = expression\ncoordinate = J.angle\n", "key 'value' is missing: the force");
  check_message("[force f]\ntype = expression\ncoordinate = J.angle\nvlaue = k\n", "'vlaue'");
  check_message("[force f]\ntype = expression\ncoordinate = J.angle\nvalue = k\nframe = bob\n", "'frame'");
  check_message("[force f]\ntype = expression\nbodies = ground, bob\nvalue = k\n", "key 'axis' is missing");
  check_message("[force f]\ntype = expression\npoint = P\nframe = ground\nvalue = k, 0\n", "2 expressions, expected 3");
  check_message("[force f]\ntype = expression\ncoordinate = J.angle\nvalue = k, 0\n", "2 expressions, expected 1");
  check_message("[force f]\ntype = coordinate_force\ncoordinate = J.angle\nforce = k*J.angle.rate\n",
                "'k*J.angle.rate' is no name of a curve; expected one, or, for a force that depends on the motion, "
                "[force NAME] with type = expression and value = EXPRESSION; a function of time is [curve NAME]");
  check_message("[force f]\ntype = coordinate_force\ncoordinate = J.angle\nforce = J.angle.rate\n",
                "force = J.angle.rate: the model has no curve 'J.angle.rate'; a force that depends on an output is a "
                "[force NAME] with type = expression");
}

/* The same of states of a run file, and of integral(...) in one. */
static void test_places_in_runs(void) {
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[case c]\nduration = 1\nstep = 0.1\n[design k]\nlower = 0\nupper = 1\n"
      "[state y]\nrate = k - y\n[objective o]\nof = y\nform = terminal\n";
  static const broken_case cases[] = {
      {"rate = k - y", "rate = k - z", "[state y] 'z' is no scalar, quantity or output"},
      {"rate = k - y", "rate = P.acceleration.x - y.rate", "state 'y': 'y.rate' is the rate of a state"},
      {"rate = k - y", "rate = J.angle.unprojected_rate", "state 'y': 'J.angle.unprojected_rate' is a term of a step"},
      {"rate = k - y", "start = 1", "[state y] key 'rate' is missing"},
      {"rate = k - y", "rate = k\nstart = kk", "[state y] start: "},
      {"[objective", "[quantity q]\nvalue = integral(y.rate)\n[objective",
       "state 'q.integral': 'y.rate' is the rate of a state"},
      {"[objective", "[quantity q]\nvalue = integral(s.power\n[objective",
       "[quantity q] expression 'integral(s.power'"}};
  check_broken_runs(pendulum, run, sizeof cases / sizeof cases[0], cases);
}

/* What the model cannot have is told with the place of the force or state. */
static void test_places(void) {
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[case c]\nduration = 1\nstep = 0.1\n[design k]\nlower = 0\nupper = 1\n"
      "[objective o]\nof = P.position.x\nform = terminal\n";
  static const struct {
    const char *section, *message;
  } rows[] = {{"[force f]\ntype = expression\ncoordinate = J.angle\nvalue = energy.kinetic\n",
               ":32: force 'f': 'energy.kinetic' depends on the whole mechanism"},
              {"[quantity q]\nvalue = 1\n[state y]\nrate = J.angle.force + y.rate\n",
               ":34: state 'y': 'y.rate' is the rate of a"},
              {"[quantity q]\nvalue = 1\n[quantity i]\nvalue = 2*integral(J.angle.unprojected_rate)\n",
               ":34: state 'i.integral': 'J.angle.unprojected_rate' is a term"},
              {"[state y]\nrate = P.acceleration.x\n[state x]\nrate = y - x\n[force f]\ntype = expression\n"
               "coordinate = J.angle\nvalue = k*x\n",
               ":36: force 'f': 'x' is a state that measures, which cannot act: in its rate 'P.acceleration.x' is an "
               "acceleration"},
              {"[state y]\nrate = x\n[state x]\nrate = y + w\n[state w]\nrate = P.acceleration.x\n[force f]\n"
               "type = expression\ncoordinate = J.angle\nvalue = k*y\n",
               "force 'f': 'y' is a state that measures, which cannot act: in its rate 'P.acceleration.x' is an "
               "acceleration"},
              {"[state P]\nrate = 1\n", ": the name 'P' is used for a state and for a point"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char model[4000], model_path[40], run_path[40];
    mbd_error err = {0};
    opened_run r = {0};
    edit(model, sizeof model, pendulum, "", rows[i].section);
    run_write_texts(model, run, model_path, run_path);
    must(mbo_run_config_read(run_path, 0, NULL, &r.config, &err), &err);
    CU_ASSERT_EQUAL(mechanism_create(r.config, &r.m, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, model_path);
    CHECK_CONTAINS(err.text, rows[i].message);
    run_close(&r);
    unlink(run_path), unlink(model_path);
  }
}

static void test_names(void) {
  check_message("[force f]\ntype = torsion_spring\ncoordinate = J.angle\nstiffness = 3*bob.pitch\n",
                ":35: [force f] stiffness = 3*bob.pitch: scalar 'bob.pitch' is not known; a force that depends on "
                "outputs is a [force NAME] with type = expression");
  check_message(on_joint("kk*J.angle"), ":35: [force f] value = kk*J.angle: 'kk' is no scalar, quantity or output");
  check_message(on_joint("P.positon.x"), "force 'f': output 'P.positon.x': point 'P' has no quantity 'positon'");
  check_message(on_joint("P.position"), "force 'f': output 'P.position' has 3 components, expected one of them");
  check_message(on_joint("sum(X*.position.x)"), "force 'f': no output matches 'X*.position.x'");
  check_message(on_joint("k*P.position.x + s.length*P.velocity.x + time"), "force 'f': '+' of ");
  check_message(on_joint("P.position.x"), "force 'f': its value is in m, expected N m");
  check_message(on_joint("3 + time"),
                "force 'f': its value is in s, expected N m (numbers and scalars may have any unit)");
}

static void test_what_cannot_act(void) {
  static const struct {
    const char *output, *why;
  } rows[] = {
      {"P.acceleration.x", "'P.acceleration.x' is an acceleration, which follows from the forces of the same instant"},
      {"J.angle.acceleration", "filtered it is (v - y)/T with its velocity v and [state y] rate = (v - y)/T"},
      {"J.reaction_force.x", "'J.reaction_force.x' is a reaction, which follows from the forces of the same instant"},
      {"J.angle.force", "'J.angle.force' is a reaction"},
      {"J.angle.unprojected_rate", "is a term of a step"},
      {"energy.kinetic", "'energy.kinetic' depends on the whole mechanism; expected quantities of positions and"},
      {"mechanism.com.x", "depends on the whole mechanism"},
      {"mechanism.shaking_force.x", "depends on the whole mechanism"},
  };
  char value[100];
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    snprintf(value, sizeof value, "k*%s", rows[i].output);
    check_message(on_joint(value), rows[i].why);
  }
  check_message(on_joint("J.angle.acceleration"), "force 'f': 'J.angle.acceleration' is an acceleration");
  check_message(
      "[quantity fast]\nvalue = 2*P.acceleration.x\n"
      "[force f]\ntype = expression\ncoordinate = J.angle\nvalue = k*fast\n",
      "force 'f': 'P.acceleration.x' is an acceleration");
  check_message(
      "[force f]\ntype = expression\ncoordinate = J.angle\nvalue = k*integral(energy.kinetic)\n",
      "force 'f': 'f.integral' is a state that measures, which cannot act: in its rate 'energy.kinetic' depends");
}

/* Turns are counted where they matter, and only there. */
static void check_turns(const char *value, int counted) {
  test_model model;
  mbd_error err = {0};
  must(open_force(on_joint(value), &model, &err), &err);
  CU_ASSERT_EQUAL(model.m->nturn, counted);
  model_close(&model);
}

static void test_turns(void) {
  check_turns("k*bob.yaw", 1);
  check_turns("k*sin(2*bob.yaw) - k*bob.angle.z", 2);
  check_turns("k*sin(bob.yaw - 0.3) + k*cos(-bob.yaw + bob.roll)*tan(bob.angle.z)", 0);
  check_turns("k*bob.pitch + 2*bob.yaw_rate + 3*J.angle + time*time*P.velocity.norm*2", 0);
}

/* A single instant does not know them. */
static void test_turns_of_inverse_dynamics(void) {
  test_model model;
  mbd_error err = {0};
  mbd_inverse *v;
  must(open_force(on_joint("k*bob.yaw"), &model, &err), &err);
  CU_ASSERT_EQUAL(mbd_inverse_create(model.m, MBD_RTDYN1, 0, &v, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "inverse dynamics: force 'f' counts the turns of an angle along a motion");
  model_close(&model);
}

static void test_circles(void) {
  check_message(on_joint("2*f.force"), "force 'f' depends on itself: f -> f");
  check_message(on_joint("k*f.power"), "force 'f' depends on itself: f -> f");
  check_message(
      "[force f]\ntype = expression\npoints = O@ground, P\nvalue = k*g.force\n"
      "[force g]\ntype = expression\npoints = O@ground, P\nvalue = f.power*k\n",
      "force 'f' depends on itself: f -> g -> f");
  check_message(
      "[force f]\ntype = expression\ncoordinate = J.angle\nvalue = k*g.force\n"
      "[force g]\ntype = expression\npoints = O@ground, P\nvalue = f.force*k\n",
      "force 'f' depends on itself: f -> g -> f");
  check_message(
      "[quantity w]\nvalue = 2*u + k\n[quantity u]\nvalue = k*s.length + k*g.force\n"
      "[force f]\ntype = expression\ncoordinate = J.angle\nvalue = k*J.angle + w\n"
      "[force g]\ntype = expression\npoints = O@ground, P\nvalue = f.force*k\n",
      "force 'f' depends on itself: f -> w -> u -> g -> f");
  check_accepted(
      "[force f]\ntype = expression\npoints = O@ground, P\nvalue = k*f.length + k*f.speed + g.force\n"
      "[force g]\ntype = expression\npoints = O@ground, P\nvalue = k*f.length + s.force\n");
}

/* Points, which are arguments: one more than there is room for. */
static void test_many_arguments(void) {
  static char text[6000];
  for (int n = ELEMENT_ARG_MAX - 1; n <= ELEMENT_ARG_MAX; n++) {
    size_t at = 0;
    for (int i = 0; i < n; i++) {
      at += (size_t)snprintf(text + at, sizeof text - at, "[point Q%d]\nat = %d, 0, 0\nbodies = bob\n", i, i);
    }
    snprintf(text + at, sizeof text - at, "%s", on_joint("k*sum(Q*.position.x)"));
    if (n < ELEMENT_ARG_MAX) {
      check_accepted(text);
    } else {
      check_message(text,
                    "force 'f': the quantities in its value depend on more than 24 points, vectors, rotations and "
                    "coordinates; expected fewer, as in several forces along the same line, which add up");
    }
  }
}

/* A square root of what becomes negative: the run says which force it is. */
static void test_not_finite(void) {
  test_model model;
  mbd_error err = {0};
  mbd_sim *s;
  const mbd_case c = case_lasting(0.2, 1e-2);
  must(open_force(on_joint("k*sqrt(0.055 - time)"), &model, &err), &err);
  must(mbd_params_create(model.m, NULL, &model.p, &err), &err);
  must(mbd_outputs_create(model.m, &model.o, &err), &err);
  must(mbd_sim_create(model.m, &c, model.o, 0, NULL, 0, 0, &s, &err), &err);
  CU_ASSERT(mbd_sim_run(s, model.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, &err) > 0);
  CHECK_CONTAINS(err.text, "user force 'f' (by expression) is not a finite number at finite arguments: ");
  mbd_sim_destroy(s);
  model_close(&model);
}

TEST_MAIN(TEST(test_keys), TEST(test_places), TEST(test_places_in_runs), TEST(test_names), TEST(test_what_cannot_act),
          TEST(test_turns), TEST(test_turns_of_inverse_dynamics), TEST(test_circles), TEST(test_many_arguments),
          TEST(test_not_finite))
