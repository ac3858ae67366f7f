/* Measured series as run files say them: closed forms of a free fall whose duration and gravity vary, with delays, offsets and losses, by
 * every method; the Gauss-Newton matrix; which objectives are data with noise; tables with and without names; what is refused. */
#include "mechanism/noise_test.h"
#include "opened_run.h"
#include "slide.h"

static const char model_text[] =
    "schema = 1\n"
    "[scalars]\n"
    "g = 10\n"
    "T = 0.4\n"
    "d = 0.01\n"
    "b = 0.02\n"
    "w = 0.01\n"
    "[model]\n"
    "gravity = 0, 0, -g\n" MASS_ON_A_SLIDE
    "[point P]\n"
    "at = 0, 0, 0\n"
    "bodies = mass\n";

/* The times are no nodes, and the last samples lie beyond the end. */
static const char table_text[] =
    "# a comment\n"
    "time [s], z [mm], other\n"
    "0.13, -50, 1\n"
    "0.17,, 2\n"
    "0.21, -240,\n"
    "\n"
    "0.37, -600, 3\n"
    "0.99, 0, 4\n";
static const char plain_text[] = "0.13,-50\n0.21,-240\n0.37,-600\n";

enum { SAMPLES = 3, N = 4, NP = 4 };
static const double time[SAMPLES] = {0.13, 0.21, 0.37}, value[SAMPLES] = {-0.05, -0.24, -0.6};

static const char run_text[] =
    "schema = 1\n"
    "[model]\n"
    "file = MODEL\n"
    "[design T]\n"
    "[design g]\n"
    "[design d]\n"
    "[design b]\n"
    "[case fall]\n"
    "duration = T\n"
    "step = T/8\n"
    "formulation = matrix_r\n"
    "integrator = runge_kutta_4\n"
    "[measurement squares]\nfile = TABLE\ntime = time\ncolumn = z\nof = slide.distance\nfactor = 1e-3\nsigma = 5*w\n"
    "until = 0.4\n"
    "[measurement huber]\nfile = PLAIN\nof = slide.distance\nfactor = 1e-3\ndelay = 2*d\noffset = b\n"
    "loss = huber\nsigma = 0.02\n"
    "[measurement cauchy]\nfile = PLAIN\ntime = 1\ncolumn = 2\nof = slide.distance\nfactor = 1e-3\ndelay = d\n"
    "offset = b - 0.01\nloss = cauchy\nloss_width = 1.5\n"
    "[measurement held]\nfile = TABLE\ncolumn = 2\nof = slide.distance\nfactor = 1e-3\nuntil = 0.4\nhold_out = yes\n";

typedef struct sensor {
  double sigma, delay, by_d, offset, by_b;
  double width;
  int loss; /* 0: square, 1: huber, 2: cauchy */
} sensor;
static const sensor sensors[N] = {
    {0.05, 0, 0, 0, 0, 0, 0}, {0.02, 0.02, 2, 0.02, 1, 1.345, 1}, {1, 0.01, 1, 0.01, 1, 1.5, 2}, {1, 0, 0, 0, 0, 0, 0}};

/* rho(r) and its slope. */
static double loss_of(const sensor *q, double r, double *slope) {
  const double k = q->width;
  if (q->loss == 2) {
    *slope = 2 * r / (1 + r * r / (k * k));
    return k * k * log(1 + r * r / (k * k));
  }
  if (q->loss == 1 && fabs(r) > k) {
    *slope = r < 0 ? -2 * k : 2 * k;
    return 2 * k * fabs(r) - k * k;
  }
  *slope = 2 * r;
  return r * r;
}

/* With z = -g t^2/2 at t less the delay: psi, and its derivatives by T, g, d, b. */
static void expect(const sensor *q, double psi[1 + NP]) {
  for (int k = 0; k <= NP; k++) { psi[k] = 0; }
  for (int i = 0; i < SAMPLES; i++) {
    double slope;
    const double t = time[i] - q->delay;
    psi[0] += loss_of(q, (-5 * t * t + q->offset - value[i]) / q->sigma, &slope);
    psi[2] += slope / q->sigma * -t * t / 2;
    psi[3] += slope / q->sigma * 10 * t * q->by_d;
    psi[4] += slope / q->sigma * q->by_b;
  }
}

/* The text with the paths of the tables, which are the caller's to unlink. */
static void with_tables(char text[4000], char *table, char *plain) {
  char half[4000];
  strcpy(table, "/tmp/mbopt_table_XXXXXX"), strcpy(plain, "/tmp/mbopt_plain_XXXXXX");
  write_file(table, table_text), write_file(plain, plain_text);
  char once[4000];
  edit(half, sizeof half, run_text, "TABLE", table);
  edit(once, sizeof once, half, "TABLE", table);
  edit(half, sizeof half, once, "PLAIN", plain);
  edit(text, 4000, half, "PLAIN", plain);
}

