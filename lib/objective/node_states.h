/* States that are integrated from node to node, with what their rates depend on given at every node (theory.md §4.3 (4.17a)):
 *   x = x_ + h/2 (f_ + f),   f = f(x, z, zd, zdd, lam, theta, t)
 * These are in any case the states that measure (model/state.h), and in a kinematic case all of them. Values and rates stand where those of all
 * states do, in zd and zdd of their coordinates; the rates f are evaluated as derived quantities. In a motion the step before has left something
 * else there, on which nothing depends. */
#ifndef MBD_NODE_STATES_H
#define MBD_NODE_STATES_H

#include "state/adjoint.h"

typedef struct node_states {
  int n;
  int *state;          /* [n] their numbers in the model */
  output *rate;        /* [n] f */
  int coupled;         /* 0: no rate depends on states of the list */
  int reads_reactions; /* 1: a rate depends on lam */
  int own_start;       /* 1: they begin at the coefficients of their starts; 0: the start of the run determines x */
  mbd_real *f, *b;     /* [n] f; right-hand side */
  mbd_real *f_x, *lu;  /* [n][n] df/dx, and the factors of 1 - h/2 df/dx */
  int *piv;            /* [n] */
  mbd_real *yp;        /* [np_max] derivatives of one rate */
  mbd_real *xp, *fp;   /* [n][np] derivatives x', f' at the last node */
  mbd_real *fp_given;  /* [n][np] f' with x held */
  mbd_real *by_x,
      *by_f;    /* [n][npsi] derivatives of the objectives by x and f of the current node, by way of the next one */
  mbd_real *by; /* [n] */
} node_states;

struct sim_node_states {
  node_states acting;    /* of kinematic cases: behind zdd; forces read them */
  node_states measuring; /* at the end of a node */
  mbd_arena arena;
};

/* Makes s->node_states; kinematic: of a case whose motion is given, in which all states are such. It has to be destroyed also if this fails; NULL is
 * allowed. */
mbd_status node_states_create(mbd_sim *s, int kinematic, mbd_error *err);
void node_states_destroy(sim_node_states *states);
void node_states_sweep_markers(mbd_sim *s);

/* At the current motion, moved with any x: x and f, in s->now and in the work, from those of s->before; at node 0 f alone. lam: as outputs read
 * it. MBD_NO_CONVERGENCE, MBD_NOT_FINITE. */
mbd_status node_states_solve(mbd_sim *s, node_states *g, const mbd_real *lam, mbd_error *err);
/* Then their derivatives along the directions, in s->sens, from those of all else. */
void node_states_sens(mbd_sim *s, node_states *g);

/* Both, of the states that measure, at a node that is known but for them; at node 0 after the start. */
mbd_status node_states_measure(mbd_sim *s, mbd_error *err);
/* 1: a state of the model measures reactions. */
int node_states_read_reactions(const mbd_model *m);

/* df/dx of a state by itself, at the current motion; of the state's force where it is none of these. */
double node_states_slope(mbd_sim *s, int state);
/* x, xd [.][k] of a linearization: dzdd of the states that measure, from dz, dzd, dzdd of all else and dlam. */
void node_states_linear(mbd_sim *s, int k, const mbd_real *dz, const mbd_real *dzd, const mbd_real *dlam,
                        mbd_real *dzdd);

/* In reverse, after the derivatives by x and f have been gathered in the sweeps of all adjoints. The first function begins a pass, the second
 * one a node; the third one adds the derivatives by what the rates depend on to the sweep of adjoint k, and to g_lam [nphi] those by lam. */
void node_states_begin_back(mbd_sim *s, int npsi);
void node_states_linearize(mbd_sim *s, node_states *g, const mbd_real *lam);
void node_states_back(mbd_sim *s, node_states *g, sim_adjoint *a, int k, const mbd_real *lam, mbd_real *g_lam);

#endif
