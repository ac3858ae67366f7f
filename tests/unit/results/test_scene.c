/* The animation's data: poses give the points of the trajectory, forces and roads are where they belong, the mechanism is as
 * before. */
#include "scene_test.h"

#include "edited.h"
#include "test.h"

typedef struct opened {
  mbo_run_config *config;
  mechanism *m;
  json_t *scene;
} opened;

static void open_path(opened *q, const char *path, int frames, int nset, const char *const *set) {
  mbd_error err = {0};
  must(mbo_run_config_read(path, nset, set, &q->config, &err), &err);
  must(mechanism_create(q->config, &q->m, &err), &err);
  must(scene_create(q->m, q->m->start, frames, &q->scene, &err), &err);
}

static void open_run_with(opened *q, const char *name, int frames, int nset, const char *const *set) {
  char path[600];
  snprintf(path, sizeof path, MBOPT_SOURCE_DIR "/configs/%s.ini", name);
  open_path(q, path, frames, nset, set);
}

static void open_run(opened *q, const char *name, int frames) {
  open_run_with(q, name, frames, 0, NULL);
}

static void close_run(opened *q) {
  json_decref(q->scene);
  mechanism_destroy(q->m);
  mbo_run_config_destroy(q->config);
}

static double number(const json_t *o, const char *key) {
  return json_number_value(json_object_get(o, key));
}

static double entry(const json_t *list, size_t i) {
  return json_number_value(json_array_get(list, i));
}

static const json_t *first_case(const opened *q) {
  return json_array_get(json_object_get(q->scene, "cases"), 0);
}

/* The item of a list with this name. */
static const json_t *named(const json_t *o, const char *list, const char *name) {
  const json_t *a = json_object_get(o, list);
  for (size_t i = 0; i < json_array_size(a); i++) {
    const json_t *item = json_array_get(a, i);
    if (strcmp(json_string_value(json_object_get(item, "name")), name) == 0) { return item; }
  }
  printf("\n  nothing is called %s in %s\n", name, list);
  exit(1);
}

/* x of a body in frame f, as the animation places it: com + v + 2 w (q x v) + 2 q x (q x v). */
static void place(const json_t *scene_case, const json_t *body, const json_t *at, size_t f, double x[3]) {
  const json_t *pose = json_object_get(body, "pose");
  double e[4], v[3], t[3];
  for (size_t i = 0; i < 4; i++) { e[i] = 1e-7 * entry(pose, 7 * f + 3 + i); }
  for (size_t i = 0; i < 3; i++) { v[i] = entry(at, i); }
  const double *q = e + 1;
  for (int i = 0; i < 3; i++) { t[i] = 2 * (q[(i + 1) % 3] * v[(i + 2) % 3] - q[(i + 2) % 3] * v[(i + 1) % 3]); }
  for (int i = 0; i < 3; i++) {
    const double turned = v[i] + e[0] * t[i] + q[(i + 1) % 3] * t[(i + 2) % 3] - q[(i + 2) % 3] * t[(i + 1) % 3];
    x[i] = number(scene_case, "length") * entry(pose, 7 * f + (size_t)i) + turned;
  }
}

typedef struct recorded {
  int nodes;
  double y[501][3];
} recorded;

static int keep(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                const double *y) {
  recorded *w = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  memcpy(w->y[k], y, sizeof w->y[k]);
  w->nodes = k + 1;
  return 0;
}

/* P2.position is the output of the objective; P2 is on two bodies. */
static void test_poses(void) {
  static recorded w;
  opened q;
  mbd_error err = {0};
  open_run(&q, "five_bar", 150);
  const json_t *c = first_case(&q), *times = json_object_get(c, "times");
  CU_ASSERT_EQUAL(json_array_size(json_object_get(q.scene, "cases")), 1);
  CU_ASSERT_EQUAL_FATAL(json_array_size(times), 150);
  CHECK_CLOSE("duration", number(c, "duration"), 5, 0);
  must(mbd_sim_run(q.m->cases[0].sim, q.m->cases[0].v->params, 0, NULL, NULL, NULL, NULL, keep, &w, &err), &err);
  CU_ASSERT_EQUAL(w.nodes, 501);
  for (size_t f = 0; f < 150; f++) {
    const double t = entry(times, f);
    const int node = (int)lround(t / 1e-2);
    CHECK_CLOSE("equal distances", t, 5.0 * (double)f / 149, 5.001e-3);
    for (int b = 0; b < 2; b++) {
      const json_t *body = named(c, "bodies", b ? "B23" : "B12");
      double x[3];
      place(c, body, json_object_get(named(body, "points", "P2"), "at"), f, x);
      for (int i = 0; i < 3; i++) { CHECK_CLOSE("P2", x[i], w.y[node][i], 1e-6); }
    }
  }
  close_run(&q);
}

