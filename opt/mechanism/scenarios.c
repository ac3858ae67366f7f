#include "mechanism/scenarios.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/model_file.h"
#include "config/uncertain.h"
#include "files/memory.h"
#include "mechanism/case_gradient.h"
#include "scatter/correlation.h"
#include "scatter/samples.h"

enum { NUMBERS = 3 }; /* of a distribution: deviation; or lower, upper, and the scalar itself */

/* ---- what there is ---- */

static const mbo_objective_config *section_of(const mbo_run_config *c, int quantity) {
  return quantity < c->nobjective ? &c->objective[quantity] : &c->constraint[quantity - c->nobjective];
}

int scenarios_count(const mechanism *m) {
  return m->scenarios ? m->scenarios->n : 0;
}
int scenarios_linear(const mechanism *m) {
  return m->scenarios && m->scenarios->linear;
}
int scenarios_samples(const mechanism *m) {
  return m->scenarios ? m->scenarios->nacross * m->scenarios->n : 0;
}

/* Quantities of the run file. */
static int quantities(const mechanism *m) {
  return m->config->nobjective + m->config->nconstraint;
}

int scenarios_across(const mechanism *m, int quantity) {
  return m->scenarios && quantity < quantities(m) ? m->scenarios->number[quantity] : -1;
}

int scenarios_sample(const mechanism *m, int quantity, int s) {
  return quantities(m) + scenarios_across(m, quantity) * m->scenarios->n + s;
}

int scenarios_owner(const mechanism *m, int quantity) {
  const int sample = quantity - quantities(m);
  return sample < 0 ? quantity : m->scenarios->across[sample / m->scenarios->n].quantity;
}

const mbo_case_config *scenarios_case(const mechanism *m, int k, int s) {
  return &m->scenarios->config[k * m->scenarios->n + s];
}

/* Is its value smoothed by a width? */
static int smooths(const mechanism *m, const scenario_quantity *a) {
  return measure_smooths(a->is) && !m->scenarios->linear;
}

/* ---- making them ---- */

static mbd_status draw(const mbo_run_config *c, mechanism_scenarios *all, mbd_error *err) {
  const mbo_scenarios_config *k = &c->scenarios;
  const samples_kind kind = strcmp(k->plan, "sobol") == 0             ? SAMPLES_SOBOL
                            : strcmp(k->plan, "latin_hypercube") == 0 ? SAMPLES_LATIN_HYPERCUBE
                                                                      : SAMPLES_MONTE_CARLO;
  samples *plan;
  MBD_TRY(mbd_locate(err, samples_create(kind, all->n, all->nuncertain, (uint64_t)k->seed, &plan, err),
                     "%s: [scenarios] plan = %s: ", c->path, k->plan));
  for (int s = 0; s < all->n; s++) {
    double *u = all->deviate + s * all->nuncertain;
    samples_next(plan, u);
    scenarios_deviates(c, all, u);
  }
  samples_destroy(plan);
  return MBD_OK;
}

void scenarios_deviates(const mbo_run_config *c, const mechanism_scenarios *all, double *u) {
  static const double edge = 0x1p-33; /* half of the distance of the numbers of a Sobol sequence: plans have zeros */
  for (int i = 0; i < all->nuncertain; i++) {
    u[i] = uncertain_deviate(&c->uncertain[i], fmin(fmax(u[i], edge), 1 - edge));
  }
  correlation_apply(all->nuncertain, all->L, u, u);
}

