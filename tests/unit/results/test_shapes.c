/* Shapes of bodies: their places, axes and sizes by hand, at other designs, in turned and mirrored parts; meshes of files; bad input. */
#include "results/shapes.h"

#include <stdint.h>

#include "model.h"

static const char base[] =
    "schema = 1\n[scalars]\nlength = 2\n"
    "[body bar]\nmass = 1\ncom = 1, 0, 0\ninertia = 1, 1, 1\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, bar\n[point T]\nat = length, 0, 0\nbodies = bar\n"
    "[point G]\nat = 1, 2, 3\nbodies = ground\n"
    "[vector u]\nalong = 0, 2, 0\nbodies = ground, bar\n";

static double entry(const json_t *list, size_t i) {
  return json_number_value(json_array_get(list, i));
}

static void check_list(const char *what, const json_t *list, int n, const double *expected) {
  CU_ASSERT_EQUAL(json_array_size(list), (size_t)n);
  for (int i = 0; i < n; i++) { CHECK_CLOSE(what, entry(list, (size_t)i), expected[i], 1e-12); }
}

/* The shapes of a model at values of its scalars. */
static json_t *shapes_at(test_model *q, const double *rho) {
  const int nc = mbd_model_ncoef(q->m);
  double *theta = calloc((size_t)nc, sizeof *theta);
  const int *start, *index;
  const double *value;
  mbd_error err = {0};
  must(mbo_model_file_eval(q->file, rho, theta, &start, &index, &value, &err), &err);
  must(mbd_params_set(q->p, theta, &err), &err);
  json_t *list = shapes_describe(q->file, theta, q->p, q->m);
  free(theta);
  return list;
}

static void check_shape(const json_t *list, size_t i, const char *kind, int body, const double at[3], const double u[3],
                        int nsize, const double *size) {
  const json_t *s = json_array_get(list, i);
  CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(s, "kind")), kind);
  CU_ASSERT_EQUAL(json_integer_value(json_object_get(s, "body")), body);
  check_list("at", json_object_get(s, "at"), 3, at);
  check_list("axis", json_array_get(json_object_get(s, "axes"), 0), 3, u);
  check_list("size", json_object_get(s, "size"), nsize, size);
}

#define V(...) ((const double[]){__VA_ARGS__})

/* Places count from the centre of mass (1, 0, 0) of the bar; a rod between two points grows with them. */
static void test_types(void) {
  char text[3000];
  edit(text, sizeof text, base, "",
       "[shape a]\ntype = box\nbody = bar\nat = 1, 2, 3\nsize = 0.1, 0.2, 0.3\n"
       "[shape b]\ntype = cylinder\nbody = bar\npoints = O, T\nradius = length/10\n"
       "[shape c]\ntype = disc\nbody = bar\npoint = T\naxis = u\nradius = 0.5\n"
       "[shape d]\ntype = sphere\nbody = ground\npoint = G\nradius = 0.25\n"
       "[shape e]\ntype = capsule\nbody = ground\nalong = 3, 0, 4\nradius = 0.1\nlength = length\n"
       "[shape f]\ntype = cylinder\nbody = ground\nturn = pi/2, 0, pi/2\nradius = 0.1\nlength = 1\n");
  test_model q = model_open_text(text);
  mbd_error err = {0};
  const char *const vary[] = {"length"};
  must(mbo_model_file_vary(q.file, 1, vary, &err), &err);
  for (double length = 2; length < 4; length++) {
    json_t *list = shapes_at(&q, &length);
    CU_ASSERT_EQUAL(json_array_size(list), 6);
    check_shape(list, 0, "box", 0, V(0, 2, 3), V(1, 0, 0), 3, V(0.1, 0.2, 0.3));
    check_shape(list, 1, "cylinder", 0, V(length / 2 - 1, 0, 0), V(1, 0, 0), 2, V(length / 10, length));
    check_shape(list, 2, "cylinder", 0, V(length - 1, 0, 0), V(0, 1, 0), 2, V(0.5, 0.1));
    check_shape(list, 3, "sphere", -1, V(1, 2, 3), V(0, 0, 1), 2, V(0.25, 0));
    check_shape(list, 4, "capsule", -1, V(0, 0, 0), V(0.6, 0, 0.8), 2, V(0.1, length));
    check_shape(list, 5, "cylinder", -1, V(0, 0, 0), V(1, 0, 0), 2, V(0.1, 1)); /* z, by way of -y */
    json_decref(list);
  }
  model_close(&q);
}

