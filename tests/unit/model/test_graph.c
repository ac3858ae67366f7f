/* The graph of the joints: numbers, branches and depths as S4 has them in its figure 1; what elements join; the drawings. */
#include "model.h"
#include "results/joint_graph.h"

/* S4, figure 1: joints 3 and 5 carry several, 6, 7, 9 and 11 none. The description has the joints in another order, and one of them
 * the other way round; where a body carries several, their order in the description is the order of the numbers. */
static const int parent_of[11] = {0, 1, 2, 3, 4, 5, 5, 3, 8, 3, 10};
static const int branch_of[11] = {1, 1, 1, 2, 2, 3, 4, 5, 5, 6, 6};
static const int branch_parent[6] = {0, 1, 2, 2, 1, 1};
static const int branch_first[6] = {1, 4, 6, 7, 8, 10}, branch_last[6] = {3, 5, 6, 7, 9, 11};

#define JOINT(name, bodies) "[joint " name "]\ntype = revolute\nbodies = " bodies "\npoint = O\naxis = u\n"
static const char eleven[] =
    "schema = 1\n[model]\njoints = named\n"
    "[body b{i}]\nrepeat = i from 1 to 11\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, b{i from 1 to 11}\n"
    "[vector u]\nalong = 0, 0, 1\nbodies = ground, b{i from 1 to 11}\n" JOINT("j5", "b4, b5") JOINT("j4", "b3, b4")
        JOINT("j6", "b6, b5") JOINT("j7", "b5, b7") JOINT("j8", "b3, b8") JOINT("j9", "b8, b9") JOINT("j10", "b3, b10")
            JOINT("j3", "b2, b3") JOINT("j2", "b1, b2") JOINT("j1", "ground, b1") JOINT("j11", "b10, b11");
static const char elements[] =
    "[joint loop]\ntype = spherical\nbodies = b9, b11\npoint = O\ncut = yes\n"
    "[constraint far]\ntype = distance\npoints = O@b7, O@ground\ndistance = 1\n"
    "[force one]\ntype = rotor_inertia\ncoordinate = j7.angle\ninertia = 1\n";

static void test_numbers(void) {
  test_model q = model_open_text(eleven);
  mbd_error err = {0};
  mbd_topology *t;
  must(mbd_topology_create(q.m, &t, &err), &err);
  CU_ASSERT_EQUAL_FATAL(t->njoint, 11);
  CU_ASSERT_EQUAL_FATAL(t->nbranch, 6);
  for (int k = 0; k < 11; k++) {
    mbd_body_report r;
    char name[8];
    mbd_model_body(q.m, t->body[k], &r);
    snprintf(name, sizeof name, "j%d", k + 1);
    CU_ASSERT_STRING_EQUAL(r.joint, name);
    CU_ASSERT_EQUAL(t->joint_parent[k], parent_of[k]);
    CU_ASSERT_EQUAL(t->branch[k], branch_of[k]);
  }
  for (int k = 0; k < 6; k++) {
    CU_ASSERT_EQUAL(t->branch_parent[k], branch_parent[k]);
    CU_ASSERT_EQUAL(t->branch_first[k], branch_first[k]);
    CU_ASSERT_EQUAL(t->branch_last[k], branch_last[k]);
  }
  CU_ASSERT_EQUAL(t->depth, 1 + 2 + 3 + 4 + 5 + 6 + 6 + 4 + 5 + 4 + 5);
  CU_ASSERT_EQUAL(t->ncoordinate, 11);
  CU_ASSERT_EQUAL(t->coupled, 2 * 45 - 11);
  mbd_topology_destroy(t);
  model_close(&q);
}