static mbd_status make(const mechanism *m, mechanism_scenarios *all, mbd_error *err) {
  const mbo_run_config *c = m->config;
  const size_t nu = (size_t)all->nuncertain, n = (size_t)all->n, nq = (size_t)quantities(m);
  all->C = mbd_zeros(2 * nu * nu, sizeof *all->C);
  all->deviate = mbd_zeros(n * nu, sizeof *all->deviate);
  all->config = mbd_zeros(((size_t)c->ncase + 1) * n, sizeof *all->config);
  all->across = mbd_zeros(nq, sizeof *all->across);
  all->number = mbd_zeros(nq, sizeof *all->number);
  all->scratch = mbd_zeros(6 * n, sizeof *all->scratch);
  MEMORY_TRY(all->C && all->deviate && all->config && all->across && all->number && all->scratch, err, "%d scenarios",
             all->n);
  all->L = all->C + nu * nu;
  MBD_TRY(uncertain_correlation(c, all->C, all->L, err));
  if (!all->linear) { MBD_TRY(draw(c, all, err)); }
  /* Copies of the sections of all cases, and of none. */
  for (int i = 0; i <= c->ncase; i++) {
    for (int s = 0; s < all->n; s++) {
      mbo_case_config *copy = &all->config[i * all->n + s];
      *copy = i < c->ncase ? c->cases[i] : (mbo_case_config){.name = ""};
      copy->scenario = s + 1;
    }
  }
  /* The quantities across them. */
  for (int q = 0; q < quantities(m); q++) {
    const mbo_objective_config *o = section_of(c, q);
    all->number[q] = -1;
    if (!*o->across) { continue; }
    all->number[q] = all->nacross;
    all->across[all->nacross++] = (scenario_quantity){.quantity = q,
                                                      .is = measure_find(o->across),
                                                      .numbers = {.sigmas = o->across_sigmas,
                                                                  .level = o->across_level,
                                                                  .limit = o->across_limit,
                                                                  .width = isnan(o->across_width) ? 1 : o->across_width,
                                                                  .lower = strcmp(o->across_tail, "lower") == 0}};
  }
  return MBD_OK;
}

mbd_status scenarios_create(mechanism *m, mbd_error *err) {
  const mbo_run_config *c = m->config;
  int any = 0;
  for (int q = 0; q < quantities(m); q++) { any |= *section_of(c, q)->across != '\0'; }
  if (!any) { return MBD_OK; }
  m->scenarios = calloc(1, sizeof *m->scenarios);
  MEMORY_TRY(m->scenarios, err, "the scenarios");
  m->scenarios->nuncertain = c->nuncertain;
  m->scenarios->linear = c->scenarios.samples == 0;
  m->scenarios->n = m->scenarios->linear ? 1 : c->scenarios.samples;
  return make(m, m->scenarios, err);
}

mbd_status scenarios_allocate(mechanism *m, mbd_error *err) {
  mechanism_scenarios *all = m->scenarios;
  for (int a = 0; all && a < all->nacross; a++) {
    scenario_quantity *k = &all->across[a];
    k->by_deviate = mbd_zeros((size_t)(all->nuncertain + m->n), sizeof *k->by_deviate);
    MEMORY_TRY(k->by_deviate, err, "the scenarios");
    k->gradient = k->by_deviate + all->nuncertain;
    m->smooths |= smooths(m, k);
    if (!smooths(m, k)) { continue; }
    m->sharpness[k->quantity] = 1 / section_of(m->config, k->quantity)->across_width;
    m->sharpness_open |= isnan(m->sharpness[k->quantity]);
  }
  return MBD_OK;
}

void scenarios_destroy(mechanism *m) {
  mechanism_scenarios *all = m->scenarios;
  if (!all) { return; }
  for (int a = 0; a < all->nacross; a++) { free(all->across[a].by_deviate); }
  free(all->C), free(all->deviate), free(all->config), free(all->across), free(all->number), free(all->scratch);
  free(all);
}

/* ---- the model of a variant ---- */

/* Which scalars scatter, or are made of such: in new memory; NULL: no memory. */
static unsigned char *scattering(const mbo_run_config *c, const mbo_model_file *f) {
  unsigned char *any = mbd_zeros((size_t)f->nscalar, 1);
  int k;
  for (int i = 0; any && i < c->nuncertain; i++) {
    if (model_file_scalar(f, c->uncertain[i].scalar, &k, NULL) == MBD_OK) { any[k] = 1; }
  }
  for (int i = 0; any && i < f->nscalar; i++) { /* each after those that it uses */
    const mbo_expr *x = &f->scalar[f->order[i]].expr;
    for (int p = 0; p < x->nname; p++) { any[f->order[i]] |= any[x->index[p]]; }
  }
  return any;
}