/* Numbers of shapes have no derivatives, which may not exist, and where they have no value the shape is left out, by name: a picture never stops a run. */
static void test_no_effect(void) {
  char text[3000];
  edit(text, sizeof text, base, "", "[shape a]\ntype = sphere\nbody = bar\nradius = sqrt(length - 1)\n");
  test_model q = model_open_text(text);
  mbd_error err = {0};
  const char *const vary[] = {"length"};
  const int nc = mbd_model_ncoef(q.m), *start, *index;
  double *theta = calloc((size_t)nc, sizeof *theta), radius[3];
  unsigned char *moved = calloc((size_t)nc, 1);
  const double *value;
  must(mbo_model_file_vary(q.file, 1, vary, &err), &err);
  for (int i = 0; i < 3; i++) {
    must(mbo_model_file_eval(q.file, V(2.0 - i), theta, &start, &index, &value, &err), &err);
    radius[i] = theta[q.file->shape[0].size[0]];
    CU_ASSERT_EQUAL(start[1] - start[0], 1); /* the point T alone */
    json_t *missing = shapes_missing(q.file);
    CU_ASSERT_EQUAL(json_array_size(missing), i == 2);
    CU_ASSERT(i < 2 || strcmp(json_string_value(json_array_get(missing, 0)), "a") == 0);
    json_decref(missing);
  }
  CU_ASSERT(radius[0] == 1 && radius[1] == 0 && radius[2] == 0);
  mbo_model_file_moved(q.file, moved);
  CU_ASSERT(!moved[q.file->shape[0].size[0]]);
  free(theta), free(moved);
  model_close(&q);
}

/* A part that is mirrored along y, turned by a right angle about z and put at (5, 0, 0): x becomes y, y becomes x. Shapes change nothing of
 * the mechanism: its equations have the coefficients of before. */
static void test_in_a_part(void) {
  char path[] = "/tmp/mbopt_shape_XXXXXX", text[1000];
  write_file(path,
             "schema = 1\n[body arm]\nmass = 1\ncom = 0, 1, 0\ninertia = 1, 1, 1\n"
             "[point P]\nat = 0, 0, 0\nbodies = ground, arm\n[vector n]\nalong = 0, 0, 1\nbodies = ground, arm\n"
             "[shape s]\ntype = box\nbody = arm\nat = 0.5, 0.25, 0.125\nsize = 1, 2, 3\n"
             "[shape m]\ntype = mesh\nbody = arm\nfile = mbopt_pyramid.obj\nscale = 2\n"
             "[shape t]\ntype = mesh\nbody = arm\nfile = mbopt_pyramid.obj\nturn = 0, 0, -pi/2\n");
  snprintf(text, sizeof text, "schema = 1\n[part p]\nfile = %s\nat = 5, 0, 0\nturn = 0, 0, pi/2\nmirror = y\n", path);
  char obj[] = "/tmp/mbopt_pyramid.obj";
  FILE *out = fopen(obj, "w");
  fputs("# a pyramid\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 2\nvn 0 0 1\nf 4/1 3 2//1 1\nf -5 -4 -1\nf 2 3 5\n",
        out);
  fclose(out);
  test_model q = model_open_text(text);
  mbd_error err = {0};
  must(mbo_model_file_vary(q.file, 0, NULL, &err), &err);
  json_t *list = shapes_at(&q, NULL), *meshes = shapes_meshes(q.file);
  check_shape(list, 0, "box", 0, V(5 + 0.25 - 6, 0.5, 0.125), V(0, 1, 0), 3, V(1, 2, 3));
  check_list("second axis", json_array_get(json_object_get(json_array_get(list, 0), "axes"), 1), 3, V(1, 0, 0));
  const json_t *of = json_array_get(meshes, 0), *points = json_object_get(of, "points");
  const double unit = json_number_value(json_object_get(of, "unit"));
  CU_ASSERT_EQUAL(json_array_size(points), 15);
  CHECK_CLOSE("a point", unit * entry(points, 4), 1, 0.51 * unit); /* (1, 0, 0) is (0, 1, 0) */
  CHECK_CLOSE("the tip", unit * entry(points, 14), 2, 1e-12);
  /* Four corners are two triangles, here in the opposite order. */
  check_list("faces", json_object_get(of, "faces"), 12, V(1, 2, 3, 0, 1, 3, 4, 1, 0, 4, 2, 1));
  check_list("factor", json_object_get(json_array_get(list, 1), "size"), 1, V(2));
  points = json_object_get(json_array_get(meshes, 1), "points");
  CHECK_CLOSE("a turned point", unit * entry(points, 3), -1,
              0.51 * unit); /* (1, 0, 0) is (0, -1, 0), and that (-1, 0, 0) */
  json_decref(list), json_decref(meshes);
  model_close(&q);
  unlink(path), unlink(obj);
}

