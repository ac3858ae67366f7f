/* Outputs: named scalar quantities of a state, with their derivatives in z, zd, zdd, lam and the coefficients. */
#ifndef MBD_OUTPUT_INTERNAL_H
#define MBD_OUTPUT_INTERNAL_H

#include "dynamics/dynamics.h"
#include "mbd/output.h"

typedef struct output output;

/* The state that outputs are read from, after sweep_position and sweep_motion(zd, zdd, gravity). */
typedef struct output_state {
  mbd_real t;
  const mbd_real *lam; /* [nphi] */
} output_state;

/* Derivatives of a quantity in its arguments' x, xd, xdd. */
typedef struct output_gradient {
  mbd_real x[MBD_ARG_MAX][3], xd[MBD_ARG_MAX][3], xdd[MBD_ARG_MAX][3];
} output_gradient;

/* A quantity that is a function of arguments only. The gradient comes zeroed. */
typedef mbd_real (*output_eval)(const output *o, const mbd_arg_state *s, output_gradient *g);

typedef enum output_kind {
  OUTPUT_ARGUMENT,
  OUTPUT_FORCE,
  OUTPUT_POWER,
  OUTPUT_KINETIC,
  OUTPUT_POTENTIAL,
  OUTPUT_TOTAL,
  OUTPUT_MULTIPLIER,
  OUTPUT_REACTION
} output_kind;

struct output {
  char *name;
  const char *unit;
  output_kind kind;
  mbd_lift lift; /* argument quantities */
  output_eval eval;
  int order;         /* 0: position, 1: velocity, 2: acceleration */
  int component;     /* 0..2, or 3: norm; plane of an angle; roll, pitch, yaw */
  int force, scalar; /* force quantities */
  int row, nrow;     /* multipliers; nrow: of a reaction's norm */
};

struct mbd_outputs {
  const mbd_model *model;
  int n;
  output *item;
};

/* Functions of arguments: component or norm of x, xd or xdd; angle of a body axis about a global one; roll, pitch and
 * yaw of a body and their rates. */
mbd_real output_component(const output *o, const mbd_arg_state *s, output_gradient *g);
mbd_real output_angle(const output *o, const mbd_arg_state *s, output_gradient *g);
mbd_real output_attitude(const output *o, const mbd_arg_state *s, output_gradient *g);

mbd_real output_value(const mbd_params *p, mbd_work *w, const output *o, const output_state *s);

/* Gradient rows g_z, g_zd, g_zdd [nz], g_lam [nphi], overwritten; needs sweep_columns. */
void output_rows(const mbd_params *p, mbd_work *w, const output *o, const output_state *s, mbd_real *g_z,
                 mbd_real *g_zd, mbd_real *g_zdd, mbd_real *g_lam);

/* Derivative along a direction v of coefficients and coordinates (vary_motion at the same state) and dlam [nphi]; d NULL:
 * coordinates only; dlam NULL: held. Cost O(1), of energies O(bodies + forces). */
mbd_real output_direction(const mbd_params *p, const mbd_dparams *d, mbd_work *w, const mbd_variation *v,
                          const output *o, const output_state *s, const mbd_real *dlam);

/* Reverse (kinematics/pull.h): s dy added to q and theta, and to lam [nphi] for multipliers. Needs sweep_columns to read
 * q off. */
void output_pull(const mbd_params *p, const mbd_work *w, const output *o, const output_state *at, mbd_real s,
                 mbd_pull *q, params_pull *theta, mbd_real *lam);

/* Quantities of forces: value, and derivatives in the arguments. */
typedef struct output_force {
  mbd_arg_state s;
  mbd_element_input in;
  mbd_real g_x[MBD_ARG_MAX][3], g_xd[MBD_ARG_MAX][3];
  mbd_real value;
} output_force;

void output_force_evaluate(const mbd_params *p, const mbd_work *w, const output *o, mbd_real t, output_force *q);
mbd_real output_reaction_norm(const output *o, const output_state *s);

#endif
