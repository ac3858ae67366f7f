/* The text of what designs in lockstep have in common: all of a description, a case and its terms except the nominal values of coefficients. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mbd/lanes.h"
#include "mbd/user_force.h"
#include "model/spec_internal.h"

/* A structure that grows has a member that belongs into the text. */
#if defined(__x86_64__) && !defined(__ILP32__)
#define OF_SIZE(type, n) _Static_assert(sizeof(type) == (n), "describe what was added to " #type)
OF_SIZE(mbd_spec, 328);
OF_SIZE(spec_coef, 16);
OF_SIZE(spec_place, 8);
OF_SIZE(spec_body, 48);
OF_SIZE(spec_beam, 1400);
OF_SIZE(spec_marker, 24);
OF_SIZE(spec_coordinate, 16);
OF_SIZE(spec_curve, 64);
OF_SIZE(spec_joint, 80);
OF_SIZE(spec_element, 648);
OF_SIZE(mbd_user_force, 120);
OF_SIZE(model_quantity, 56);
OF_SIZE(spec_start, 24);
OF_SIZE(spec_state, 72);
OF_SIZE(mbd_leaf, 16);
OF_SIZE(mbd_operation, 24);
OF_SIZE(mbd_moment, 16);
OF_SIZE(mbd_term, 152);
OF_SIZE(mbd_case, 296);
#endif

/* Texts in quotes, so that none runs into the next one; without: "-". */
static void put_text(FILE *out, const char *text) {
  if (text) {
    fprintf(out, "%zu'%s' ", strlen(text), text);
  } else {
    fputs("- ", out);
  }
}

static void put_texts(FILE *out, int n, const char *const *text) {
  fprintf(out, "%d ", n);
  for (int i = 0; i < n; i++) { put_text(out, text[i]); }
}

static void put_numbers(FILE *out, int n, const double *x) {
  fprintf(out, "%d ", n);
  for (int i = 0; i < n; i++) { fprintf(out, "%a ", x[i]); }
}

static void put_integers(FILE *out, int n, const int *x) {
  for (int i = 0; i < n; i++) { fprintf(out, "%d ", x[i]); }
}

/* ---- the description ---- */

static void put_body(FILE *out, const spec_body *b) {
  put_text(out, b->name);
  put_integers(out, 4, (const int[]){b->mass, b->com, b->inertia, b->node});
}

/* A beam, or a flexible body by data: what does not depend on the design. */
static void put_beam(FILE *out, const spec_beam *b) {
  const beam_layout *l = &b->layout;
  const int places = l->nnode + l->npoint;
  put_texts(out, 5, (const char *const[]){b->name, b->from, b->to, b->up, l->section ? l->section->name : NULL});
  put_integers(out, 14,
               (const int[]){l->data, l->n, l->stiffening, l->rotary, l->ratio, l->mirrored, l->nstation, l->nnode,
                             l->npoint, b->body, b->coef, b->zero, b->place, b->axis});
  put_integers(out, l->n, l->kind), put_integers(out, l->n, l->degree);
  put_numbers(out, l->nnode, l->node);
  put_numbers(out, l->npoint, l->point), put_numbers(out, l->npoint, l->weight);
  if (!b->shape) { return; }
  put_texts(out, l->n, (const char *const *)b->shape);
  put_numbers(out, places * modal_size(l->n), b->own);
}

/* The places of a marker are those of the bodies as well. */
static void put_marker(FILE *out, const spec_marker *m) {
  put_text(out, m->name);
  fprintf(out, "%d %d ", (int)m->image, m->nplace);
  for (int i = 0; i < m->nplace; i++) { fprintf(out, "%d %d ", m->place[i].on, m->place[i].coords); }
}

static void put_expression(FILE *out, const mbd_expression *e) {
  fprintf(out, "%d ", e->n);
  for (int i = 0; i < e->n; i++) {
    fprintf(out, "%d %d %d %a ", (int)e->op[i].op, e->op[i].a, e->op[i].b, e->op[i].number);
  }
}

static void put_quantity(FILE *out, const model_quantity *quantity) {
  put_text(out, quantity->name), put_text(out, quantity->unit), put_text(out, quantity->noun);
  put_expression(out, &quantity->value);
  for (int i = 0; i < quantity->nleaf; i++) {
    fprintf(out, "%d %d ", (int)quantity->leaf[i].is, quantity->leaf[i].coef);
    put_text(out, quantity->leaf[i].is == MBD_LEAF_OUTPUT ? quantity->leaf[i].output : NULL);
  }
}

static void put_curve(FILE *out, const spec_curve *c) {
  put_text(out, c->name), put_text(out, c->kind);
  put_integers(out, 3, (const int[]){c->nc, c->coef, c->stretch});
  put_numbers(out, c->nknot, c->knot);
  put_expression(out, &c->value);
}

static void put_joint(FILE *out, const spec_joint *j) {
  put_texts(out, 9,
            (const char *const[]){j->name, j->type, j->body[0], j->body[1], j->point[0], j->point[1], j->axis, j->axis2,
                                  j->zero});
  fprintf(out, "%d %d ", (int)j->cut, j->mirrored);
}

