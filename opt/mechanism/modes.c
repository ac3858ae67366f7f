#include "mechanism/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/model_file.h"
#include "files/json.h"
#include "files/memory.h"
#include "mbd/linearize.h"
#include "mechanism/case_gradient.h"
#include "mechanism/mode_tracks.h"

static const double steady_below = 1e-3; /* accelerations [m/s^2], [rad/s^2] that count as zero */
static const double same_from = 0.7;     /* likeness of a mode and itself at a neighbouring design */
static const double lost_below = 0.3;    /* a mode that is less like the one that is followed is another one */
static const double part_min = 1.0 / 64; /* shortest part of the way from the start */
static const double near_other = 1e-2;   /* relative distance of eigenvalues, and */
static const double doubled_from = 30;   /* condition, from which a mode is near a double one */

/* ---- sections ---- */

static mode_case *case_of(mechanism_modes *modes, const mechanism *m, const char *name) {
  int i = 0;
  while (i < modes->ncase && strcmp(modes->at[i].load->config->name, name) != 0) { i++; }
  if (i == modes->ncase) {
    int k = 0;
    while (strcmp(m->cases[k].config->name, name) != 0) { k++; }
    modes->at[modes->ncase++].load = &m->cases[k];
  }
  return &modes->at[i];
}

mbd_status modes_create(mechanism *m, mbd_error *err) {
  const mbo_run_config *c = m->config;
  mechanism_modes *modes = m->modes = calloc(1, sizeof *modes);
  MEMORY_TRY(modes, err, "the modes");
  size_t max = 0;
  for (int i = 0; i < c->nmode; i++) { max += (size_t)c->mode[i].in_case.n; }
  modes->section = mbd_zeros((size_t)c->nmode, sizeof *modes->section);
  modes->at = mbd_zeros((size_t)c->ncase, sizeof *modes->at);
  modes->track = mbd_zeros(max, sizeof *modes->track);
  MEMORY_TRY(modes->section && modes->at && modes->track, err, "the modes");
  for (int i = 0; i < c->nmode; i++) {
    const mbo_mode_config *k = &c->mode[i];
    mode_section *s = &modes->section[modes->nsection++];
    *s = (mode_section){.config = k, .is_all = isnan(k->near) && isnan(k->near_real), .first_track = modes->ntrack};
    s->cases = mbd_zeros((size_t)k->in_case.n, sizeof *s->cases);
    MEMORY_TRY(s->cases, err, "the modes");
    for (int j = 0; !s->is_all && j < k->in_case.n; j++) { modes->track[modes->ntrack++].config = k; }
    s->ntrack = modes->ntrack - s->first_track;
  }
  return MBD_OK;
}

static mbd_status located(const mechanism *m, const mbo_mode_config *k, mbd_status status, mbd_error *err) {
  return mbd_locate(err, status, "%s: [mode %s] ", m->config->path, k->name);
}

/* The simulation of a case: that of its start, by the formulation with matrices. */
static mbd_status make_case(mode_case *at, mbd_error *err) {
  const mechanism_case *load = at->load;
  at->c = load->c;
  at->c.formulation = "ali3p", at->c.integrator = "newmark", at->c.coordinates = MBD_COORDINATES_JOINT;
  at->c.free_duration = 0;
  if (strcmp(load->c.analysis, "motion") != 0) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "case '%s' has analysis = %s, expected motion, with start = equilibrium for one at rest",
             load->config->name, load->c.analysis);
  }
  const size_t nc = (size_t)mbd_model_ncoef(load->v->model);
  at->requested = mbd_zeros(nc, 1);
  at->gtheta = mbd_zeros(nc * (size_t)at->ncolumn, sizeof *at->gtheta);
  MEMORY_TRY(at->requested && at->gtheta, err, "the modes of case '%s'", load->config->name);
  return mbd_sim_create(load->v->model, &at->c, load->outputs, 0, NULL, 0, 0, &at->sim, err);
}