/* Does the scalar that a distribution is of depend on others that scatter? */
static int own_scatters(const mbo_model_file *f, int own, const unsigned char *any) {
  const mbo_expr *x = &f->scalar[own].expr;
  int depends = 0;
  for (int p = 0; p < x->nname; p++) { depends |= any[x->index[p]]; }
  return depends;
}

/* Number `key` of a distribution becomes a coefficient. */
static mbd_status enter_number(const mbo_run_config *c, const mbo_uncertain_config *u, const char *key,
                               const char *text, mbo_model_file *f, const unsigned char *any, int *coefficient,
                               mbd_error *err) {
  char *name = mbd_sprintf_dup("uncertain.%s.%s", u->name, key);
  MEMORY_TRY(name, err, "the scenarios");
  mbd_status status = model_file_coefficient(f, name, text, coefficient, err);
  free(name);
  const mbo_expr *x = status == MBD_OK ? &f->coef[*coefficient] : NULL;
  for (int p = 0; x && p < x->nname; p++) {
    const int is_own = strcmp(x->name[p], u->scalar) == 0;
    if (is_own ? !own_scatters(f, x->index[p], any) : !any[x->index[p]]) { continue; }
    status = MBD_FAILED(err, MBD_BAD_INPUT, "'%s' %s; expected scalars that do not%s%s%s", x->name[p],
                        is_own ? "is made of others that scatter" : "scatters itself", is_own ? "" : ", or '",
                        is_own ? "" : u->scalar, is_own ? "" : "', which is its mean here");
    break;
  }
  return mbd_locate(err, status, "%s: [uncertain %s] %s = %s: ", c->path, u->name, key, text);
}

static mbd_status enter_numbers(const mbo_run_config *c, mechanism_variant *v, const unsigned char *any,
                                mbd_error *err) {
  for (int i = 0; i < c->nuncertain; i++) {
    const mbo_uncertain_config *u = &c->uncertain[i];
    int *at = v->distribution + i * NUMBERS;
    if (*u->deviation) {
      MBD_TRY(enter_number(c, u, "deviation", u->deviation, v->file, any, &at[0], err));
      continue;
    }
    MBD_TRY(enter_number(c, u, "lower", u->lower, v->file, any, &at[0], err));
    MBD_TRY(enter_number(c, u, "upper", u->upper, v->file, any, &at[1], err));
    MBD_TRY(enter_number(c, u, "scalar", u->scalar, v->file, any, &at[2], err));
  }
  return MBD_OK;
}

mbd_status scenarios_enter(mechanism *m, mechanism_variant *v, mbd_error *err) {
  const mbo_run_config *c = m->config;
  char name[MBO_NAME_MAX + 16];
  if (!m->scenarios) { return MBD_OK; }
  if (v->config->scenario == 0) {
    unsigned char *any = scattering(c, v->file);
    v->distribution = mbd_zeros((size_t)c->nuncertain * NUMBERS, sizeof *v->distribution);
    const mbd_status status =
        any && v->distribution ? enter_numbers(c, v, any, err) : MEMORY_NONE(err, "the scenarios");
    free(any);
    return status;
  }
  v->deviate = mbd_zeros((size_t)c->nuncertain, sizeof *v->deviate);
  MEMORY_TRY(v->deviate, err, "the scenarios");
  for (int i = 0; i < c->nuncertain; i++) {
    snprintf(name, sizeof name, "%.*s.deviate", MBO_NAME_MAX, c->uncertain[i].scalar);
    MBD_TRY(model_file_scalar(v->file, name, &v->deviate[i], err));
  }
  return MBD_OK;
}

