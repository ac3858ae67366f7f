/* Objectives and their gradients (theory.md §6 (6.1), §7): the sums over nodes of weight q. */
#include <string.h>

#include "objective/objectives.h"
#include "state/turns.h"

/* ---- terms ---- */

void quadrature_reset(mbd_sim *s) {
  const size_t np = (size_t)s->np, npsi = (size_t)s->npsi;
  memset(s->objectives->psi, 0, npsi * sizeof *s->objectives->psi);
  memset(s->objectives->grad, 0, npsi * np * sizeof *s->objectives->grad);
  memset(s->objectives->gn, 0, npsi * np * np * sizeof *s->objectives->gn);
  memset(s->objectives->peak_sum, 0, npsi * sizeof *s->objectives->peak_sum);
  memset(s->objectives->peak_grad, 0, npsi * np * sizeof *s->objectives->peak_grad);
  if (s->objectives->histories) { history_reset(s->objectives->histories); }
  if (s->objectives->true_values) { true_values_reset(s->objectives->true_values); }
  for (size_t i = 0; i < npsi; i++) { s->objectives->peak_top[i] = -INFINITY; }
  s->objectives->nodes = 0;
  memset(s->objectives->top, 0, (size_t)s->o->n * sizeof *s->objectives->top);
  memset(s->objectives->sum_so_far, 0, npsi * sizeof *s->objectives->sum_so_far);
}

/* The derivatives of s of term i [np], from those of its output, yp. */
static const mbd_real *error_sens(const mbd_sim *s, int i, const mbd_real *yp) {
  const mbd_curve *curve = s->objectives->target[i];
  if (!curve) { return yp; }
  for (int a = 0; a < s->np; a++) {
    mbd_curve_value dv = objectives_target_sens(s, i, s->t, a);
    if (mbd_any(s->stretch[a] != 0)) { curve_shift(curve, s->p->theta, s->p->aux, s->t, s->stretch[a] * s->t, &dv); }
    s->objectives->ep[a] = yp[a] - dv.y;
  }
  return s->objectives->ep;
}

/* q u(s) of term i, of those summed at nodes, with its derivatives at a node of weight q; returns 0 if the node does not contribute to the term.
 * Peaks are summed in add_peak. */
static int term_value(const mbd_sim *s, int i, double q, int last, mbd_real *g, mbd_real g_s[2]) {
  const mbd_term *k = &s->objectives->term[i];
  const form_ops *f = s->objectives->form[i];
  const double weight = f->over == FORM_END ? last : f->over == FORM_MEAN ? q / s->c.duration : q;
  if (f->over == FORM_PEAK || weight == 0) { return 0; }
  *g = f->u(k, weight, objectives_error(s, i), g_s);
  return 1;
}

/* The weights of integrals grow with the length of the steps; means divide by the duration. */
static int grows(const mbd_sim *s, int i) {
  return s->objectives->form[i]->over == FORM_INTEGRAL;
}

/* The factor of a term's weight that a complex duration causes. */
static mbd_real dilated(const mbd_sim *s, int i) {
  return grows(s, i) ? s->dilation : 1;
}

/* 1: term i is part of a smooth maximum that is summed during the run. */
static int is_peak(const mbd_sim *s, int i) {
  return s->objectives->form[i]->over == FORM_PEAK && !s->objectives->history_term[i];
}

/* u(s), of which the smooth maximum of a term is taken, and its derivative. */
static mbd_real peak_of(const mbd_sim *s, int i, mbd_real u_s[2]) {
  const mbd_term *k = &s->objectives->term[i];
  return s->objectives->form[i]->u(k, 1, objectives_error(s, i), u_s);
}

/* Smooth maximum of u: with p the sharpness, sums of q exp(p (u - top)) and of its derivative. The sums are rescaled when
 * u passes the largest value so far, so that they do not overflow; the result does not depend on `top`. */
