/* What an optimum costs: by hand for a quadratic problem, and against optimizations anew of mechanisms. */
#include "backend/run_settings.h"
#include "mbo/run.h"
#include "opened_run.h"
#include "stages/post_optimality.h"

/* ---- by hand ---- */

/* f = (x - a)^2 + (y - b)^2 with x + d y <= 2 and y <= 1.2. `other` is no part of it, `both` is a sum, and the run file reads `cut`. */
static const char model[] =
    "schema = 1\n[model]\nname = drop\ngravity = 0, -10, 0\njoints = named\n[scalars]\na = 2\nb = 3\nd = 1\nother = 5\n"
    "both = a + b\ncut = 2\nx = 0\ny = 0\n"
    "[vector y]\nalong = 0, 1, 0\nbodies = ground, b\n[body b]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[joint j]\ntype = prismatic\nbodies = ground, b\naxis = y\n";
static const char run[] =
    "schema = 1\n[model]\nfile = MODEL\n[case c]\nduration = 0.1\nstep = 0.1\n[design x]\n[design y]\n"
    "upper = 1.2\n[objective f]\nvalue = (x - a)^2 + (y - b)^2\n[constraint g]\nvalue = x + d*y\n"
    "upper = cut\n";

static const price *find(const post_optimality *p, price_of of, const char *name) {
  for (int i = 0; i < p->n; i++) {
    if (p->price[i].of == of && strcmp(p->price[i].name, name) == 0) { return &p->price[i]; }
  }
  return NULL;
}

static void check(const post_optimality *p, price_of of, const char *name, double at, double slope, double f) {
  const price *found = find(p, of, name);
  CU_ASSERT_PTR_NOT_NULL_FATAL(found);
  CHECK_CLOSE(name, found->at, at, 0);
  CHECK_CLOSE(name, found->slope, slope, 1e-13);
  CHECK_CLOSE(name, found->percent, at * slope / f, 1e-13);
}

typedef struct priced {
  opened_run r; /* to which the names belong */
  post_optimality p;
} priced;

static priced price_at(const double *x, const char *text, int nset, const char *const *set) {
  char model_path[40], run_path[40];
  mbd_error err = {0};
  priced q;
  run_write_texts(model, text, model_path, run_path);
  q.r = run_read(run_path, nset, set);
  must(post_optimality_create(q.r.m, x, NULL, 1e-8, 1, &q.p, &err), &err);
  unlink(run_path), unlink(model_path);
  return q;
}

static void priced_free(priced *q) {
  post_optimality_free(&q->p), run_close(&q->r);
}

static void test_by_hand(void) {
  static const double x[] = {0.8, 1.2}, beside[] = {0.7, 1.2};
  const double lambda = 2.4, f = 1.2 * 1.2 + 1.8 * 1.8;
  priced q = price_at(x, run, 0, NULL), elsewhere = price_at(beside, run, 0, NULL);
  CU_ASSERT_EQUAL(q.p.n, 5);
  CU_ASSERT_EQUAL(q.p.several, 0);
  check(&q.p, PRICE_UPPER_LIMIT, "g", 2, -lambda, f);
  check(&q.p, PRICE_UPPER_BOUND, "y", 1.2, -2 * 1.8 + lambda, f);
  check(&q.p, PRICE_NUMBER, "a", 2, 2 * 1.2, f);
  check(&q.p, PRICE_NUMBER, "b", 3, 2 * 1.8, f);
  check(&q.p, PRICE_NUMBER, "d", 1, lambda * 1.2, f);
  CU_ASSERT(q.p.price[0].of == PRICE_UPPER_LIMIT && q.p.price[1].of == PRICE_UPPER_BOUND); /* influences 4.8, 1.44 */
  CU_ASSERT_STRING_EQUAL(q.p.price[2].name, "b");
  CU_ASSERT_EQUAL(elsewhere.p.n, 0); /* no optimum */
  priced_free(&q), priced_free(&elsewhere);
}

/* ---- what changes first ---- */