/* Where a point is that two bodies share, both say; bodies that turn about all axes. Returns how many there were. */
static int check_meetings(const json_t *c, size_t f) {
  const json_t *bodies = json_object_get(c, "bodies");
  const size_t n = json_array_size(bodies);
  int count = 0;
  for (size_t a = 0; a < n * n; a++) {
    const json_t *one = json_array_get(bodies, a / n), *other = json_array_get(bodies, a % n);
    const json_t *p = json_object_get(one, "points"), *q = json_object_get(other, "points");
    for (size_t i = 0; one != other && i < json_array_size(p) * json_array_size(q); i++) {
      const json_t *x = json_array_get(p, i / json_array_size(q)), *y = json_array_get(q, i % json_array_size(q));
      double at[3], there[3];
      if (!json_equal(json_object_get(x, "name"), json_object_get(y, "name"))) { continue; }
      place(c, one, json_object_get(x, "at"), f, at);
      place(c, other, json_object_get(y, "at"), f, there);
      for (int k = 0; k < 3; k++) {
        CHECK_CLOSE("joint", at[k], there[k], 2e-5);
      } /* two roundings, far from the origin */
      count++;
    }
  }
  return count;
}

static void test_joints(void) {
  static const char *const runs[] = {"spatial_four_bar", "bicycle_double_turn"};
  for (int i = 0; i < 2; i++) {
    opened q;
    int count = 0;
    open_run(&q, runs[i], 100);
    for (size_t f = 0; f < 100; f++) { count += check_meetings(first_case(&q), f); }
    CU_ASSERT_EQUAL(count, 100 * 2 * (i ? 3 : 2));
    close_run(&q);
  }
}

/* A body turned by half a turn: there the first component of its quaternion is no help. */
static void test_half_turn(void) {
  static const char *const set[] = {"scalars.aA1=pi", "case.swing.duration=0.1"};
  opened q;
  double x[3];
  open_run_with(&q, "five_bar", 5, 2, set);
  const json_t *c = first_case(&q), *bar = named(c, "bodies", "A1");
  place(c, bar, json_object_get(named(bar, "points", "P1"), "at"), 0, x);
  CHECK_CLOSE("x", x[0], -sqrt(2), 1e-6);
  CHECK_CLOSE("y", x[1], 0, 1e-6);
  place(c, bar, json_object_get(named(bar, "points", "A"), "at"), 0, x);
  CHECK_CLOSE("its hinge", x[0], 0, 1e-6);
  close_run(&q);
}

static void test_frames(void) {
  opened q;
  open_run(&q, "five_bar", 100000); /* 500 steps */
  const json_t *times = json_object_get(first_case(&q), "times");
  CU_ASSERT_EQUAL_FATAL(json_array_size(times), 501);
  CHECK_CLOSE("every step", entry(times, 7), 0.07, 1e-12);
  close_run(&q);
  open_run(&q, "five_bar", 2);
  times = json_object_get(first_case(&q), "times");
  CU_ASSERT_EQUAL_FATAL(json_array_size(times), 2);
  CHECK_CLOSE("start", entry(times, 0), 0, 0);
  CHECK_CLOSE("end", entry(times, 1), 5, 1e-12);
  close_run(&q);
}

