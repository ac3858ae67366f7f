/* Axes of bushings: shared by the bushings of one body, not by bodies whose vectors have the same coefficients. */
#include "model/model.h"
#include "test.h"

enum { BODIES = 3 };

static int numbers(mbd_spec *s, int n, double first) {
  const int at = mbd_spec_coef(s, "number", first);
  for (int i = 1; i < n; i++) { mbd_spec_coef(s, "number", i == n - 2); }
  return at;
}

/* Bodies that hang on each other and on the ground by bushings at one point, all with the same numbers. */
static mbd_model *hanging(void) {
  mbd_error err = {0};
  mbd_spec *s = mbd_spec_create();
  mbd_model *m = NULL;
  const char *body[BODIES + 1] = {"ground", "A", "B", "C"};
  const int place = numbers(s, 3, 0), x = numbers(s, 3, 1), y = numbers(s, 3, 0), mass = numbers(s, 1, 1);
  const int inertia = numbers(s, 6, 1), law = numbers(s, 24, 1);
  must(mbd_spec_point(s, "P", &err), &err);
  must(mbd_spec_vector(s, "x", &err), &err);
  must(mbd_spec_vector(s, "y", &err), &err);
  for (int i = 0; i <= BODIES; i++) {
    if (i) { must(mbd_spec_body(s, body[i], mass, place, inertia, &err), &err); }
    must(mbd_spec_point_on(s, "P", body[i], place, &err), &err);
    must(mbd_spec_vector_on(s, "x", body[i], x, &err), &err);
    must(mbd_spec_vector_on(s, "y", body[i], y, &err), &err);
  }
  for (int i = 0; i < BODIES; i++) {
    mbd_element_desc d;
    char name[32], lower[32], upper[32];
    mbd_element_desc_init(&d);
    snprintf(name, sizeof name, "bushing%d", i);
    snprintf(upper, sizeof upper, "P@%s", body[i]), snprintf(lower, sizeof lower, "P@%s", body[i + 1]);
    d = (mbd_element_desc){.name = name, .type = "bushing", .ref = {upper, lower, "x", "y"}, .coef = law};
    must(mbd_spec_force(s, &d, &err), &err);
  }
  mbd_spec_find_joints(s, MBD_FIND_NONE);
  must(mbd_model_create(s, &m, &err), &err);
  mbd_spec_destroy(s);
  return m;
}

static void test_frames(void) {
  mbd_model *m = hanging();
  int axes[BODIES + 1] = {0};
  for (int i = 0; i < m->nmarker; i++) {
    if (m->marker[i].source == MBD_MARKER_FRAME_AXIS) { axes[m->marker[i].body]++; }
  }
  for (int b = 0; b <= BODIES; b++) { CU_ASSERT_EQUAL(axes[b], 3); } /* a body between two bushings has them once */
  for (int i = 0; i < m->nforce; i++) {
    const mbd_lift *l = &m->force[i].lift;
    for (int a = 0; a < l->narg; a++) {
      if (l->arg[a].kind != MBD_ARG_VECTOR) { continue; }
      const int body = m->marker[l->arg[a].b].body;
      CU_ASSERT(body == m->marker[l->arg[0].b].body || body == m->marker[l->arg[0].a].body);
    }
  }
  mbd_model_destroy(m);
}

TEST_MAIN(TEST(test_frames))