static void add_peak(mbd_sim *s, int i, double q, const mbd_real *ep) {
  const mbd_term *k = &s->objectives->term[i];
  const int np = s->np, gradient = ep != NULL;
  mbd_real u_s[2];
  const mbd_real u = peak_of(s, i, u_s);
  mbd_value *top = &s->objectives->peak_top[k->psi];
  mbd_real *sum = &s->objectives->peak_sum[k->psi], *grad = s->objectives->peak_grad + k->psi * np;
  if (mbd_any(mbd_re(u) > *top)) {
    const mbd_value now = mbd_select(mbd_re(u) > *top, mbd_re(u), *top);
    const mbd_value fade = mbd_re(mbd_exp(k->sharpness * (*top - now)));
    *sum *= fade;
    for (int a = 0; gradient && a < np; a++) { grad[a] *= fade; }
    *top = now;
  }
  const mbd_real part = q * mbd_exp(k->sharpness * (u - *top));
  *sum += part;
  for (int a = 0; gradient && a < np; a++) { grad[a] += part * u_s[0] * ep[a]; }
}

static double peak_sign(const mbd_sim *s, int i) {
  return s->objectives->form[i]->sign * s->objectives->term[i].weight;
}

/* psi = w (top + ln(mean)/p), where the mean is taken over time and over the terms of the objective; a trough has both signs turned. */
static void finish_peaks(mbd_sim *s, int gradient) {
  const int np = s->np;
  sim_objectives *objectives = s->objectives;
  for (int psi = 0; psi < s->npsi; psi++) {
    int one = -1, count = 0;
    for (int i = 0; i < objectives->nterm; i++) {
      if (objectives->term[i].psi == psi && is_peak(s, i)) { one = i, count++; }
    }
    if (one < 0) { continue; }
    const double sign = peak_sign(s, one), p = objectives->term[one].sharpness;
    objectives->psi[psi] +=
        sign * (objectives->peak_top[psi] + mbd_log(objectives->peak_sum[psi] / (s->c.duration * count)) / p);
    for (int a = 0; gradient && a < np; a++) {
      objectives->grad[psi * np + a] += sign * objectives->peak_grad[psi * np + a] / objectives->peak_sum[psi];
    }
  }
}

/* The lam of outputs, after step_terms_update. */
static const mbd_real *outputs_lam(const mbd_sim *s) {
  return s->objectives->lam ? s->objectives->lam : min_norm_lam(s);
}

static mbd_real *sens_of(const mbd_sim *s, int o) {
  return s->objectives->yp + (size_t)o * (size_t)s->np_max;
}

/* Derivatives of `count` similar outputs, o[0] and those behind it, along all directions, the part from changes of coordinates, rates
 * and multipliers. yp [count][np_max] */
static void by_state(mbd_sim *s, const output *o, int count, int reads, mbd_real *yp) {
  const sim_objectives *objectives = s->objectives;
  const int n = s->m->nz, np = s->np;
  output_row g[OUTPUT_ALIKE];
  for (int i = 0; i < count; i++) {
    g[i] =
        (output_row){objectives->g_z + i * n, objectives->g_zd + i * n, objectives->g_zdd + i * n, objectives->g_lam};
  }
  output_rows_alike(s->w, o, count, outputs_lam(s), g);
  if (reads) { min_norm_rows(s, objectives->g_lam, objectives->g_z); }
  for (int i = 0; i < count; i++) {
    mbd_real *of = yp + (size_t)i * (size_t)s->np_max;
    memset(of, 0, (size_t)np * sizeof *of);
    objectives_add_row(n, np, g[i].z, s->sens.z, of);
    objectives_add_row(n, np, g[i].zd, s->sens.zd, of);
    objectives_add_row(n, np, g[i].zdd, s->sens.zdd, of);
  }
  if (reads) { objectives_add_row(s->m->nphi, np, objectives->g_lam, s->sens.reaction, yp); }
  if (output_reads_step(o)) { step_terms_sens(s, objectives->g_lam, yp); }
}

void objectives_output_sens(mbd_sim *s, const output *o, mbd_real *yp) {
  const int reads = output_reads_reactions(o);
  by_state(s, o, 1, reads, yp);
  for (int k = 0; k < s->np; k++) {
    sim_vary(s, k);
    yp[k] += output_direction(s->w, o, outputs_lam(s), NULL);
    if (reads) { yp[k] += min_norm_direction(s); }
  }
}

/* The derivatives of all outputs that terms use, by one sweep for each direction; except those of reactions, whose
 * shares differ between outputs. */