/* Bars between two joints; two springs without damping; the ground has two joints; y is up. */
static void test_five_bar(void) {
  opened q;
  open_run(&q, "five_bar", 10);
  const json_t *c = first_case(&q), *spring = named(c, "lines", "s1"), *bar = named(c, "bodies", "A1");
  const json_t *end = json_array_get(json_object_get(spring, "ends"), 1);
  CHECK_CLOSE("up", entry(json_object_get(q.scene, "up"), 1), 1, 0);
  CU_ASSERT_EQUAL(json_array_size(json_object_get(c, "bodies")), 4);
  CU_ASSERT_EQUAL(json_array_size(json_object_get(c, "ground")), 2);
  CU_ASSERT_EQUAL(json_array_size(json_object_get(c, "lines")), 2);
  CU_ASSERT(json_is_null(json_object_get(c, "road")));
  CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(spring, "kind")), "spring");
  CHECK_CLOSE("on bar A1", entry(end, 0), 0, 0);
  CHECK_CLOSE("from its middle", entry(end, 1), sqrt(2) / 2, 1e-12);
  CU_ASSERT_EQUAL(json_array_size(json_object_get(bar, "faces")), 0);
  CU_ASSERT_EQUAL(json_array_size(json_array_get(json_object_get(bar, "bar"), 0)), 2);
  CU_ASSERT(json_is_true(json_object_get(named(bar, "points", "P1"), "joint")));
  close_run(&q);
}

/* Where end k of a line is at frame f. */
static void end_at(const json_t *c, const json_t *line, size_t k, size_t f, double x[3]) {
  const json_t *end = json_array_get(json_object_get(line, "ends"), k);
  json_t *at = json_pack("[f,f,f]", entry(end, 1), entry(end, 2), entry(end, 3));
  if (entry(end, 0) < 0) {
    for (size_t i = 0; i < 3; i++) { x[i] = entry(at, i); }
  } else {
    place(c, json_array_get(json_object_get(c, "bodies"), (size_t)entry(end, 0)), at, f, x);
  }
  json_decref(at);
}

/* The tension of a spring is k (s - l0), by the places of its ends; every joint has an arrow; what stands on the ground has bearings. */
static void test_forces(void) {
  opened q;
  double a[3], b[3];
  open_run(&q, "five_bar", 101);
  const json_t *c = first_case(&q), *spring = named(c, "lines", "s1"), *tension = json_object_get(spring, "tension");
  CU_ASSERT_EQUAL(json_array_size(tension), 101);
  for (size_t f = 0; f < 101; f += 10) {
    end_at(c, spring, 0, f, a), end_at(c, spring, 1, f, b);
    const double s = sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
    CHECK_CLOSE("tension", entry(tension, f) * number(spring, "unit"), 100 * (s - q.m->start[0]), 2e-3);
  }
  CU_ASSERT_EQUAL(json_array_size(json_object_get(c, "arrows")), 5);
  CU_ASSERT_EQUAL(json_array_size(json_object_get(named(c, "arrows", "JB"), "force")), 303);
  CU_ASSERT(json_is_true(json_object_get(json_array_get(json_object_get(c, "ground"), 0), "bearing")));
  close_run(&q);
}

/* The moment of the reaction at the joint of a motor is the torque of its drive about its axis, z; moments that are zero have no arrow. */
static void test_moments(void) {
  opened q;
  mbd_error err = {0};
  motion *w;
  open_run(&q, "four_bar_motor", 5);
  const json_t *arrows = json_object_get(first_case(&q), "arrows"), *one, *moment = NULL;
  size_t i;
  int torque = 0, n = 0;
  json_array_foreach(arrows, i, one) {
    if (!json_object_get(one, "moment")) { continue; }
    n++;
    if (strcmp(json_string_value(json_object_get(one, "name")), "motor") == 0) { moment = one; }
  }
  CU_ASSERT_PTR_NOT_NULL_FATAL(moment);
  CU_ASSERT_EQUAL(n, 2); /* that of the motor, and of the bolt of the follower's counterweight */
  must(motion_create(q.m, q.m->start, (motion_request){0}, &w, &err), &err);
  const thinned *all = &w->cases[0].all;
  while (strcmp(all->columns.column[torque].name, "drive.motor.angle.drive_force") != 0) { torque++; }
  for (int f = 0; f < 5; f++) {
    const double value = number(moment, "unit") * entry(json_object_get(moment, "moment"), 3 * (size_t)f + 2);
    CHECK_CLOSE("torque of the motor", value, all->curve[torque].y[50 * f], 2e-3);
    CU_ASSERT(f > 0 || fabs(value) > 0.1);
  }
  motion_destroy(w);
  close_run(&q);
}

