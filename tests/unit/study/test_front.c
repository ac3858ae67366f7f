/* The waves of a front, and what its points are: optima that are known by hand take the place of optimizations. */
#include <math.h>
#include <string.h>

#include "study/front.h"
#include "test.h"

/* Computes the planned points from `first` on by hand. */
typedef void (*solver)(front *f, int i);

static void complete(front *f, solver solve) {
  for (int first = 0; front_plan(f); first = f->planned) {
    for (int i = first; i < f->planned; i++) {
      if (f->point[i].step.minimized >= 0) {
        solve(f, i);
      } else {
        f->point[i].state = FRONT_NOT_NEEDED;
      }
    }
  }
  front_classify(f);
}

/* f0 = t^2, f1 = (1 - t)^2 for 0 <= t <= 1, of which 4 f0 and 10 + f1 are given: df1/df0 = -(1 - t)/t. */
static void solve_parabolas(front *f, int i) {
  const front_step *step = &f->point[i].step;
  double t = step->minimized, lambda = 0;
  if (step->nlimit) {
    const int c = 1 - step->minimized;
    t = c == 0 ? sqrt(step->limit[0]) : 1 - sqrt(step->limit[0]);
    lambda = c == 0 ? (1 - t) / t : t / (1 - t);
  }
  front_take(f, i, (const double[]){4 * t * t, 10 + (1 - t) * (1 - t)}, &lambda);
}

static void solve_moving(front *f, int i) {
  solve_parabolas(f, i);
  f->point[i].moves = 1;
}

/* Where it is known how optima move, points go from both anchors to the middle. With u = 2 t - 1 each is h/2 beyond the one before in t: the front is a parabola
 * in u, which the tangent and its turn tell exactly, so that limit and multiplier are those of the point; but the first ones, whose turn is not known. */
static void test_ahead(void) {
  front f;
  mbd_error err = {0};
  int order[15];
  const double h = 1.2 * 2 / 14;
  must(front_create(2, 15, &f, &err), &err);
  complete(&f, solve_moving);
  CU_ASSERT_EQUAL_FATAL(front_order(&f, order), 15);
  for (int i = 2; i < 10; i++) {
    const front_step *step = &f.point[i].step;
    const double t = sqrt(f.point[i].f[0]) / 2, before = sqrt(f.point[step->from[0]].f[0]) / 2, sign = i % 2 ? -1 : 1;
    CU_ASSERT_EQUAL(f.point[i].wave, i / 2);
    CHECK_CLOSE("ahead", step->ahead, sign * h, 1e-15);
    CU_ASSERT_EQUAL(step->from[0], i - 2);
    if (i < 4) {
      CHECK_CLOSE("first", step->limit[0], 1 - h, 1e-15);
      continue;
    }
    CU_ASSERT_EQUAL(step->outer[0], i - 4);
    CHECK_CLOSE("t", t, before + sign * h / 2, 1e-14);
    CHECK_CLOSE("multiplier", step->multiplier[0], f.point[i].multiplier[0], 1e-12);
    CHECK_CLOSE(
        "band", step->band,
        0.2 * fabs(step->limit[0] - front_scaled(&f, 1 - step->minimized, f.point[i - 2].f[1 - step->minimized])),
        1e-15);
  }
  front_free(&f);
}

static void test_convex(void) {
  front f;
  mbd_error err = {0};
  double distance, largest = 0;
  int order[15];
  must(front_create(2, 15, &f, &err), &err);
  complete(&f, solve_parabolas);
  CU_ASSERT_EQUAL_FATAL(front_order(&f, order), 15);
  CU_ASSERT_EQUAL(f.point[2].wave, 1);
  CU_ASSERT_EQUAL(f.low[0], 0);
  CU_ASSERT_EQUAL(f.high[1], 11);
  for (int k = 0; k < 15; k++) {
    const double *v = f.point[order[k]].f, t = sqrt(v[0]) / 2;
    if (k > 0 && k < 14) { CHECK_CLOSE("slope", front_slope(&f, order[k], 1, 0), -(1 - t) / t / 4, 1e-13); }
    const double *w = k > 0 ? f.point[order[k - 1]].f : v;
    largest = fmax(largest, hypot(v[0] / 4 - w[0] / 4, v[1] - w[1]));
  }
  CU_ASSERT(largest < 0.2); /* its length is 1.62, so 14 equal gaps would be 0.12 */
  /* the knee t = 1/2 is the first point, (1/4, 1/4) in scaled objectives, sqrt(1/8) from the line through (0, 1) and (1, 0) */
  const int knee = front_knee(&f, &distance);
  CHECK_CLOSE("knee", f.point[knee].f[0], 1, 0.4);
  CHECK_CLOSE("distance", distance, sqrt(0.125), 0.01);
  front_free(&f);
}

