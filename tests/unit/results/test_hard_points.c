/* Points with the numbers of the files that say where they are, in parts and in frames of bodies; a motion as far as it goes. */
#include "results/hard_points.h"

#include "files/json.h"
#include "opened_run.h"
#include "results/scene.h"
#include "test.h"

static json_t *view(opened_run *r) {
  const mechanism_case *load = &r->m->cases[0];
  mbd_error err = {0};
  json_t *o = json_object();
  must(mechanism_set_design(r->m, r->m->start, 0, &err), &err);
  must(mbd_sim_start(load->sim, load->v->params, NULL, NULL, NULL, NULL, &err), &err);
  hard_points_view(load, o);
  return o;
}

/* Point `name` on body number `body`. */
static const json_t *find(const json_t *o, const char *kind, const char *name, int body) {
  const json_t *list = json_object_get(o, "points");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *p = json_array_get(list, i);
    if (strcmp(json_text_in(p, "kind"), kind) == 0 && strcmp(json_text_in(p, "name"), name) == 0 &&
        json_number_in(p, "body") == body) {
      return p;
    }
  }
  printf("\n  no %s %s on body %d\n", kind, name, body);
  exit(1);
}

/* The line of the file that a place or a scalar names. */
static const char *written(const json_t *p) {
  static char line[512];
  FILE *f = fopen(json_text_in(p, "file"), "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(f);
  for (int i = 0; i < (int)json_number_in(p, "line"); i++) {
    CU_ASSERT_PTR_NOT_NULL_FATAL(fgets(line, sizeof line, f));
  }
  fclose(f);
  line[strcspn(line, "\n")] = '\0';
  return line;
}

static double at(const json_t *p, const char *key, size_t k) {
  return json_number_value(json_array_get(json_object_get(p, key), k));
}

/* The angle of the first bar is -135 degrees; B12 begins at P1. */
static void test_frames_of_bodies(void) {
  opened_run r = run_open("configs/five_bar.ini", 0, NULL);
  json_t *o = view(&r);
  const json_t *p = find(o, "point", "P1", 0), *scalar = json_object_get(json_object_get(o, "scalars"), "LA1");
  CU_ASSERT_STRING_EQUAL(written(p), "at.A1 = LA1, 0, 0");
  CHECK_CLOSE("in the bar", at(p, "x", 0), sqrt(2), 1e-15);
  CHECK_CLOSE("x", at(p, "at", 0), -1, 1e-12);
  CHECK_CLOSE("y", at(p, "at", 1), -1, 1e-12);
  CU_ASSERT_STRING_EQUAL(json_string_value(json_array_get(json_object_get(p, "scalars"), 0)), "LA1");
  CU_ASSERT_STRING_EQUAL(written(scalar), "LA1 = hypot(x1 - xA, y1 - yA)");
  CU_ASSERT_STRING_EQUAL(json_text_in(scalar, "text"), "hypot(x1 - xA, y1 - yA)");
  CU_ASSERT_STRING_EQUAL(written(find(o, "point", "B", -1)), "at.ground = xB, yB, 0");
  CU_ASSERT_STRING_EQUAL(written(find(o, "com", "B12", 1)), "com = L12/2, 0, 0");
  CU_ASSERT_PTR_NULL(json_object_get(json_object_get(o, "scalars"), "x1")); /* LA1 is not equal to it */
  json_decref(o);
  run_close(&r);
}

/* Of a part that is mirrored, and of scalars that belong to the file that uses it. */
static void test_parts(void) {
  static const char *const set[] = {"scalars.Uz=0.37"};
  opened_run r = run_open("configs/wishbone_corner.ini", 1, set);
  json_t *o = view(&r);
  const json_t *p = find(o, "point", "right.A", -1), *scalars = json_object_get(o, "scalars");
  CU_ASSERT_STRING_EQUAL(written(p), "at = 0, Ay, Az");
  CHECK_CLOSE("mirrored", at(p, "at", 1), -0.25, 1e-15);
  CU_ASSERT_STRING_EQUAL(written(json_object_get(scalars, "Ay")), "Ay = 0.25");
  CHECK_CLOSE("from the run", json_number_in(json_object_get(scalars, "Uz"), "line"), -1, 0);
  CU_ASSERT(json_is_true(json_object_get(json_object_get(scalars, "Uz"), "variable")));
  CU_ASSERT(json_is_false(json_object_get(json_object_get(scalars, "Ay"), "variable")));
  json_decref(o);
  run_close(&r);
}

/* The rig lifts the wheel farther than the arms reach: the frames before are there. */
static void test_as_far(void) {
  static const char *const set[] = {"case.stroke.analysis=kinematic", "scalars.stroke=0.5"};
  json_t *whole, *part;
  mbd_error err = {0};
  for (int n = 1; n <= 2; n++) {
    opened_run r = run_open("configs/wishbone_corner.ini", n, set);
    must(mechanism_set_design(r.m, r.m->start, 0, &err), &err);
    const mbd_status status = scene_as_far(r.m, &r.m->cases[0], n == 1 ? &whole : &part, &err);
    CU_ASSERT(n == 1 ? status == MBD_OK : status > 0);
    run_close(&r);
  }
  const size_t all = json_array_size(json_object_get(json_object_get(whole, "case"), "times")),
               some = json_array_size(json_object_get(json_object_get(part, "case"), "times"));
  CU_ASSERT(all == 201 && some > 1 && some < all);
  CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "case 'stroke', t = "));
  json_decref(whole), json_decref(part);
}

TEST_MAIN(TEST(test_frames_of_bodies), TEST(test_parts), TEST(test_as_far))
