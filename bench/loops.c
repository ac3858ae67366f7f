/* What the recursion of order n costs where there are closed loops (fully_recursive), against sparse ALI3-P and Matrix R
 * (bench/README.md, "Recursive closed loops"). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "mbd/simulate.h"
#include "mbo/model_file.h"
#include "simulate/run.h"

static void *take(size_t n, size_t size) {
  void *memory = calloc(n + 1, size);
  if (!memory) { exit(1); }
  return memory;
}

/* ---- families ---- */

typedef struct family {
  const char *name;
  int columns, levels; /* of linkages */
  int links;           /* of a closed chain */
  const char *file;    /* of a model file */
  double step;         /* [s] of ALI3-P */
} family;

static const family families[] = {
    {.name = "five_bar", .file = "five_bar/five_bar.ini", .step = 1e-2},
    {.name = "linkages_1x15", .columns = 1, .levels = 15, .step = 1e-2},
    {.name = "linkages_4x15", .columns = 4, .levels = 15, .step = 1e-2},
    {.name = "linkages_7x15", .columns = 7, .levels = 15, .step = 1e-2},
    {.name = "linkages_112x1", .columns = 112, .levels = 1, .step = 1e-2},
    {.name = "chain_8", .links = 8, .step = 1e-2},
    {.name = "chain_16", .links = 16, .step = 1e-2},
    {.name = "chain_32", .links = 32, .step = 5e-3},
    {.name = "chain_64", .links = 64, .step = 2.5e-3},
    {.name = "chain_128", .links = 128, .step = 1e-3},
    {.name = "chain_256", .links = 256, .step = 5e-4},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

static const char *problems_folder; /* bench_loops */

/* opened: a chain without its closure; cut: with more joints cut */
static mbd_model *family_model(const family *f, int opened, int cut) {
  mbd_error err;
  mbd_model *m;
  mbo_model_file *file;
  char path[1024];
  if (f->columns > 0) { return bench_linkage(f->columns, f->levels); }
  if (f->links > 0) { return bench_arc(f->links, !opened, cut); }
  snprintf(path, sizeof path, "%s/%s", problems_folder, f->file);
  bench_must(mbo_model_file_read(path, 0, NULL, NULL, &file, &err), &err);
  bench_must(mbd_model_create(mbo_model_file_spec(file), &m, &err), &err);
  mbo_model_file_destroy(file);
  return m;
}

/* ---- simulations by the library ---- */

typedef struct library_run {
  mbd_model *m;
  mbd_params *p;
  mbd_outputs *o;
  mbd_sim *s;
  mbd_dparams *d;
  int n, last;
  double *z0, *zd0, *zdd0, *z; /* at the start; z at the end */
  double psi;
} library_run;

static int observe(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                   const double *y) {
  library_run *r = user;
  const size_t size = (size_t)r->n * sizeof *z;
  (void)t, (void)lam, (void)y;
  if (k == 0) { memcpy(r->z0, z, size), memcpy(r->zd0, zd, size), memcpy(r->zdd0, zdd, size); }
  memcpy(r->z, z, size);
  return 0;
}

/* The coefficient of the first mass. */
static int a_mass(const mbd_model *m) {
  for (int k = 0; k < mbd_model_ncoef(m); k++) {
    if (strstr(mbd_model_coef_name(m, k), "mass")) { return k; }
  }
  return 3; /* of chains, after gravity */
}

/* method: ali3p, natural, matrix_r, recursive (Runge-Kutta 4), recursive_newmark; cut16: ali3p of a chain that is cut
 * every 16 links; opened: a chain without its closure, fully recursive with Newmark; with _direct or _adjoint behind it:
 * with a gradient of the kinetic energy at the end. */
static void library_open(library_run *r, const family *f, const char *method, double step, int steps) {
  mbd_error err;
  mbd_case c;
  int first, count;
  const int cut = strncmp(method, "cut", 3) == 0 ? atoi(method + 3) : 0, recursive = strncmp(method, "rec", 3) == 0;
  const int opened = strncmp(method, "opened", 6) == 0;
  *r = (library_run){.m = family_model(f, opened, cut)};
  r->n = mbd_model_nz(r->m);
  r->z0 = take((size_t)(4 * r->n), sizeof *r->z0);
  r->zd0 = r->z0 + r->n, r->zdd0 = r->zd0 + r->n, r->z = r->zdd0 + r->n;
  bench_must(mbd_params_create(r->m, NULL, &r->p, &err), &err);
  bench_must(mbd_outputs_create(r->m, &r->o, &err), &err);
  bench_must(mbd_outputs_add(r->o, "energy.kinetic", &first, &count, &err), &err);
  mbd_case_init(&c);
  c.step = step, c.duration = steps * step;
  c.linear_solver = recursive || opened || strncmp(method, "matrix_r", 8) == 0 ? MBD_LINEAR_AUTO : MBD_LINEAR_SPARSE;
  if (strncmp(method, "natural", 7) == 0) { c.coordinates = MBD_COORDINATES_NATURAL; }
  if (strncmp(method, "matrix_r", 8) == 0) { c.formulation = "matrix_r"; }
  if (recursive || opened) { c.formulation = "fully_recursive"; }
  if (!opened && !strstr(method, "newmark") && (recursive || strncmp(method, "matrix_r", 8) == 0)) {
    c.integrator = "runge_kutta_4";
  }
  const mbd_term term = {.output = first, .form = "terminal", .weight = 1};
  bench_must(mbd_sim_create(r->m, &c, r->o, 1, &term, 1, 1, &r->s, &err), &err);
  const int index = a_mass(r->m);
  const double one = 1;
  bench_must(mbd_dparams_create(r->m, &r->d, &err), &err);
  mbd_dparams_set(r->d, r->p, 1, &index, &one);
}

static void library_run_it(library_run *r, const char *method) {
  mbd_error err;
  double grad, *all = take((size_t)mbd_model_ncoef(r->m), sizeof *all);
  const mbd_adjoint_options options = {0};
  if (strstr(method, "_adjoint")) {
    bench_must(mbd_sim_adjoint(r->s, r->p, &options, &r->psi, all, observe, r, &err), &err);
  } else if (strstr(method, "_direct")) {
    bench_must(mbd_sim_run(r->s, r->p, 1, &r->d, &r->psi, &grad, NULL, observe, r, &err), &err);
  } else {
    bench_must(mbd_sim_run(r->s, r->p, 0, NULL, &r->psi, NULL, NULL, observe, r, &err), &err);
  }
  free(all);
}

static void library_close(library_run *r) {
  mbd_dparams_destroy(r->d), mbd_sim_destroy(r->s), mbd_outputs_destroy(r->o), mbd_params_destroy(r->p);
  mbd_model_destroy(r->m);
  free(r->z0);
}

/* ---- what is printed ---- */

enum { STEPS = 30 };

static double apart(int n, const double *a, const double *b) {
  double max = 0;
  for (int k = 0; k < n; k++) { max = fmax(max, fabs(a[k] - b[k])); }
  return max;
}

/* The largest difference of the coordinates that a model shares with the model `of`, which has `exact`. */
static double apart_by_name(const library_run *r, const mbd_model *of, const double *exact) {
  double max = 0;
  for (int k = 0; k < of->nz; k++) {
    const int j = model_find_coordinate(r->m, of->z_name[k]);
    if (j >= 0) { max = fmax(max, fabs(r->z[j] - exact[k])); }
  }
  return max;
}

static double library_error(const family *f, const char *method, double step, int steps, const mbd_model *of,
                            const double *exact, mbd_stats *stats) {
  library_run r;
  library_open(&r, f, method, step, steps);
  library_run_it(&r, method);
  const double error = apart_by_name(&r, of, exact);
  *stats = *mbd_sim_stats(r.s);
  library_close(&r);
  return error;
}

/* The least number of steps of the recursion, from a sixteenth of those of ALI3-P on, whose error of the coordinates at
 * the end is not above `target`. */
static int steps_as_exact(const family *f, const mbd_model *of, const double *exact, double target) {
  mbd_stats stats;
  for (int steps = STEPS / 16 + 1;; steps++) {
    if (library_error(f, "recursive", STEPS * f->step / steps, steps, of, exact, &stats) <= target) { return steps; }
  }
}

/* A cell of a table, empty if there is no number. */
static void print_if(int any, const char *format, double x) {
  char text[32] = "";
  if (any) { snprintf(text, sizeof text, format, x); }
  printf(" %8s |", text);
}

/* Accelerations at the start against those of ALI3-P; errors over the same time, against the recursion in steps of a
 * 32nd; Matrix R, which has other factors, in steps of an eighth. */
static void accuracy(const family *f) {
  library_run r, other;
  mbd_stats stats, unused;
  library_open(&r, f, "recursive", f->step / 32, 32 * STEPS);
  library_run_it(&r, "recursive");
  library_open(&other, f, "ali3p", f->step, 1);
  library_run_it(&other, "ali3p");
  const double start = apart(r.n, r.zdd0, other.zdd0) / fmax(mbd_norm_inf(r.n, other.zdd0), 1);
  library_close(&other);
  const double matrix_r = r.n <= 64 ? library_error(f, "matrix_r", f->step / 8, 8 * STEPS, r.m, r.z, &unused) : NAN;
  const double error = library_error(f, "ali3p", f->step, STEPS, r.m, r.z, &stats);
  const double cut = f->links > 16 ? library_error(f, "cut16", f->step, STEPS, r.m, r.z, &unused) : NAN;
  const double same_step = library_error(f, "recursive", f->step, STEPS, r.m, r.z, &unused);
  const int steps = steps_as_exact(f, r.m, r.z, error);
  printf("| %-14s | %6d | %4d | %8.1e | %13.1e | %20.2f | %7.2f | %8.1e |", f->name, mbd_model_nbody(r.m),
         mbd_model_nphi(r.m), f->step, start, (double)stats.iterations / stats.steps,
         (double)stats.factorizations / stats.steps, error);
  print_if(!isnan(cut), "%8.1e", cut);
  printf(" %9.1e |", same_step);
  print_if(!isnan(matrix_r), "%8.1e", matrix_r);
  printf(" %18.1f |", (double)STEPS / steps);
  print_if(!isnan(cut), "%8.1f", isnan(cut) ? 0 : (double)STEPS / steps_as_exact(f, r.m, r.z, cut));
  printf("\n");
  fflush(stdout);
  library_close(&r);
}

/* Steps of one method, whose instructions are counted from outside; longer: as a multiple of the family's. */
static void repeat(const family *f, const char *method, int steps, double longer) {
  library_run r;
  library_open(&r, f, method, f->step * longer, steps);
  library_run_it(&r, method);
  const mbd_stats *stats = mbd_sim_stats(r.s);
  printf("%.2f corrections, %.2f factors a step; kinetic energy at the end %.8g J\n",
         (double)stats->iterations / stats->steps, (double)stats->factorizations / stats->steps, r.psi);
  library_close(&r);
}

void bench_loops(const char *problems, int argc, char **argv) {
  problems_folder = problems;
  if (argc >= 3) {
    for (int i = 0; i < FAMILIES; i++) {
      if (strcmp(families[i].name, argv[0]) == 0) {
        repeat(&families[i], argv[1], atoi(argv[2]), argc > 3 ? atof(argv[3]) : 1);
      }
    }
    return;
  }
  printf(
      "| family         | bodies | rows | step [s] | zdd - ALI3-P  | corrections per step | factors |   ALI3-P |      "
      "cut "
      "| recursive | Matrix R | longer than ALI3-P | than cut |\n"
      "|----------------|-------:|-----:|---------:|--------------:|---------------------:|--------:|---------:|-------"
      "--:"
      "|----------:|---------:|-------------------:|---------:|\n");
  for (const family *f = families; f < families + FAMILIES; f++) {
    if (argc == 0 || strcmp(f->name, argv[0]) == 0) { accuracy(f); }
  }
}
