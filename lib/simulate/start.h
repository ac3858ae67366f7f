/* The start of a run: assembly or static equilibrium, velocities, accelerations, and their derivatives; what its parts and its
 * adjoint share. */
#ifndef MBD_START_H
#define MBD_START_H

#include "formulation/formulation.h"
#include "la/blocks.h"

/* Guesses other than those given, for an assembly that fails with these (guesses.c). */
typedef struct sim_guesses {
  int attempt;         /* 0: the guesses that are given */
  double *shift;       /* [nz] what is added to them */
  unsigned char *open; /* [nz] coordinates of sets with equations that were left open */
  double best;         /* the largest residual of the position that came closest so far */
  double *closest;     /* [nz] that position */
} sim_guesses;

typedef struct sim_settle sim_settle; /* simulate/settle.h */

/* Memory of the starts of a simulation; np: most directions, at least 1. */
struct sim_start {
  mbd_blocks *rows;      /* of Phi and the held quantities; kept: free_z */
  int without_held;      /* 1: those of the held quantities are zero: they do not count */
  int nfree, *free_z;    /* [nz] coordinates that are kept at their guess */
  int *all_rows, *all_z; /* [nphi + held rows], [nz] scratch of ranks */
  mbd_real *F;           /* values of the rows, the kept coordinates last; sides of their derivatives: [nrow][np] */
  mbd_real *dz;          /* [nz] correction of the assembly */
  mbd_real *tried;       /* [nz] a position to return to */
  sim_guesses other;     /* of an assembly that fails */
  mbd_real *f, *g;       /* sides of the motion, M x + Phi_z' y = f, Phi_z x = g: [nz][np], [nphi][np] */
  mbd_real *step, *rest; /* of its solution, likewise */
  mbd_real *dr, *dphi, *dphid, *dphidd; /* changes along a direction: [nz], [nphi + held rows] */
  mbd_real *sides;                      /* [np] sizes of right-hand sides */
  sim_settle *settle;                   /* NULL: the start is not from static equilibrium */
  mbd_arena arena;
};

/* s->start for the runs of s, to be destroyed; NULL allowed */
mbd_status start_create(mbd_sim *s, mbd_error *err);
void start_destroy(sim_start *q);

/* Start: assembly, velocity, acceleration; and their derivatives in s->sens (after start_state). */
mbd_status start_state(mbd_sim *s, mbd_error *err);
mbd_status start_sens(mbd_sim *s, mbd_error *err);

/* J z' = -F_theta,  J zd' = -(d/dz(rates) z' + rates_theta): the derivatives s->sens.z, s->sens.zd along the directions, where the rows
 * are factored and the motion is moved. */
void start_sens_position(mbd_sim *s);
void start_sens_velocity(mbd_sim *s);

/* ---- the equations of the assembly (start_equations.c) ---- */

static const double start_held_to = 1e-8; /* how far every row may be from zero at the start */

/* The number of rows: Phi, held quantities, kept coordinates. */
int start_rows(const mbd_sim *s);
/* Places the work at s->now.z and s->t, and fills in F and J of the rows; start_fill_rows: where the work is placed there already. */
void start_evaluate_rows(mbd_sim *s);
void start_fill_rows(mbd_sim *s);
/* Evaluates the rows and factors their blocks; start_factor_present_rows factors the current ones. MBD_SINGULAR, the failure of
 * start_not_fixed: they do not fix all coordinates. */
mbd_status start_factor_rows(mbd_sim *s, mbd_error *err);
mbd_status start_factor_present_rows(mbd_sim *s, mbd_error *err);
mbd_status start_not_fixed(mbd_error *err);

/* For messages: the name of a row; the row among n that is farthest from zero, or the first that is not a number if there is one. */
const char *start_row_name(const mbd_sim *s, int row);
int start_worst_row(const mbd_sim *s, int n);

/* The guess of coordinate j; differentiated by coefficients, at most four: their numbers and the slopes; returns how many. */
mbd_real start_guess(const mbd_sim *s, int j);
int start_guess_slopes(const mbd_sim *s, int j, int *coef, mbd_real *slope);
/* Coordinates that neither constraints nor held quantities fix keep their guess: how far from it they are, F [nfree];
 * minus the derivative of F along direction k added to b [nfree][np]; transposed, theta += minus that of weight [nfree] . F. */
void start_free_values(const mbd_sim *s, mbd_real *F);
void start_free_sens(const mbd_sim *s, int k, mbd_real *b);
void start_free_back(const mbd_sim *s, const mbd_real *weight, params_pull *theta);

/* ---- the assembly ---- */

/* Moves the present position to one near it with Phi = 0 and the held quantities, by damped steps that change only what the rows
 * determine [Levenberg 1944]. Returns whether there is one. */
int assembly_close_damped(mbd_sim *s);
/* From the guesses; where that fails, from others; the rows are factored there. The position that comes closest is left if none closes
 * (assembly.c). */
mbd_status assembly_close(mbd_sim *s, mbd_error *err);
/* Which coordinates do Phi and the held quantities leave free at the present position? Those are kept. Leaves the rows up to date. */
mbd_status assembly_choose_free(mbd_sim *s, mbd_error *err);
/* Ranks at the present position, rows up to date. Returns whether as many coordinates are free as are kept. */
int assembly_take_ranks(mbd_sim *s);

/* Begin with the given guesses; keep the current position if none came closer; go on to other guesses, 0: there are no more; say
 * from which the start was found; the closest position, with F there (guesses.c). */
void guesses_begin(mbd_sim *s);
void guesses_keep(mbd_sim *s);
int guesses_other(mbd_sim *s);
void guesses_warn(mbd_sim *s);
void guesses_closest(mbd_sim *s);

/* At the current position: MBD_NO_ASSEMBLY if bodies of a cut joint have turned their shared axis against each other (start_axes.c). */
mbd_status start_check_axes(const mbd_sim *s, mbd_error *err);

/* After motion_move: MBD_NOT_FINITE if some force is not finite there, with its name (start_forces.c). */
mbd_status start_check_forces(const mbd_sim *s, mbd_error *err);

/* ---- contradictions (start_contradiction.c) ---- */

/* sides [np] := the largest of it and of the entries of every column of b [nrow][np]. A warning where a solution leaves of them, in left
 * [nrow][np], more than rounding: redundant rows contradict each other then, and the solution is that of least squares. */
void start_column_sizes(int nrow, int np, const mbd_real *b, mbd_real *sides);
void start_check_remainder(mbd_sim *s, int nrow, const mbd_real *left, const mbd_real *sides);
void start_warn_contradiction(mbd_sim *s, const char *what, int row);

#endif
