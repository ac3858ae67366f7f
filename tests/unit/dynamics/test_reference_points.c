/* The reference points of the recursion change no result: whole runs of every conformance model, by every formulation that takes
 * it, with each of them. */
#include "formulation/formulation.h"
#include "model.h"
#include "opened_run.h"

static const char *const models[] = {
    "tests/conformance/models/tree.ini",     "tests/conformance/models/cuts.ini",
    "tests/conformance/models/uncut.ini",    "tests/conformance/models/constraints.ini",
    "tests/conformance/models/wheels.ini",   "tests/conformance/models/hinges.ini",
    "tests/conformance/models/drives.ini",   "tests/conformance/models/couplings.ini",
    "tests/conformance/models/branches.ini", "tests/conformance/models/floating_four_bars.ini",
};
enum { N_MODELS = sizeof models / sizeof models[0], STEPS = 10, REFERENCES = MBD_RTDYN_AUTO + 1 };

/* The motion at every node: z, zd, zdd, lam in blocks of their own. */
typedef struct history {
  int n, m, redundant; /* coordinates, rows, and how many of these depend on others: their multipliers are not unique */
  double *x;           /* [STEPS + 1][3 n + m] */
} history;

static int keep(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                const double *y) {
  const history *h = user;
  double *x = h->x + k * (3 * h->n + h->m);
  (void)t, (void)y;
  memcpy(x, z, (size_t)h->n * sizeof *x);
  memcpy(x + h->n, zd, (size_t)h->n * sizeof *x);
  memcpy(x + 2 * h->n, zdd, (size_t)h->n * sizeof *x);
  memcpy(x + 3 * h->n, lam, (size_t)h->m * sizeof *x);
  return 0;
}

/* 0: the formulation does not take the model. */
static int run(const test_model *q, const char *formulation, mbd_reference reference, history *h) {
  mbd_error err = {0};
  mbd_case c = case_lasting(STEPS * 0.005, 0.005);
  mbd_sim *s;
  c.formulation = formulation, c.reference = reference;
  const mbd_status status = mbd_sim_create(q->m, &c, q->o, 0, NULL, 0, 0, &s, &err);
  if (status == MBD_UNSUPPORTED) { return 0; }
  must(status, &err);
  h->n = q->m->nz, h->m = q->m->nphi;
  h->x = calloc((STEPS + 1) * (size_t)(3 * h->n + h->m) + 1, sizeof *h->x);
  must(mbd_sim_run(s, q->p, 0, NULL, NULL, NULL, NULL, keep, h, &err), &err);
  int rank, nheld;
  const int *row, *held;
  mbd_sim_rank(s, &rank, &row, &nheld, &held);
  h->redundant = h->m - rank;
  mbd_sim_destroy(s);
  return 1;
}

/* The largest difference of a block, relative to its largest entry, or to 1: multipliers of normalizations are rounding alone. */
static double apart(const history *a, const history *b, int first, int n) {
  double size = 1, max = 0;
  for (int k = 0; k <= STEPS; k++) {
    for (int i = 0; i < n; i++) {
      const int at = k * (3 * a->n + a->m) + first + i;
      size = fmax(size, fabs(a->x[at])), max = fmax(max, fabs(a->x[at] - b->x[at]));
    }
  }
  return max / size;
}

/* In the penalty formulation rounding of the constraints comes with their large stiffness. Largest seen: 2e-11. */
static double tolerance(const char *formulation) {
  return strcmp(formulation, "penalty") == 0 ? 1e-10 : 1e-12;
}

static double compare(const char *model, const char *formulation, const history *a, const history *b) {
  static const char *const blocks[] = {"z", "zd", "zdd", "lam"};
  const int n = a->n, count[] = {n, n, n, a->m};
  double worst = 0;
  for (int k = 0; k < (a->redundant ? 3 : 4); k++) {
    const double difference = apart(a, b, k * n, count[k]);
    char name[300];
    snprintf(name, sizeof name, "%s of %s by %s", blocks[k], model, formulation);
    CHECK_NEAR(name, difference, 0, 1, tolerance(formulation));
    worst = fmax(worst, difference);
  }
  return worst;
}

static void test_same_motion(void) {
  double worst = 0;
  for (int i = 0; i < N_MODELS; i++) {
    test_model q = model_open(models[i]);
    int taken = 0;
    for (int f = 0; mbd_formulation_at(f); f++) {
      history h[REFERENCES] = {{0}};
      for (int r = 0; r < REFERENCES; r++) { taken += run(&q, mbd_formulation_at(f)->name, (mbd_reference)r, &h[r]); }
      for (int r = 1; r < REFERENCES && h[0].x; r++) {
        worst = fmax(worst, compare(models[i], mbd_formulation_at(f)->name, &h[0], &h[r]));
      }
      for (int r = 0; r < REFERENCES; r++) { free(h[r].x); }
    }
    CU_ASSERT(taken > 0);
    model_close(&q);
  }
  printf("(largest difference %.2g) ", worst);
}