mbd_status modes_set_up(mechanism *m, mbd_error *err) {
  mechanism_modes *modes = m->modes;
  const size_t n = (size_t)m->n;
  if (modes->noutput == 0) { return MBD_OK; }
  for (int i = 0, t = 0; i < modes->nsection; i++) {
    mode_section *s = &modes->section[i];
    for (int j = 0; j < s->config->in_case.n; j++) {
      mode_case *at = case_of(modes, m, s->config->in_case.v[j]);
      s->cases[j] = (int)(at - modes->at);
      at->ncolumn += s->is_all ? 1 : 2;
      if (s->is_all) { continue; }
      modes->track[t].in = at;
      modes->track[t].grad = mbd_zeros(2 * n, sizeof *modes->track[t].grad);
      MEMORY_TRY(modes->track[t].grad, err, "the modes");
      t++;
    }
    s->grad = mbd_zeros(n, sizeof *s->grad);
    MEMORY_TRY(s->grad, err, "the modes");
  }
  for (int i = 0; i < modes->noutput; i++) {
    modes->output[i].grad = mbd_zeros(n, sizeof *modes->output[i].grad);
    MEMORY_TRY(modes->output[i].grad, err, "the modes");
  }
  for (int i = 0; i < modes->ncase; i++) {
    const mbd_status status = make_case(&modes->at[i], err);
    for (int k = 0; status != MBD_OK && k < modes->nsection; k++) {
      for (int j = 0; j < modes->section[k].config->in_case.n; j++) {
        if (modes->section[k].cases[j] == i) { return located(m, modes->section[k].config, status, err); }
      }
    }
  }
  return MBD_OK;
}

void modes_destroy(mechanism *m) {
  mechanism_modes *modes = m->modes;
  if (!modes) { return; }
  for (int i = 0; modes->section && i < modes->nsection; i++) {
    free(modes->section[i].cases), free(modes->section[i].grad);
  }
  for (int i = 0; modes->track && i < modes->ntrack; i++) { free(modes->track[i].grad); }
  for (int i = 0; i < modes->noutput; i++) { free(modes->output[i].grad); }
  for (int i = 0; modes->at && i < modes->ncase; i++) {
    mode_case *at = &modes->at[i];
    mbd_modes_free(at->first), mbd_modes_free(at->now);
    mbd_sim_destroy(at->sim), mbd_referee_destroy(at->referee);
    free(at->requested), free(at->gtheta);
  }
  free(modes->section), free(modes->at), free(modes->track), free(modes->output), free(modes);
}

/* ---- which mode it is ---- */

static mbd_status linearize(mode_case *at, mbd_modes **out, mbd_error *err) {
  const mechanism_case *load = at->load;
  *out = NULL;
  MBD_TRY(mechanism_name_case(mbd_sim_modes(at->sim, load->v->params, out, err), load, err));
  const mbd_linear *l = mbd_modes_linear(*out);
  if (l->acceleration <= steady_below) { return MBD_OK; }
  const double acceleration = l->acceleration;
  const int z = l->accelerated;
  mbd_modes_free(*out);
  *out = NULL;
  MBD_FAIL(err, MBD_OUT_OF_DOMAIN,
           "case '%s': modes are those of a steady motion, but at the start %s accelerates by %.3g; expected start = "
           "equilibrium, or rates at which nothing accelerates",
           load->config->name, mbd_model_z_name(load->v->model, z), acceleration);
}

static int order_of(const mbd_linear *l) {
  return l->n + l->nrate + l->nstate;
}

/* Is mode i one of those that are followed: not a rigid motion, of a pair the first? */
static int is_mode(const mbd_linear *l, int i) {
  return !l->rigid[i] && l->im[i] >= 0;
}

static int count_rigid(const mbd_linear *l) {
  int n = 0;
  for (int i = 0; i < order_of(l); i++) { n += l->rigid[i]; }
  return n;
}

/* An eigenvalue that passes through zero is a rigid motion there, whose number would be missing without a word. */
static mbd_status check_rigid(const mode_case *at, mbd_error *err) {
  const int now = count_rigid(mbd_modes_linear(at->now)), first = count_rigid(mbd_modes_linear(at->first));
  if (now == first) { return MBD_OK; }
  MBD_FAIL(err, MBD_SINGULAR,
           "case '%s' has %d rigid motions here, and %d at the start of the run file: an eigenvalue is zero but for "
           "rounding",
           at->load->config->name, now, first);
}