/* A force of the user is the same where its functions are: of one library or program, loaded once. */
static void put_user_force(FILE *out, const mbd_user_force *u) {
  const uintptr_t function[] = {(uintptr_t)u->value,         (uintptr_t)u->slopes,         (uintptr_t)u->along,
                                (uintptr_t)u->value_complex, (uintptr_t)u->slopes_complex, (uintptr_t)u->along_complex};
  for (size_t i = 0; i < sizeof function / sizeof function[0]; i++) { fprintf(out, "%" PRIxPTR " ", function[i]); }
  put_text(out, u->name);
  for (int i = 0; i < u->narg; i++) {
    put_integers(out, 3, (const int[]){(int)u->arg[i].kind, u->arg[i].b, u->arg[i].a});
  }
  for (const mbd_ref_info *r = u->refs; r->key; r++) {
    put_text(out, r->key), put_integers(out, 2, (const int[]){(int)r->kind, r->count});
  }
  for (const mbd_coef_info *c = u->coefs; c->key; c++) {
    put_text(out, c->key), put_integers(out, 1, &c->size), put_numbers(out, 2, (const double[]){c->min, c->max});
  }
  for (const mbd_user_output *o = u->output; o->name; o++) { put_text(out, o->name), put_text(out, o->unit); }
}

static void put_element(FILE *out, const spec_element *e) {
  put_text(out, e->name), put_text(out, e->type), put_text(out, e->line);
  put_texts(out, MBD_REF_MAX, (const char *const *)e->ref),
      put_texts(out, MBD_CURVE_MAX, (const char *const *)e->curve);
  put_integers(out, 2, (const int[]){e->coef, e->mirror});
  if (e->user) { put_user_force(out, e->user); }
  for (int i = 0; i < MBD_VALUE_MAX; i++) { put_quantity(out, &e->value[i]); }
}

static void put_start(FILE *out, const spec_start *s) {
  put_text(out, s->quantity);
  put_integers(out, 4, (const int[]){s->value, s->rate, s->rate_follows, s->settles});
}

static void put_state(FILE *out, const spec_state *s) {
  put_text(out, s->unit);
  put_integers(out, 2, (const int[]){s->start, s->settles});
  put_quantity(out, &s->rate);
}

#define PUT_LIST(list, n, put)                               \
  do {                                                       \
    fprintf(out, "\n" #list " %d ", (n));                    \
    for (int i = 0; i < (n); i++) { put(out, &s->list[i]); } \
  } while (0)

static void put_spec(FILE *out, const mbd_spec *s) {
  fprintf(out, "%d %d %d ", s->ncoef, s->gravity, (int)s->find_joints);
  PUT_LIST(body, s->nbody, put_body);
  PUT_LIST(beam, s->nbeam, put_beam);
  PUT_LIST(point, s->npoint, put_marker);
  PUT_LIST(vector, s->nvector, put_marker);
  fputs("\ncoordinate ", out);
  for (int i = 0; i < s->ncoordinate; i++) {
    put_text(out, s->coordinate[i].name);
    fprintf(out, "%d ", s->coordinate[i].guess);
  }
  PUT_LIST(curve, s->ncurve, put_curve);
  PUT_LIST(joint, s->njoint, put_joint);
  PUT_LIST(force, s->nforce, put_element);
  PUT_LIST(constraint, s->nconstraint, put_element);
  PUT_LIST(hold, s->nhold, put_start);
  PUT_LIST(guess, s->nguess, put_start);
  PUT_LIST(quantity, s->nquantity, put_quantity);
  PUT_LIST(state, s->nstate, put_state);
}

/* ---- the case and its objectives ---- */

static void put_case(FILE *out, const mbd_case *c) {
  put_numbers(out, 12,
              (const double[]){c->duration, c->step, c->beta, c->gamma, c->rho_inf, c->rtol, c->atol, c->max_step,
                               c->penalty, c->projection_weight, c->tolerance, c->free_duration});
  put_integers(out, 6,
               (const int[]){(int)c->coordinates, (int)c->reference, (int)c->start, c->projection_iterations,
                             c->max_iterations, (int)c->linear_solver});
  put_texts(out, 8,
            (const char *const[]){c->analysis, c->formulation, c->integrator, c->tangent, c->projection_matrix,
                                  c->steady_speed, c->steady_curvature, c->steady_lateral_acceleration});
  put_texts(out, c->nindependent, c->independent);
  put_texts(out, c->npenalty, c->penalty_name), put_numbers(out, c->npenalty, c->penalty_value);
  put_texts(out, c->nfound, c->found_name);
  for (int i = 0; i < c->nfound; i++) {
    for (int k = c->found_first[i]; k < c->found_first[i + 1]; k++) {
      fprintf(out, "%d %d %a ", i, c->found_coef[k], c->found_weight[k]);
    }
  }
  put_texts(out, c->nbranch, c->branch_output), put_texts(out, c->nbranch, c->branch_side);
}

static void put_moment(FILE *out, const mbd_moment *m) {
  fprintf(out, "%d %d %a ", (int)m->kind, m->output, m->value);
}

static void put_term(FILE *out, const mbd_term *t) {
  put_integers(out, 3, (const int[]){t->psi, t->output, t->over});
  put_text(out, t->form), put_text(out, t->target_curve), put_text(out, t->label);
  put_numbers(out, 7,
              (const double[]){t->weight, t->target, t->smoothing, t->sharpness, t->tolerance, t->level, t->width});
  put_moment(out, &t->from), put_moment(out, &t->until), put_moment(out, &t->at);
}

int mbd_lanes_describe(const mbd_spec *s, const mbd_case *c, int nname, const char *const *name, int nterm,
                       const mbd_term *term, FILE *out) {
  for (int i = 0; i < nterm; i++) {
    if (term[i].samples) { return 0; }
  }
  put_spec(out, s);
  fputs("\ncase ", out);
  put_case(out, c);
  put_texts(out, nname, name);
  for (int i = 0; i < nterm; i++) { put_term(out, &term[i]); }
  return 1;
}
