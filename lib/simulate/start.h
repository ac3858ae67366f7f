/* The start of a run: assembly or static equilibrium, velocities, accelerations, and their derivatives; declarations
 * that its parts and its adjoint share. */
#ifndef MBD_START_H
#define MBD_START_H

#include "formulation/formulation.h"
#include "la/blocks.h"

/* Guesses other than those given, for an assembly that fails with these (guesses.c). */
typedef struct sim_guesses {
  int attempt, last;   /* 0: the guesses that are given; the number of others */
  double *shift;       /* [nz] increments of the guesses */
  unsigned char *open; /* [nz] 1: coordinates of sets with equations that were not satisfied */
  double best;         /* the largest residual of the closest position so far */
  double *closest;     /* [nz] that position */
} sim_guesses;

typedef struct sim_equilibrium sim_equilibrium; /* simulate/equilibrium.h */
typedef struct sim_steady sim_steady;           /* simulate/steady.h */

/* Memory of the starts of a simulation; np: most directions, at least 1. */
struct sim_start {
  mbd_blocks *rows;      /* of Phi and the held quantities; kept: free_z */
  int without_held;      /* 1: the rows of the held quantities are set to zero, and have no effect */
  int nfree, *free_z;    /* [nz] coordinates that are kept at their guess */
  int *all_rows, *all_z; /* [nphi + held rows], [nz] scratch of ranks */
  mbd_real *F;  /* values of the rows, the kept coordinates last; right-hand sides of their derivatives: [nrow][np] */
  mbd_real *dz; /* [nz] correction of the assembly */
  mbd_real *tried;                      /* [nz] a position to return to */
  sim_guesses other;                    /* of an assembly that fails */
  mbd_real *J_guess, *turn;             /* rows at the guesses, of all dense blocks; [ncol][ncol], and */
  int *piv;                             /* [ncol] of the largest: scratch (branch.c) */
  mbd_real *f, *g;                      /* right-hand sides of M x + Phi_z' y = f, Phi_z x = g: [nz][np], [nphi][np] */
  mbd_real *step, *rg;                  /* scratch of their solution, of the same sizes */
  mbd_real *dr, *dphi, *dphid, *dphidd; /* changes along a direction: [nz], [nphi + held rows] */
  mbd_real *sides;                      /* [np] sizes of right-hand sides */
  int beside,
      lost; /* start_singular.c: the rank of Phi_z beside the start, 0: not known, -1: not found; a row that is independent there, or left there */
  /* Models with velocity constraints (start_velocity.c). */
  int nrest, *rest_z;           /* [nz] the kept coordinates whose velocity is zero: the others follow */
  unsigned char *follows;       /* [nhold] 1: the rate of the held quantity follows */
  mbd_real *basis, *one_row;    /* [2 (nz + 1)][nz], [nz] real numbers: scratch */
  sim_equilibrium *equilibrium; /* NULL: the start is not from static equilibrium */
  sim_steady *steady;           /* NULL: nor is it a steady motion */
  mbd_arena arena;
};

/* Creates s->start for the runs of s; destroys it, NULL allowed. */
mbd_status start_create(mbd_sim *s, mbd_error *err);
void start_destroy(sim_start *start);

/* Computes the start: assembly, velocity, acceleration; and, after start_state, their derivatives in s->sens. */
mbd_status start_state(mbd_sim *s, mbd_error *err);
mbd_status start_sens(mbd_sim *s, mbd_error *err);
/* The assembly, and from there a steady motion: z and zd. */
mbd_status start_steady(mbd_sim *s, mbd_error *err);

/* Solves J z' = -F_theta,  J zd' = -(d/dz(rates) z' + rates_theta)  for the derivatives s->sens.z, s->sens.zd along the
 * directions. The rows must be factored, and the motion moved. */
void start_sens_position(mbd_sim *s);
void start_sens_velocity(mbd_sim *s);

/* ---- the equations of the assembly (start_equations.c) ---- */

static const double start_held_to = 1e-8; /* largest value of a row at the start */

/* The number of rows: Phi, held quantities, kept coordinates. */
int start_rows(const mbd_sim *s);
/* Places the work at s->now.z and s->t, and evaluates F and J of the rows; start_fill_rows does the latter alone, where
 * the work is already placed. */
void start_evaluate_rows(mbd_sim *s);
void start_fill_rows(mbd_sim *s);
/* Evaluates the rows and factors their blocks; start_factor_present_rows factors the current ones. MBD_SINGULAR, the failure of
 * start_not_fixed: they do not fix all coordinates. */
mbd_status start_factor_rows(mbd_sim *s, mbd_error *err);
mbd_status start_factor_present_rows(mbd_sim *s, mbd_error *err);
mbd_status start_not_fixed(mbd_error *err);

/* Row `row`, of the constraint c, := 0. */
void start_clear_row(mbd_sim *s, const mbd_constraint *c, int row);

/* The rows of velocities, with A of velocity constraints (start_velocity.c): at the start, with the choice of what follows from them, which
 * also sets the ranks and the rows that are left out; later. Without velocity constraints the rows are those of the assembly. The last
 * function sets the held quantities whose rate follows to zero in rows [.][k]. */