/* Coordinates of one joint couple with each other; two joints on the ground are two roots. */
static void test_several_coordinates(void) {
  test_model q = model_open_text(
      "schema = 1\n[model]\njoints = named\n[body a]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
      "[body b]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
      "[body c]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[point O]\nat = 0, 0, 0\nbodies = ground, a, b, c\n"
      "[vector u]\nalong = 0, 0, 1\nbodies = ground, b\n"
      "[joint ball]\ntype = spherical\nbodies = a, c\npoint = O\n[joint pin]\ntype = revolute\nbodies = ground, b\n"
      "point = O\naxis = u\n[joint free]\ntype = weld\nbodies = ground, a\n");
  mbd_error err = {0};
  mbd_topology *t;
  must(mbd_topology_create(q.m, &t, &err), &err);
  CU_ASSERT_EQUAL(t->nbranch, 2); /* pin; free and ball */
  CU_ASSERT_EQUAL(t->branch_parent[0], 0);
  CU_ASSERT_EQUAL(t->branch_parent[1], 0);
  CU_ASSERT_EQUAL(t->depth, 1 + 1 + 2);
  CU_ASSERT_EQUAL(t->ncoordinate, 5);
  CU_ASSERT_EQUAL(t->coupled, 1 + 4 * 4);
  mbd_topology_destroy(t);
  model_close(&q);
}

static void test_elements(void) {
  test_model q = model_open_parts(eleven, elements);
  int body[4];
  mbd_body_report r;
  const int past = mbd_model_nconstraint(q.m);
  CU_ASSERT_PTR_NULL(mbd_model_constraint_name(q.m, past, NULL, NULL, NULL));
  CU_ASSERT_PTR_NULL(mbd_model_constraint_name(q.m, -1, NULL, NULL, NULL));
  CU_ASSERT_PTR_NULL(mbd_model_force_name(q.m, mbd_model_nforce(q.m), NULL));
  for (int i = 0; i < past; i++) {
    const char *name = mbd_model_constraint_name(q.m, i, NULL, NULL, NULL);
    const int n = mbd_model_constraint_bodies(q.m, i, 4, body);
    CU_ASSERT_EQUAL(n, strcmp(name, "far") == 0 ? 2 : 0);
    if (n) {
      const int end = body[0] ? body[0] : body[1];
      CU_ASSERT(body[0] == 0 || body[1] == 0);
      mbd_model_body(q.m, end, &r);
      CU_ASSERT_STRING_EQUAL(r.name, "b7");
      CU_ASSERT_EQUAL(mbd_model_constraint_bodies(q.m, i, 1, body), 1);
    }
  }
  CU_ASSERT_EQUAL(mbd_model_force_bodies(q.m, 0, 4, body), 2);
  mbd_model_body(q.m, body[1], &r);
  CU_ASSERT_STRING_EQUAL(r.name, "b7");
  CU_ASSERT_STRING_EQUAL(r.parent, "b5");
  mbd_model_body(q.m, body[0], &r);
  CU_ASSERT_STRING_EQUAL(r.name, "b5");
  model_close(&q);
}

typedef mbd_status writer(FILE *out, const mbd_model *model, mbd_error *err);

static void drawn(const test_model *q, writer *write, char *text, size_t size) {
  mbd_error err = {0};
  FILE *out = tmpfile();
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  must(write(out, q->m, &err), &err);
  rewind(out);
  const size_t n = fread(text, 1, size - 1, out);
  text[n] = '\0';
  CU_ASSERT(n < size - 1);
  fclose(out);
}

static void test_drawings(void) {
  test_model q = model_open_parts(eleven, elements);
  static char text[32000];
  drawn(&q, joint_graph_dot, text, sizeof text);
  CHECK_CONTAINS(text, "\"ground\" -> \"b1\" [dir=none, label=\"1 j1 (revolute)\"]");
  CHECK_CONTAINS(text, "\"b5\" -> \"b6\" [dir=none, label=\"6 j6 (revolute)\"]");
  CHECK_CONTAINS(text, "\"b9\" -> \"b11\" [dir=none, style=dashed");
  CHECK_CONTAINS(text, "label=\"loop (spherical)\"");
  CHECK_CONTAINS(text, "label=\"far (distance)\"");
  CHECK_CONTAINS(text, "label=\"one (rotor_inertia)\"");
  CU_ASSERT_PTR_NULL(strstr(text, "coincident")); /* what closes the loop is drawn once */
  drawn(&q, joint_graph_svg, text, sizeof text);
  CHECK_CONTAINS(text, ">11 j11</text>");
  CHECK_CONTAINS(text, ">ground</text>");
  CHECK_CONTAINS(text, ">one</text>");
  CHECK_CONTAINS(text, ">cut joint</text>");
  CHECK_CONTAINS(text, "</svg>\n");
  model_close(&q);
}

TEST_MAIN(TEST(test_numbers), TEST(test_several_coordinates), TEST(test_elements), TEST(test_drawings))
