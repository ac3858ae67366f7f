/* The natural model of a compiled model (theory.md §4.1): the same bodies, joints and constraints in coordinates q, without the recursion of
 * the joint coordinates z. q consists of the places of points, the components of unit vectors, and the joint coordinates that an element
 * names. Bodies share points and vectors, so that most joints need no equation. Points and vectors of the ground are constants.
 *
 * Bodies that welds of the tree connect are one rigid body. Each has a basis: a point o and three directions e_a, which are its vectors or
 * lead from o to its other points. Every point and vector fixed in the body is linear in the basis with constant coefficients,
 *   x = o + sum c_a e_a,   c = Eb^-1 (xb - ob)        (b: in the frame of the body; E = [e_1 e_2 e_3])
 * so that the mass matrix is constant. All equations are elements of lib/constraint with such arguments. */
#ifndef MBD_NATURAL_INTERNAL_H
#define MBD_NATURAL_INTERNAL_H

#include "dynamics/element.h"
#include "la/packed.h"

/* A point or a unit vector fixed in a body, and the source of its local coordinates. */
typedef struct natural_local {
  mbd_marker marker;
  int sign; /* the vector is sign times the marker */
  int across; /* 0: the marker; 1, 2: "e", "f" of a side of a joint (mbd_measure); the marker is the z axis of its frame */
} natural_local;

/* A point or a vector, whose components are variables in q or constants. */
typedef struct natural_basic {
  char *name;
  int is_point;
  int q;     /* the first of its three variables; -1: fixed to the ground */
  int rigid; /* a rigid body that has it; the ground, if it has it */
  natural_local local;
} natural_basic;

/* A rigid body. Number 0 is the ground, whose basis consists of its origin and axes. */
typedef struct natural_rigid {
  int body; /* the body of the model whose frame is the frame of all bodies welded to it */
  int n, *basic;
  natural_local *local; /* [n] its points and vectors */
  int basis[4];         /* o and the three directions, as numbers in that list */
} natural_rigid;

/* A place fixed in a rigid body, as an argument of an element. */
typedef struct natural_place {
  int rigid;
  natural_local local;
  int basic, sign; /* the place is this point or vector times sign; basic -1: it is a combination of the basis */
} natural_place;

/* The equations of one constraint. Its arguments are those of the model's elements, with places instead of markers and variables of q
 * instead of coordinates. */
typedef struct natural_element {
  char *name;
  const mbd_constraint_ops *ops;
  const mbd_constraint
      *given; /* the constraint of the model; NULL: an equation of a rigid body, a joint or an added coordinate */
  int joint;  /* the constant of the equation is that of this joint's axes; -1: that of the arguments */
  mbd_arg arg[CONSTRAINT_ARG_MAX];
  int row;
  int slot; /* its places in a row: first of natural.slot */
} natural_element;

enum { NATURAL_TERMS = 8 }; /* largest number of points and vectors in one argument */

typedef struct natural {
  const mbd_model *m;
  int nrigid;
  natural_rigid *rigid;
  int *rigid_of; /* [nb] */
  int nbasic;
  natural_basic *basic;
  int nplace;
  natural_place *place; /* [nplace] the places of the model's markers come first */
  int nadded, *added;   /* [nadded] coordinates of joints or of the user that are variables of q as well; */
  int *q_of;            /* [nz] their variables; -1: not in q */
  int nelement;
  natural_element *element;
  int nq, nphi;
  char **phi_name;  /* [nphi] */
  int *first, *col; /* [nphi + 1], [first[nphi]] the nonzeros of Phi_q by rows */
  int *
      slot; /* for each term of each argument of an element: place in its row of the first of three columns; -1: constant */
} natural;

/* Entry i, j of the second derivatives of one equation; i and j are places in its row. */
typedef struct natural_bend {
  int i, j;
  mbd_real value;
} natural_bend;

/* Second derivatives that are constant for a design (curvature.c): the entries of row r are numbers first[r] to first[r + 1] - 1. */
typedef struct natural_curvature {
  int *first; /* [nphi + 1] */
  natural_bend *bend;
} natural_curvature;

/* The constants of the natural model for one design. */
typedef struct natural_params {
  const natural *n;
  const mbd_params *p;  /* not owned */
  const mbd_work *w;    /* the run's, for the turns that forces read; not owned; NULL: none are counted */
  mbd_real *offset;     /* [nb][3] from the origin of its rigid body to the origin of the body */
  mbd_real (*dual)[9];  /* [nrigid] Eb^-1 */
  mbd_real (*fixed)[3]; /* [nbasic] values of constant points and vectors */
  mbd_real (
      *weight)[4]; /* [nplace] weights of the basis; the first one is the sign if the place is a point or vector */
  mbd_real (*origin)[4];        /* [nrigid] weights of the basis for the origin of the frame */
  mbd_real (*mass)[16];         /* [nrigid] its mass matrix, each entry times a unit matrix of order 3 */
  mbd_real (*moment)[4];        /* [nrigid] m times the weights of its centre of mass */
  mbd_real *constants;          /* [nelement] constants of the equations: values of dot products */
  natural_curvature *curvature; /* NULL: second derivatives are evaluated where they are needed */
  mbd_arena arena;
} natural_params;

