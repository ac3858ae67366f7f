/* Outputs: named scalar quantities of a state, with their derivatives in z, zd, zdd, lam and the coefficients.
 *
 * What can be asked of one kind of object (point.c, body.c, coordinate.c, force.c, joint.c, multiplier.c, energy.c) is a list of rows:
 * the word of the quantity's name, its unit, its text, its value, derivatives and their transpose side by side. The reader of
 * names, the messages, the manual and the conformance tests take them from there: a new quantity is one row. */
#ifndef MBD_OUTPUT_INTERNAL_H
#define MBD_OUTPUT_INTERNAL_H

#include "dynamics/motion.h"
#include "mbd/output.h"

typedef struct output output;
typedef struct output_formula output_formula;
typedef struct output_mobility output_mobility;
typedef struct expansion expansion;
struct mobility_formula;
struct beam_quantity;

/* The motion at which a quantity is evaluated: that in the work, moved with gravity (dynamics/motion.h), and the reactions. */
typedef struct output_at {
  mbd_work *w;
  const mbd_model *m;
  const output *o;
  const mbd_real *lam;   /* [output_lam_size] */
  const mbd_real *dlam;  /* the same of the direction; NULL: held */
  const mbd_real *theta; /* coefficients and numbers of the design; of quantities that act w is NULL */
} output_at;

/* Its gradient, g_z, g_zd, g_zdd [nz], g_lam [output_lam_size]; and where the transpose adds to. */
typedef struct output_row {
  mbd_real *z, *zd, *zdd, *lam;
} output_row;

typedef struct output_back {
  mbd_reverse *sweep; /* and its theta */
  mbd_real *lam;
} output_back;

/* Derivatives of a function of arguments in their x, xd, xdd. For a quantity relative to a body they are derivatives by
 * the arguments relative to that body; eval does not depend on it. */
typedef struct output_gradient {
  mbd_real x[ELEMENT_ARG_MAX][3], xd[ELEMENT_ARG_MAX][3], xdd[ELEMENT_ARG_MAX][3];
} output_gradient;

/* A force or a moment that the mechanism transmits: s f or s n of the wrench [f; n] through a section, n about a point. */
typedef struct output_wrench {
  motion_section section;
  mbd_real sign;
  int moment;      /* 0: s f; 1: s n */
  int joint, side; /* about the point of this joint that its body[side] carries; joint -1: about a marker */
  int marker;      /* that */
  int axes;        /* components along the axes of this body; 0: of the ground */
} output_wrench;

/* The shape of a quantity: how many numbers it has, and which component its name may end with. */
typedef enum output_shape {
  OUTPUT_NUMBER,   /* one, no component */
  OUTPUT_VECTOR,   /* three; .x, .y, .z or .norm, without component x, y and z */
  OUTPUT_AXIS,     /* one, with .x, .y or .z */
  OUTPUT_EQUATIONS /* as many as the constraint has equations, at most three; .norm; of several .x, .y, .z */
} output_shape;

/* A quantity of the whole mechanism: a sum over bodies; see mechanism.c. */
typedef enum output_summand { MECHANISM_PLACE, MECHANISM_MOMENTUM, MECHANISM_INERTIA } output_summand;
typedef struct output_sum {
  output_summand of;
  int sign;
  int about_origin, per_mass; /* moments about the origin in place of forces; divided by the mass of all */
} output_sum;

/* Terms of a step (S0 (12), (13)), which stand in this order behind the reactions in the lam of an output that reads them: the multipliers of its
 * equations of motion and of both projections [nphi], the rates of its scheme [nz]. */
typedef enum output_term {
  OUTPUT_REACTION,
  OUTPUT_LAM_STAR,
  OUTPUT_SIGMA,
  OUTPUT_KAPPA,
  OUTPUT_V_STAR,
  OUTPUT_A_STAR
} output_term;

/* Where those of a term begin. */
static inline int output_term_at(const mbd_model *m, int term) {
  return term == OUTPUT_A_STAR ? OUTPUT_V_STAR * m->nphi + m->nz : term * m->nphi;
}

/* The numbers of reactions and all terms of a step. */
static inline int output_lam_max(const mbd_model *m) {
  return output_term_at(m, OUTPUT_A_STAR) + m->nz;
}