static void check_change(const post_optimality *p, price_of of, const char *name, int above, double at, int is_reached,
                         price_of what, const char *of_what) {
  const price *found = find(p, of, name);
  CU_ASSERT_PTR_NOT_NULL_FATAL(found);
  const first_change *c = above ? &found->above : &found->below;
  CU_ASSERT_EQUAL_FATAL(c->is, 1);
  CHECK_CLOSE(name, c->at, at, 1e-12);
  CU_ASSERT_EQUAL(c->is_reached, is_reached);
  CU_ASSERT_EQUAL(c->of, what);
  CU_ASSERT_STRING_EQUAL(c->name, of_what);
}

/* With x = 2 - d y the multiplier of the limit is 2 (a - x), that of the bound 2 (b - y) - 2 d (a - x). That of the bound is 3.6 - 2.4 d^2 by d, which is 0
 * at the root of 1.5, and by its slope at d = 1 at 1.25. */
static void test_released(void) {
  static const double x[] = {0.8, 1.2};
  priced q = price_at(x, run, 0, NULL);
  CU_ASSERT_EQUAL_FATAL(q.p.changes, 1);
  check_change(&q.p, PRICE_UPPER_LIMIT, "g", 0, 1.4, 0, PRICE_UPPER_BOUND, "y");
  check_change(&q.p, PRICE_UPPER_LIMIT, "g", 1, 3.2, 0, PRICE_UPPER_LIMIT, "g");
  check_change(&q.p, PRICE_UPPER_BOUND, "y", 0, 0, 0, PRICE_UPPER_LIMIT, "g");
  check_change(&q.p, PRICE_UPPER_BOUND, "y", 1, 1.5, 0, PRICE_UPPER_BOUND, "y");
  check_change(&q.p, PRICE_NUMBER, "a", 0, 0.8, 0, PRICE_UPPER_LIMIT, "g");
  check_change(&q.p, PRICE_NUMBER, "a", 1, 2.6, 0, PRICE_UPPER_BOUND, "y");
  check_change(&q.p, PRICE_NUMBER, "b", 0, 2.4, 0, PRICE_UPPER_BOUND, "y");
  check_change(&q.p, PRICE_NUMBER, "d", 1, 1.25, 0, PRICE_UPPER_BOUND, "y");
  CU_ASSERT_EQUAL(find(&q.p, PRICE_NUMBER, "b")->above.is, 0);
  priced_free(&q);
}

/* Without the bound the optimum is at x = (cut + a - b)/2, y = (cut + b - a)/2: as the limit rises, x comes to a bound, and y to one of its own. */
static void test_reached(void) {
  static const double x[] = {0.5, 1.5};
  static const char *const set[] = {"design.y.upper=1.6", "design.x.lower=0.25", "design.x.start=0.5"};
  char text[1000];
  snprintf(text, sizeof text, "%s[constraint h]\nvalue = x - y\nlower = -1.5\n", run);
  priced q = price_at(x, text, 3, set);
  check_change(&q.p, PRICE_UPPER_LIMIT, "g", 0, 1.5, 1, PRICE_LOWER_BOUND, "x");
  check_change(&q.p, PRICE_UPPER_LIMIT, "g", 1, 2.2, 1, PRICE_UPPER_BOUND, "y");
  check_change(&q.p, PRICE_NUMBER, "b", 1, 3.2, 1, PRICE_UPPER_BOUND, "y");
  check_change(&q.p, PRICE_NUMBER, "b", 0, 0, 0, PRICE_UPPER_LIMIT, "g"); /* the multiplier is a + b - cut */
  priced_free(&q);
}

/* The same limit twice has no multipliers of its own, and no moves. */
static void test_dependent(void) {
  static const double x[] = {0.8, 1.2};
  char text[1000];
  snprintf(text, sizeof text, "%s[constraint twice]\nvalue = 2*x + 2*y\nupper = 4\n", run);
  priced q = price_at(x, text, 0, NULL);
  CU_ASSERT_EQUAL(q.p.several, 1);
  CHECK_CLOSE("sum", find(&q.p, PRICE_UPPER_LIMIT, "g")->slope + 2 * find(&q.p, PRICE_UPPER_LIMIT, "twice")->slope,
              -2.4, 1e-12);
  CU_ASSERT_EQUAL(q.p.changes, 0);
  CHECK_CONTAINS(q.p.why, "what holds it is dependent");
  priced_free(&q);
}

