/* The objectives of a run: sums over its nodes, or over points between them, of terms in its outputs (theory.md §6), with their
 * derivatives along directions and in reverse. */
#ifndef MBD_OBJECTIVES_H
#define MBD_OBJECTIVES_H

#include "objective/form.h"
#include "state/adjoint.h"

struct sim_objectives {
  int nterm;
  mbd_term *term;
  const form_ops **form;                /* [nterm] */
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
  mbd_real *wy;         /* [outputs] of one adjoint by the outputs */
  const double *sum;    /* [adjoints][npsi] weights of the objectives in them; NULL: every objective by itself */
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
/* 1: steps are interpolated, and integrals are summed at points of their own between the nodes. */
int quadrature_between_nodes(const mbd_sim *s);

/* ---- sums (quadrature.c) ---- */

/* Zero the sums; add the node of the accepted state with quadrature weight `weight`; the terminal terms are added at the last
 * node. The motion of the node is at hand. */
void quadrature_reset(mbd_sim *s);
void quadrature_outputs(mbd_sim *s); /* y of the outputs that are looked at */
void quadrature_add(mbd_sim *s, double weight, int last, int gradient, int gauss_newton);
/* A point between the nodes, s->now at s->t with s->sens. */
void quadrature_add_point(mbd_sim *s, double weight);

/* ---- in reverse (objectives_pull.c) ---- */

/* we: derivative of the objectives by every term's s (output less target) at a node of quadrature weight `weight`;
 * for peaks after a run, which has left their sums. */
void quadrature_weights(mbd_sim *s, double weight, int last);

/* Begin a node whose state is swept, with columns: reverse sweeps with the objectives' dependence on it by the terms'
 * weights we, and a->lam += theirs on the reactions. */
void adjoint_outputs(mbd_sim *s, sim_adjoint *a);

#endif