static void test_closed_forms(void) {
  static const char *const methods[] = {"direct", "discrete_adjoint", "complex_step", "central_differences"};
  static const char *const integrators[] = {"runge_kutta_4", "dormand_prince"};
  char text[4000], table[40], plain[40];
  with_tables(text, table, plain);
  for (int i = 0; i < 2; i++) {
    char set[64];
    const char *const sets[] = {set};
    snprintf(set, sizeof set, "case.fall.integrator=%s", integrators[i]);
    opened_run r = run_open_texts(model_text, text, 1, sets);
    mbd_error err = {0};
    CU_ASSERT_EQUAL_FATAL(r.m->nobjective, N);
    for (int k = 0; k < 4; k++) {
      must(mechanism_evaluate(r.m, r.m->start, methods[k], &err), &err);
      for (int q = 0; q < N; q++) {
        double reference[1 + NP];
        expect(&sensors[q], reference);
        CHECK_NEAR(mechanism_quantity(r.m, q), r.m->psi[q], reference[0], reference[0], 1e-11);
        for (int j = 0; j < NP; j++) {
          CHECK_NEAR(mechanism_quantity(r.m, q), r.m->grad[NP * q + j], reference[1 + j], fabs(reference[2]) + 1,
                     k == 3 ? 1e-5 : 1e-10);
        }
      }
    }
    run_close(&r);
  }
  unlink(table), unlink(plain);
}

/* What is held out has no part in the objective. The matrix of losses has the weights rho'/r. */
static void test_gauss_newton(void) {
  char text[4000], table[40], plain[40];
  static const char *const sets[] = {"optimizer.hessian=gauss_newton"};
  double H[NP * NP], g[NP], reference[NP * NP] = {0}, f = 0;
  with_tables(text, table, plain);
  opened_run r = run_open_texts(model_text, text, 1, sets);
  mbo_problem p;
  mbo_eval v = {.g = g, .H = H};
  mechanism_problem(r.m, &p);
  CU_ASSERT(p.has_gauss_newton);
  run_evaluate(&p, r.m->start, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT | MBO_REQUEST_GAUSS_NEWTON, &v);
  for (int q = 0; q < N - 1; q++) {
    for (int i = 0; i < SAMPLES; i++) {
      const sensor *k = &sensors[q];
      double slope;
      const double t = time[i] - k->delay, s[NP] = {0, -t * t / 2, 10 * t * k->by_d, k->by_b};
      const double e = (-5 * t * t + k->offset - value[i]) / k->sigma;
      f += loss_of(k, e, &slope);
      for (int a = 0; a < NP * NP; a++) { reference[a] += slope / e * s[a / NP] * s[a % NP] / (k->sigma * k->sigma); }
    }
  }
  CHECK_NEAR("sum", v.f, f, f, 1e-11);
  for (int a = 0; a < NP * NP; a++) { CHECK_NEAR("matrix", H[a], reference[a], reference[NP * NP - 1], 1e-10); }
  run_close(&r);
  unlink(table), unlink(plain);
}

/* What the library gives of each sample. */
static void test_residuals(void) {
  char text[4000], table[40], plain[40];
  double y[SAMPLES], yp[SAMPLES * NP];
  mbd_error err = {0};
  with_tables(text, table, plain);
  opened_run r = run_open_texts(model_text, text, 0, NULL);
  must(mechanism_evaluate(r.m, r.m->start, "direct", &err), &err);
  const mbd_samples *q = mbd_sim_measured(r.m->cases[0].sim, 1, y, yp);
  CU_ASSERT_EQUAL_FATAL(q->n, SAMPLES);
  for (int i = 0; i < SAMPLES; i++) {
    const double t = time[i] - 0.02;
    CHECK_CLOSE("time", q->time[i], time[i], 1e-15);
    CHECK_CLOSE("value", q->value[i], value[i], 1e-15);
    CHECK_CLOSE("output", y[i], -5 * t * t + 0.02, 1e-12);
    CHECK_CLOSE("by g", yp[i * NP + 1], -t * t / 2, 1e-12);
    CHECK_CLOSE("by d", yp[i * NP + 2], 20 * t, 1e-11);
    CHECK_CLOSE("by b", yp[i * NP + 3], 1, 1e-12);
  }
  run_close(&r);
  unlink(table), unlink(plain);
}

