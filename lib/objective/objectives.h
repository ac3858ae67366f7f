/* The objectives of a run: sums over its nodes, or over points between them, of terms in its outputs (theory.md §6), with their
 * derivatives along directions and in reverse. */
#ifndef MBD_OBJECTIVES_H
#define MBD_OBJECTIVES_H

#include "objective/form.h"
#include "objective/min_norm.h"
#include "state/adjoint.h"

typedef struct sim_histories sim_histories;     /* objective/histories.h */
typedef struct sim_true_values sim_true_values; /* objective/true_values.c */

enum { SO_FAR = 5 }; /* number of nodes at each end whose weights differ from those of the others (node_weights.c) */

struct sim_objectives {
  int nterm;
  mbd_term *term;
  const form_ops **form;        /* [nterm] */
  unsigned char *history_term;  /* [nterm] 1: the term is computed from histories after the run */
  int nnode, *node_term;        /* [nnode] the others, which are summed during the run */
  sim_histories *histories;     /* these histories; NULL: no term needs them */
  sim_true_values *true_values; /* rows of s of smooth extrema; NULL: there are none */
  const mbd_curve **target;     /* [nterm] curve that a term subtracts; NULL: none */
  unsigned char *requested;     /* [outputs] used by a term */
  unsigned char *unseen;        /* [outputs] not read by observers */
  mbd_real *y;                  /* [outputs] values at the current state, of those that are wanted or watched */
  int *together; /* [outputs] size of the group of alike outputs that begins here; 0: none; -1: it reads reactions */
  mbd_real *g_z, *g_zd, *g_zdd; /* [OUTPUT_ALIKE][nz] rows of outputs that are alike */
  mbd_real *g_lam;              /* [output_lam_size] the same of one output */
  mbd_real *lam;                /* [output_lam_max] reactions and terms of the step; NULL: no output reads such terms */
  mbd_real *yp;                 /* [outputs][np_max] derivatives of those that are wanted, along directions */
  mbd_real *ep;                 /* [np] derivative of one output minus its target curve */
  sim_min_norm min_norm;     /* minimum-norm multipliers of redundant constraints in the reactions that outputs read */
  int watched;               /* 1: an observer reads outputs */
  int gathering;             /* 1: a run is adding to the sums; 0: its steps are recomputed for an adjoint */
  int gauss_newton;          /* 1: gn is wanted */
  mbd_real *psi, *grad, *gn; /* sums: [npsi], [npsi][np], [npsi][np][np] */
  mbd_value *peak_top;       /* [npsi] peak forms: largest value so far */
  mbd_real *peak_sum, *peak_grad; /* [npsi], [npsi][np]: sums of exp(sharpness (s - top)) */
  /* The adjoint pass, at the present node. */
  mbd_real *we;         /* [nterm] derivatives of the objectives by s of their terms */
  mbd_real *by_stretch; /* [nterm] derivatives by a stretch of the time, by way of the weights of the terms */
  int row;              /* the histories' row of the node; -1: it has none */
  mbd_real *wy;         /* [outputs] derivatives of the functional of one adjoint by the outputs */
  double *top,
      *reach; /* [outputs] largest |y| of the run; [npsi][outputs] sums of |wy| over the nodes, for each adjoint */
  const double *sum; /* [adjoints][npsi] weights of the objectives in each adjoint; NULL: one adjoint each */
  /* For runs with an observer: the integrands at the first nodes and at the last, and their sums over all nodes. */
  int nodes;            /* number of nodes so far */
  double *first, *last; /* [SO_FAR][npsi]; node k is in last[k % SO_FAR] */
  double *sum_so_far;   /* [npsi] */
  mbd_arena arena;
};

/* Is output o computed at a node? all: observers read those that they see. */
static inline int output_is_computed(const sim_objectives *objectives, int o, int all) {
  return objectives->requested[o] || (all && !objectives->unseen[o]);
}

/* Makes s->objectives, which holds a copy of the terms. It has to be destroyed also if this fails; NULL is allowed.
 * MBD_BAD_INPUT: terms of one objective do not go together, or a target curve is not known. */
mbd_status objectives_create(mbd_sim *s, int nterm, const mbd_term *term, mbd_error *err);
void objectives_destroy(sim_objectives *objectives);

/* ---- integrals over time, by the integrator (node_weights.c) ---- */

double sim_weight(const mbd_sim *s, int k); /* weight of node k in the objectives; 0 if steps are interpolated */
double quadrature_node_rule(const mbd_sim *s, int k);   /* weight of node k in a rule that uses only the nodes */
double quadrature_rule(const mbd_sim *s, int n, int k); /* the same for node k of n steps */
/* 1: steps are interpolated, and integrals are sums over points between the nodes. */
int quadrature_between_nodes(const mbd_sim *s);

/* ---- s of a term (target.c) ---- */

/* The target curve of term i at x, zero if it has none; of a term that has one, its change along direction a at a fixed x. */
mbd_curve_value objectives_target_at(const mbd_sim *s, int i, mbd_real x);
mbd_curve_value objectives_target_sens(const mbd_sim *s, int i, mbd_real x, int a);
/* s of term i at the current motion, where y holds the outputs: its output less its target. */
mbd_real objectives_error(const mbd_sim *s, int i);
/* Subtracts `weight` times the derivatives of term i's target curve at x, if it has one, from theta. */
void objectives_reverse_target(const mbd_sim *s, int i, mbd_real x, mbd_real weight, params_reverse *theta);