/* The mode nearest to the numbers of the section, of equally near ones the least stable; -1: there is none. */
static int nearest(const mbo_mode_config *k, const mbd_linear *l) {
  int found = -1;
  double min_apart = INFINITY;
  for (int i = 0; i < order_of(l); i++) {
    if (!is_mode(l, i)) { continue; }
    const double apart =
        hypot(isnan(k->near) ? 0 : l->im[i] - 2 * M_PI * k->near, isnan(k->near_real) ? 0 : l->re[i] - k->near_real);
    if (apart < min_apart * (1 - 1e-9)) { min_apart = apart, found = i; }
  }
  return found;
}

/* The mode of `to` that is most like mode i of `from`; *alike: how much. */
static int best_match(const mbd_modes *from, int i, const mbd_modes *to, double *alike) {
  const mbd_linear *l = mbd_modes_linear(to);
  int found = -1;
  *alike = -1;
  for (int j = 0; j < order_of(l); j++) {
    if (!is_mode(l, j)) { continue; }
    const double here = mbd_modes_likeness(from, i, to, j);
    if (here > *alike) { *alike = here, found = j; }
  }
  return found;
}

static mbd_status find_first(const mechanism *m, mode_track *track, const mode_track *before, mbd_error *err) {
  const char *name = track->in->load->config->name;
  double alike = 1;
  track->first = before ? best_match(before->in->first, before->first, track->in->first, &alike)
                        : nearest(track->config, mbd_modes_linear(track->in->first));
  if (track->first < 0) {
    return located(m, track->config,
                   MBD_FAILED(err, MBD_BAD_INPUT, "case '%s' has rigid motions alone, no modes", name), err);
  }
  if (alike >= lost_below) { return MBD_OK; }
  return located(m, track->config,
                 MBD_FAILED(err, MBD_BAD_INPUT,
                            "the mode is lost between the cases '%s' and '%s': the most similar one has a modal "
                            "assurance criterion of %.2g (1: the "
                            "same mode); expected cases between them, or a section for each side",
                            before->in->load->config->name, name, alike),
                 err);
}

mbd_status modes_find(mechanism *m, mbd_error *err) {
  mechanism_modes *modes = m->modes;
  if (modes->noutput == 0 || modes->found) { return MBD_OK; }
  MBD_TRY(mechanism_set_design(m, m->file_start, 0, err));
  for (int i = 0; i < modes->ncase; i++) {
    mbd_modes_free(modes->at[i].first);
    MBD_TRY(mbd_locate(err, linearize(&modes->at[i], &modes->at[i].first, err),
                       "%s: a mode is followed from the start of the run file: ", m->config->path));
  }
  for (int i = 0; i < modes->nsection; i++) {
    const mode_section *s = &modes->section[i];
    for (int j = 0; j < s->ntrack; j++) {
      mode_track *track = &modes->track[s->first_track + j];
      MBD_TRY(find_first(m, track, j > 0 ? track - 1 : NULL, err));
    }
  }
  modes->found = 1;
  return MBD_OK;
}

static const double same_eigenvalue = 1e-9; /* relative distance of those of two linearizations of one case */

const char *modes_name_of(const mechanism *m, const mechanism_case *load, double re, double im) {
  const mechanism_modes *modes = m->modes;
  for (int i = 0; modes->found && i < modes->ntrack; i++) {
    const mode_track *track = &modes->track[i];
    const mbd_linear *l = mbd_modes_linear(track->in->first);
    const double apart = hypot(l->re[track->first] - re, l->im[track->first] - fabs(im));
    if (track->in->load == load && apart <= same_eigenvalue * (1 + hypot(re, im))) { return track->config->name; }
  }
  return NULL;
}

