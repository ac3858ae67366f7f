#include "mechanism/noise_test.h"

#include <stdlib.h>
#include <string.h>

#include "config/model_file.h"
#include "mbd/picture.h"
#include "files/memory.h"
#include "mechanism/cases.h"

/* ---- which objectives are comparisons with data ---- */

/* The numbers of the curve are those of a file. */
static int is_from_file(const mechanism_case *load, const char *curve) {
  const mbo_model_file *f = load->v->file;
  for (int i = 0; i < f->ncurve; i++) {
    if (strcmp(f->curve[i].name, curve) == 0) { return f->curve[i].from_file; }
  }
  return 0;
}

static int has_window(const mbd_term *k) {
  return k->from.kind != MBD_MOMENT_NONE || k->until.kind != MBD_MOMENT_NONE || k->over;
}

static int follows_table(const mechanism_case *load, const mbd_term *k) {
  const int square = strcmp(k->form, "integral_square") == 0 || strcmp(k->form, "mean_square") == 0;
  return square && k->target_curve && !has_window(k) && is_from_file(load, k->target_curve);
}

/* Data of a term of an objective; 0: it compares with none. */
static long samples_of(const mechanism_case *load, const mbd_term *k) {
  if (k->samples) { return k->samples->n; }
  return follows_table(load, k) ? mbd_sim_steps(load->sim) + 1L : 0;
}

static int counts(const mechanism *m, const mechanism_case *load, const mbd_term *k) {
  return k->psi < load->nobjective && mechanism_weight(m, load->quantity[k->psi]) > 0;
}

long noise_test_samples(const mechanism *m) {
  long sum = 0;
  if (m->front || m->scenarios || !mechanism_is_least_squares(m) || strcmp(m->config->objectives.combine, "sum") != 0) {
    return 0;
  }
  for (int i = 0; i < m->ncase; i++) {
    const mechanism_case *load = &m->cases[i];
    for (int j = 0; j < load->nterm; j++) {
      if (!counts(m, load, &load->term[j])) { continue; }
      const long n = samples_of(load, &load->term[j]);
      if (n == 0) { return 0; }
      sum += n;
    }
  }
  return sum;
}

int noise_test_is_measured(const mechanism *m) {
  for (int i = 0; i < m->nobjective; i++) {
    if (mechanism_weight(m, i) > 0 && !m->config->objective[i].measured) { return 0; }
  }
  return 1;
}

/* ---- what residuals look like ---- */

/* Sums over the nodes for one term. */
typedef struct term_sums {
  int curve; /* number of the target curve in the model */
  double last, squares, neighbours;
} term_sums;

typedef struct listener {
  const mechanism *m;
  const mechanism_case *load;
  term_sums *of; /* [nterm] */
} listener;

static int listen(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                  const double *y) {
  const listener *l = user;
  (void)z, (void)zd, (void)zdd, (void)lam;
  for (int j = 0; j < l->load->nterm; j++) {
    const mbd_term *term = &l->load->term[j];
    term_sums *s = &l->of[j];
    if (s->curve < 0) { continue; }
    const double r = y[term->output] - term->target - mbd_params_curve(l->load->v->params, s->curve, t);
    s->squares += r * r, s->neighbours += k > 0 ? r * s->last : 0;
    s->last = r;
  }
  return l->m->stop && *l->m->stop;
}

static int curve_named(const mbd_model *model, const char *name) {
  int i = 0;
  while (strcmp(mbd_model_curve_name(model, i), name) != 0) { i++; }
  return i;
}

/* Runs the case and sums, for each target curve, the squares of its residuals and the products of neighbouring ones; *yes becomes 0 if
 * the residuals of one are correlated as those of a model error. */
static mbd_status listen_to(const mechanism *m, mechanism_case *load, term_sums *of, int *yes, mbd_error *err) {
  static const double slight = 0.5;
  listener l = {m, load, of};
  int any = 0;
  /* Terms of objectives that follow a target curve; the samples of measurements are known to be data. */
  for (int j = 0; j < load->nterm; j++) {
    const mbd_term *k = &load->term[j];
    const int follows = counts(m, load, k) && !k->samples;
    of[j] = (term_sums){.curve = follows ? curve_named(load->v->model, k->target_curve) : -1};
    any |= follows;
  }
  if (!any) { return MBD_OK; }
  /* A run without derivatives, in which `listen` sums at every node; only outputs of objectives are computed. */
  double *psi = calloc((size_t)load->npsi + 1, sizeof *psi);
  MEMORY_TRY(psi, err, "the objectives of case '%s'", load->config->name);
  mbd_sim_watch(load->sim, 0);
  const mbd_status status = mbd_sim_run(load->sim, load->v->params, 0, NULL, psi, NULL, NULL, listen, &l, err);
  mbd_sim_watch(load->sim, 1);
  free(psi);
  MBD_TRY(mechanism_name_case(status, load, err));
  /* Residuals are noise if sum r_k r_(k+1)/sum r_k^2 is at most `slight`; residuals that are all zero show none. */
  for (int j = 0; j < load->nterm; j++) {
    if (of[j].curve >= 0 && !(of[j].neighbours <= slight * of[j].squares && of[j].squares > 0)) { *yes = 0; }
  }
  return MBD_OK;
}

mbd_status noise_test_is_noise(void *user, const double *x, int *yes, mbd_error *err) {
  enum { MANY = 10 }; /* data for a variable */
  mechanism *m = user;
  mbd_status status = MBD_OK;
  *yes = noise_test_samples(m) >= MANY * (long)m->n;
  MBD_TRY(cases_choose_sharpness(m, err));
  MBD_TRY(mechanism_set_design(m, x, 0, err));
  for (int i = 0; i < m->ncase && *yes && status == MBD_OK; i++) {
    mechanism_case *load = &m->cases[i];
    term_sums *of = calloc((size_t)load->nterm + 1, sizeof *of);
    status = of ? listen_to(m, load, of, yes, err) : MEMORY_NONE(err, "the residuals");
    free(of);
  }
  return status;
}
