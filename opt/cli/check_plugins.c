/* Tests users' forces at the states of each case's motion: values, derivatives, discontinuities between neighbouring nodes. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/check.h"
#include "files/memory.h"
#include "mechanism/cases.h"
#include "plugin/plugin.h"

enum { TRIED_MAX = 50 }; /* nodes of a case at which derivatives are tested, evenly distributed */

/* A user's force along the motion of a case. */
typedef struct watched {
  const char *name;
  const mbd_user_force *u; /* NULL: a force of another type */
  double state[MBD_USER_STATE];
  double time; /* time of the fault */
  plugin_finding fault;
} watched;

typedef struct witness {
  mbd_sim *sim;
  int n, every;
  watched *force; /* [n] */
} witness;

static void look(const witness *w, watched *force, int i, int k, double t) {
  double state[MBD_USER_STATE], coef[MBD_USER_COEFS];
  mbd_sim_user_force(w->sim, i, &force->name, &force->u, state, coef);
  if (!force->u || force->fault.fault != PLUGIN_RIGHT) { return; }
  if (k % w->every == 0) { force->fault = plugin_try(force->u, state, coef); }
  if (k > 0 && force->fault.fault == PLUGIN_RIGHT) {
    force->fault = plugin_try_between(force->u, force->state, state, coef);
  }
  force->time = t;
  memcpy(force->state, state, sizeof state);
}

static int observe(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                   const double *y) {
  witness *w = user;
  (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  for (int i = 0; i < w->n; i++) { look(w, &w->force[i], i, k, t); }
  return 0;
}

static void report(const cli_run *r, const mechanism_case *load, const watched *f, int *wrong, json_t *list) {
  char text[PLUGIN_TEXT];
  if (!f->u) { return; }
  const int right = f->fault.fault == PLUGIN_RIGHT;
  plugin_finding_text(f->u, &f->fault, text);
  *wrong += !right;
  json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "case", load->config->name, "force", f->name, "of",
                                        f->u->name, "verdict", right ? "right" : "WRONG", "text", text));
  if (r->a->json) { return; }
  printf("case %s, force '%s' (%s, derivatives: %s): ", load->config->name, f->name, f->u->name,
         mbd_user_force_derivatives(f->u));
  if (right) {
    printf("right\n");
  } else {
    printf("WRONG at t = %g s: %s\n", f->time, text);
  }
}

static mbd_status check_case(const cli_run *r, mechanism_case *load, int *wrong, json_t *list, mbd_error *err) {
  witness w = {.sim = load->sim, .every = 1 + mbd_sim_steps(load->sim) / TRIED_MAX};
  w.n = mbd_model_nforce(load->v->model);
  w.force = calloc((size_t)w.n + 1, sizeof *w.force);
  MEMORY_TRY(w.force, err, "the check");
  mbd_error why = {0};
  const mbd_status status = mbd_sim_run(load->sim, load->v->params, 0, NULL, NULL, NULL, NULL, observe, &w, &why);
  for (int i = 0; i < w.n; i++) { report(r, load, &w.force[i], wrong, list); }
  free(w.force);
  if (status != MBD_OK && err) { *err = why; }
  return mechanism_name_case(status, load, err);
}

mbd_status check_plugins(const cli_run *r, int *wrong, json_t *list, mbd_error *err) {
  mechanism *m = r->m;
  if (r->config->nplugin == 0) { return MBD_OK; }
  MBD_TRY(mechanism_set_design(m, m->start, 0, err));
  for (int i = 0; i < m->ncase; i++) {
    if (m->cases[i].npsi) { MBD_TRY(check_case(r, &m->cases[i], wrong, list, err)); }
  }
  return MBD_OK;
}