static void test_equation(void) {
  static const double x[] = {0.5, 1.5}; /* of x + y = 2 alone */
  static const char *const equal[] = {"constraint.g.lower=2", "design.y.upper="};
  priced q = price_at(x, run, 2, equal);
  check(&q.p, PRICE_EQUATION, "g", 2, -3, 1.5 * 1.5 * 2);
  CU_ASSERT_EQUAL(q.p.n, 4);
  priced_free(&q);
}

/* ---- against optimizations anew ---- */

typedef struct solved {
  mbo_result r;
  stages list;
  opened_run run;
} solved;

static solved solve(const char *file, int nset, const char *const *set) {
  solved q = {.run = run_open(file, nset, set)};
  mbd_error err = {0};
  mbo_problem p;
  mbo_settings s;
  mechanism_problem(q.run.m, &p);
  mbo_option *options = run_settings(q.run.config, &p, &s);
  must(stages_solve(q.run.m, run_backend(q.run.config, &p), &p, &s, &q.list, &q.r, &err), &err);
  CU_ASSERT_EQUAL(q.r.status, MBO_CONVERGED);
  free(options);
  return q;
}

static void solved_free(solved *q) {
  mbo_result_free(&q->r), stages_free(&q->list), run_close(&q->run);
}

/* The objective of the optimum with a setting. */
static double least(const char *file, int nset, const char *const *set, const char *key, double value) {
  const char *all[8];
  char text[100];
  for (int i = 0; i < nset; i++) { all[i] = set[i]; }
  snprintf(text, sizeof text, "%s=%.17g", key, value);
  all[nset] = text;
  solved q = solve(file, nset + 1, all);
  const double f = q.r.f;
  solved_free(&q);
  return f;
}

/* The slope by a key of the run file at a value, against central differences of optima at a thousandth more and less. */
static void check_anew(const char *file, int nset, const char *const *set, price_of of, const char *name,
                       const char *key, double tol) {
  mbd_error err = {0};
  post_optimality p;
  solved q = solve(file, nset, set);
  must(post_optimality_create(q.run.m, q.r.x, q.list.n ? &q.list.stage[q.list.best] : NULL, 1e-8, 0, &p, &err), &err);
  const price *found = find(&p, of, name);
  CU_ASSERT_PTR_NOT_NULL_FATAL(found);
  const double h = 0.001 * fabs(found->at);
  const double slope =
      (least(file, nset, set, key, found->at + h) - least(file, nset, set, key, found->at - h)) / (2 * h);
  CU_ASSERT(found->slope != 0);
  CHECK_NEAR(key, found->slope, slope, fabs(slope), tol);
  post_optimality_free(&p), solved_free(&q);
}

/* The force at a time as the constraint; then its smooth extremum, which takes two stages: the limit is met to a margin that moves with it. */
static void test_anew(void) {
  static const char file[] = "tests/unit/mechanism/steer/force.ini";
  static const char *const at_start[] = {"constraint.rod_force.form=value_at", "constraint.rod_force.at=0",
                                         "constraint.rod_force.lower=-7000"};
  static const char *const blunt[] = {"constraint.rod_force.sharpness=0.005"};
  check_anew(file, 3, at_start, PRICE_NUMBER, "wheelbase", "scalars.wheelbase", 1e-3);
  check_anew(file, 1, blunt, PRICE_UPPER_LIMIT, "rod_force", "constraint.rod_force.upper", 1e-2);
  check_anew(file, 1, blunt, PRICE_NUMBER, "wheelbase", "scalars.wheelbase", 1e-2);
}

/* A whole mechanism whose damping has its upper bound 1 % beside the optimum: it comes to the bound, or leaves it, as the stiffness of the tyre changes. Optimizations
 * anew before and after the stiffness at which that is expected to first order tell the same. */
