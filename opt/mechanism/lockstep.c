#include "mechanism/lockstep.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "files/text_stream.h"
#include "mechanism/case_gradient.h"
#include "plugin/plugin.h"

typedef enum seat_state { SEAT_AWAKE, SEAT_WAITS, SEAT_LEFT } seat_state;

struct lockstep_seat {
  struct lockstep *l;
  int k;
  pthread_t thread;
  seat_state state;
  /* of the simulation that it waits for: */
  mechanism *m;
  mechanism_case *load;
  char *text; /* what the case has in common with others (mbd_lanes_describe); NULL: it is simulated alone */
  int is_scenario, number; /* 0, and of the case in its run; or 1, and 0 */
  int grouped, together;   /* 1: it has been looked at; it was simulated in a lane */
};

/* Lanes that are kept for the next simulations of the same kind. */
typedef struct kept_lanes {
  char *text;
  int number, np; /* of the case in its run; directions for which there is memory */
  double *
      nominal; /* values of the coefficients in the description of which they are made, by which it chooses, as the basis of natural coordinates */
  mbd_lanes *lanes;
  int nforce;
  mbo_plugin *force; /* that it needs, as do the runs that have left */
} kept_lanes;

struct lockstep {
  int width, n;
  struct lockstep_seat seat[MBD_LANES_WIDTH_MAX];
  int turn; /* the seat that is awake; -1: all have left */
  pthread_mutex_t lock;
  pthread_cond_t turned;
  void (*run)(void *user, int k, struct lockstep_seat *seat);
  void *user;
  int nkept;
  kept_lanes *kept;
};

/* ---- lanes ---- */

static char *describe(const mechanism_case *load) {
  const char **name = case_output_names(load);
  text_stream s;
  FILE *out = name ? text_begin(&s) : NULL;
  const int whole = out && mbd_lanes_describe(mbo_model_file_spec(load->v->file), &load->c,
                                              mbd_outputs_count(load->outputs), name, load->nterm, load->term, out);
  char *text = out ? text_end(&s) : NULL;
  free(name);
  if (whole) { return text; }
  free(text);
  return NULL;
}

static void free_kept(kept_lanes *k) {
  mbd_lanes_destroy(k->lanes);
  plugin_list_free(k->force, k->nforce);
  free(k->text), free(k->nominal);
}

static void forget(lockstep *l, int i) {
  free_kept(&l->kept[i]);
  memmove(l->kept + i, l->kept + i + 1, (size_t)(--l->nkept - i) * sizeof *l->kept);
}

/* Does a seat that is not of these members still have to read what the lanes hold? A run may be at another case than its results are. */
static int are_in_use(const lockstep *l, int n, struct lockstep_seat *const *member, const mbd_lanes *lanes) {
  for (int k = 0; lanes && k < l->n; k++) {
    const struct lockstep_seat *seat = &l->seat[k];
    int has_read = seat->state == SEAT_LEFT && !seat->is_scenario;
    for (int i = 0; i < n; i++) { has_read |= member[i] == seat; }
    for (int i = 0; !has_read && seat->m && i < (seat->is_scenario ? 1 : seat->m->nload); i++) {
      if ((seat->is_scenario ? seat->load : &seat->m->cases[i])->lanes == lanes) { return 1; }
    }
  }
  return 0;
}

/* The oldest lanes that nobody reads any more make place for a new kind: a study has few. */
static void drop_oldest(lockstep *l) {
  for (int i = 0; i < l->nkept; i++) {
    if (are_in_use(l, 0, NULL, l->kept[i].lanes)) { continue; }
    forget(l, i);
    return;
  }
}

static double *nominal_values(const mbd_model *m) {
  const int n = mbd_model_ncoef(m);
  double *value = malloc(((size_t)n + 1) * sizeof *value);
  for (int k = 0; value && k < n; k++) { value[k] = mbd_model_nominal(m, k); }
  return value;
}

