/* The objectives of a run: sums over its nodes, or over points between them, of terms in its outputs (theory.md §6), with their
 * derivatives along directions and in reverse. */
#ifndef MBD_OBJECTIVES_H
#define MBD_OBJECTIVES_H

#include "objective/form.h"
#include "state/adjoint.h"

typedef struct sim_late sim_late; /* objective/late.h */

enum { SO_FAR = 5 }; /* nodes at each end whose weights differ from the others' (node_weights.c) */

struct sim_objectives {
  int nterm;
  mbd_term *term;
  const form_ops **form;                /* [nterm] */
  unsigned char *late_term;             /* [nterm] 1: made of histories after the run, */
  sim_late *late;                       /* which are here; NULL: no term is */
  const mbd_curve **target;             /* [nterm] curve that a term subtracts; NULL: none */
  unsigned char *wanted;                /* [outputs] used by a term */
  mbd_real *y;                          /* [outputs] at the state at hand, of those that are looked at */
  mbd_real *g_z, *g_zd, *g_zdd, *g_lam; /* rows of one output */
  mbd_real *yp;                         /* [np] derivative of one output */
  mbd_real *ep;                         /* [np] derivative of one output less its target curve */
  int watched;                          /* an observer reads all outputs */
  int gathering;                        /* a run is adding to the sums; 0: its steps are taken again for an adjoint */
  int gauss_newton;                     /* gn is wanted */
  mbd_real *psi, *grad, *gn;            /* sums: [npsi], [npsi][np], [npsi][np][np] */
  double *peak_top;                     /* [npsi] peak forms: largest value so far */
  mbd_real *peak_sum, *peak_grad;       /* [npsi], [npsi][np]: sums of exp(sharpness (s - top)) */
  mbd_real *we;         /* [nterm] in reverse: derivative of the objectives by their terms at the node at hand, */
  mbd_real *by_stretch; /* [nterm] and by a stretch of the time that the weights of the terms see */
  int row;              /* the histories' row of that node; -1: none */
  mbd_real *wy;         /* [outputs] of one adjoint by the outputs */
  const double *sum;    /* [adjoints][npsi] weights of the objectives in them; NULL: every objective by itself */
  /* Of runs with an observer: the integrands at the first nodes and at the last, and their sums over all nodes. */
  int nodes;            /* so far */
  double *first, *last; /* [SO_FAR][npsi]; node k is in last[k % SO_FAR] */
  double *sum_so_far;   /* [npsi] */
  mbd_arena arena;
};

/* s->objectives with a copy of the terms, to be destroyed; NULL allowed. MBD_BAD_INPUT: terms that do not go together; a target
 * curve is not known. */
mbd_status objectives_create(mbd_sim *s, int nterm, const mbd_term *term, mbd_error *err);
void objectives_destroy(sim_objectives *q);

/* ---- integrals over time, by the integrator (node_weights.c) ---- */

/* Weight of node k in the objectives; in a sum over the nodes alone. */
double sim_weight(const mbd_sim *s, int k);
double quadrature_node_rule(const mbd_sim *s, int k);
double quadrature_rule(const mbd_sim *s, int n, int k); /* the same of node k of n steps */
/* 1: steps are interpolated, and integrals are summed at points of their own between the nodes. */
int quadrature_between_nodes(const mbd_sim *s);

/* ---- sums (quadrature.c) ---- */

/* Zero the sums; add the node of the accepted state with quadrature weight `weight`; the terminal terms are added at the last
 * node. The motion of the node is at hand. */
void quadrature_reset(mbd_sim *s);
void quadrature_outputs(mbd_sim *s); /* y of the outputs that are looked at */
mbd_status quadrature_add(mbd_sim *s, double weight, int last, int gradient, int gauss_newton, mbd_error *err);
/* A point between the nodes, s->now at s->t with s->sens. */
mbd_status quadrature_add_point(mbd_sim *s, double weight, mbd_error *err);

/* ---- in reverse (objectives_pull.c) ---- */

/* Before the last node: the target curves of late objectives. */
void quadrature_begin_back(mbd_sim *s, sim_adjoint *a);

/* we: derivative of the objectives by every term's s (output less target) at a node of quadrature weight `weight`;
 * for peaks after a run, which has left their sums. row: that of late objectives, whose derivatives by outputs the run has left; -1:
 * they do not look at the node. */
void quadrature_weights(mbd_sim *s, int row, double weight, int last);

/* Part of an objective in an adjoint. */
static inline double objectives_share(const mbd_sim *s, int psi, int adjoint) {
  return s->objectives->sum ? s->objectives->sum[adjoint * s->npsi + psi] : psi == adjoint;
}
/* (target.c) theta loses `weight` times the derivatives of term i's target curve, if it has one, at x. */
void objectives_pull_target(const mbd_sim *s, int i, mbd_real x, mbd_real weight, params_pull *theta);

/* Begin a node whose state is swept, with columns: reverse sweeps with the objectives' dependence on it by the terms'
 * weights we, and a->lam += theirs on the reactions. */
void adjoint_outputs(mbd_sim *s, sim_adjoint *a);

/* ---- late objectives (late.h): what the above ask of them ---- */

/* The first sets late_term. MBD_BAD_INPUT: a window outside of the case; terms that do not go together. */
mbd_status late_create(mbd_sim *s, mbd_error *err);
mbd_status late_check_term(const mbd_sim *s, const mbd_term *k, const mbd_form_info *f, mbd_error *err);
void late_destroy(sim_late *q);
void late_reset(sim_late *q); /* no rows */
/* A new row at s->t; then output o in it. */
mbd_status late_row(mbd_sim *s, double weight, mbd_error *err);
void late_keep(mbd_sim *s, int o, int gradient);
/* At the end of a run: values, derivatives by rows, gradients. MBD_OUT_OF_DOMAIN: a moment that does not occur. */
mbd_status late_finish(mbd_sim *s, mbd_error *err);
int late_row_of_node(const mbd_sim *s, int k); /* -1: none */
/* wy [outputs] of an adjoint += derivatives by a row. */
void late_weights(const mbd_sim *s, int row, int adjoint, mbd_real *wy);
void late_back(mbd_sim *s, sim_adjoint *a);
int late_rows_back(mbd_sim *s, int n); /* the first of the n rows before those visited */

#endif