mbd_status scenarios_vary(mechanism *m, mechanism_variant *v, mbd_error *err) {
  const int n = m->n, nu = m->config->nuncertain;
  v->directions = n;
  if (v->config->scenario == 0 || !m->scenarios->linear) { return MBD_OK; }
  const char **what = mbd_zeros((size_t)(n + nu), sizeof *what);
  v->rho = mbd_zeros((size_t)(n + nu), sizeof *v->rho);
  mbd_status status = what && v->rho ? MBD_OK : MEMORY_NONE(err, "the scenarios");
  if (status == MBD_OK) {
    for (int j = 0; j < n; j++) { what[j] = m->design.what[j]; }
    for (int i = 0; i < nu; i++) { what[n + i] = v->file->scalar[v->deviate[i]].name; }
    status = mbd_locate(err, mbo_model_file_vary(v->file, n + nu, what, err), "%s: [uncertain ...] ", m->config->path);
  }
  v->directions = n + nu;
  free(what);
  return status;
}

/* What stands for a deviate where X = mean + standard deviation times it, from the numbers of the case where nothing scatters: of a triangle by the
 * quantile at p. */
static double standardized(const mbo_uncertain_config *u, const mechanism_variant *v, int i, double deviate) {
  const int *at = v->distribution + i * NUMBERS;
  if (!uncertain_is_triangular(u) || deviate == 0) { return deviate; }
  const double a = v->theta[at[0]], b = v->theta[at[1]], x = v->theta[at[2]], p = deviate;
  const double quantile = p * (b - a) < x - a ? a + sqrt(p * (b - a) * (x - a)) : b - sqrt((1 - p) * (b - a) * (b - x));
  const double sigma = sqrt(((b - a) * (b - a) - (b - a) * (x - a) + (x - a) * (x - a)) / 18);
  return sigma > 0 ? (quantile - (a + b + x) / 3) / sigma : 0;
}

const double *scenarios_place(mechanism *m, mechanism_variant *v, const double *rho) {
  if (v->config->scenario == 0) { return rho; }
  const mechanism_scenarios *all = m->scenarios;
  const double *deviate = all->deviate + (v->config->scenario - 1) * all->nuncertain;
  for (int i = 0; i < all->nuncertain; i++) {
    if (all->linear) {
      v->rho[m->n + i] = standardized(&m->config->uncertain[i], v->nominal, i, deviate[i]);
    } else {
      model_file_set_number(v->file, v->deviate[i], deviate[i]);
    }
  }
  if (!all->linear) { return rho; }
  memcpy(v->rho, rho, (size_t)m->n * sizeof *rho);
  return v->rho;
}

double scenarios_spread(const mechanism_scenarios *all, const double *g, double *Cg) {
  double sum = 0;
  for (int i = 0; i < all->nuncertain; i++) {
    Cg[i] = 0;
    for (int j = 0; j < all->nuncertain; j++) { Cg[i] += all->C[i * all->nuncertain + j] * g[j]; }
    sum += g[i] * Cg[i];
  }
  return sqrt(fmax(sum, 0));
}

void scenarios_column(const mechanism *m, int k, double *along) {
  const mechanism_scenarios *all = m->scenarios;
  for (int j = 0; j < m->n; j++) { along[j] = 0; }
  for (int i = 0; i < all->nuncertain; i++) { along[m->n + i] = all->L[i * all->nuncertain + k]; }
}

static mbd_status check_numbers(const mbo_run_config *c, const mechanism_variant *v, int i, mbd_error *err) {
  const mbo_uncertain_config *u = &c->uncertain[i];
  const int *at = v->distribution + i * NUMBERS;
  const double a = v->theta[at[0]], b = v->theta[at[1]], x = v->theta[at[2]];
  if (*u->deviation) {
    if (a >= 0) { return MBD_OK; }
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "%s: [uncertain %s] deviation = %s is %g, expected >= 0", c->path, u->name,
             u->deviation, a);
  }
  if (!(a <= b)) {
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "%s: [uncertain %s] lower = %g is above upper = %g", c->path, u->name, a, b);
  }
  if (uncertain_is_triangular(u) && !(a <= x && x <= b)) {
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "%s: [uncertain %s]: %s = %g, its most likely value, is not between %g and %g",
             c->path, u->name, u->scalar, x, a, b);
  }
  return MBD_OK;
}