/* The configuration that is written has each of them once, and is read as the same. */
static void test_written(void) {
  char text[4000], table[40], plain[40], *written = NULL;
  size_t size;
  with_tables(text, table, plain);
  opened_run r = run_open_texts(model_text, text, 0, NULL);
  FILE *out = open_memstream(&written, &size);
  mbd_error err = {0};
  must(mbo_run_config_write(r.config, out), &err);
  fclose(out);
  CHECK_CONTAINS(written, "[measurement huber]");
  CU_ASSERT(strstr(written, "[objective huber]") == NULL);
  free(written);
  run_close(&r);
  unlink(table), unlink(plain);
}

static void test_refused(void) {
  static const broken_case broken[] = {
      {"time = time", "time = tim", ":14: [measurement squares] time = tim: "},
      {"time = time", "time = tim", "has no such column, did you mean 'time'? (known: time"},
      {"column = z", "column = 9999", "; expected a name of its first line or a number from 1 to 3"},
      {"column = z\n", "", "column: '/tmp/mbopt_table_"},
      {"column = z\n", "", "has 3 columns, expected the name or the number of one"},
      {"until = 0.4\n[", "[",
       "[measurement squares]: the sample at 0.99 s lies outside of the case, which lasts from 0 to 0.4"},
      {"until = 0.4", "from = 0.5\nuntil = 0.4", "from = 0.5 s, expected less than until = 0.4 s"},
      {"until = 0.4", "until = 0.1", "has no sample between from = -inf s and until = 0.1 s"},
      {"loss = huber", "loss = hubber", "[measurement huber] loss = hubber: expected one of square|huber|cauchy"},
      {"delay = 2*d", "delay = 2*x", "[measurement huber] delay = 2*x: "},
      {"of = slide.distance", "of = P.position",
       "[measurement squares] of: output P.position has 3 components, expected one number"},
      {"of = slide.distance", "of = slide.distanse", "[measurement squares] "},
      {"[measurement held]", "[objective huber]\nof = slide.distance\nform = terminal\n[measurement held]",
       "there is an [objective huber] already, expected another name"},
      {"[measurement held]", "[objectives]\ncombine = worst\n[measurement held]",
       "the worst of all objectives leaves none out"},
      {"[measurement held]", "[objective x]\nof = slide.distance\nform = measured\n[measurement held]",
       "[objective x]: form measured needs a measured series, which a [measurement NAME] has"},
  };
  char text[4000], table[40], plain[40];
  with_tables(text, table, plain);
  char fixed[4000]; /* a duration that does not move, so that times can be held against it */
  edit(fixed, sizeof fixed, text, "[design T]\n", "");
  check_broken_runs(model_text, fixed, sizeof broken / sizeof broken[0], broken);
  unlink(table), unlink(plain);
}

static void test_refused_tables(void) {
  static const struct {
    const char *text, *message;
  } bad[] = {{"t,z\n0.1,1\n0.2,x\n", ":3: 'x' in column 2, expected a number or an empty cell"},
             {"t,z\n0.1,1\n\n0.1,2\n", ":4: times must increase, but 0.1 s follows 0.1 s"},
             {"t z\n0.1 1\n", "has one column, expected at least two, with commas or semicolons between them"},
             {"t;z\n0,1;1\n0,2;1,x\n", ":3: '1,x' in column 2, expected a number or an empty cell"},
             {"t,z\n0.1\n", ":2: 1 value, expected 2 as in the first line"}};
  static const char text[] =
      "schema = 1\n[model]\nfile = MODEL\n[case fall]\nduration = 0.4\nstep = 0.01\n"
      "[measurement z]\nfile = TABLE\nof = slide.distance\n";
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char table[] = "/tmp/mbopt_table_XXXXXX", run[4000], model_path[40], run_path[40];
    mbo_run_config *c;
    mechanism *m = NULL;
    mbd_error err = {0};
    write_file(table, bad[i].text);
    edit(run, sizeof run, text, "TABLE", table);
    run_write_texts(model_text, run, model_path, run_path);
    must(mbo_run_config_read(run_path, 0, NULL, &c, &err), &err);
    CU_ASSERT_EQUAL(mechanism_create(c, &m, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, "[measurement z] ");
    CHECK_CONTAINS(err.text, table);
    CHECK_CONTAINS(err.text, bad[i].message);
    mbo_run_config_destroy(c);
    unlink(table), unlink(model_path), unlink(run_path);
  }
}