/* One quantity. Rows and reverse sweeps add to what is there. */
typedef struct output_ops {
  const char
      *quantity;    /* its word behind the object's name; "": the name alone; NULL: any word of the object's `own` */
  const char *unit; /* NULL: of each object its own, unit_of */
  const char *(*unit_of)(const mbd_model *m, const output *o);
  const char *doc;
  int order; /* what it depends on. 0: x; 1: xd, too; 2: xdd, too */
  output_shape shape;
  mbd_status (*check)(const output *o, const mbd_model *m, const char *name,
                      mbd_error *err); /* NULL: all may have it */
  int reactions;                       /* 1: it reads the reactions in lam */
  output_term term;                    /* of a step, which it is: it reads lam behind the reactions */
  int turns;                           /* 1: it is an angle atan2(a, b), whose turns are counted */

  mbd_real (*value)(const output_at *at);
  void (*rows)(const output_at *at, const output_row *g);
  mbd_real (*direction)(const output_at *at);                              /* along that of the motion, and dlam */
  void (*reverse)(const output_at *at, mbd_real s, const output_back *to); /* s times the derivatives by all of them */

  output_sum sum;
  const struct mobility_formula *formula; /* of quantities of admissible motions (mobility.h) */
  mbd_status (*make)(const mbd_model *m, output *o, mbd_error *err); /* what it has of its own; NULL: nothing */

  /* For a function of arguments, whose OUTPUT_OF_ARGUMENTS are the four above. */
  void (*arguments)(const mbd_model *m, const output *o, mbd_lift *l); /* NULL: those of the force */
  const struct beam_quantity *beam;                                    /* of beams (beam.c) */
  /* value and gradient, which comes zeroed */
  mbd_real (*eval)(const output_at *at, const mbd_arg_state *s, output_gradient *g);
  int (*expand)(expansion *x,
                const output *o); /* as operations on its arguments (expand.h); NULL: it has no such form */
  /* by coefficients of its own, and the transpose of that; NULL: has none */
  mbd_real (*eval_c)(const output_at *at, const mbd_arg_state *s, const mbd_real *dtheta);
  void (*reverse_c)(const output_at *at, const mbd_arg_state *s, mbd_real scale, params_reverse *theta);

  /* For a wrench, whose OUTPUT_OF_WRENCH are the first four. */
  void (*wrench)(const mbd_model *m, const output *o, output_wrench *loads);
  int moment; /* 1: the moment, in place of the force */
  int local;  /* 1: along the axes of the first body, in place of the ground's */
} output_ops;

enum { OUTPUT_REFS = 7 }; /* objects of a relation */

/* One kind of objects that have quantities. */
typedef struct output_object {
  const char *word; /* stands for the object's name in the manual: "BODY"; of the whole mechanism: the name */
  const char
      *relation;     /* of a relation, "distance", whose objects are made by their names in parentheses; NULL: none */
  const char *takes; /* what stands there: P: a point, V: a vector, B: a body, C: a constraint; "PPV" */
  const char *noun;  /* in messages: "body" */
  const output_ops *row; /* its quantities; the list ends with doc NULL */
  /* Names of objects; "": another kind; NULL past the end. The function is NULL for a relation. */
  const char *(*name)(const mbd_model *m, int i);
  int (*find)(const mbd_model *m, const char *name); /* number of an object; -1: none. NULL: that of its name */
  mbd_status (*check)(const mbd_model *m, const char *object, const char *where, mbd_error *err); /* NULL: nothing */
  const char *(*own_word)(const mbd_model *m, int object, int k); /* k-th word of the object's own; NULL past the end */
  int seen; /* its quantities can be seen from a body: functions of points, vectors and rotations */
} output_object;

const output_object *output_object_at(int i); /* in the order in which names are tried; NULL past the end */

/* One scalar of a list of outputs. */
struct output {
  char *name;
  const char *unit;
  const output_object *of;
  const output_ops *ops;
  int object;                /* its number: marker of a point, body, coordinate, force, constraint */
  int own_word;              /* which word of the object's own */
  int ref[OUTPUT_REFS];      /* of a relation: markers, bodies, constraints */
  int component;             /* 0..2, or 3: norm */
  int from;                  /* the body that it is seen from; 0: the ground */
  unsigned terms;            /* of a step that it depends on, 1 << output_term */
  int turn;                  /* number among the counted angles (mbd_work.turns); -1: its turns do not count */
  mbd_lift lift;             /* arguments of its own; none: those of the force, or no function of arguments */
  output_formula *formula;   /* of derived quantities (derived.h) */
  output_mobility *mobility; /* of those of admissible motions (mobility.h) */
};