/* ---- files of meshes ---- */

static mbd_status read_bytes(const char *name, const void *bytes, size_t n, mesh *m, mbd_error *err) {
  FILE *out = fopen(name, "wb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  fwrite(bytes, 1, n, out);
  fclose(out);
  const mbd_status status = mesh_read(name, m, err);
  unlink(name);
  return status;
}

static const char stl[] =
    "solid two\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1.5e0 0\n  endloop\n"
    " endfacet\n facet normal 0 0 1\n  outer loop\n   vertex 1 0 0\n   vertex 1 1 -2\n   vertex 0 1.5 0\n  endloop\n"
    " endfacet\nendsolid two\n";

static void check_two_triangles(const mesh *m) {
  CU_ASSERT_EQUAL(m->npoint, 4); /* two of six corners are the same */
  CU_ASSERT_EQUAL(m->nface, 2);
  const double expected[2][3][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1.5, 0}}, {{1, 0, 0}, {1, 1, -2}, {0, 1.5, 0}}};
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 3; k++) { CHECK_CLOSE("corner", m->point[3 * m->face[i] + k], expected[i / 3][i % 3][k], 0); }
  }
}

static void test_stl(void) {
  mesh m;
  mbd_error err = {0};
  must(read_bytes("/tmp/mbopt_two.stl", stl, sizeof stl - 1, &m, &err), &err);
  check_two_triangles(&m);
  mesh_free(&m);
  /* The same in binary; its header may begin with the word of a text. */
  static const float corner[2][12] = {{0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.5F, 0},
                                      {0, 0, 1, 1, 0, 0, 1, 1, -2, 0, 1.5F, 0}};
  char bytes[84 + 100] = "solid no text";
  bytes[80] = 2;
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 12; k++) {
      uint32_t bits;
      memcpy(&bits, &corner[i][k], 4);
      for (int b = 0; b < 4; b++) { bytes[84 + 50 * i + 4 * k + b] = (char)(bits >> (8 * b)); }
    }
  }
  must(read_bytes("/tmp/mbopt_two.STL", bytes, sizeof bytes, &m, &err), &err);
  check_two_triangles(&m);
  mesh_free(&m);
  bytes[84 + 12 + 3] = 0x7f, bytes[84 + 12 + 2] = (char)0xc0; /* not a number */
  CU_ASSERT_EQUAL(read_bytes("/tmp/mbopt_two.stl", bytes, sizeof bytes, &m, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "/tmp/mbopt_two.stl: facet 1 has a corner that is no number");
}