/* Follows a mode from the start of the run file to rho, in parts along which it stays like itself. x: [n] scratch */
static mbd_status follow(mechanism *m, mode_track *track, const double *rho, double *x, mbd_error *err) {
  mbd_modes *from = NULL; /* NULL: the first ones */
  double at = 0, part = 1;
  int which = track->first;
  mbd_status status = MBD_OK;
  track->alike = 1;
  while (at < 1) {
    const int is_end = at + part >= 1;
    mbd_modes *to = NULL;
    double alike;
    for (int j = 0; j < m->n; j++) { x[j] = m->file_start[j] + (at + part) * (rho[j] - m->file_start[j]); }
    if (!is_end) {
      status = mechanism_set_design(m, x, 0, err);
      if (status == MBD_OK) { status = linearize(track->in, &to, err); }
      if (status != MBD_OK) { break; }
    }
    const int next = best_match(from ? from : track->in->first, which, is_end ? track->in->now : to, &alike);
    if (!(alike >= same_from) && part > part_min) {
      mbd_modes_free(to);
      part /= 2;
      continue;
    }
    if (next < 0) { /* there are rigid motions alone */
      mbd_modes_free(to);
      which = next;
      break;
    }
    mbd_modes_free(from);
    from = to, which = next, at += part, track->alike = fmin(track->alike, alike);
  }
  mbd_modes_free(from);
  track->now = which;
  return status;
}

static mbd_status follow_all(mechanism *m, const double *rho, mbd_error *err) {
  mechanism_modes *modes = m->modes;
  double *x = mbd_zeros((size_t)m->n, sizeof *x);
  mbd_status status = x ? MBD_OK : MEMORY_NONE(err, "the modes");
  for (int i = 0; status == MBD_OK && i < modes->ntrack; i++) {
    mode_track *track = &modes->track[i];
    status = follow(m, track, rho, x, err);
    if (status != MBD_OK) { break; }
    const mbd_linear *l = mbd_modes_linear(track->in->now);
    if (track->now < 0) {
      status = located(m, track->config,
                       MBD_FAILED(err, MBD_OUT_OF_DOMAIN, "case '%s' has rigid motions alone, no modes",
                                  track->in->load->config->name),
                       err);
      break;
    }
    track->re = l->re[track->now], track->im = l->im[track->now];
  }
  free(x);
  return status;
}

/* ---- the largest one ---- */

/* How often mode i counts, and its part in the sum of all. */
static double share_of(const mode_section *s, double re, int times) {
  return times * exp(s->config->sharpness * (re - s->largest));
}

/* Calls take for every real part that counts. */
static void each_real(const mechanism_modes *modes, const mode_section *s,
                      void (*take)(void *user, double re, int times), void *user) {
  for (int j = 0; j < s->ntrack; j++) { take(user, modes->track[s->first_track + j].re, 1); }
  for (int j = 0; s->is_all && j < s->config->in_case.n; j++) {
    const mbd_linear *l = mbd_modes_linear(modes->at[s->cases[j]].now);
    for (int i = 0; i < order_of(l); i++) {
      if (is_mode(l, i)) { take(user, l->re[i], l->im[i] > 0 ? 2 : 1); }
    }
  }
}

static void take_largest(void *user, double re, int times) {
  (void)times;
  *(double *)user = fmax(*(double *)user, re);
}

typedef struct sum_of_exponentials {
  double sharpness, top, sum;
} sum_of_exponentials;

static void take_exponential(void *user, double re, int times) {
  sum_of_exponentials *e = user;
  e->sum += times * exp(e->sharpness * (re - e->top));
}

static mbd_status find_largest(const mechanism *m, mode_section *s, mbd_error *err) {
  sum_of_exponentials e = {.sharpness = s->config->sharpness, .top = -INFINITY};
  each_real(m->modes, s, take_largest, &e.top);
  if (isinf(e.top)) {
    return located(m, s->config, MBD_FAILED(err, MBD_OUT_OF_DOMAIN, "its cases have rigid motions alone, no modes"),
                   err);
  }
  each_real(m->modes, s, take_exponential, &e);
  s->largest = e.top + log(e.sum) / e.sharpness;
  return MBD_OK;
}

/* ---- derivatives ---- */

/* The sums of eigenvalues of one case that are differentiated. */
typedef struct mode_sums {
  int nmode, *column; /* number of modes; [order] which of `vectors` a mode of the system is; -1: none */
  const double **vectors;
  double *weight; /* [ncolumn][nmode][2] */
} mode_sums;

static mbd_status no_derivative(const mechanism *m, const mbo_mode_config *k, const mode_case *at, int i,
                                mbd_error *err) {
  const mbd_linear *l = mbd_modes_linear(at->now);
  return located(m, k,
                 MBD_FAILED(err, MBD_SINGULAR,
                            "the eigenvalue %.6g %+.6gi of case '%s' has no derivative: it is a double one with one "
                            "vector, or one of states "
                            "that measure",
                            l->re[i], l->im[i], at->load->config->name),
                 err);
}