static void check_first(const char *upper, int above, int is_reached) {
  static const char file[] = "configs/pareto_quarter_car.ini";
  const char *const set[] = {"case.step.duration=1", "objective.holding.weight=8", upper};
  mbd_error err = {0};
  post_optimality p;
  solved q = solve(file, 3, set);
  must(post_optimality_create(q.run.m, q.r.x, NULL, 1e-8, 1, &p, &err), &err);
  const price *found = find(&p, PRICE_NUMBER, "tyre_stiffness");
  CU_ASSERT_PTR_NOT_NULL_FATAL(found);
  const first_change *c = above ? &found->above : &found->below;
  CU_ASSERT_FATAL(c->is && c->of == PRICE_UPPER_BOUND && strcmp(c->name, "damping") == 0);
  CU_ASSERT_EQUAL(c->is_reached, is_reached);
  for (int after = 0; after < 2; after++) {
    char text[100];
    snprintf(text, sizeof text, "scalars.tyre_stiffness=%.17g", found->at + (after ? 1.1 : 0.9) * (c->at - found->at));
    solved anew = solve(file, 4, (const char *const[]){set[0], set[1], set[2], text});
    CU_ASSERT_EQUAL(anew.r.x[1] > anew.run.m->upper[1] * (1 - 1e-6), after == is_reached);
    solved_free(&anew);
  }
  post_optimality_free(&p), solved_free(&q);
}

static void test_first_anew(void) {
  check_first("design.damping.upper=1561.5766", 1, 1);
  check_first("design.damping.upper=1530.6543", 0, 0);
}

/* ---- in the library ---- */

static void test_library(void) {
  static const double x[] = {0.8, 1.2}, beside[] = {0.7, 1.2};
  char model_path[40], run_path[40];
  mbd_error err = {0};
  mbo_run *r;
  mbo_prices *p;
  run_write_texts(model, run, model_path, run_path);
  must(mbo_run_open(run_path, 0, NULL, &r, &err), &err);
  must(mbo_run_prices(r, x, 1, &p, &err), &err);
  CU_ASSERT_EQUAL_FATAL(mbo_prices_count(p), 5);
  CU_ASSERT_EQUAL(mbo_prices_unique(p), 1);
  CU_ASSERT_STRING_EQUAL(mbo_prices_unknown(p), "");
  /* the limit of g, as in test_by_hand and test_released */
  static const struct {
    const char *name, *text;
  } texts[] = {{"name", "g"},
               {"kind", "constraint"},
               {"side", "upper"},
               {"below.change", "released"},
               {"below.kind", "variable"},
               {"below.side", "upper"},
               {"below.name", "y"},
               {"above.kind", "constraint"}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const char *text = mbo_price_text(p, 0, texts[i].name);
    CU_ASSERT(text && strcmp(text, texts[i].text) == 0);
  }
  CHECK_CLOSE("at", mbo_price_number(p, 0, "at"), 2, 0);
  CHECK_CLOSE("slope", mbo_price_number(p, 0, "slope"), -2.4, 1e-13);
  CHECK_CLOSE("percent", mbo_price_number(p, 0, "percent"), -4.8 / 4.68, 1e-13);
  CHECK_CLOSE("below", mbo_price_number(p, 0, "below"), 1.4, 1e-12);
  /* a number: no side; b has nothing that changes above; words that are not known */
  CU_ASSERT_STRING_EQUAL(mbo_price_text(p, 2, "name"), "b");
  CU_ASSERT_STRING_EQUAL(mbo_price_text(p, 2, "side"), "");
  CU_ASSERT(!mbo_price_text(p, 2, "above.name") && isnan(mbo_price_number(p, 2, "above")));
  CU_ASSERT(!mbo_price_text(p, 0, "below.other") && !mbo_price_text(p, 0, "other") &&
            isnan(mbo_price_number(p, 0, "other")));
  mbo_prices_free(p);
  CU_ASSERT_EQUAL(mbo_run_prices(r, beside, 0, &p, &err), MBD_BAD_INPUT);
  CU_ASSERT_PTR_NULL(p);
  CHECK_CONTAINS(err.text, "the design is no optimum");
  mbo_run_close(r);
  unlink(run_path), unlink(model_path);
}

TEST_MAIN(TEST(test_by_hand), TEST(test_released), TEST(test_reached), TEST(test_dependent), TEST(test_equation),
          TEST(test_anew), TEST(test_first_anew), TEST(test_library))