/* The rider of the bicycle pedals with 7 N m, which act on the rear wheel about its axle, y. */
static void test_torque_on_a_body(void) {
  static const char *const set[] = {"case.turn.duration=0.02"};
  opened q;
  mbd_error err = {0};
  double rho[200];
  open_run_with(&q, "bicycle_double_turn", 2, 1, set);
  json_decref(q.scene);
  CU_ASSERT_FATAL(q.m->n <= 200);
  for (int i = 0; i < q.m->n; i++) { rho[i] = strncmp(q.m->name[i], "traction", 8) == 0 ? 7 : q.m->start[i]; }
  must(scene_create(q.m, rho, 2, &q.scene, &err), &err);
  const json_t *arrow = named(first_case(&q), "arrows", "pedals"), *moment = json_object_get(arrow, "moment");
  CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(arrow, "kind")), "applied");
  CHECK_CLOSE("about the axle", number(arrow, "unit") * entry(moment, 1), 7, 1e-3);
  CHECK_CLOSE("about x", number(arrow, "unit") * entry(moment, 0), 0, 0.05);
  CHECK_CLOSE("about z", number(arrow, "unit") * entry(moment, 2), 0, 0.05);
  close_run(&q);
}

/* A coach has rods without bodies, whose tension is there, and floats; a motor is at the joint that it drives. */
static void test_elements(void) {
  opened q;
  static const char *const set[] = {"case.uneven.duration=0.1", "case.lane.duration=0.1"};
  open_run_with(&q, "coach_comfort", 3, 2, set);
  const json_t *c = first_case(&q), *rod = named(c, "lines", "drag_link"), *one;
  size_t i;
  CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(rod, "kind")), "rod");
  CU_ASSERT_EQUAL(json_array_size(json_object_get(rod, "tension")), 3);
  json_array_foreach(json_object_get(c, "ground"), i, one) {
    CU_ASSERT(json_is_false(json_object_get(one, "bearing")));
  }
  close_run(&q);
  open_run(&q, "four_bar_motor", 3);
  const json_t *motor = json_array_get(json_object_get(first_case(&q), "joints"), 0);
  CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(motor, "kind")), "motor");
  CU_ASSERT_EQUAL(json_array_size(json_object_get(motor, "ends")), 1);
  close_run(&q);
}

/* Stations of a beam are on its straight line at the start, and the last one is the tip, later as well. */
static void test_beams(void) {
  static const char *const set[] = {"case.spin.duration=3"};
  opened q;
  open_run_with(&q, "spin_up", 3, 1, set);
  const json_t *c = first_case(&q), *beam = named(c, "beams", "arm"), *bodies = json_object_get(c, "bodies");
  const json_t *stations = json_object_get(beam, "stations"), *straight = json_object_get(beam, "undeformed");
  const json_t *arm = json_array_get(bodies, (size_t)number(beam, "body"));
  CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(arm, "name")), "arm");
  CU_ASSERT_EQUAL_FATAL(json_array_size(stations), 9);
  double x[3], y[3], before = -1;
  for (size_t i = 0; i < 9; i++) {
    const json_t *s = json_array_get(stations, i), *u = json_array_get(straight, i);
    const json_t *at = json_pack("[O,O,O]", json_array_get(s, 1), json_array_get(s, 2), json_array_get(s, 3));
    const json_t *along = json_pack("[O,O,O]", json_array_get(u, 1), json_array_get(u, 2), json_array_get(u, 3));
    const json_t *body = json_array_get(bodies, (size_t)entry(s, 0));
    for (size_t f = 0; f < 3; f += 2) {
      place(c, body, at, f, x), place(c, arm, along, f, y);
      if (f == 0) { CHECK_CLOSE("undeformed", x[0], y[0], 1e-5); }
    }
    if (i == 8) {
      CU_ASSERT(x[1] < y[1] - 0.1); /* the tip lags behind */
      place(c, body, json_object_get(named(body, "points", "tip"), "at"), 2, y);
      CHECK_CLOSE("tip", x[1], y[1], 1e-5);
    }
    CU_ASSERT(entry(u, 1) > before);
    before = entry(u, 1);
    json_decref((json_t *)at), json_decref((json_t *)along);
  }
  close_run(&q);
}