static void add_mode(const mode_case *at, mode_sums *sums, int i) {
  if (sums->column[i] >= 0) { return; }
  sums->vectors[sums->nmode] = mbd_modes_vectors(at->now, i);
  sums->column[i] = sums->nmode++;
}

static const double negligible = 1e-14; /* part in a smooth maximum */

/* The modes of the case that count, then the weights of the columns: of each track Re(lambda), Im(lambda) = Re(-i lambda), of each
 * section of all modes the sum of their parts. */
static mbd_status fill_sums(const mechanism *m, const mode_case *at, mode_sums *sums, mbd_error *err) {
  const mechanism_modes *modes = m->modes;
  const mbd_linear *l = mbd_modes_linear(at->now);
  for (int pass = 0; pass < 2; pass++) {
    int column = 0;
    for (int k = 0; k < modes->nsection; k++) {
      const mode_section *s = &modes->section[k];
      for (int j = 0; j < s->config->in_case.n; j++) {
        if (&modes->at[s->cases[j]] != at) { continue; }
        double *weight = sums->weight + 2 * (size_t)sums->nmode * (size_t)column;
        const mode_track *track = s->is_all ? NULL : &modes->track[s->first_track + j];
        for (int i = 0; i < order_of(l); i++) {
          const double part = track ? i == track->now : is_mode(l, i) ? share_of(s, l->re[i], l->im[i] > 0 ? 2 : 1) : 0;
          if (part <= negligible) { continue; }
          if (!mbd_modes_vectors(at->now, i)) { return no_derivative(m, s->config, at, i, err); }
          if (pass == 0) {
            add_mode(at, sums, i);
            continue;
          }
          weight[2 * sums->column[i]] = part;
          if (track) { weight[2 * (sums->nmode + sums->column[i]) + 1] = -1; }
        }
        column += track ? 2 : 1;
      }
    }
  }
  return MBD_OK;
}

/* From the columns of the case to tracks and sections. */
static void take_gradients(const mechanism *m, const mode_case *at) {
  const mechanism_modes *modes = m->modes;
  const double *gtheta = at->gtheta;
  const size_t nc = (size_t)mbd_model_ncoef(at->load->v->model);
  for (int k = 0; k < modes->nsection; k++) {
    const mode_section *s = &modes->section[k];
    for (int j = 0; j < s->config->in_case.n; j++) {
      if (&modes->at[s->cases[j]] != at) { continue; }
      double *grad = s->is_all ? s->grad : modes->track[s->first_track + j].grad;
      for (int v = 0; v < m->n; v++) {
        const double g = case_to_variable(at->load->v, v, gtheta);
        grad[v] = s->is_all ? grad[v] + g : g;
        if (!s->is_all) { grad[m->n + v] = case_to_variable(at->load->v, v, gtheta + nc); }
      }
      gtheta += s->is_all ? nc : 2 * nc;
    }
  }
}

static mbd_status need_referee(mode_case *at, mbd_error *err) {
  if (at->referee) { return MBD_OK; }
  return mbd_referee_create(mbo_model_file_spec(at->load->v->file), &at->c, 0, NULL, 0, NULL, at->ncolumn, &at->referee,
                            err);
}

static mbd_status derive_case(mechanism *m, mode_case *at, mbd_error *err) {
  const mechanism_variant *v = at->load->v;
  const size_t order = (size_t)order_of(mbd_modes_linear(at->now));
  mode_sums sums = {.column = malloc((order + 1) * sizeof *sums.column),
                    .vectors = mbd_zeros(order, sizeof *sums.vectors),
                    .weight = mbd_zeros(2 * order * (size_t)at->ncolumn, sizeof *sums.weight)};
  mbd_status status =
      sums.column && sums.vectors && sums.weight ? need_referee(at, err) : MEMORY_NONE(err, "the modes");
  for (size_t i = 0; sums.column && i < order; i++) { sums.column[i] = -1; }
  if (status == MBD_OK) { status = fill_sums(m, at, &sums, err); }
  if (status == MBD_OK) {
    memset(at->requested, 0, (size_t)mbd_model_ncoef(v->model));
    for (int i = 0; i < v->start[m->n]; i++) { at->requested[v->index[i]] = 1; }
    status = mechanism_name_case(mbd_referee_modes(at->referee, v->theta, at->ncolumn, sums.nmode, sums.vectors,
                                                   sums.weight, at->requested, at->gtheta, err),
                                 at->load, err);
  }
  if (status == MBD_OK) { take_gradients(m, at); }
  free(sums.column), free(sums.vectors), free(sums.weight);
  return status;
}

