/* Parts in motion: an arm without any symmetry beside its mirror image, the same image made otherwise, and the arm turned about the
 * vertical (tests/conformance/models/mirrored.ini), and likewise flexible bodies (bending.ini): motions and gradients are the images of each
 * other. */
#include "edited.h"
#include "model.h"
#include "opened_run.h"

enum { N = 4, OF_PART = 8, N_PARTS = 4, NC = OF_PART * N_PARTS };

/* l of the left arm and of its image, what all share, and the place of left and right: at = 0.1, y, 1 and 0.1, -y, 1. */
static const char head[] =
    "schema = 1\n"
    "[model]\n"
    "file = " MBOPT_SOURCE_DIR
    "/tests/conformance/models/%s.ini\n"
    "[design left]\nscalar = l_left\nlower = 0.1\n"
    "[design right]\nscalar = right.l\nlower = 0.1\n"
    "[design k]\n"
    "[design y]\n"
    "[case fall]\n"
    "duration = 0.2\n"
    "step = 2e-3\n"
    "[objective one]\n"
    "of = left.S.position.x\n"
    "form = terminal\n";
static const char *const parts[N_PARTS] = {"left", "right", "again", "turned"};
/* A model, outputs of its parts, and their signs in the image of a reflection of y. The first three are the place of S. */
typedef struct imaged {
  const char *model, *of[OF_PART];
  int sign[OF_PART];
} imaged;
static const imaged models[] = {{"mirrored",
                                 {"S.position.x", "S.position.y", "S.position.z", "W.velocity.y", "d", "plunger.angle",
                                  "cross.angle1", "plunger.distance"},
                                 {1, -1, 1, -1, 1, -1, 1, 1}},
                                {"bending",
                                 {"S.position.x", "S.position.y", "S.position.z", "V.velocity.y", "rod.side2",
                                  "rod.twist1", "rod.mid.deflection_side", "vane.twist"},
                                 {1, -1, 1, -1, 1, 1, 1, 1}}};

typedef struct results {
  double c[NC], jac[NC * N], g[N];
} results;

static void evaluate(const imaged *of, const char *method, results *q) {
  char path[] = "/tmp/mbopt_run_XXXXXX", text[8000], set[64];
  size_t n = (size_t)snprintf(text, sizeof text, head, of->model);
  for (int i = 0; i < NC; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "[constraint c%d]\nof = %s.%s\nform = terminal\nupper = 100\n", i,
                          parts[i / OF_PART], of->of[i % OF_PART]);
  }
  CU_ASSERT_FATAL(n < sizeof text);
  write_file(path, text);
  snprintf(set, sizeof set, "gradient.method=%s", method);
  const char *const sets[] = {set};
  opened_run r = run_read(path, 1, sets);
  mbo_problem p;
  mbo_eval v = {.c = q->c, .jac = q->jac, .g = q->g};
  mechanism_problem(r.m, &p);
  CU_ASSERT_FATAL(p.n == N && p.nc == NC);
  run_evaluate(&p, r.m->start, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT, &v);
  run_close(&r);
  unlink(path);
}

enum { LEFT, RIGHT, K, Y };

static void check_images(const imaged *m, const results *q, const char *method) {
  const char *const *of = m->of;
  printf("\n  %s, %s", m->model, method);
  for (int i = 0; i < OF_PART; i++) {
    const int right = OF_PART + i, again = 2 * OF_PART + i;
    const double *jl = q->jac + i * N, *jr = q->jac + right * N, *ja = q->jac + again * N, s = m->sign[i];
    CHECK_CLOSE(of[i], q->c[right], s * q->c[i], 1e-12);
    CHECK_CLOSE(of[i], q->c[again], q->c[right], 1e-12);
    CHECK_CLOSE(of[i], jr[RIGHT], s * jl[LEFT], 1e-9);
    CHECK_CLOSE(of[i], jr[K], s * jl[K], 1e-10);
    CHECK_CLOSE(of[i], jr[Y], s * jl[Y], 1e-9);
    CHECK_CLOSE(of[i], ja[K], jr[K], 1e-10);
    CU_ASSERT(fabs(jl[LEFT]) > 1e-4 && fabs(jl[K]) > 1e-6); /* there is something to compare */
    CHECK_CLOSE("of the other side", jr[LEFT], 0, 1e-14);
    CHECK_CLOSE("of the other side", jl[RIGHT], 0, 1e-14);
  }
  CHECK_CLOSE("dy/dy", q->jac[1 * N + Y], 1, 1e-9); /* places follow their part */
  CHECK_CLOSE("dy/dy of the image", q->jac[(OF_PART + 1) * N + Y], -1, 1e-9);
}