static void test_no_table(void) {
  static const char text[] =
      "schema = 1\n[model]\nfile = MODEL\n[case fall]\nduration = 0.4\nstep = 0.01\n"
      "[measurement z]\nfile = nowhere.csv\nof = slide.distance\n";
  mbo_run_config *c;
  mechanism *m = NULL;
  mbd_error err = {0};
  char model_path[40], run_path[40];
  run_write_texts(model_text, text, model_path, run_path);
  must(mbo_run_config_read(run_path, 0, NULL, &c, &err), &err);
  CU_ASSERT_EQUAL(mechanism_create(c, &m, &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "[measurement z] file: ");
  CHECK_CONTAINS(err.text, "nowhere.csv");
  mbo_run_config_destroy(c);
  unlink(model_path), unlink(run_path);
}

/* Times are written with few digits: a sample a billionth of the duration behind the end, or before the start, is one of the case; the
 * output is continued, z = -g t^2/2. Twice as far it is not. */
static void test_rounded_times(void) {
  static const char text[] =
      "schema = 1\n[model]\nfile = MODEL\n[case fall]\nduration = 0.4\nstep = 1e-3\nformulation = matrix_r\n"
      "integrator = runge_kutta_4\n[measurement z]\nfile = TABLE\nof = slide.distance\n";
  static const struct {
    const char *table;
    int fits;
  } cases[] = {{"-3e-10,0\n0.4000000003,-1\n", 1}, {"0.1,0\n0.4000000008,-1\n", 0}, {"-8e-10,0\n0.4,-1\n", 0}};
  for (int i = 0; i < 3; i++) {
    char table[] = "/tmp/mbopt_table_XXXXXX", run[4000], model_path[40], run_path[40];
    mbo_run_config *c;
    mechanism *m = NULL;
    mbd_error err = {0};
    write_file(table, cases[i].table);
    edit(run, sizeof run, text, "TABLE", table);
    run_write_texts(model_text, run, model_path, run_path);
    must(mbo_run_config_read(run_path, 0, NULL, &c, &err), &err);
    CU_ASSERT_EQUAL(mechanism_create(c, &m, &err), cases[i].fits ? MBD_OK : MBD_BAD_INPUT);
    if (m) {
      const double e = -5 * 0.4000000003 * 0.4000000003 + 1;
      must(mechanism_evaluate(m, m->start, "none", &err), &err);
      CHECK_CLOSE("psi", m->psi[0], e * e, 1e-13);
    } else {
      CHECK_CONTAINS(err.text, "lies outside of the case, which lasts from 0 to 0.4 s");
    }
    mechanism_destroy(m);
    mbo_run_config_destroy(c);
    unlink(table), unlink(model_path), unlink(run_path);
  }
}

/* A design whose delay takes a sample out of the run cannot be simulated; another may. */
static void test_delay_too_long(void) {
  char text[4000], table[40], plain[40];
  static const char *const sets[] = {"design.d.start=0.07"};
  mbd_error err = {0};
  with_tables(text, table, plain);
  opened_run r = run_open_texts(model_text, text, 1, sets);
  CU_ASSERT_EQUAL(mechanism_evaluate(r.m, r.m->start, "none", &err), MBD_OUT_OF_DOMAIN);
  CHECK_CONTAINS(err.text,
                 "[measurement huber]: the sample at 0.13 s shows the output at -0.01 s with the delay of 0.14 s");
  run_close(&r);
  unlink(table), unlink(plain);
}

/* ---- where tables are does not matter, what they hold does ---- */

enum { TEXT = 20000 };

/* The fingerprint, and in `text` the settings that it reads, of a run whose table lies in a folder of its own. */
static char *print_of(const char *table, char text[TEXT]) {
  char folder[] = "/tmp/mbopt_folder_XXXXXX", path[60], run[400];
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/table.csv", folder);
  FILE *file = fopen(path, "w");
  CU_ASSERT_FATAL(file && fputs(table, file) >= 0 && fclose(file) == 0);
  snprintf(run, sizeof run,
           "schema = 1\n[model]\nfile = MODEL\n[design g]\n[case fall]\nduration = 0.4\nstep = 0.05\n"
           "[measurement z]\nfile = %s\nof = slide.distance\n",
           path);
  opened_run r = run_open_texts(model_text, run, 0, NULL);
  char *print = mechanism_fingerprint(r.m);
  FILE *out = fmemopen(text, TEXT, "w");
  CU_ASSERT_FATAL(out != NULL);
  mechanism_write_moved(r.config, out);
  fclose(out);
  char *begin = strstr(text, "\n[scalars]"), *end = strstr(text, "\n[optimizer]");
  CU_ASSERT_FATAL(begin && end);
  *end = '\0';
  memmove(text, begin, strlen(begin) + 1);
  run_close(&r);
  unlink(path), rmdir(folder);
  return print;
}

static void test_moved(void) {
  static char here[TEXT], there[TEXT], other[TEXT];
  char *a = print_of("0.1,1\n", here), *b = print_of("0.1,1\n", there), *c = print_of("0.1,2\n", other);
  CU_ASSERT_STRING_EQUAL(a, b);
  CU_ASSERT_STRING_EQUAL(here, there);
  CHECK_CONTAINS(here, "file = table.csv");
  CU_ASSERT(strcmp(a, c) != 0);
  free(a), free(b), free(c);
}

/* ---- which residuals are noise ---- */

static const char followed_text[] =
    "schema = 1\n"
    "[model]\n"
    "file = MODEL\n"
    "[design g]\n"
    "[case fall]\n"
    "duration = 0.4\n"
    "step = 0.002\n"
    "formulation = matrix_r\n"
    "integrator = runge_kutta_4\n"
    "[objective follow]\nof = slide.distance\nform = integral_square\ntarget_curve = seen\n";
enum { NODES = 201 };

/* Residuals of 0.01 in runs of the same sign, as a table that is less than the fall by so much. `curve`: the curve that the target is. */
static opened_run follow(int run, const char *curve, int nset, const char *const *set, char *table) {
  static char rows[NODES * 40], model[2000];
  char text[400];
  int at = 0;
  for (int i = 0; i < NODES; i++) {
    const double t = 0.002 * i, sign = i / run % 2 ? -1 : 1;
    at += snprintf(rows + at, sizeof rows - (size_t)at, "%.4f,%.17g\n", t, -5 * t * t + 0.01 * sign);
  }
  strcpy(table, "/tmp/mbopt_table_XXXXXX");
  write_file(table, rows);
  edit(text, sizeof text, curve, "TABLE", table);
  snprintf(model, sizeof model, "%s%s", model_text, text);
  return run_open_texts(model, followed_text, nset, set);
}

/* The correlation of neighbours in runs of `run` is (run - 2)/run, but for the ends. */
static void check_noise(int run, const char *curve, long samples, int expected) {
  char table[40];
  opened_run r = follow(run, curve, 0, NULL, table);
  mbd_error err = {0};
  int yes = -1;
  CU_ASSERT_EQUAL(noise_test_samples(r.m), samples);
  CU_ASSERT(!noise_test_is_measured(r.m));
  if (samples) { must(noise_test_is_noise(r.m, r.m->start, &yes, &err), &err); }
  CU_ASSERT_EQUAL(yes, expected);
  run_close(&r);
  unlink(table);
}

static void test_noise(void) {
  static const char from_file[] = "[curve seen]\ntype = table\nfile = TABLE\n";
  check_noise(1, from_file, NODES, 1);
  check_noise(3, from_file, NODES, 1);     /* 1/3 */
  check_noise(5, from_file, NODES, 0);     /* 3/5 */
  check_noise(NODES, from_file, NODES, 0); /* an error of the model, the same all the time */
  check_noise(1, "[curve seen]\n; no TABLE\ntype = table\npoints = 9\nfrom = 0\nto = 1\nvalue = x\n", 0,
              -1); /* wanted, not seen */
}

/* A part of the time, another weight, the worst of all: no data that could be counted, or none that count. */
static void test_counted(void) {
  static const char from_file[] = "[curve seen]\ntype = table\nfile = TABLE\n";
  static const char *const sets[] = {"objective.follow.from=0.1", "objective.follow.form=rms",
                                     "objectives.combine=worst"};
  char text[4000], table[40], plain[40];
  for (int i = 0; i < 3; i++) {
    opened_run r = follow(1, from_file, 1, &sets[i], table);
    CU_ASSERT_EQUAL(noise_test_samples(r.m), 0);
    run_close(&r);
    unlink(table);
  }
  with_tables(text, table, plain);
  opened_run r = run_open_texts(model_text, text, 0, NULL);
  CU_ASSERT_EQUAL(noise_test_samples(r.m), 3 * SAMPLES); /* one is held out */
  CU_ASSERT(noise_test_is_measured(r.m));
  run_close(&r);
  unlink(table), unlink(plain);
}

TEST_MAIN(TEST(test_moved), TEST(test_noise), TEST(test_counted), TEST(test_closed_forms), TEST(test_gauss_newton),
          TEST(test_residuals), TEST(test_written), TEST(test_refused), TEST(test_refused_tables), TEST(test_no_table),
          TEST(test_rounded_times), TEST(test_delay_too_long))