/* Makes the natural model. The basis of each body is chosen once, at the nominal coefficients, for all designs. The model has to outlive
 * it. MBD_UNSUPPORTED: an element names an Euler parameter, for which there is no equation in q. */
mbd_status natural_create(const mbd_model *m, natural **out, mbd_error *err);
void natural_destroy(natural *n); /* NULL allowed */

/* Take memory for the constants of a design, and compute them for p, which has to outlive them; natural_params_create does both.
 * MBD_OUT_OF_DOMAIN: the directions of a basis have come into one plane. */
mbd_status natural_params_alloc(const natural *n, natural_params **out, mbd_error *err);
mbd_status natural_params_set(natural_params *v, const mbd_params *p, mbd_error *err);
mbd_status natural_params_create(const natural *n, const mbd_params *p, natural_params **out, mbd_error *err);
void natural_params_destroy(natural_params *v); /* NULL allowed */

/* Take memory for constant second derivatives, and compute them after each natural_params_set, for callers that use them at every step. */
mbd_status natural_params_keep_curvature(natural_params *v, mbd_error *err);
void natural_curvature_set(natural_params *v);

/* ---- states ---- */

/* q, qd, qdd [nq] from the motion of the bodies in w; qd and qdd NULL: not computed, and w needs positions alone. A shared point or vector
 * is taken from one of its bodies. */
void natural_take(const natural_params *v, const mbd_work *w, mbd_real *q, mbd_real *qd, mbd_real *qdd);

/* Origin and orientation of a body of the model, linear in q; and the velocity V = [v; w] at its origin, w by (4.10). */
void natural_frame(const natural_params *v, const mbd_real *q, int body, mbd_real o[3], mbd_real A[9]);
void natural_velocity(const natural_params *v, const mbd_real *q, const mbd_real *qd, int body, mbd_real V[6]);
/* The rate of V at the place of the origin: the acceleration of the origin itself is the first three numbers plus w x v. */
void natural_acceleration(const natural_params *v, const mbd_real *q, const mbd_real *qd, const mbd_real *qdd, int body,
                          mbd_real Vd[6]);

/* Joint coordinates z, zd, zdd [nz] of a natural state, from the guess in z. Leaves w at this motion, with gravity. X [nb][6]: scratch.
 * MBD_SINGULAR: the bodies do not determine the coordinates (joints.c). */
mbd_status natural_joints(const natural_params *v, mbd_work *w, mbd_real t, const mbd_real *q, const mbd_real *qd,
                          const mbd_real *qdd, mbd_real *X, mbd_real *z, mbd_real *zd, mbd_real *zdd, mbd_error *err);

/* dz [nz] from changes x of the bases of the bodies (direct.h: natural_bases_rows), at the state q, which w has too: the inverse of
 * natural_bases_direction as a function of dz. norm [nb]: e . dz for the Euler parameters e of each body's joint. X [nb][6]: scratch.
 * MBD_SINGULAR. */
mbd_status natural_joints_change(const natural_params *v, const mbd_work *w, const mbd_real *q, const mbd_real *x,
                                 const mbd_real *norm, mbd_real *X, mbd_real *dz, mbd_error *err);
/* The transpose: derivatives x from by_z [nz]. On return the entries of by_z at Euler parameters e, multiplied by e and summed over a
 * joint, are the derivative by norm. N [nb][6]: scratch. */
mbd_status natural_joints_reverse(const natural_params *v, const mbd_work *w, const mbd_real *q, mbd_real *by_z,
                                  mbd_real *N, mbd_real *x, mbd_error *err);

/* ---- equations ---- */

/* Phi [nphi], and Phi_q at the places n->first, n->col (NULL: not computed); of velocity constraints, which are the last rows, zero, and A. */
void natural_phi(const natural_params *v, mbd_real t, const mbd_real *q, mbd_real *phi, mbd_real *Phi_q);
/* dPhi/dt at fixed q [nphi]. */
void natural_phi_t(const natural_params *v, mbd_real t, const mbd_real *q, mbd_real *phi_t);

/* Phidd [nphi]. */
void natural_phidd(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd, const mbd_real *qdd,
                   mbd_real *phidd);

/* Psi of the velocity constraints, and dPsi/dq [.][nq] (NULL: not computed). */
void natural_velocity_rows(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                           const mbd_real *qdd, mbd_real *psi, mbd_real *psi_q, mbd_real *psid_q, mbd_real *psid_qd);