mbd_status scenarios_check(const mechanism *m, mbd_error *err) {
  for (int k = 0; m->scenarios && k < m->nvariant; k++) {
    const mechanism_variant *v = &m->variant[k];
    for (int i = 0; v->config->scenario == 0 && i < m->scenarios->nuncertain; i++) {
      MBD_TRY(check_numbers(m->config, v, i, err));
    }
  }
  return MBD_OK;
}

/* ---- sharpness ---- */

static mbd_status scale_samples(mechanism *m, const scenario_quantity *a, double factor, mbd_error *err) {
  for (int i = m->ncase; i < m->nload; i++) {
    mechanism_case *load = &m->cases[i];
    for (int k = 0; k < load->npsi; k++) {
      double *sharpness = &m->sharpness[load->quantity[k]];
      if (scenarios_owner(m, load->quantity[k]) != a->quantity || isnan(*sharpness)) { continue; }
      *sharpness *= factor;
      MBD_TRY(case_set_sharpness(load, k, *sharpness, err));
    }
  }
  return MBD_OK;
}

mbd_status scenarios_set_sharpness(mechanism *m, int quantity, double sharpness, mbd_error *err) {
  scenario_quantity *a = &m->scenarios->across[scenarios_across(m, quantity)];
  const double factor = sharpness / m->sharpness[quantity];
  m->sharpness[quantity] = sharpness;
  if (smooths(m, a)) { a->numbers.width = 1 / sharpness; }
  return scale_samples(m, a, factor, err);
}

void scenarios_note_sharpness(mechanism *m) {
  for (int i = 0; m->scenarios && i < m->scenarios->nacross; i++) {
    const scenario_quantity *a = &m->scenarios->across[i];
    if (!smooths(m, a)) { m->sharpness[a->quantity] = m->sharpness[scenarios_sample(m, a->quantity, 0)]; }
  }
}

mbd_status scenarios_choose_widths(mechanism *m, mbd_error *err) {
  enum { PARTS = 20 }; /* of the standard deviation */
  mechanism_scenarios *all = m->scenarios;
  static const measure_numbers of_one = {.sigmas = 1};
  for (int i = 0; all && i < all->nacross; i++) {
    scenario_quantity *a = &all->across[i];
    const int q = a->quantity;
    if (!smooths(m, a) || !isnan(m->sharpness[q])) { continue; }
    const double *x = m->psi + scenarios_sample(m, q, 0);
    const double sigma = measure_value(measure_find("mean_sigma"), &of_one, all->n, x, all->scratch) -
                         measure_value(measure_find("mean"), &of_one, all->n, x, all->scratch);
    const mbo_objective_config *o = section_of(m->config, q);
    if (!(sigma > 0)) {
      MBD_FAIL(
          err, MBD_BAD_INPUT,
          "%s: [%s %s] across = %s has no across.width, which would follow from the standard deviation at the start; "
          "but its samples are the same there; expected across.width = NUMBER",
          m->config->path, q < m->nobjective ? "objective" : "constraint", o->name, o->across);
    }
    char text[32];
    snprintf(text, sizeof text, "%.1e", PARTS / sigma);
    m->sharpness[q] = strtod(text, NULL), a->numbers.width = 1 / m->sharpness[q];
  }
  return MBD_OK;
}

int scenarios_widths_open(const mechanism *m) {
  int open = 0;
  for (int i = 0; m->scenarios && i < m->scenarios->nacross; i++) {
    const scenario_quantity *a = &m->scenarios->across[i];
    open |= smooths(m, a) && isnan(m->sharpness[a->quantity]);
  }
  return open;
}