/* f1 = 1 - f0 for f0 <= 0.3 and f1 = 0.8 - f0 for f0 >= 0.5, with 0.7 and 0.3 at the ends of the gap: what lies between is dominated. */
static void solve_parts(front *f, int i) {
  const front_step *step = &f->point[i].step;
  const int c = 1 - step->minimized;
  const double limit = step->limit[0] * (c == 0 ? 0.8 : 1); /* f0 goes to 0.8 */
  double f0, lambda = 0.8;
  if (step->nlimit == 0) {
    f0 = step->minimized == 0 ? 0 : 0.8;
  } else if (c == 0) {
    f0 = limit < 0.3 || limit >= 0.5 ? limit : 0.3;
  } else {
    f0 = limit >= 0.7 ? 1 - limit : limit <= 0.3 ? 0.8 - limit : 0.5;
  }
  if (f0 == 0.3 || f0 == 0.5) { lambda = 0; }
  front_take(f, i, (const double[]){f0, f0 <= 0.3 ? 1 - f0 : 0.8 - f0}, &lambda);
}

static void test_gap(void) {
  front f;
  mbd_error err = {0};
  int order[14], gaps = 0, repeated = 0;
  must(front_create(2, 14, &f, &err), &err);
  complete(&f, solve_parts);
  const int n = front_order(&f, order);
  for (int i = 0; i < f.n; i++) {
    CU_ASSERT(f.point[i].state == FRONT_EFFICIENT || f.point[i].state == FRONT_REPEATED);
    repeated += f.point[i].state == FRONT_REPEATED;
  }
  for (int k = 1; k < n; k++) {
    const front_point *a = &f.point[order[k - 1]], *b = &f.point[order[k]];
    if (!front_has_gap(&f, order[k - 1], order[k])) { continue; }
    gaps++;
    CHECK_CLOSE("end of the first part", a->f[0], 0.3, 2 * FRONT_STEP);
    CHECK_CLOSE("begin of the second part", b->f[0], 0.5, 2 * FRONT_STEP);
  }
  CU_ASSERT_EQUAL(gaps, 1);
  CU_ASSERT(repeated > 0 && repeated <= 3);
  front_free(&f);
}

/* The plane f0 + f1 + f2 = 1 with f >= 0: every limit of a step is met where the normal of the plane of the anchors goes through it, so a point lies at its
 * barycentric coordinates. Both limits have the multiplier 1/3 of the normal (1, 1, 1)/3. */
static void solve_plane(front *f, int i) {
  const front_point *p = &f->point[i];
  double v[3] = {0.5, 0.5, 0.5};
  if (p->step.nlimit == 0) { v[p->step.minimized] = 0; }
  for (int k = 0; k < 3 && p->step.nlimit; k++) { v[k] = (1 - f->place[i][k]) / 2; }
  front_take(f, i, v, (const double[]){1. / 3, 1. / 3});
}

static void test_three(void) {
  front f;
  mbd_error err = {0};
  double distance;
  must(front_create(3, 40, &f, &err), &err);
  complete(&f, solve_plane);
  for (int i = 0; i < f.n; i++) {
    CU_ASSERT_EQUAL(f.point[i].state, FRONT_EFFICIENT);
    if (f.point[i].step.nlimit == 0) { continue; }
    CHECK_CLOSE("slope", front_slope(&f, i, 2, 0), -1, 1e-14);
    /* the middle between two others meets the limits as equations */
    for (int j = 0; j < 2; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) { sum += f.point[i].step.row[j][k] * front_scaled(&f, k, f.point[i].f[k]); }
      CHECK_CLOSE("limit", sum, f.point[i].step.limit[j], 1e-14);
    }
  }
  CU_ASSERT_EQUAL(front_knee(&f, &distance), -1); /* a plane has none */
  front_free(&f);
}

/* What points are to each other, and objectives that do not conflict. */
static void test_states(void) {
  static const double value[][2] = {{0, 1}, {1, 0}, {0.5, 0.5}, {0.6, 0.6}, {0.5, 0.5}, {0.5, 0.4}};
  front f;
  mbd_error err = {0};
  must(front_create(2, 6, &f, &err), &err);
  for (int i = 0; i < 6; i++) { front_take(&f, i, value[i], NULL); }
  f.planned = 6;
  front_classify(&f);
  CU_ASSERT_EQUAL(f.point[2].state, FRONT_DOMINATED);
  CU_ASSERT_EQUAL(f.point[2].by, 5);
  CU_ASSERT_EQUAL(f.point[3].state, FRONT_DOMINATED);
  CU_ASSERT_EQUAL(f.point[3].by, 5); /* that by which it is farthest from the front */
  CU_ASSERT_EQUAL(f.point[4].state, FRONT_REPEATED);
  CU_ASSERT_EQUAL(f.point[4].by, 2);
  CU_ASSERT_EQUAL(f.point[5].state, FRONT_EFFICIENT);
  front_free(&f);
  must(front_create(2, 5, &f, &err), &err);
  CU_ASSERT(front_plan(&f));
  for (int i = 0; i < 2; i++) { front_take(&f, i, (const double[]){1, 2}, NULL); }
  CU_ASSERT(front_plan(&f));
  CU_ASSERT_EQUAL(f.planned, 5);
  CU_ASSERT_EQUAL(f.point[2].step.minimized, -1);
  CU_ASSERT(!front_plan(&f));
  front_free(&f);
}

TEST_MAIN(TEST(test_convex), TEST(test_ahead), TEST(test_gap), TEST(test_three), TEST(test_states))