static void outputs_sens(mbd_sim *s) {
  const sim_objectives *objectives = s->objectives;
  const int count = s->o->n;
  for (int o = 0; o < count; o++) {
    const int alike = objectives->together[o];
    if (alike > 0) { by_state(s, &s->o->item[o], alike, 0, sens_of(s, o)); }
    if (alike < 0) { objectives_output_sens(s, &s->o->item[o], sens_of(s, o)); }
  }
  for (int k = 0; k < s->np; k++) {
    sim_vary(s, k);
    for (int o = 0; o < count; o++) {
      if (objectives->together[o] <= 0) { continue; }
      output_directions_alike(s->w, &s->o->item[o], objectives->together[o], outputs_lam(s), sens_of(s, o) + k,
                              s->np_max);
    }
  }
}

void mbd_sim_output_sens(mbd_sim *s, int o, double *yp) {
  objectives_output_sens(s, &s->o->item[o], sens_of(s, o));
  for (int k = 0; k < s->np; k++) { yp[k] = sim_of(s, sens_of(s, o)[k]); }
}

/* ---- sums ---- */

static void values(mbd_sim *s, int all) {
  min_norm_update(s, all);
  const mbd_real *lam = step_terms_update(s);
  for (int o = 0; o < s->o->n; o++) {
    if (output_is_computed(s->objectives, o, all)) { s->objectives->y[o] = output_value(s->w, &s->o->item[o], lam); }
  }
}

void quadrature_outputs(mbd_sim *s) {
  sim_objectives *objectives = s->objectives;
  turns_at_node(s);
  values(s, objectives->watched);
  for (int o = 0; objectives->gathering && o < s->o->n; o++) {
    objectives->top[o] = fmax(objectives->top[o], mbd_largest(objectives->y[o]));
  }
}

void quadrature_outputs_of_point(mbd_sim *s, int point) {
  turns_of_point(s, point);
  values(s, 0);
}

/* Adds one point, at which s->objectives->y holds the outputs. */
static mbd_status add(mbd_sim *s, double weight, int last, int gradient, int gauss_newton, mbd_error *err) {
  const int np = s->np;
  MBD_TRY(min_norm_check(s, err));
  /* The row of the histories at this point, and the derivatives of all outputs that terms use. */
  if (s->objectives->histories) { MBD_TRY(history_row(s, weight, err)); }
  if (gradient) { outputs_sens(s); }
  for (int o = 0; o < s->o->n; o++) {
    if (!s->objectives->requested[o]) { continue; }
    const mbd_real *yp = gradient ? sens_of(s, o) : NULL;
    if (s->objectives->histories) { history_keep(s, o, yp); }
    /* The terms in this output. Those of peaks are gathered in their own sums. */
    for (int j = 0; j < s->objectives->nnode; j++) {
      const int i = s->objectives->node_term[j];
      const mbd_term *k = &s->objectives->term[i];
      mbd_real g, g_s[2];
      if (k->output != o) { continue; }
      const mbd_real *ep = gradient ? error_sens(s, i, yp) : NULL;
      if (is_peak(s, i) && weight > 0) { add_peak(s, i, weight, ep); }
      if (!term_value(s, i, weight, last, &g, g_s)) { continue; }
      /* psi += w q u(s),  psi' += w q u_s s' + the derivative of the weights q by a stretch of the time. */
      s->objectives->psi[k->psi] += k->weight * g * dilated(s, i);
      for (int a = 0; gradient && a < np; a++) {
        mbd_real *grad = &s->objectives->grad[k->psi * np + a];
        *grad += k->weight * g_s[0] * ep[a];
        if (grows(s, i) && mbd_any(s->stretch[a] != 0)) { *grad += k->weight * s->stretch[a] * g; }
      }
      /* The Gauss-Newton matrix += w q u_ss s' s'^T (form.h). */
      for (int a = 0; gauss_newton && mbd_any(g_s[1] != 0) && a < np; a++) {
        mbd_real *row = s->objectives->gn + ((size_t)k->psi * (size_t)np + (size_t)a) * (size_t)np;
        for (int b = 0; b < np; b++) { row[b] += k->weight * g_s[1] * ep[a] * ep[b]; }
      }
    }
  }
  return MBD_OK;
}

/* ---- integrals so far: those of a run that ends at the current node ---- */