/* ---- sums (quadrature.c) ---- */

/* quadrature_reset sets the sums to zero. quadrature_add adds the node of the accepted state, whose motion is at hand, with quadrature
 * weight `weight`; at the last node it adds the terminal terms and finishes peaks and history objectives. */
void quadrature_reset(mbd_sim *s);
void quadrature_outputs(mbd_sim *s);                     /* at a node: sets y */
void quadrature_outputs_of_point(mbd_sim *s, int point); /* in reverse, at a point between nodes, by its number */
mbd_status quadrature_add(mbd_sim *s, double weight, int last, int gradient, int gauss_newton, mbd_error *err);
/* Adds a point between the nodes, with s->now and s->sens at s->t. */
mbd_status quadrature_add_point(mbd_sim *s, double weight, mbd_error *err);
/* yp [np] := derivatives of an output at the current motion along all directions, from those of the state in s->sens. Its rows of derivatives by
 * the state are left in s->objectives->g_z, g_zd, g_zdd. */
void objectives_output_sens(mbd_sim *s, const output *o, mbd_real *yp);

/* ---- in reverse (objectives_reverse.c) ---- */

/* Called before the last node: begins the adjoint pass of history objectives, and adds their derivatives by target curves and stretch. */
void quadrature_begin_back(mbd_sim *s, sim_adjoint *a);

/* Sets we, the derivatives of the objectives by s (output less target) of every term, at a node of quadrature weight
 * `weight`. Peaks need the sums of the run. row: the node's row in the histories of history objectives; -1: it has
 * none. */
void quadrature_weights(mbd_sim *s, int row, double weight, int last);

/* The weight of an objective in an adjoint. */
static inline double objectives_share(const mbd_sim *s, int psi, int adjoint) {
  return s->objectives->sum ? s->objectives->sum[adjoint * s->npsi + psi] : psi == adjoint;
}

/* Begins the reverse sweeps at a node whose motion is at hand, with velocity columns: adds the derivatives of the objectives by the
 * outputs, from the terms' weights we, and a->lam += those by the reactions. */
void adjoint_outputs(mbd_sim *s, sim_adjoint *a);

/* yp [np] += g [n] block [n][np]; most outputs depend on few of the coordinates, and not on all of their rates. */
static inline void objectives_add_row(int n, int np, const mbd_real *g, const mbd_real *block, mbd_real *yp) {
  for (int i = 0; i < n; i++) {
    if (mbd_any(g[i] != 0)) { mbd_axpy(np, g[i], block + (size_t)i * (size_t)np, yp); }
  }
}

/* ---- terms of a step (step_terms.c) ---- */

/* MBD_UNSUPPORTED: an output reads terms of a step, which the case does not have; multipliers that redundant constraints at the start leave
 * undetermined. */
mbd_status step_terms_check(const mbd_sim *s, mbd_error *err);
mbd_status step_terms_determined(const mbd_sim *s, mbd_error *err);
/* After min_norm_update: the lam of outputs at the current node, with the terms of its step if an output reads them. */
const mbd_real *step_terms_update(mbd_sim *s);
/* yp [np] += the part of the terms in the derivatives of an output that reads them, from its gradient g_lam. */
void step_terms_sens(const mbd_sim *s, const mbd_real *g_lam, mbd_real *yp);
/* a->by_step of adjoint k, from the derivatives by the lam of outputs. */
void step_terms_back(const mbd_sim *s, sim_adjoint *a, int k, const mbd_real *g_lam);

/* ---- history objectives (histories.h): functions that the files above call ---- */

/* history_create sets history_term and histories. MBD_BAD_INPUT: terms of one objective do not go together; history_check_term: a number that
 * the form needs is missing, a key changes nothing, or a time lies outside of the case. */
mbd_status history_create(mbd_sim *s, mbd_error *err);
mbd_status history_check_term(const mbd_sim *s, const mbd_term *k, const mbd_form_info *f, mbd_error *err);
void history_destroy(sim_histories *histories);
void history_reset(sim_histories *histories); /* removes all rows */
/* history_row adds a row at s->t, history_keep puts output o into it, with its derivatives yp [np] (NULL: none). */
mbd_status history_row(mbd_sim *s, double weight, mbd_error *err);
void history_keep(mbd_sim *s, int o, const mbd_real *yp);
/* At the end of a run: values, their derivatives by rows, gradients. MBD_OUT_OF_DOMAIN: a moment does not occur. */
mbd_status history_finish(mbd_sim *s, mbd_error *err);
int history_row_of_node(const mbd_sim *s, int k); /* -1: it has none */
/* wy [outputs] += derivatives of the functional of an adjoint by the outputs in a row. */
void history_weights(const mbd_sim *s, int row, int adjoint, mbd_real *wy);
void histories_back(mbd_sim *s, sim_adjoint *a);
int history_rows_back(mbd_sim *s, int n); /* the first of the n rows before those that were visited */

/* ---- true values of smooth extrema (true_values.c) ---- */

mbd_status true_values_create(mbd_sim *s, mbd_error *err);
void true_values_destroy(sim_true_values *values);
void true_values_reset(sim_true_values *values); /* removes all rows */
mbd_status true_values_row(const mbd_sim *s,
                           mbd_error *err); /* adds a row at s->t, where s->objectives->y holds the outputs */

#endif