/* A body of data from outside: lines from its first point to its node and to its second point, which bend away from where they are undeformed. */
static void test_modal_lines(void) {
  char path[] = "/tmp/mbopt_run_XXXXXX";
  opened q;
  double x[3], y[3];
  write_file(path, "schema = 1\n[model]\nfile = " MBOPT_SOURCE_DIR
                   "/tests/conformance/models/beams.ini\n"
                   "[case swing]\nduration = 0.1\nstep = 0.01\n[design tip_x]\n"
                   "[objective one]\nof = vane.bend\nform = terminal\n");
  open_path(&q, path, 11, 0, NULL);
  unlink(path);
  const json_t *c = first_case(&q), *vane = named(c, "beams", "vane"), *stations = json_object_get(vane, "stations");
  json_t *lines = json_pack("[[i,i],[i,i]]", 1, 0, 1, 2);
  CU_ASSERT(json_equal(json_object_get(vane, "lines"), lines));
  CU_ASSERT_EQUAL_FATAL(json_array_size(stations), 3);
  CU_ASSERT_PTR_NULL(json_object_get(vane, "stress"));
  for (size_t f = 0; f < 11; f += 10) {
    const json_t *both[] = {stations, json_object_get(vane, "undeformed")};
    double *const to[] = {x, y};
    for (int k = 0; k < 2; k++) {
      const json_t *tip = json_array_get(both[k], 0),
                   *body = json_array_get(json_object_get(c, "bodies"), (size_t)entry(tip, 0));
      json_t *at = json_pack("[f,f,f]", entry(tip, 1), entry(tip, 2), entry(tip, 3));
      place(c, body, at, f, to[k]);
      json_decref(at);
    }
    CHECK_CLOSE("undeformed at the start", f ? 0 : hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]), 0, 2e-6);
  }
  CU_ASSERT(fabs(x[2] - y[2]) > 1e-3);
  json_decref(lines);
  close_run(&q);
}

/* Colours of beams: at the clamped end of the upper arm the stress of the constraint; the largest one is that of all places and nodes. */
static void test_stresses(void) {
  static const char *const coarse[] = {"case.pick.step=0.02"};
  opened q;
  mbd_error err = {0};
  motion *w;
  open_run_with(&q, "lightweight_arm", 1000, 1, coarse); /* 30 steps */
  must(motion_create(q.m, q.m->start, (motion_request){0}, &w, &err), &err);
  const json_t *c = first_case(&q), *beam = named(c, "beams", "upper_arm"), *stress = json_object_get(beam, "stress");
  const json_t *v = json_object_get(stress, "values");
  const size_t n = json_array_size(json_object_get(beam, "stations"));
  const double unit = number(stress, "unit");
  const thinned *all = &w->cases[0].all;
  double max = 0;
  int column = 0;
  while (strcmp(all->columns.column[column].name, "shoulder_stress") != 0) { column++; }
  CU_ASSERT_EQUAL_FATAL(json_array_size(v), 31 * n);
  for (size_t i = 0; i < 31 * n; i++) { max = fmax(max, unit * entry(v, i)); }
  for (size_t f = 0; f < 31; f++) {
    CHECK_CLOSE("stress", unit * entry(v, n * f), 1e6 * fabs(all->curve[column].y[f]), 0.51 * unit);
  }
  CHECK_NEAR("largest", number(stress, "largest"), max, max, 1e-12);
  const size_t frame = (size_t)lround(number(stress, "time") / 0.02), station = (size_t)number(stress, "station");
  CU_ASSERT_EQUAL(entry(v, n * frame + station), 255);
  motion_destroy(w);
  close_run(&q);
}