static void keep_integrands(mbd_sim *s) {
  sim_objectives *objectives = s->objectives;
  double *now = objectives->last + objectives->nodes % SO_FAR * s->npsi;
  memset(now, 0, (size_t)s->npsi * sizeof *now);
  for (int j = 0; j < objectives->nnode; j++) {
    const int i = objectives->node_term[j];
    mbd_real g, g_s[2];
    if (grows(s, i) && term_value(s, i, 1, 0, &g, g_s)) {
      now[objectives->term[i].psi] += objectives->term[i].weight * mbd_first(g);
    }
  }
  for (int psi = 0; psi < s->npsi; psi++) {
    objectives->sum_so_far[psi] += now[psi];
    if (objectives->nodes < SO_FAR) { objectives->first[objectives->nodes * s->npsi + psi] = now[psi]; }
  }
  objectives->nodes++;
}

int mbd_sim_is_integral(const mbd_sim *s, int psi) {
  const sim_objectives *objectives = s->objectives;
  int terms = 0;
  for (int i = 0; i < objectives->nterm; i++) {
    if (objectives->term[i].psi != psi) { continue; }
    if (!grows(s, i) || objectives->history_term[i]) { return 0; }
    terms++;
  }
  return terms > 0;
}

double mbd_sim_so_far(const mbd_sim *s, int psi) {
  const sim_objectives *objectives = s->objectives;
  const int n = objectives->nodes - 1, tail = n - SO_FAR + 1;
  if (n == s->nsteps) { return sim_of(s, objectives->psi[psi]); }
  if (n <= 0) { return 0; }
  double sum = s->h * objectives->sum_so_far[psi];
  for (int k = 0; k < SO_FAR && k <= n; k++) {
    sum += (quadrature_rule(s, n, k) - s->h) * objectives->first[k * s->npsi + psi];
  }
  for (int k = tail > SO_FAR ? tail : SO_FAR; k <= n; k++) {
    sum += (quadrature_rule(s, n, k) - s->h) * objectives->last[k % SO_FAR * s->npsi + psi];
  }
  return sum;
}

/* History objectives also need the row of the start, at which integrals between nodes have no weight. */
mbd_status quadrature_add(mbd_sim *s, double weight, int last, int gradient, int gauss_newton, mbd_error *err) {
  const int start = s->objectives->histories && mbd_same(s->t) == 0;
  quadrature_outputs(s);
  if (s->objectives->watched) { keep_integrands(s); }
  if (s->objectives->true_values && (!quadrature_between_nodes(s) || last || mbd_same(s->t) == 0)) {
    MBD_TRY(true_values_row(s, err));
  }
  if (weight > 0 || last || start) { MBD_TRY(add(s, weight, last, gradient, gauss_newton, err)); }
  if (!last) { return MBD_OK; }
  finish_peaks(s, gradient);
  return s->objectives->histories ? history_finish(s, err) : MBD_OK;
}

mbd_status quadrature_add_point(mbd_sim *s, double weight, mbd_error *err) {
  MBD_TRY(turns_at_point(s, err));
  values(s, 0);
  if (s->objectives->true_values) { MBD_TRY(true_values_row(s, err)); }
  return add(s, weight, 0, s->np > 0, s->objectives->gauss_newton, err);
}

/* A term of a peak has  w u_s q exp(p (u - top)) / sum. */
void quadrature_weights(mbd_sim *s, int row, double weight, int last) {
  mbd_real *we = s->objectives->we;
  s->objectives->row = s->objectives->histories ? row : -1;
  for (int j = 0; j < s->objectives->nnode; j++) {
    const int i = s->objectives->node_term[j];
    const mbd_term *k = &s->objectives->term[i];
    mbd_real g, g_s[2];
    we[i] = s->objectives->by_stretch[i] = 0;
    if (is_peak(s, i)) {
      if (weight == 0) { continue; }
      const mbd_real u = peak_of(s, i, g_s);
      const mbd_real part = weight * mbd_exp(k->sharpness * (u - s->objectives->peak_top[k->psi]));
      we[i] = peak_sign(s, i) * part * g_s[0] / s->objectives->peak_sum[k->psi];
    } else if (term_value(s, i, weight, last, &g, g_s)) {
      we[i] = k->weight * g_s[0] * dilated(s, i);
      s->objectives->by_stretch[i] = grows(s, i) ? k->weight * g * dilated(s, i) : 0;
    }
  }
}