static int same_nominal(const mbd_model *m, const double *value) {
  int same = 1;
  for (int k = 0; k < mbd_model_ncoef(m); k++) { same = same && mbd_model_nominal(m, k) == value[k]; }
  return same;
}

/* The lanes for a case; NULL: it does not go in lockstep, which is kept as well. Those that another description has made may have chosen otherwise, and results would
 * depend on what was simulated before. */
static mbd_lanes *lanes_for(lockstep *l, const struct lockstep_seat *seat, int np) {
  for (int i = 0; i < l->nkept; i++) {
    const kept_lanes *k = &l->kept[i];
    if (k->number != seat->number || k->np != np || strcmp(k->text, seat->text) != 0) { continue; }
    if (same_nominal(seat->load->v->model, k->nominal)) { return k->lanes; }
    if (!are_in_use(l, 0, NULL, k->lanes)) { forget(l, i--); }
  }
  enum { KEPT_MAX = 16 };
  if (l->nkept >= KEPT_MAX) { drop_oldest(l); }
  const int nforce = seat->m->config->nplugin;
  kept_lanes *list = realloc(l->kept, (size_t)(l->nkept + 1) * sizeof *list),
             one = {.text = mbd_strdup(seat->text),
                    .number = seat->number,
                    .np = np,
                    .nominal = nominal_values(seat->load->v->model),
                    .nforce = nforce,
                    .force = plugin_list_keep(seat->m->plugin, nforce)};
  if (list) { l->kept = list; }
  if (!list || !one.text || !one.nominal || !one.force) {
    free_kept(&one);
    return NULL;
  }
  case_make_lanes(seat->load, l->width, np, &one.lanes, NULL);
  l->kept[l->nkept++] = one;
  return one.lanes;
}

/* ---- groups that are simulated together ---- */

typedef struct group {
  lockstep *l;
  int n;
  struct lockstep_seat *member[MBD_LANES_WIDTH_MAX];
  int np; /* directions of direct differentiation */
} group;

/* The member of a lane: those without a member of their own repeat the first one. */
static const struct lockstep_seat *of_lane(const group *g, int lane) {
  return g->member[lane < g->n ? lane : 0];
}

static int directions_of(const mechanism_case *load) {
  return load->ask.method == GRADIENT_DIRECT ? load->v->directions : 0;
}

static int same_sums(const struct lockstep_seat *a, const struct lockstep_seat *b) {
  for (int k = 0; a->load->ask.of_sum && k < case_in_sum(a->load); k++) {
    if (case_weight(a->m, a->load, k) != case_weight(b->m, b->load, k)) { return 0; }
  }
  return case_memory_limit(a->m) == case_memory_limit(b->m);
}

static int same_directions(const mechanism_variant *a, const mechanism_variant *b, int n) {
  return memcmp(a->start, b->start, ((size_t)n + 1) * sizeof *a->start) == 0 &&
         memcmp(a->index, b->index, (size_t)a->start[n] * sizeof *a->index) == 0;
}

/* Do two runs wait for simulations that differ in numbers alone? */
static int alike(const struct lockstep_seat *a, const struct lockstep_seat *b) {
  const case_request *x = &a->load->ask, *y = &b->load->ask;
  return a->number == b->number && strcmp(a->text, b->text) == 0 && x->method == y->method && x->of_sum == y->of_sum &&
         x->gauss_newton == y->gauss_newton && !x->cotangent && !y->cotangent &&
         a->m->as_with_gradient == b->m->as_with_gradient && a->m->n == b->m->n &&
         a->load->v->directions == b->load->v->directions &&
         same_directions(a->load->v, b->load->v, directions_of(a->load)) &&
         (!gradient_is_adjoint(x->method) || same_sums(a, b));
}

/* Numbers that lanes take and give. */
typedef struct lane_numbers {
  double *theta, *value, *psi, *grad, *gn, *gtheta;
  size_t nc, nnz, npsi, np, nrow;
} lane_numbers;