/* The platform of a delta robot hangs on six rods, each from an arm to the platform; its floating joint stands on nothing. */
static void test_rods(void) {
  opened q;
  open_run(&q, "delta_robot", 3);
  const json_t *c = first_case(&q), *one;
  size_t i;
  CU_ASSERT_EQUAL(json_array_size(json_object_get(c, "lines")), 6);
  json_array_foreach(json_object_get(c, "lines"), i, one) {
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(one, "kind")), "rod");
  }
  CU_ASSERT_EQUAL(json_array_size(json_object_get(c, "ground")), 3);
  json_array_foreach(json_object_get(c, "ground"), i, one) {
    CU_ASSERT(json_is_true(json_object_get(one, "bearing")));
  }
  close_run(&q);
}

/* Height of the profile at x. */
static double height(const json_t *road, double x) {
  size_t i = 1;
  while (i + 1 < json_array_size(road) && entry(json_array_get(road, i), 0) < x) { i++; }
  const json_t *a = json_array_get(road, i - 1), *b = json_array_get(road, i);
  const double s = (x - entry(a, 0)) / (entry(b, 0) - entry(a, 0));
  return (1 - s) * entry(a, 1) + s * entry(b, 1);
}

/* A car on a road with a step of 1 cm, rounded over 10 cm, at x = 5.5 m. */
static void test_buggy(void) {
  opened q;
  open_run(&q, "step_descent", 150);
  const json_t *c = first_case(&q), *road = json_object_get(c, "road"), *tyre = named(c, "wheels", "rear_left.tyre");
  const json_t *chassis = named(c, "bodies", "chassis"), *faces = json_object_get(chassis, "faces");
  const json_t *wheel = json_array_get(json_object_get(c, "bodies"), (size_t)number(tyre, "body"));
  double from[3], to[3];
  char *text = json_dumps(q.scene, JSON_COMPACT | JSON_REAL_PRECISION(9)); /* as pages have it */
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  CU_ASSERT(strlen(text) < 200000);
  free(text);
  CHECK_CLOSE("up", entry(json_object_get(q.scene, "up"), 2), 1, 0);
  CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(wheel, "name")), "rear_left.wheel");
  CHECK_CLOSE("radius", number(tyre, "radius"), 0.28, 0);
  place(c, wheel, json_object_get(tyre, "centre"), 0, from);
  place(c, wheel, json_object_get(tyre, "centre"), 149, to);
  CHECK_CLOSE("just on the road", from[2], 0.28, 1e-5);
  CHECK_CLOSE("from 3 m/s on, less what rolling takes", to[0] - from[0], 13, 0.5);
  CHECK_CLOSE("down the step", to[2], 0.27 - 0.008, 0.004); /* and settled on its tyre */
  CU_ASSERT(entry(json_array_get(road, 0), 0) < from[0] - 1);
  CU_ASSERT(entry(json_array_get(road, json_array_size(road) - 1), 0) > to[0] + 2 + 1);
  CHECK_CLOSE("before the step", height(road, 5.4), 0, 1e-4);
  CHECK_CLOSE("within it", height(road, 5.55), -0.005, 1e-4);
  CHECK_CLOSE("behind it", height(road, 5.7), -0.01, 1e-4);
  CU_ASSERT(json_array_size(road) < 60);
  CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(named(c, "lines", "front_left.spring"), "kind")),
                         "spring_damper");
  CU_ASSERT(json_array_size(faces) > 6);
  for (size_t f = 0; f < json_array_size(faces); f++) {
    const json_t *corners = json_array_get(faces, f);
    for (size_t i = 0; i < json_array_size(corners); i++) {
      CU_ASSERT(entry(corners, i) < (double)json_array_size(json_object_get(chassis, "points")));
    }
  }
  close_run(&q);
}

/* Component k of an arrow in frame f. */
static double force_at(const json_t *arrow, size_t f, size_t k) {
  return number(arrow, "unit") * entry(json_object_get(arrow, "force"), 3 * f + k);
}