static void test_bad_files(void) {
  static const struct {
    const char *name, *text, *message;
  } bad[] = {
      {"/tmp/mbopt_m.ply", "ply\n", "/tmp/mbopt_m.ply: expected a file whose name ends with .stl or .obj"},
      {"/tmp/mbopt_m.stl", "ply\n", "/tmp/mbopt_m.stl:1: found 'ply', expected STL"},
      {"/tmp/mbopt_m.stl", "solid\nvertex 0 0 x\n", ":2: found 'x', expected three coordinates"},
      {"/tmp/mbopt_m.stl", "solid\nvertex 0 0 0\nendloop\n", ":3: a facet of 1 vertices, expected 3"},
      {"/tmp/mbopt_m.stl", "solid\nvertex 0 0 0\n", ":2: the last facet has no end"},
      {"/tmp/mbopt_m.stl", "solid\nendsolid\n", "/tmp/mbopt_m.stl: has no triangle"},
      {"/tmp/mbopt_m.obj", "v 1 2\n", ":1: found '', expected three coordinates"},
      {"/tmp/mbopt_m.obj", "v 0 0 0\nf 1 2 3\n", ":2: found '2', expected the number of one of 1 points before it"},
      {"/tmp/mbopt_m.obj", "v 0 0 0\nf 1 1\n", ":2: a face of 2 corners, expected 3 or more"},
      {"/tmp/mbopt_m.obj", "v 0 0 0\nf 1 1 x\n", ":2: found 'x', expected the number"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    mesh m;
    mbd_error err = {0};
    CU_ASSERT_EQUAL(read_bytes(bad[i].name, bad[i].text, strlen(bad[i].text), &m, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, bad[i].message);
  }
  /* A fan of more triangles than a page may have. */
  const size_t size = 3 * (MESH_TRIANGLES + 3) + 20;
  char *fan = calloc(1, size);
  size_t n = (size_t)snprintf(fan, size, "v 0 0 0\nf");
  for (int i = 0; i < MESH_TRIANGLES + 3; i++) { memcpy(fan + n, " 1", 2), n += 2; }
  mesh m;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(read_bytes("/tmp/mbopt_m.obj", fan, n, &m, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "/tmp/mbopt_m.obj: has more than 20000 triangles");
  free(fan);
}

/* ---- bad sections ---- */

static void test_bad_sections(void) {
  static const char shape[] = "[shape s]\ntype = cylinder\nbody = bar\npoints = O, T\nradius = 1\n";
  static const broken_case broken[] = {
      {"type = cylinder\n", "", "[shape s] key 'type' is missing: box, sphere"},
      {"type = cylinder", "type = cylindre",
       "type = cylindre: expected one of box, cylinder, disc, sphere, capsule, mesh, did you mean 'cylinder'?"},
      {"body = bar\n", "", "[shape s] key 'body' is missing"},
      {"body = bar", "body = baz", "body = baz: body 'baz' is not known, did you mean 'bar'? (known: bar, ground)"},
      {"radius = 1\n", "", "[shape s] key 'radius' is missing"},
      {"radius = 1", "radius = -1", "radius = -1: the value is -1, expected >= 0"},
      {"radius = 1", "radius = 1\nlength = 2", "length = 2: expected either 'points' or 'length', not both"},
      {"radius = 1", "radius = 1\nalong = 1, 0, 0", "along = 1, 0, 0: expected either 'points' or 'along', not both"},
      {"radius = 1", "radius = 1\nat = 1, 0, 0", "points = O, T: expected either 'at' or 'points', not both"},
      {"radius = 1", "radius = 1\nfile = a.stl",
       "file = a.stl: a cylinder has no 'file', expected at or point, turn, radius, length"},
      {"radius = 1", "radius = 1\nradios = 1", "radios = 1: key 'radios' is not known here, did you mean 'radius'?"},
      {"points = O, T", "points = O, T, O", "3 points, expected 2"},
      {"points = O, T", "points = O, S", "points = O, S: point 'S' is not known"},
      {"points = O, T", "points = O, G", "points = O, G: point 'G' is not given on body 'bar'"},
      {"points = O, T", "along = 0, 0, 0\nlength = 1", "along = 0, 0, 0: a direction of length zero"},
      {"points = O, T", "axis = v\nlength = 1", "axis = v: vector 'v' is not known"},
      {"points = O, T", "axis = u", "key 'length' is missing"},
      {"type = cylinder\nbody = bar\npoints = O, T\nradius = 1", "type = mesh\nbody = bar\nfile = /tmp/mbopt_none.stl",
       "[shape s] file = /tmp/mbopt_none.stl: /tmp/mbopt_none.stl: No such file"}};
  for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
    char changed[500], text[2000];
    mbo_model_file *file;
    mbd_error err = {0};
    edit(changed, sizeof changed, shape, broken[i].from, broken[i].to);
    edit(text, sizeof text, base, "", changed);
    CU_ASSERT(read_model(text, &file, &err) < 0);
    CHECK_CONTAINS(err.text, broken[i].message);
    CHECK_CONTAINS(err.text, "[shape s]");
  }
}

int main(void) {
  const test_entry entries[] = {TEST(test_types), TEST(test_no_effect), TEST(test_in_a_part),
                                TEST(test_stl),   TEST(test_bad_files), TEST(test_bad_sections)};
  return test_run(__FILE__, entries, sizeof entries / sizeof entries[0]);
}