/* The vertical is that of the arm; coordinates are the same numbers, places are turned. */
static void check_turned(const imaged *m, const results *q) {
  const double *left = q->c, *turned = q->c + 3 * OF_PART, x = left[0] - 0.1, y = left[1] - 0.5, c = cos(0.7),
               s = sin(0.7);
  CHECK_CLOSE("x", turned[0], c * x - s * y, 1e-12);
  CHECK_CLOSE("y", turned[1], s * x + c * y, 1e-12);
  CHECK_CLOSE("z", turned[2], left[2] - 1, 1e-12);
  for (int i = 4; i < OF_PART; i++) { CHECK_CLOSE(m->of[i], turned[i], left[i], 1e-12); }
}

static void check_model(const imaged *m) {
  static const char *const methods[] = {"direct", "discrete_adjoint"};
  static results q[2];
  for (int i = 0; i < 2; i++) {
    evaluate(m, methods[i], &q[i]);
    check_images(m, &q[i], methods[i]);
  }
  check_turned(m, &q[0]);
  for (int i = 0; i < NC * N; i++) { CHECK_CLOSE("direct, adjoint", q[1].jac[i], q[0].jac[i], 1e-9); }
}

static void test_images(void) {
  check_model(&models[0]);
}

static void test_bending(void) {
  check_model(&models[1]);
}

/* An axle whose spring is a beam, as it is, and as a part that is mirrored and turned, under roll and side loads. */
static void test_twist_beam(void) {
  static const char *const placed[] = {"", "mirror = x\nturn = 0, 0, 0.4\n"};
  static const char model[] =
      "schema = 1\n[model]\ngravity = 0, 0, 0\njoints = named\n[part axle]\nfile = " MBOPT_SOURCE_DIR
      "/problems/twist_beam/twist_beam.ini\n%s";
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[design height]\nscalar = axle.height\n[design flange]\nscalar = "
      "axle.flange\n"
      "[case roll]\nanalysis = static\nduration = 1\nstep = 0.5\nscalar.axle.side_load = 300\n"
      "[objective lift]\nof = axle.lift\nform = terminal\n"
      "[constraint across]\nof = axle.beam.middle.deflection_side\nform = terminal\nupper = 1\n"
      "[constraint stress]\nof = axle.flange_stress\nform = terminal\nupper = 150\n"
      "[constraint largest]\nof = axle.beam.largest_stress\nform = terminal\nupper = 1e9\n";
  double psi[2][4], grad[2][8];
  for (int k = 0; k < 2; k++) {
    char text[600];
    mbd_error err = {0};
    snprintf(text, sizeof text, model, placed[k]);
    opened_run r = run_open_texts(text, run, 0, NULL);
    must(mechanism_evaluate(r.m, r.m->start, "direct", &err), &err);
    memcpy(psi[k], r.m->psi, sizeof psi[k]), memcpy(grad[k], r.m->grad, sizeof grad[k]);
    run_close(&r);
  }
  for (int i = 0; i < 4; i++) { CHECK_NEAR("value", psi[1][i], psi[0][i], fabs(psi[0][i]), 1e-12); }
  for (int i = 0; i < 8; i++) { CHECK_NEAR("slope", grad[1][i], grad[0][i], fabs(grad[0][i]), 1e-10); }
}

/* In such a part the plane of bending has to be given, by a vector that nothing takes for an axis. */
static void test_beams_without_image(void) {
  static const char model[] = "schema = 1\n[model]\njoints = named\n[part left]\nfile = PART\nmirror = y\n";
  static const char arm[] =
      "schema = 1\n[beam rod]\nfrom = A\nto = B\nup = u\nsection = circle\ndiameter = 0.1\nE = 1e9\n"
      "density = 1000\nshapes = 2, 2, 0\n[point A]\nat = 0, 0, 0\nbodies = ground, rod\n"
      "[point B]\nat = 1, 0, 0\nbodies = rod.tip\n[vector u]\nalong = 0, 0, 1\nbodies = rod\n"
      "[joint hold]\ntype = weld\nbodies = ground, rod\npoint = A\n"
      "[force turn]\ntype = expression\nbodies = ground, rod\naxis = u\nvalue = 1\n";
  static const broken_case cases[] = {{"up = u\n", "", "[beam rod] key 'up' is missing"},
                                      {"value = 1", "value = 2", "takes this vector for an axis"}};
  for (int i = 0; i < 2; i++) {
    char path[] = "/tmp/mbopt_part_XXXXXX", text[2000], whole[400];
    mbd_error err = {0};
    mbo_model_file *file;
    edit(text, sizeof text, arm, cases[i].from, cases[i].to);
    write_file(path, text);
    edit(whole, sizeof whole, model, "PART", path);
    CU_ASSERT_EQUAL(read_model(whole, &file, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, cases[i].message);
    unlink(path);
  }
}

TEST_MAIN(TEST(test_images), TEST(test_bending), TEST(test_twist_beam), TEST(test_beams_without_image))