/* When the car has settled its tyres carry it: 500 kg. A bushing in static equilibrium pulls its second body back by k x, here along global
 * axes with places of 1e-7 m. */
static void test_tyres_and_bushings(void) {
  static const char *const names[] = {"front_left.tyre", "front_right.tyre", "rear_left.tyre", "rear_right.tyre"};
  opened q;
  double weight = 0, a[3], b[3];
  open_run(&q, "step_descent", 150);
  for (int i = 0; i < 4; i++) {
    const json_t *arrow = named(first_case(&q), "arrows", names[i]);
    const json_t *wheel = json_array_get(json_object_get(first_case(&q), "wheels"), (size_t)number(arrow, "wheel"));
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(arrow, "kind")), "tyres");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(wheel, "name")), names[i]);
    weight += force_at(arrow, 149, 2);
  }
  CHECK_CLOSE("weight", weight, 500 * 9.81, 15);
  close_run(&q);
  open_run(&q, "corner", 3);
  const json_t *c = json_array_get(json_object_get(q.scene, "cases"), 1);
  const json_t *arrow = named(c, "arrows", "lower_front_bushing"), *line = named(c, "lines", "lower_front_bushing");
  CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(arrow, "kind")), "bushings");
  end_at(c, line, 0, 2, a), end_at(c, line, 1, 2, b);
  CU_ASSERT(fabs(force_at(arrow, 2, 1)) > 100);
  CHECK_CLOSE("along", force_at(arrow, 2, 0), -2e6 * (b[0] - a[0]), 0.5);
  CHECK_CLOSE("across", force_at(arrow, 2, 1), -8e6 * (b[1] - a[1]), 2);
  CHECK_CLOSE("up", force_at(arrow, 2, 2), 0, 1e-9);
  close_run(&q);
}

/* Every case; a point and the centre of mass make a bar. */
static void test_cases(void) {
  opened q;
  open_run(&q, "bicycle_weave", 5);
  const json_t *cases = json_object_get(q.scene, "cases");
  CU_ASSERT_EQUAL(json_array_size(cases), 11);
  CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(json_array_get(cases, 10), "name")), "v10");
  close_run(&q);
  open_run(&q, "pendulum", 5);
  const json_t *body = json_array_get(json_object_get(first_case(&q), "bodies"), 0);
  const json_t *bar = json_array_get(json_object_get(body, "bar"), 0);
  CU_ASSERT_EQUAL(json_array_size(bar), 2);
  close_run(&q);
}

/* Another design moves otherwise; what the mechanism knows and gives stays the same to the bit. */
static void test_mechanism_untouched(void) {
  opened q;
  json_t *other = NULL;
  mbd_error err = {0};
  double rho[2], psi[1], grad[2];
  open_run(&q, "five_bar", 20);
  mechanism *m = q.m;
  must(mechanism_evaluate(m, m->start, "auto", &err), &err);
  memcpy(psi, m->psi, sizeof psi), memcpy(grad, m->grad, sizeof grad);
  for (int i = 0; i < 2; i++) { rho[i] = 1.1 * m->start[i]; }
  must(scene_create(m, rho, 20, &other, &err), &err);
  CU_ASSERT(!json_equal(q.scene, other));
  must(mechanism_evaluate(m, m->start, "auto", &err), &err);
  CU_ASSERT_EQUAL(memcmp(m->psi, psi, sizeof psi), 0);
  CU_ASSERT_EQUAL(memcmp(m->grad, grad, sizeof grad), 0);
  json_decref(other);
  must(scene_create(m, m->start, 20, &other, &err), &err);
  CU_ASSERT(json_equal(q.scene, other));
  json_decref(other);
  close_run(&q);
}