struct mbd_outputs {
  const mbd_model *model;
  int n, nturn; /* nturn: number of angles whose turns are counted, with those that forces read */
  int nwatched; /* those that are told of where they are no number; -1: all */
  int ncopied;  /* those of the list of which this is a copy, whose other ones get no warnings; -1: it is no copy */
  output *item;
};

extern const output_object output_coordinates, output_states, output_multipliers, output_energies, output_points,
    output_bodies, output_forces, output_joints, output_derived, output_distances, output_heights, output_angles,
    output_turns, output_areas, output_mechanism, output_centres, output_driven_centres, output_roll_centres,
    output_driven_roll_centres, output_velocity_ratios, output_beams;

/* mbd_outputs_add, but for what a derived quantity is made of: that is left out (outputs.c). */
mbd_status outputs_add(mbd_outputs *o, const char *quantity, int *first, int *count, mbd_error *err);
/* A scalar that another list of the same model has, but for the same. */
mbd_status outputs_add_like(mbd_outputs *o, const output *other, mbd_error *err);
void outputs_drop_last(mbd_outputs *o);
/* Why an output that was computed last has no value, and what to do; NULL: no reason is known. */
const char *output_why_undefined(const output *o);

/* One after the other, the names of outputs that match a pattern OBJECT.QUANTITY[.COMPONENT] with stars in OBJECT, or NAME of those
 * that have no objects, derived ones among them. Start with {.pattern = pattern}; 0: no more. */
enum { OUTPUT_NAME = 400 };
typedef struct output_search {
  const char *pattern;
  int kind, row, object; /* where to go on */
} output_search;
int output_match(const mbd_model *m, output_search *s, char name[OUTPUT_NAME]);

/* 1: its value depends on lam. */
int output_reads_reactions(const output *o);

/* 1: it depends on terms of a step; on lam*, sigma or kappa; on sigma or kappa. */
static inline int output_reads_step(const output *o) {
  return o->terms >> OUTPUT_LAM_STAR != 0;
}
static inline int output_reads_projections(const output *o) {
  return (o->terms & (1u << OUTPUT_SIGMA | 1u << OUTPUT_KAPPA)) != 0;
}
static inline int output_reads_step_multipliers(const output *o) {
  return output_reads_projections(o) || (o->terms & 1u << OUTPUT_LAM_STAR) != 0;
}

/* How many numbers the lam of an output has: reactions [nphi], and the terms of a step if it reads them. */
static inline int output_lam_size(const mbd_model *m, const output *o) {
  return output_reads_step(o) ? output_lam_max(m) : m->nphi;
}

/* Selects for the sweeps the markers on which the output, or an output in it, depends; those of forces and constraints are selected anyway. */
void output_sweep_markers(mbd_work *w, const output *o);

static inline mbd_real output_value(mbd_work *w, const output *o, const mbd_real *lam) {
  return o->ops->value(&(output_at){w, w->model, o, lam, NULL, w->p->theta});
}

/* Gradient rows g_z, g_zd, g_zdd [nz], g_lam [output_lam_size], overwritten. */
void output_rows(mbd_work *w, const output *o, const mbd_real *lam, mbd_real *g_z, mbd_real *g_zd, mbd_real *g_zdd,
                 mbd_real *g_lam);

/* Derivative along the direction of motion_along and dlam [output_lam_size], NULL: held. Cost O(1), of energies O(bodies + forces). */
static inline mbd_real output_direction(mbd_work *w, const output *o, const mbd_real *lam, const mbd_real *dlam) {
  return o->ops->direction(&(output_at){w, w->model, o, lam, dlam, w->p->theta});
}

/* Outputs i, i + 1, ... that are components of one vector, which share what they see of the motion: how many from i on, at most OUTPUT_ALIKE;
 * 1 also where nothing is shared. Their rows as by output_rows, of component k in row[k]; dy[i by] += the derivative of component i
 * along the direction of motion_along, with the multipliers held. */
enum { OUTPUT_ALIKE = 4 };
int output_alike(const mbd_outputs *outputs, int i);
void output_rows_alike(mbd_work *w, const output *o, int count, const mbd_real *lam, const output_row *row);
void output_directions_alike(mbd_work *w, const output *o, int count, const mbd_real *lam, mbd_real *dy, int by);