static int take_numbers(const group *g, lane_numbers *x) {
  const mechanism_case *load = g->member[0]->load;
  const size_t width = (size_t)g->l->width;
  x->nc = (size_t)mbd_model_ncoef(load->v->model), x->np = (size_t)g->np, x->npsi = (size_t)load->npsi;
  x->nnz = g->np ? (size_t)load->v->start[g->np] : 0;
  x->nrow = gradient_is_adjoint(load->ask.method) ? x->npsi : 0;
  const size_t gn = load->ask.gauss_newton ? x->npsi * x->np * x->np : 0;
  x->theta = mbd_zeros(width * (x->nc + x->nnz + x->npsi * (1 + x->np) + gn + x->nrow * x->nc), sizeof *x->theta);
  if (!x->theta) { return 0; }
  x->value = x->theta + width * x->nc, x->psi = x->value + width * x->nnz, x->grad = x->psi + width * x->npsi;
  x->gn = x->grad + width * x->npsi * x->np, x->gtheta = x->gn + width * gn;
  for (size_t lane = 0; lane < width; lane++) {
    const mechanism_variant *v = of_lane(g, (int)lane)->load->v;
    memcpy(x->theta + lane * x->nc, v->theta, x->nc * sizeof *x->theta);
    if (x->nnz) { memcpy(x->value + lane * x->nnz, v->value, x->nnz * sizeof *x->value); }
  }
  return 1;
}

/* The results of a lane become those of its member. */
static void hand_out(const group *g, const lane_numbers *x, mbd_lanes *lanes) {
  for (int lane = 0; lane < g->n; lane++) {
    struct lockstep_seat *seat = g->member[lane];
    mechanism_case *load = seat->load;
    const mechanism_variant *v = load->v;
    const size_t i = (size_t)lane, sums = x->npsi * x->np;
    memcpy(load->psi, x->psi + i * x->npsi, x->npsi * sizeof *load->psi);
    if (g->np) { memcpy(load->grad, x->grad + i * sums, sums * sizeof *load->grad); }
    if (load->ask.gauss_newton) { memcpy(load->gn, x->gn + i * sums * x->np, sums * x->np * sizeof *load->gn); }
    load->lanes = lanes, load->lane = lane;
    if (x->nrow) {
      memcpy(load->gtheta, x->gtheta + i * x->nrow * x->nc, x->nrow * x->nc * sizeof *load->gtheta);
      load->stored = mbd_lanes_stats(lanes)->memory / (size_t)g->l->width;
      load->repeated = mbd_lanes_stats(lanes)->recomputed;
      mbd_lanes_check_directions(lanes, lane, seat->m->n, seat->m->name, v->start, v->index, v->value);
    }
    seat->together = 1;
  }
}