mbd_status start_choose_rates(mbd_sim *s, mbd_error *err);
mbd_status start_factor_rates(mbd_sim *s, mbd_error *err);
void start_leave_following(const mbd_sim *s, int k, mbd_real *rows);

/* For messages: the name of a row; "'NAME' is left at 0.05 m", per: "", or "/s" of its rate; the row with the largest value among the first n, or the first that is not a
 * number. */
const char *start_row_name(const mbd_sim *s, int row);
enum { START_ROW_LEFT = 320 };
const char *start_row_left(const mbd_sim *s, int row, double left, const char *per, char text[START_ROW_LEFT]);
int start_worst_row(const mbd_sim *s, int n);

/* The guess of coordinate j; its derivatives by coefficients, at most four: the numbers of the coefficients and the
 * slopes; returns how many. */
mbd_real start_guess(const mbd_sim *s, int j);
int start_guess_slopes(const mbd_sim *s, int j, int *coef, mbd_real *slope);
static const double start_step_max = 1; /* of a coordinate, in one correction of the assembly */

/* Where the guesses do not close the loops: sets held coordinates that have no guess, and are held farther from zero than one correction moves, to values
 * beside these: the search for the start begins there, and does not pass other positions on its way, from which it may close loops in another way than the
 * guesses say. Where they do, as the position of the model file does, the search moves the closed mechanism to the held values. Beside the values, since a
 * position that is singular itself would look like one with more freedom. Euler parameters keep their guess, as they have a norm. */
void start_begin_at_held(mbd_sim *s);
/* Coordinates that neither constraints nor held quantities fix keep their guess. The first function computes their
 * differences F [nfree] from it; the second one subtracts the derivative of F along direction k from b [nfree][np]; the
 * third one is the transpose: it subtracts the derivative of weight [nfree] . F from theta. */
void start_free_values(const mbd_sim *s, mbd_real *F);
void start_free_sens(const mbd_sim *s, int k, mbd_real *b);
void start_free_back(const mbd_sim *s, const mbd_real *weight, params_reverse *theta);

/* ---- the assembly ---- */

/* Moves the present position to one near it with Phi = 0 and the held quantities, by damped steps that change only what the rows
 * determine [Levenberg 1944]. Returns whether there is one. */
int assembly_close_damped(mbd_sim *s);
/* Assembles from the guesses; if that fails, from other guesses. Leaves the rows factored at the assembled position,
 * or, if the assembly fails, the closest position (assembly.c). */
mbd_status assembly_close(mbd_sim *s, mbd_error *err);
/* Chooses the coordinates to keep: those that Phi and the held quantities leave free at the present position. Leaves
 * the rows up to date. */
mbd_status assembly_choose_free(mbd_sim *s, mbd_error *err);
/* Determines the ranks at the present position, with its rows up to date. Returns 1 if as many coordinates are free as
 * are kept. */
int assembly_take_ranks(mbd_sim *s);
/* The rank of Phi_z with the rows up to date, and its rows with the independent ones first, row [nphi]; -1: no memory. */
int assembly_rank(mbd_sim *s, int *row);
/* After the assembly: warns if the start is a singular position. Leaves the rows factored (start_singular.c). */
mbd_status start_check_singular(mbd_sim *s, mbd_error *err);

/* guesses_begin begins with the given guesses; guesses_keep stores the current position if it is the closest so far;
 * guesses_other chooses other guesses, and returns 0 if there are no more; guesses_warn warns of a start that is not what the guesses
 * say, with better ones of the sets that are open; guesses_closest restores the closest position, with its F (guesses.c). */
void guesses_begin(mbd_sim *s);
void guesses_keep(mbd_sim *s);
int guesses_other(mbd_sim *s);
/* At a closed position: begins with other guesses of all coordinates that are not free, of which there are more. */
void guesses_of_all(mbd_sim *s);
void guesses_warn(mbd_sim *s, const char *what);
void guesses_closest(mbd_sim *s);

/* MBD_NO_ASSEMBLY if, at the current position, the shared axis of a cut joint points in opposite directions on its two
 * bodies (start_axes.c). */
mbd_status start_check_axes(const mbd_sim *s, mbd_error *err);

/* After motion_move: MBD_NOT_FINITE if some force is not finite there, with its name (start_forces.c). */
mbd_status start_check_forces(const mbd_sim *s, mbd_error *err);

/* ---- contradictions (start_contradiction.c) ---- */

/* start_column_sizes: sides [np] becomes the largest of itself and of the entries of each column of b [nrow][np].
 * start_check_remainder warns if the residual of a solution, left [nrow][np], is above rounding: then redundant rows
 * contradict each other, and the solution is that of least squares. */
void start_column_sizes(int nrow, int np, const mbd_real *b, mbd_real *sides);
void start_check_remainder(mbd_sim *s, int nrow, const mbd_real *left, const mbd_real *sides);
void start_warn_contradiction(mbd_sim *s, const char *what, int row);

#endif
