/* A point that several bodies carry: its name alone is enough where joints or constraints keep it together, and asked about where
 * they do not. */
#include "model.h"

#define BODY(name) "[body " name "]\nmass = 1\ncom = 0.5, 0, 0\ninertia = 0, 0, 0.1\n"
/* O: a revolute joint and a slider; P: two bars of a chain; T: on a crank and on a rod that a constraint fixes there. */
static const char model[] =
    "schema = 1\n[model]\njoints = named\n" BODY("crank") BODY("bar") BODY("slider") BODY("rod")
    "[point O]\nat = 0, 0, 0\nbodies = ground, crank, slider\n[point P]\nat = 1, 0, 0\nbodies = crank, bar\n"
    "[point T]\nat = 2, 0, 0\nbodies = bar, rod\n[point F]\nat = 3, 0, 0\nbodies = rod, slider\n"
    "[vector n]\nalong = 0, 0, 1\nbodies = ground, crank, bar, slider, rod\n"
    "[joint J1]\ntype = revolute\nbodies = ground, crank\npoint = O\naxis = n\n"
    "[joint J2]\ntype = revolute\nbodies = crank, bar\npoint = P\naxis = n\n"
    "[joint S]\ntype = prismatic\nbodies = ground, slider\npoint = O\naxis = n\n"
    "[joint R]\ntype = floating\nbodies = ground, rod\n"
    "[constraint meet]\ntype = coincident\npoints = T@bar, T@rod\n";

static void test_outputs(void) {
  static const char *const known[] = {"P.position", "P.velocity.x", "T.acceleration", "O@ground.position",
                                      "O@slider.velocity"};
  static const char *const asked[][2] = {
      {"O.position",
       "point 'O' is on the bodies 'ground' and 'slider', which may move it apart; expected 'O@ground' or 'O@slider'"},
      {"F.velocity.norm", "output 'F.velocity.norm': point 'F' is on the bodies 'rod' and 'slider'"}};
  test_model q = model_open_text(model);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) { CU_ASSERT(model_output(&q, known[i]) >= 0); }
  for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
    int first, count;
    mbd_error err = {0};
    CU_ASSERT_EQUAL(mbd_outputs_add(q.o, asked[i][0], &first, &count, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, asked[i][1]);
  }
  model_close(&q);
}

static void test_start(void) {
  mbd_error err = {0};
  CU_ASSERT_EQUAL(model_compile(model, "[start]\nhold.O@slider.z = 0\nhold.P.y = 0\n", &err), MBD_OK);
  CU_ASSERT_EQUAL(model_compile(model, "[start]\nhold.O.z = 0\n", &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "held quantity 'O.z': point 'O' is on the bodies 'ground' and 'slider'");
}

#define FOLLOWER(along)                                                                  \
  "[curve c]\ntype = polynomial\ncoefficients = 1\n[force f]\npoint = P\nalong = " along \
  "\ntype = follower_force\nforce = c\n"

/* What forces and constraints act on: asked about only where the bodies differ. */
static void test_elements(void) {
  static const char *const known[] = {"[force f]\ntype = spring\npoints = P, O@ground\nstiffness = 1\n",
                                      "[force f]\ntype = spring\npoints = T, O@slider\nstiffness = 1\n",
                                      FOLLOWER("n@bar"),
                                      "[constraint k]\ntype = distance\npoints = P, O@slider\ndistance = 2\n"};
  static const char *const asked[][2] = {
      {"[force f]\ntype = spring\npoints = P, O\nstiffness = 1\n",
       "force 'f': point 'O' is on the bodies 'ground' and 'slider', which may move it apart; expected 'O@ground' or "
       "'O@slider'"},
      {"[constraint k]\ntype = distance\npoints = F, P\ndistance = 2\n",
       "constraint 'k': point 'F' is on the bodies 'rod' and 'slider'"},
      {"[vector m]\nalong = 1, 0, 0\nbodies = crank, bar\n" FOLLOWER("m"),
       "force 'f': vector 'm' is on the bodies 'crank' and 'bar', which may turn it apart; expected 'm@crank' or "
       "'m@bar'"},
      {"[vector m]\nalong = 1, 0, 0\nbodies = crank, bar, rod\n"
       "[force f]\ntype = bushing\npoints = P, F@rod\naxes = n, m\nstiffness = 1, 1, 1\n",
       "force 'f': point 'P' is on the bodies 'crank' and 'bar', and the element turns with one of them; expected "
       "'P@crank' "
       "or 'P@bar'"}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    mbd_error err = {0};
    CU_ASSERT_EQUAL(model_compile(model, known[i], &err), MBD_OK);
    if (err.text[0]) { printf("\n  %s\n", err.text); }
  }
  for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
    mbd_error err = {0};
    CU_ASSERT_EQUAL(model_compile(model, asked[i][0], &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, asked[i][1]);
  }
}

/* A spring pulls at the hinge of two bars, on the upper or on the lower one: the same motion, by hand at the start: both bars (2 kg and
 * 1 kg, 1 m) hang straight down without gravity, the hinge is pulled sideways by 6 N. With the angles a, b of the bars,
 *   (J1 + m2) a'' + m2/2 b'' = 6,     m2/2 a'' + J2 b'' = 0,     J1 = 2/3, J2 = 1/3 */
static void test_same_motion(void) {
  static const char *const on[] = {"E@upper", "E@lower"};
  const double det = (2.0 / 3 + 1) / 3 - 0.25, a = 6.0 / 3 / det, b = -6 * 0.5 / det;
  for (int i = 0; i < 2; i++) {
    static const char *const name[] = {"E@upper.acceleration.x", "T.acceleration.x"};
    char text[2000];
    double y[2];
    snprintf(text, sizeof text,
             "schema = 1\n[model]\njoints = named\n[body upper]\nmass = 2\ncom = 0, 0, -0.5\ninertia = 0, 2/12, 0\n"
             "[body lower]\nmass = 1\ncom = 0, 0, -1.5\ninertia = 0, 1/12, 0\n"
             "[point O]\nat = 0, 0, 0\nbodies = ground, upper\n[point E]\nat = 0, 0, -1\nbodies = upper, lower\n"
             "[point T]\nat = 0, 0, -2\nbodies = lower\n[point W]\nat.ground = 3, 0, -1\n"
             "[vector y]\nalong = 0, 1, 0\nbodies = ground, upper, lower\n"
             "[joint J1]\ntype = revolute\nbodies = ground, upper\npoint = O\naxis = y\n"
             "[joint J2]\ntype = revolute\nbodies = upper, lower\npoint = E\naxis = y\n"
             "[force s]\ntype = spring\npoints = W, %s\nstiffness = 3\nfree_length = 1\n",
             on[i]);
    test_model q = model_open_text(text);
    model_outputs_at_end(&q, 2, name, 1e-7, 1e-7, y, NULL);
    CHECK_CLOSE("hinge", y[0], a, 1e-5);
    CHECK_CLOSE("tip", y[1], a + b, 1e-5);
    model_close(&q);
  }
}

TEST_MAIN(TEST(test_outputs), TEST(test_start), TEST(test_elements), TEST(test_same_motion))