static int keep_last(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                     const double *lam, const double *y) {
  (void)k, (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  memcpy(user, y, 4 * sizeof *y);
  return 0;
}

/* Outputs that belong to no objective (here the place of the crank's end, 1.5 m from its hinge) still reach observers. */
static void test_outputs_watched(void) {
  opened q;
  mbd_error err = {0};
  double y[4] = {0};
  open_run(&q, "spatial_four_bar", 5);
  const mechanism_case *k = &q.m->cases[0];
  CU_ASSERT_STRING_EQUAL(mbd_outputs_name(k->outputs, 3), "C.position.z");
  must(mbd_sim_run(k->sim, k->v->params, 0, NULL, NULL, NULL, NULL, keep_last, y, &err), &err);
  CHECK_CLOSE("crank", sqrt(y[1] * y[1] + y[2] * y[2] + y[3] * y[3]), 1.5, 1e-9);
  close_run(&q);
}

/* Frames by content. The pendulum's bar swings: with as many frames as are
 * chosen, every pose between two frames is within what can be seen, which is exceeded with a third of them. */
static double worst_turn(const json_t *fine, const json_t *coarse) {
  const json_t *const of[] = {json_object_get(fine, "times"), json_object_get(coarse, "times")};
  const json_t *p = json_object_get(json_array_get(json_object_get(fine, "bodies"), 0), "pose"),
               *q = json_object_get(json_array_get(json_object_get(coarse, "bodies"), 0), "pose");
  double worst = 0;
  size_t k = 0;
  for (size_t f = 0; f < json_array_size(of[0]); f++) {
    const double t = entry(of[0], f);
    while (k + 2 < json_array_size(of[1]) && entry(of[1], k + 1) < t) { k++; }
    const double s = (t - entry(of[1], k)) / (entry(of[1], k + 1) - entry(of[1], k));
    double square = 0, along = 0;
    for (size_t i = 3; i < 7; i++) { /* quaternions of neighbouring frames have the same sign here */
      const double e = (1 - s) * entry(q, 7 * k + i) + s * entry(q, 7 * (k + 1) + i);
      square += e * e, along += 1e-7 * e * entry(p, 7 * f + i);
    }
    worst = fmax(worst, 2 * acos(fmin(1, fabs(along) / sqrt(square))));
  }
  return worst;
}

static void test_by_content(void) {
  static const char *const long_run[] = {"design.damping.start = 0.1"};
  opened few, many, other;
  open_run_with(&many, "pendulum", 400, 1, long_run);
  open_run_with(&few, "pendulum", SCENE_BY_CONTENT, 1, long_run);
  const int n = (int)json_array_size(json_object_get(first_case(&few), "times"));
  CU_ASSERT(n > 60 && n < 400);
  CU_ASSERT(worst_turn(first_case(&many), first_case(&few)) < 0.021);
  open_run_with(&other, "pendulum", n / 3, 1, long_run);
  CU_ASSERT(worst_turn(first_case(&many), first_case(&other)) > 0.02);
  close_run(&few), close_run(&many), close_run(&other);
}

static void test_failures(void) {
  const double nowhere[2] = {NAN, 1};
  const volatile sig_atomic_t stop = 1;
  opened q;
  json_t *none = json_null();
  mbd_error err = {0};
  open_run(&q, "five_bar", 2);
  CU_ASSERT_EQUAL(scene_create(q.m, q.m->start, 1, &none, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "1 frames, expected 2 or more");
  CU_ASSERT_PTR_NULL(none);
  CU_ASSERT_EQUAL(scene_create(q.m, nowhere, 10, &none, &err), MBD_OUT_OF_DOMAIN);
  CU_ASSERT_PTR_NULL(none);
  q.m->stop = &stop;
  CU_ASSERT_EQUAL(scene_create(q.m, q.m->start, 10, &none, &err), MBD_INTERRUPTED);
  CHECK_CONTAINS(err.text, "case 'swing'");
  CU_ASSERT_PTR_NULL(none);
  close_run(&q);
}

TEST_MAIN(TEST(test_beams), TEST(test_stresses), TEST(test_modal_lines), TEST(test_poses), TEST(test_joints),
          TEST(test_half_turn), TEST(test_frames), TEST(test_five_bar), TEST(test_forces), TEST(test_moments),
          TEST(test_torque_on_a_body), TEST(test_elements), TEST(test_rods), TEST(test_buggy),
          TEST(test_tyres_and_bushings), TEST(test_cases), TEST(test_mechanism_untouched), TEST(test_outputs_watched),
          TEST(test_by_content), TEST(test_failures))