/* d(Phid)/dq and d(Phidd)/dq at the places of Phi_q. d(Phidd)/dqd is twice the first, because Phi_qt = 0, and `more` in the rows of velocity
 * constraints (NULL: not wanted). */
void natural_rates_q(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd, const mbd_real *qdd,
                     mbd_real *Phid_q, mbd_real *Phidd_q, mbd_real *more);

/* y [nq] += M x, where M is the mass matrix of the bodies, without rotors. */
void natural_bodies_mul_add(const natural_params *v, const mbd_real *x, mbd_real *y);
void natural_mass_mul_add(const natural_params *v, const mbd_real *x, mbd_real *y);
/* Q [nq] += the weights of the bodies, and += the forces of the model. The equations of motion are M qdd + Phi_q' lam = Q. */
void natural_weight_add(const natural_params *v, mbd_real *Q);
void natural_forces_add(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd, mbd_real *Q);

/* Accelerations qdd [nq] and multipliers lam [nphi] of a state that satisfies the constraints. Allocates, so that it is not for time steps.
 * MBD_SINGULAR, MBD_NO_MEMORY. */
mbd_status natural_accelerations(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                                 mbd_real *qdd, mbd_real *lam, mbd_error *err);

/* ---- for the files of this folder ---- */

/* The mass term of rotor i of the model's nrotor; *variable: its variable. */
mbd_real natural_rotor(const natural_params *v, int i, int *variable);

/* The value of point or vector i at q. */
static inline const mbd_real *natural_value(const natural_params *v, const mbd_real *q, int i) {
  return v->n->basic[i].q < 0 ? v->fixed[i] : q + v->n->basic[i].q;
}

/* The number of point or vector i = 0 .. 3 of the basis of rigid body r. */
static inline int natural_basis(const natural *n, int r, int i) {
  return n->rigid[r].basic[n->rigid[r].basis[i]];
}

static inline int natural_basis_is_point(const natural *n, int r, int i) {
  return n->basic[natural_basis(n, r, i)].is_point;
}

/* Its local coordinates; needs v->offset. */
void natural_basis_value(const natural_params *v, int r, int k, mbd_real x[3]);

/* The mass matrix and the first moments of a rigid body in its basis (4.8). In o and the directions the matrix is [m, c'; c, G]; directions
 * to points h_a are then replaced by e_a = h_a - o. Linear in m, c, G. */
void natural_assemble_mass(const natural *n, int r, mbd_real m, const mbd_real c[3], const mbd_real G[9],
                           mbd_real M[16], mbd_real moment[4]);

/* An argument of an element of the model in q: a marker becomes the place with its number, a coordinate its variable. */
static inline mbd_arg natural_arg_of(const natural *n, const mbd_arg *x) {
  return (mbd_arg){x->kind, x->kind == MBD_ARG_COORDINATE ? n->q_of[x->b] : x->b, x->a};
}

/* Lists the terms of an argument that is no coordinate: its points and vectors, and their coefficients unless the weights are NULL. Returns
 * their number, which is the same for all designs. */
int natural_terms(const natural *n, const natural_params *v, const mbd_arg *x, int basic[NATURAL_TERMS],
                  mbd_real weight[NATURAL_TERMS]);

/* Stores argument a in s: x, and its rates if qd, qdd are not NULL. */
void natural_argument(const natural_params *v, const mbd_arg *x, const mbd_real *q, const mbd_real *qd,
                      const mbd_real *qdd, int a, mbd_arg_state *s);
/* Q [nq] += the generalized force of the force f on the argument. */
void natural_on_argument(const natural_params *v, const mbd_arg *x, const mbd_real *q, const mbd_real f[3],
                         mbd_real *Q);
/* The input of a force at its arguments in q. */
static inline void natural_force_input(const natural_params *v, const mbd_force *force, mbd_real t,
                                       const mbd_arg_state *s, mbd_element_input *in) {
  params_force_input(v->p, force, t, v->w ? v->w->turns : NULL, s, in);
}

/* e*_a of (4.10). */
void natural_dual(const natural_params *v, const mbd_real *q, int r, mbd_real dual[3][3]);

/* The arguments and the input of element i; qd, qdd NULL: without rates. */
void natural_element_evaluate(const natural_params *v, int i, mbd_real t, const mbd_real *q, const mbd_real *qd,
                              const mbd_real *qdd, element_state *at);

/* The terms of argument a of an element: the places of their variables in its rows (-1: constant) and their weights. Returns their
 * number. */
int natural_element_terms(const natural_params *v, const natural_element *e, int a, const int **slot,
                          mbd_real weight[NATURAL_TERMS]);

/* The coordinates of a local point or vector in the frame of its rigid body; needs v->offset. */
void natural_local_value(const natural_params *v, const natural_local *l, mbd_real x[3]);

/* The two arguments of the equation of a rigid body in the frame of the body, where they are constant. */
void natural_own_arguments(const natural_params *v, const natural_element *e, mbd_real x[2][3]);

#endif