static int stops(void *user, int lane, int k, double t, const double *z, const double *zd, const double *zdd,
                 const double *lam, const double *y) {
  const group *g = user;
  const mechanism *m = of_lane(g, lane)->m;
  (void)k, (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  return m->stop && *m->stop;
}

static mbd_status run_adjoint(group *g, lane_numbers *x, mbd_lanes *lanes) {
  const struct lockstep_seat *seat = g->member[0];
  const mechanism_case *load = seat->load;
  unsigned char *requested = mbd_zeros(x->nc, 1);
  if (!requested) { return MBD_NO_MEMORY; }
  for (int i = 0; i < g->n; i++) {
    for (size_t k = 0; k < x->nc; k++) { requested[k] |= g->member[i]->load->v->requested[k]; }
  }
  if (load->ask.of_sum) { x->nrow = (size_t)case_set_sums(seat->m, seat->load); }
  const mbd_adjoint_options options = {.continuous = load->ask.method == GRADIENT_CONTINUOUS_ADJOINT,
                                       .memory_limit = case_memory_limit(seat->m),
                                       .requested = requested,
                                       .nsum = load->ask.of_sum ? (int)x->nrow : 0,
                                       .sum = load->sum};
  const mbd_status status = mbd_lanes_adjoint(lanes, x->theta, &options, x->psi, x->gtheta, stops, g, NULL);
  free(requested);
  return status;
}

static mbd_status run_directly(group *g, lane_numbers *x, mbd_lanes *lanes) {
  const mechanism_case *load = g->member[0]->load;
  const mbd_lanes_directions d = {g->np, load->v->start, load->v->index, x->value};
  return mbd_lanes_run(lanes, x->theta, g->np ? &d : NULL, x->psi, g->np ? x->grad : NULL,
                       load->ask.gauss_newton ? x->gn : NULL, stops, g, NULL);
}

/* Simulates the group in lanes. Where a design fails, where they come apart and where a warning does not say of which it is, each is simulated alone. */
static void simulate_group(group *g) {
  const struct lockstep_seat *first = g->member[0];
  lane_numbers x = {0};
  g->np = directions_of(first->load);
  mbd_lanes *lanes = g->n > 1 ? lanes_for(g->l, first, g->np) : NULL;
  if (!lanes || are_in_use(g->l, g->n, g->member, lanes) || !take_numbers(g, &x)) { return; }
  mbd_lanes_watch(lanes, 0);
  mbd_lanes_as_with_gradient(lanes, first->m->as_with_gradient);
  const mbd_status status = x.nrow ? run_adjoint(g, &x, lanes) : run_directly(g, &x, lanes);
  const int together = status == MBD_OK && !mbd_lanes_warned_together(lanes);
  if (together) { hand_out(g, &x, lanes); }
  for (int i = 0; i < g->n; i++) {
    lane_counts *counted = &g->member[i]->load->counted;
    *(together ? &counted->together : &counted->repeated) += 1;
  }
  free(x.theta);
}

/* All seats that have not left wait: simulations that are alike are done, and all go on. */
static void meet(lockstep *l) {
  for (int i = 0; i < l->n; i++) { l->seat[i].grouped = l->seat[i].state != SEAT_WAITS || !l->seat[i].text; }
  for (int i = 0; i < l->n; i++) {
    group g = {.l = l};
    for (int k = i; k < l->n && !l->seat[i].grouped; k++) {
      if (!l->seat[k].grouped && alike(&l->seat[i], &l->seat[k])) { g.member[g.n++] = &l->seat[k]; }
    }
    for (int k = 0; k < g.n; k++) { g.member[k]->grouped = 1; }
    if (g.n > 0) { simulate_group(&g); }
  }
  for (int i = 0; i < l->n; i++) {
    if (l->seat[i].state == SEAT_WAITS) { l->seat[i].state = SEAT_AWAKE; }
  }
}

/* ---- whose turn it is ---- */

static int next_awake(const lockstep *l, int after) {
  for (int i = 1; i <= l->n; i++) {
    const int k = (after + i) % l->n;
    if (l->seat[k].state == SEAT_AWAKE) { return k; }
  }
  return -1;
}

/* Seat k waits or leaves: another one goes on. The lock is held. */
static void pass_turn(lockstep *l, int k, seat_state state) {
  l->seat[k].state = state;
  l->turn = next_awake(l, k);
  if (l->turn < 0) {
    meet(l);
    l->turn = next_awake(l, k);
  }
  pthread_cond_broadcast(&l->turned);
}

static void await_turn(lockstep *l, int k) {
  while (l->turn != k) { pthread_cond_wait(&l->turned, &l->lock); }
}

int lockstep_simulate(mechanism *m, mechanism_case *load) {
  struct lockstep_seat *seat = load->seat ? load->seat : m->seat;
  if (!seat || load->observer) { return 0; }
  lockstep *l = seat->l;
  seat->m = m, seat->load = load, seat->together = 0;
  seat->is_scenario = load->seat != NULL, seat->number = seat->is_scenario ? 0 : (int)(load - m->cases);
  seat->text =
      load->v->rho ? NULL : describe(load); /* scatter by derivatives has directions beside those of the design */
  pthread_mutex_lock(&l->lock);
  pass_turn(l, seat->k, SEAT_WAITS);
  await_turn(l, seat->k);
  pthread_mutex_unlock(&l->lock);
  free(seat->text);
  seat->text = NULL;
  return seat->together;
}

/* ---- runs ---- */

static void *sit(void *of) {
  struct lockstep_seat *seat = of;
  lockstep *l = seat->l;
  pthread_mutex_lock(&l->lock);
  await_turn(l, seat->k);
  pthread_mutex_unlock(&l->lock);
  l->run(l->user, seat->k, seat);
  pthread_mutex_lock(&l->lock);
  pass_turn(l, seat->k, SEAT_LEFT);
  pthread_mutex_unlock(&l->lock);
  return NULL;
}

void lockstep_each(lockstep *l, int n, void (*run)(void *user, int k, struct lockstep_seat *seat), void *user) {
  int begun[MBD_LANES_WIDTH_MAX] = {0};
  l->n = n, l->run = run, l->user = user, l->turn = 0;
  for (int k = 0; k < n; k++) { l->seat[k] = (struct lockstep_seat){.l = l, .k = k}; }
  /* The first seat is that of this thread; those without a thread have left. */
  for (int k = 1; k < n; k++) {
    begun[k] = pthread_create(&l->seat[k].thread, NULL, sit, &l->seat[k]) == 0;
    if (!begun[k]) {
      pthread_mutex_lock(&l->lock);
      l->seat[k].state = SEAT_LEFT;
      pthread_mutex_unlock(&l->lock);
    }
  }
  sit(&l->seat[0]);
  for (int k = 1; k < n; k++) {
    if (begun[k]) {
      pthread_join(l->seat[k].thread, NULL);
    } else {
      run(user, k, NULL);
    }
  }
}

mbd_status lockstep_create(int width, lockstep **out, mbd_error *err) {
  *out = NULL;
  MBD_TRY(mbd_lanes_check(width, err));
  lockstep *l = *out = mbd_zeros(1, sizeof *l);
  MEMORY_TRY(l, err, "%d lanes", width);
  l->width = width;
  pthread_mutex_init(&l->lock, NULL);
  pthread_cond_init(&l->turned, NULL);
  return MBD_OK;
}

void lockstep_destroy(lockstep *l) {
  if (!l) { return; }
  for (int i = 0; i < l->nkept; i++) { free_kept(&l->kept[i]); }
  pthread_cond_destroy(&l->turned);
  pthread_mutex_destroy(&l->lock);
  free(l->kept);
  free(l);
}

/* ---- results ---- */

json_t *lockstep_counts_json(lane_counts c) {
  return json_pack("{s:I, s:I}", "together", (json_int_t)c.together, "repeated", (json_int_t)c.repeated);
}

const mbd_warning *case_warning(const mechanism_case *load, int i) {
  return load->lanes ? mbd_lanes_warning(load->lanes, load->lane, i) : mbd_sim_warning(load->sim, i);
}

int case_true_value(const mechanism_case *load, int k, double *value, double *time, double *range) {
  return load->lanes ? mbd_lanes_true_value(load->lanes, load->lane, k, value, time, range)
                     : mbd_sim_true_value(load->sim, k, value, time, range);
}

double case_growth(const mechanism_case *load, double *time) {
  return load->lanes ? mbd_lanes_growth(load->lanes, time) : mbd_sim_growth(load->sim, time);
}

int case_undetermined(const mechanism_case *load, int output) {
  return load->lanes ? mbd_lanes_undetermined(load->lanes, output) : mbd_sim_undetermined(load->sim, output);
}
