/* Masses at points: mass, centre of mass and inertia of the bodies that carry them, and what is refused. */
#include "model.h"
#include "mbd/measures.h"
#include "mbd/picture.h"
#include "model/model.h"

static const char sections[] =
    "schema = 1\n[model]\njoints = named\n[scalars]\nrod = 4\nx = 3\n"
    "[body A]\nmass = 2\ncom = 1, 0, 0\ninertia = 0.1, 0.2, 0.3, 0.01, 0.02, 0.03\n"
    "[body B]\nmass = 0\n[body C]\nmass = 5\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[point P]\nat = x, 0, 1\nbodies = A\n[point Q]\nat = 3, 2, 1\nbodies = B\n[point R]\nat = 1, 2, 1\nbodies = B\n"
    "[point G]\nat = 1, 4, 1\nbodies = ground\n"
    "[constraint one]\ntype = rod\npoints = P, Q\ndistance = 2\nmass = rod\n"
    "[constraint two]\ntype = rod\npoints = R, G\ndistance = 2\nmass = 4\n";

static void check_body(const test_model *q, const char *name, double mass, const double com[3], const double J[6]) {
  static const int at[6] = {0, 4, 8, 1, 2, 5};
  const int body = model_find_body(q->m, name);
  double x[3], inertia[9];
  mbd_params_com(q->p, body, x);
  mbd_params_inertia(q->p, body, inertia);
  CHECK_CLOSE("mass", mbd_params_mass(q->p, body), mass, 1e-15);
  for (int i = 0; i < 3; i++) { CHECK_CLOSE("centre of mass", x[i], com[i], 1e-14); }
  for (int i = 0; i < 6; i++) { CHECK_CLOSE("inertia", inertia[at[i]], J[i], 1e-14); }
}

/* A: 2 kg at (1, 0, 0) and half of the first rod at (3, 0, 1), which is 2 kg, too: together 4 kg at (2, 0, 0.5), and with the reduced mass
 * of 1 kg at d = (2, 0, 1) the inertia grows by |d|^2 1 - d d'. B has two halves alone, at (3, 2, 1) and (1, 2, 1). C has none. */
static void test_bodies(void) {
  test_model q = model_open_text(sections);
  check_body(&q, "A", 4, (double[]){2, 0, 0.5}, (double[]){1.1, 5.2, 4.3, 0.01, -1.98, 0.03});
  check_body(&q, "B", 4, (double[]){2, 2, 1}, (double[]){0, 4, 4, 0, 0, 0});
  check_body(&q, "C", 5, (double[]){0, 0, 0}, (double[]){1, 1, 1, 0, 0, 0});
  model_close(&q);
}

/* Masses below zero of a design are refused, of a rod and of a body that carries one. */
static void test_refused(void) {
  static const char *const name[] = {"constraint.one.mass", "body.A.mass"};
  static const char *const said[] = {"coefficient 'constraint.one.mass' = -1, expected >= 0",
                                     "mass of body 'A' = -1 kg, expected >= 0"};
  test_model q = model_open_text(sections);
  double *theta = malloc((size_t)q.m->ncoef * sizeof *theta);
  for (int k = 0; k < 2; k++) {
    mbd_error err = {0};
    int found = 0;
    for (int i = 0; i < q.m->ncoef; i++) {
      const int it = strcmp(q.m->coef_name[i], name[k]) == 0;
      theta[i] = it ? -1 : q.m->nominal[i];
      found += it;
    }
    CU_ASSERT_EQUAL(found, 1);
    CU_ASSERT_EQUAL(mbd_params_set(q.p, theta, &err), MBD_OUT_OF_DOMAIN);
    CHECK_CONTAINS(err.text, said[k]);
  }
  free(theta);
  model_close(&q);
}

/* Both ends on one body, which is no rod between bodies. */
static void test_one_body(void) {
  mbd_error err = {0};
  CU_ASSERT_EQUAL(
      model_compile(sections, "[constraint three]\ntype = rod\npoints = Q, R\ndistance = 2\nmass = 1\n", &err),
      MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "constraint 'three': both points are taken on body 'B', expected two bodies");
}

TEST_MAIN(TEST(test_bodies), TEST(test_refused), TEST(test_one_body))