static void find_gradients(const mechanism *m) {
  mechanism_modes *modes = m->modes;
  for (int i = 0; i < modes->nsection; i++) {
    mode_section *s = &modes->section[i];
    for (int j = 0; j < s->ntrack; j++) {
      const mode_track *track = &modes->track[s->first_track + j];
      const double share = share_of(s, track->re, 1);
      for (int v = 0; v < m->n; v++) { s->grad[v] += share * track->grad[v]; }
    }
  }
  for (int i = 0; i < modes->noutput; i++) {
    mode_output *o = &modes->output[i];
    const mode_track *track = &modes->track[o->track];
    for (int v = 0; v < m->n; v++) {
      o->grad[v] = o->word == MODE_LARGEST_REAL ? modes->section[o->section].grad[v]
                                                : mode_slope(track, o->word, track->grad[v], track->grad[m->n + v]);
    }
  }
}

mbd_status modes_evaluate(mechanism *m, const double *rho, int gradient, mbd_error *err) {
  mechanism_modes *modes = m->modes;
  if (modes->noutput == 0) { return MBD_OK; }
  for (int i = 0; i < modes->ncase; i++) {
    mbd_modes_free(modes->at[i].now);
    MBD_TRY(linearize(&modes->at[i], &modes->at[i].now, err));
    MBD_TRY(check_rigid(&modes->at[i], err));
  }
  const mbd_status status = follow_all(m, rho, err);
  MBD_TRY(mechanism_set_design(m, rho, gradient, err));
  MBD_TRY(status);
  for (int i = 0; i < modes->nsection; i++) {
    MBD_TRY(find_largest(m, &modes->section[i], err));
    memset(modes->section[i].grad, 0, (size_t)m->n * sizeof *modes->section[i].grad);
  }
  for (int i = 0; gradient && m->n > 0 && i < modes->ncase; i++) { MBD_TRY(derive_case(m, &modes->at[i], err)); }
  if (gradient) { find_gradients(m); }
  return MBD_OK;
}

/* ---- along a direction ---- */

void modes_along(mechanism *m, const double *w) {
  mechanism_modes *modes = m->modes;
  for (int i = 0; i < modes->ntrack; i++) {
    mode_track *track = &modes->track[i];
    track->along[0] = track->along[1] = 0;
    for (int v = 0; track->grad && v < m->n; v++) {
      track->along[0] += track->grad[v] * w[v], track->along[1] += track->grad[m->n + v] * w[v];
    }
  }
  for (int i = 0; i < modes->nsection; i++) {
    mode_section *s = &modes->section[i];
    s->along = 0;
    for (int v = 0; s->grad && v < m->n; v++) { s->along += s->grad[v] * w[v]; }
  }
}

/* Adds the changes of the modes of a case by the change dA of its matrix. */
static mbd_status change_case(const mechanism *m, const mode_case *at, const double *dA, mbd_error *err) {
  mechanism_modes *modes = m->modes;
  const mbd_linear *l = mbd_modes_linear(at->now);
  for (int k = 0; k < modes->nsection; k++) {
    mode_section *s = &modes->section[k];
    for (int j = 0; j < s->config->in_case.n; j++) {
      if (&modes->at[s->cases[j]] != at) { continue; }
      mode_track *track = s->is_all ? NULL : &modes->track[s->first_track + j];
      for (int i = 0; i < order_of(l); i++) {
        const double part = track           ? (i == track->now ? share_of(s, l->re[i], 1) : 0)
                            : is_mode(l, i) ? share_of(s, l->re[i], l->im[i] > 0 ? 2 : 1)
                                            : 0;
        double change[2];
        if (track ? i != track->now : part <= negligible) { continue; }
        if (!mbd_modes_vectors(at->now, i)) { return no_derivative(m, s->config, at, i, err); }
        mbd_modes_along(at->now, i, dA, change);
        s->along += part * change[0];
        if (track) { track->along[0] = change[0], track->along[1] = change[1]; }
      }
    }
  }
  return MBD_OK;
}