/* Reverse (kinematics/reverse.h): scale dy added to q, with its theta, and to g_lam [output_lam_size] for multipliers. */
static inline void output_reverse(mbd_reverse *sweep, const output *o, const mbd_real *lam, mbd_real scale,
                                  mbd_real *g_lam) {
  o->ops->reverse(&(output_at){sweep->w, sweep->w->model, o, lam, NULL, sweep->w->p->theta}, scale,
                  &(output_back){sweep, g_lam});
}

/* ---- functions of arguments ---- */

/* The arguments of a quantity, in its lift: of one that is seen from a body, relative to it, with the axes of its frame behind. */
mbd_status arguments_create(const mbd_model *m, output *o, mbd_error *err);

mbd_real arguments_value(const output_at *at);
/* Value and gradient at arguments x, of a quantity with arguments of its own; of *at only the model and the output are read. */
mbd_real arguments_value_at(const output_at *at, const mbd_arg_state *x, output_gradient *g);
void arguments_rows(const output_at *at, const output_row *row);
mbd_real arguments_direction(const output_at *at);
void arguments_reverse(const output_at *at, mbd_real s, const output_back *to);

#define OUTPUT_OF_ARGUMENTS \
  .value = arguments_value, .rows = arguments_rows, .direction = arguments_direction, .reverse = arguments_reverse

/* ---- outputs of forces, at the input of the force, whose arguments are theirs (force_output.c) ---- */

static inline int force_output_is_power(const output *o) {
  return o->ops->quantity != NULL;
}
/* Value; adds the gradient by the arguments. */
mbd_real force_output(const mbd_model *m, const output *o, const mbd_element_input *in, mbd_real (*g_x)[3],
                      mbd_real (*g_xd)[3]);
/* Its change along a direction of coefficients and time, with the arguments held; the transpose of that, times s. */
mbd_real force_output_along(const mbd_model *m, const output *o, const mbd_element_input *in,
                            const mbd_element_direction *d);
void force_output_reverse(const mbd_params *p, const output *o, const mbd_element_input *in, mbd_real s,
                          params_reverse *theta);

/* ---- angles (theory.md §6 (6.11)) ---- */

/* The whole turns in an angle x [rad], to the nearest. */
static inline mbd_value whole_turns(mbd_value x) {
  const double turn = 6.283185307179586476925;
  return turn * mbd_round(x / turn);
}

/* The rate y_x . xd of a function of arguments, from its gradient. */
mbd_real arguments_rate(int narg, const output_gradient *g, const mbd_arg_state *s);
/* Value and rate of an angle, the value between -pi and pi. */
mbd_real arguments_value_rate(const output_at *at, mbd_real *rate);

/* What the last place of the count (mbd_work.turns) and the rate r say of an angle at time t, NAN: it has not been counted. *agree 0: its rates
 * differ too much to say more than the last value. */
mbd_value turns_predict(const mbd_real *turns, int turn, mbd_real t, mbd_value r, mbd_truth *agree);
/* Angle y with rate r, with the turns that bring it nearest to that; y where it is not counted. */
mbd_real turns_add(const mbd_real *turns, int turn, mbd_real t, mbd_real y, mbd_real r);
/* The value of an angle with its turns. */
mbd_real turned_value(const output_at *at);

#define OUTPUT_OF_ANGLE                                                                        \
  .turns = 1, .value = turned_value, .rows = arguments_rows, .direction = arguments_direction, \
  .reverse = arguments_reverse

/* Rows of an output by its reverse sweep, which must not use the reverse sweep of the work. */
void output_rows_by_reverse(const output_at *at,
                            void (*reverse)(const output_at *at, mbd_real s, const output_back *to),
                            const output_row *g);

/* ---- wrenches ---- */

mbd_real wrench_value(const output_at *at);
void wrench_rows(const output_at *at, const output_row *g);
mbd_real wrench_direction(const output_at *at);
void wrench_reverse(const output_at *at, mbd_real s, const output_back *to);

#define OUTPUT_OF_WRENCH \
  .reactions = 1, .value = wrench_value, .rows = wrench_rows, .direction = wrench_direction, .reverse = wrench_reverse

/* |y|, and its gradient e = y/|y|. The norm of zero has no gradient; zero is its subgradient of least length. */
mbd_real output_norm(const mbd_real y[3], mbd_real e[3]);

/* Component or norm of x, xd or xdd, as the row's order says. */
mbd_real component_of_argument(const output_at *at, const mbd_arg_state *s, output_gradient *g);

#endif