/* ---- far from the origin ---- */

static const char double_pendulum[] =
    "schema = 1\n[scalars]\nL = 1\nx = 0\n[vector y]\nalong = 0, -1, 0\nbodies = ground, one, two\n"
    "[point O]\nat = x, 0, x\nbodies = ground, one\n[point M]\nat = x + L, 0, x\nbodies = one, two\n"
    "[body one]\nmass = 1\ncom = x + L, 0, x\ninertia = 0, 1e-6, 0\n"
    "[body two]\nmass = 1\ncom = x + 2*L, 0, x\ninertia = 0, 1e-6, 0\n"
    "[joint J1]\ntype = revolute\nbodies = ground, one\npoint = O\naxis = y\n"
    "[joint J2]\ntype = revolute\nbodies = one, two\npoint = M\naxis = y\n[start]\nhold.J1.angle = 0.9\n";
static const char swing[] =
    "schema = 1\n[model]\nfile = MODEL\n[design L]\n[case swing]\nduration = 0.5\nstep = 0.01\n"
    "[objective end]\nof = J1.angle\nform = terminal\n";

/* The derivative of the angle at the end, by direct differentiation or by the adjoint, with the mechanism at x. */
static double derivative(const char *x, const char *formulation, const char *reference, const char *method) {
  char set[2][64];
  const char *const sets[] = {x, set[0], set[1]};
  snprintf(set[0], sizeof set[0], "case.swing.formulation=%s", formulation);
  snprintf(set[1], sizeof set[1], "case.swing.reference=%s", reference);
  opened_run r = run_open_texts(double_pendulum, swing, 3, sets);
  mbd_error err = {0};
  must(mechanism_evaluate(r.m, r.m->start, method, &err), &err);
  const double g = r.m->grad[0];
  run_close(&r);
  return g;
}

/* A place is no change of the motion: 10 km away, the chosen reference points keep eleven digits of the derivative, where those at the origin
 * lose two more at least. */
static void test_far(void) {
  static const char *const formulations[] = {"ali3p", "matrix_r", "fully_recursive"};
  static const char *const methods[] = {"direct", "discrete_adjoint"};
  for (int f = 0; f < 3; f++) {
    for (int k = 0; k < 2; k++) {
      const double here = derivative("case.swing.scalar.x=0", formulations[f], "origin", methods[k]),
                   there = derivative("case.swing.scalar.x=1e4", formulations[f], "auto", methods[k]);
      CHECK_NEAR(formulations[f], there, here, fabs(here), 1e-11); /* largest seen: 3e-13 */
    }
  }
  const double here = derivative("case.swing.scalar.x=0", "matrix_r", "origin", "direct"),
               lost = derivative("case.swing.scalar.x=1e4", "matrix_r", "origin", "direct");
  CU_ASSERT(fabs(lost - here) > 1e-9 * fabs(here));
}

/* Two grains 2 m apart: their extent is that distance, not their own. */
static void test_choice(void) {
  static const char *const at[] = {"0", "1e3"};
  static const mbd_reference chosen[] = {MBD_RTDYN1, MBD_RTDYN0};
  for (int i = 0; i < 2; i++) {
    char text[800];
    mbd_work *w;
    mbd_error err = {0};
    snprintf(text, sizeof text,
             "schema = 1\n[model]\nname = grains\njoints = named\n[scalars]\nx = %s\n"
             "[body left]\nmass = 1\ncom = x - 1, 0, 0\ninertia = 1e-9, 1e-9, 1e-9\n"
             "[body right]\nmass = 1\ncom = x + 1, 0, 0\ninertia = 1e-9, 1e-9, 1e-9\n"
             "[vector u]\nalong = 1, 0, 0\nbodies = ground, left, right\n"
             "[joint a]\ntype = prismatic\nbodies = ground, left\naxis = u\n"
             "[joint b]\ntype = prismatic\nbodies = ground, right\naxis = u\n",
             at[i]);
    test_model q = model_open_text(text);
    must(mbd_work_create(q.m, MBD_RTDYN_AUTO, &w, &err), &err);
    work_choose_reference(w, q.p);
    CU_ASSERT_EQUAL(w->reference, chosen[i]);
    mbd_work_destroy(w), model_close(&q);
  }
}

TEST_MAIN(TEST(test_same_motion), TEST(test_far), TEST(test_choice))