/* A and its change dA along w, in new arrays. */
static mbd_status change_matrix(const mechanism *m, const mode_case *at, const double *w, double **A, double **dA,
                                mbd_error *err) {
  const mechanism_variant *v = at->load->v;
  const size_t nc = (size_t)mbd_model_ncoef(v->model);
  double *value = mbd_zeros(nc, sizeof *value);
  int *index = mbd_zeros(nc, sizeof *index), order;
  mbd_status status = value && index ? MBD_OK : MEMORY_NONE(err, "the modes");
  if (status == MBD_OK) {
    const int n = case_direction(m->n, v, w, index, value);
    status = mbd_referee_linearize(at->referee, v->theta, n, index, value, &order, A, dA, err);
  }
  free(value), free(index);
  return status;
}

mbd_status modes_complex_step(mechanism *m, const double *w, mbd_error *err) {
  mechanism_modes *modes = m->modes;
  if (modes->noutput == 0) { return MBD_OK; }
  for (int i = 0; i < modes->nsection; i++) { modes->section[i].along = 0; }
  for (int i = 0; i < modes->ncase; i++) {
    mode_case *at = &modes->at[i];
    double *A = NULL, *dA = NULL;
    MBD_TRY(need_referee(at, err));
    mbd_status status = mechanism_name_case(change_matrix(m, at, w, &A, &dA, err), at->load, err);
    if (status == MBD_OK) { status = change_case(m, at, dA, err); }
    free(A), free(dA);
    MBD_TRY(status);
  }
  return MBD_OK;
}

/* ---- warnings ---- */

static void warn(const mode_track *track, char *text, json_t *list) {
  if (text) {
    json_array_append_new(list, json_pack("{s:s, s:s, s:n, s:o}", "case", track->in->load->config->name, "kind", "mode",
                                          "time", "text", json_text(text)));
  }
  free(text);
}

/* The eigenvalue nearest to that of the track, with its distance relative to the larger one; -1: there is none. */
static int neighbour(const mode_track *track, const mbd_linear *l, double *apart) {
  int found = -1;
  *apart = INFINITY;
  for (int i = 0; i < order_of(l); i++) {
    const double size = fmax(hypot(l->re[i], l->im[i]), hypot(track->re, track->im));
    if (i == track->now || l->rigid[i]) { continue; }
    const double here = hypot(l->re[i] - track->re, l->im[i] - track->im) / size;
    if (here < *apart) { *apart = here, found = i; }
  }
  return found;
}

void modes_warn(const mechanism *m, json_t *list) {
  const mechanism_modes *modes = m->modes;
  for (int k = 0; k < modes->ntrack; k++) {
    const mode_track *track = &modes->track[k];
    double apart;
    if (!track->in || !track->in->now || track->now < 0) { continue; }
    const int other = neighbour(track, mbd_modes_linear(track->in->now), &apart);
    if (track->alike < same_from) {
      warn(track,
           mbd_sprintf_dup("mode '%s' cannot be followed with certainty from the start of the run file to this design: "
                           "on the way its modal assurance criterion falls to %.2g "
                           "(1: the same mode), so it may be another one; a start nearer to this design, or "
                           "%s.largest_real of a section without near",
                           track->config->name, track->alike, track->config->name),
           list);
    }
    if (other >= 0 && apart < near_other && mbd_modes_condition(track->in->now, track->now) > doubled_from) {
      const mbd_linear *l = mbd_modes_linear(track->in->now);
      warn(track,
           mbd_sprintf_dup(
               "mode '%s', %.6g %+.6gi 1/s, is near another one, %.6g %+.6gi: they exchange their roles there, and the "
               "derivative of each is large and changes fast; a sum of both is smooth: %s.largest_real of a section "
               "without near",
               track->config->name, track->re, track->im, l->re[other], l->im[other], track->config->name),
           list);
    }
  }
}
