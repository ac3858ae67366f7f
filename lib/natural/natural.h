/* The natural model of a compiled model (theory.md §4.1): the same bodies, joints and constraints in coordinates q that share no recursion
 * with the joint coordinates z. q holds the places of points and the components of unit vectors, which bodies share, so that most joints
 * need no equation, and the joint coordinates that an element names. Points and vectors of the ground are constants.
 *
 * Bodies that welds of the tree join are one rigid body. Each has a basis: a point o and three directions e_a among its points, less o,
 * and its vectors. Everything fixed in it is linear in them with constant coefficients,
 *   x = o + sum c_a e_a,   c = Eb^-1 (xb - ob)        (b: in the frame of the body; E = [e_1 e_2 e_3])
 * so that its mass matrix is constant. All equations are elements of lib/constraint on such arguments. */
#ifndef MBD_NATURAL_INTERNAL_H
#define MBD_NATURAL_INTERNAL_H

#include "kinematics/work.h"
#include "la/packed.h"

/* A point or a unit vector fixed in a body, by what its local coordinates follow from. */
typedef struct natural_local {
  mbd_marker marker;
  int sign;   /* a vector is the marker times it */
  int across; /* 0: the marker; 1, 2: "e", "f" of a joint's side (mbd_measure), whose frame's z axis the marker is */
} natural_local;

/* A point or a vector that is in q, or constant. */
typedef struct natural_basic {
  char *name;
  int is_point;
  int q;     /* the first of its three variables; -1: fixed to the ground */
  int rigid; /* a rigid body that has it, the ground where that does */
  natural_local local;
} natural_basic;

/* A rigid body. Number 0 is the ground, whose basis are its origin and axes. */
typedef struct natural_rigid {
  int body; /* of the model: its frame is that of all that are welded to it */
  int n, *basic;
  natural_local *local; /* [n] its points and vectors */
  int basis[4];         /* o and the three directions, as numbers in that list */
} natural_rigid;

/* The place of an argument of an element, fixed in a rigid body. */
typedef struct natural_place {
  int rigid;
  natural_local local;
  int basic, sign; /* it is this point or vector, times sign; -1: by the basis */
} natural_place;

/* The equations of one constraint. Arguments as those of the model's elements, with places for markers and variables of q for coordinates. */
typedef struct natural_element {
  char *name;
  const mbd_constraint_ops *ops;
  const mbd_constraint *given; /* of the model; NULL: of a rigid body, of a joint or of an added coordinate */
  int joint;                   /* the design value is that of this joint's axes; -1: that of the arguments themselves */
  mbd_arg arg[MBD_ARG_MAX];
  int row;
  int slot; /* its places in a row: first of natural.slot */
} natural_element;

enum { NATURAL_TERMS = 8 }; /* points and vectors that one argument is made of, at most */

typedef struct natural {
  const mbd_model *m;
  int nrigid;
  natural_rigid *rigid;
  int *rigid_of; /* [nb] */
  int nbasic;
  natural_basic *basic;
  int nplace;
  natural_place *place; /* [nplace] those of the model's markers come first */
  int nadded, *added;   /* [nadded] joint coordinates, or coordinates of the user, that are variables too; */
  int *q_of;            /* [nz] their variables; -1: not in q */
  int nelement;
  natural_element *element;
  int nq, nphi;
  char **phi_name;  /* [nphi] */
  int *first, *col; /* [nphi + 1], [first[nphi]] where Phi_q can differ from zero */
  int *
      slot; /* of each element for each of its arguments' terms: place in a row of the first of three columns; -1: constant */
} natural;

/* Entry i, j of the second derivatives of one equation by the variables of its row, numbers in the row. */
typedef struct natural_bend {
  int i, j;
  mbd_real value;
} natural_bend;

/* Of the equations whose second derivatives are constants of a design (curvature.c): those of row r are first[r] to first[r + 1]. */
typedef struct natural_curvature {
  int *first; /* [nphi + 1] */
  natural_bend *bend;
} natural_curvature;

/* The constants of the natural model for one design. */
typedef struct natural_params {
  const natural *n;
  const mbd_params *p;          /* not owned */
  mbd_real *offset;             /* [nb][3] of a body's origin from that of its rigid body */
  mbd_real (*dual)[9];          /* [nrigid] Eb^-1 */
  mbd_real (*fixed)[3];         /* [nbasic] of those that are constant */
  mbd_real (*weight)[4];        /* [nplace] of the basis; of the one that the place is, the first */
  mbd_real (*origin)[4];        /* [nrigid] weights of the origin of its frame */
  mbd_real (*mass)[16];         /* [nrigid] its mass matrix, each entry times a unit matrix of order 3 */
  mbd_real (*moment)[4];        /* [nrigid] m times the weights of its centre of mass */
  mbd_real *own;                /* [nelement] design values of dot products */
  natural_curvature *curvature; /* NULL: second derivatives are evaluated where they are needed */
  mbd_arena arena;
} natural_params;

/* MBD_UNSUPPORTED: an element names a coordinate that nothing measures, an Euler parameter. The basis is chosen at the nominal
 * coefficients, once for all designs. The model has to outlive it. */
mbd_status natural_create(const mbd_model *m, natural **out, mbd_error *err);
void natural_destroy(natural *n); /* NULL allowed */

/* Memory for the numbers of a design; those of p, which has to outlive it. natural_params_create does both. MBD_OUT_OF_DOMAIN: the basis
 * of a body has become plane. */
mbd_status natural_params_alloc(const natural *n, natural_params **out, mbd_error *err);
mbd_status natural_params_set(natural_params *v, const mbd_params *p, mbd_error *err);
mbd_status natural_params_create(const natural *n, const mbd_params *p, natural_params **out, mbd_error *err);
void natural_params_destroy(natural_params *v); /* NULL allowed */

/* Memory for second derivatives, and those of the numbers at hand, after each natural_params_set: for who needs them at every step. */
mbd_status natural_params_keep_curvature(natural_params *v, mbd_error *err);
void natural_curvature_set(natural_params *v);

/* ---- states ---- */

/* q, qd, qdd [nq] of the bodies as w has them, moved; qd and qdd NULL: not wanted, placed will do. Points and vectors that several bodies
 * share are those of one. */
void natural_take(const natural_params *v, const mbd_work *w, mbd_real *q, mbd_real *qd, mbd_real *qdd);

/* Origin and orientation of a body of the model, linear in q; and the velocity V = [v; w] at its origin, w by (4.10). */
void natural_frame(const natural_params *v, const mbd_real *q, int body, mbd_real o[3], mbd_real A[9]);
void natural_velocity(const natural_params *v, const mbd_real *q, const mbd_real *qd, int body, mbd_real V[6]);
/* The acceleration of that velocity field at the origin's place: the origin itself has the first three and w x v. */
void natural_acceleration(const natural_params *v, const mbd_real *q, const mbd_real *qd, const mbd_real *qdd, int body,
                          mbd_real Vd[6]);

/* Joint coordinates z, zd, zdd [nz] of a natural state, from the guess in z, and the motion of w at them, with gravity; X [nb][6]:
 * scratch. MBD_SINGULAR: coordinates do not follow from the bodies (joints.c). */
mbd_status natural_joints(const natural_params *v, mbd_work *w, mbd_real t, const mbd_real *q, const mbd_real *qd,
                          const mbd_real *qdd, mbd_real *X, mbd_real *z, mbd_real *zd, mbd_real *zdd, mbd_error *err);

/* dz [nz] from changes x of the bases of the bodies (direct.h: natural_bases_rows) that a change of z makes, at the state q in which w is
 * placed: the inverse of natural_bases_direction by z. norm [nb]: e . dz of the Euler parameters e of each body's joint. X [nb][6]:
 * scratch. MBD_SINGULAR. */
mbd_status natural_joints_change(const natural_params *v, const mbd_work *w, const mbd_real *q, const mbd_real *x,
                                 const mbd_real *norm, mbd_real *X, mbd_real *dz, mbd_error *err);
/* The transpose: x from by_z [nz]. Leaves in by_z the numbers of which those of Euler parameters times these parameters are the
 * derivatives by norm. N [nb][6]: scratch. */
mbd_status natural_joints_pull(const natural_params *v, const mbd_work *w, const mbd_real *q, mbd_real *by_z,
                               mbd_real *N, mbd_real *x, mbd_error *err);

/* The name of variable i: a component of a point or vector, or a coordinate. */
const char *natural_name(const natural *n, int i);

/* ---- equations ---- */

/* Phi [nphi], and Phi_q at the places n->first, n->col (NULL: not wanted). */
void natural_phi(const natural_params *v, mbd_real t, const mbd_real *q, mbd_real *phi, mbd_real *Phi_q);
/* dPhi/dt at fixed q [nphi]. */
void natural_phi_t(const natural_params *v, mbd_real t, const mbd_real *q, mbd_real *phi_t);

/* Phidd [nphi]. */
void natural_phidd(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd, const mbd_real *qdd,
                   mbd_real *phidd);

/* d(Phid)/dq and d(Phidd)/dq at the places of Phi_q; d(Phidd)/dqd is twice the first, as x and t do not mix. */
void natural_rates_q(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd, const mbd_real *qdd,
                     mbd_real *Phid_q, mbd_real *Phidd_q);

/* y [nq] += M x; without rotors. */
void natural_bodies_mul_add(const natural_params *v, const mbd_real *x, mbd_real *y);
void natural_mass_mul_add(const natural_params *v, const mbd_real *x, mbd_real *y);
/* Q [nq] += the weights of the bodies; the forces of the model. The equations of motion are M qdd + Phi_q' lam = Q. */
void natural_weight_add(const natural_params *v, mbd_real *Q);
void natural_forces_add(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd, mbd_real *Q);

/* Accelerations qdd [nq] and multipliers lam [nphi] of a state that the constraints allow. Allocates: not for time steps. MBD_SINGULAR,
 * MBD_NO_MEMORY. */
mbd_status natural_accelerations(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                                 mbd_real *qdd, mbd_real *lam, mbd_error *err);

/* ---- for the files of this folder ---- */

/* Mass term of rotor i of the model's nrotor, on variable *q. */
mbd_real natural_rotor(const natural_params *v, int i, int *q);

/* Point or vector i at q. */
static inline const mbd_real *natural_value(const natural_params *v, const mbd_real *q, int i) {
  return v->n->basic[i].q < 0 ? v->fixed[i] : q + v->n->basic[i].q;
}

/* Number i of the points and vectors of the basis of rigid body r, 0 to 3. */
static inline int natural_basis(const natural *n, int r, int i) {
  return n->rigid[r].basic[n->rigid[r].basis[i]];
}

static inline int natural_basis_is_point(const natural *n, int r, int i) {
  return n->basic[natural_basis(n, r, i)].is_point;
}

/* Its local coordinates; needs v->offset. */
void natural_basis_value(const natural_params *v, int r, int k, mbd_real x[3]);

/* The mass matrix and the first moments of a rigid body in its basis (4.8): in o and the directions they are [m, c'; c, G], then e_a =
 * h_a - o for points h_a. Linear in m, c, G. */
void natural_assemble_mass(const natural *n, int r, mbd_real m, const mbd_real c[3], const mbd_real G[9],
                           mbd_real M[16], mbd_real moment[4]);

/* An argument of an element of the model: markers are places of the same numbers, coordinates variables of q. */
static inline mbd_arg natural_arg_of(const natural *n, const mbd_arg *x) {
  return (mbd_arg){x->kind, x->kind == MBD_ARG_COORDINATE ? n->q_of[x->b] : x->b, x->a};
}

/* The terms of an argument (not of a coordinate): which points and vectors, and, where weights are wanted, their coefficients. Returns
 * how many: the same for all designs. */
int natural_terms(const natural *n, const natural_params *v, const mbd_arg *x, int basic[NATURAL_TERMS],
                  mbd_real weight[NATURAL_TERMS]);

/* Argument number a, in s; x, and its rates where qd, qdd are not NULL. */
void natural_argument(const natural_params *v, const mbd_arg *x, const mbd_real *q, const mbd_real *qd,
                      const mbd_real *qdd, int a, mbd_arg_state *s);
/* Q [nq] += the force f on it. */
void natural_on_argument(const natural_params *v, const mbd_arg *x, const mbd_real *q, const mbd_real f[3],
                         mbd_real *Q);
/* e*_a of (4.10). */
void natural_dual(const natural_params *v, const mbd_real *q, int r, mbd_real dual[3][3]);

/* The input of element i, with its arguments in s; qd, qdd: NULL: rates are not needed. */
void natural_element_input(const natural_params *v, int i, mbd_real t, const mbd_real *q, const mbd_real *qd,
                           const mbd_real *qdd, mbd_arg_state *s, mbd_element_input *in);

/* The terms of argument a of an element: where their variables stand in its rows, -1: constant; and their weights. Returns how many. */
int natural_element_terms(const natural_params *v, const natural_element *e, int a, const int **slot,
                          mbd_real weight[NATURAL_TERMS]);

/* In the frame of its rigid body; needs v->offset. */
void natural_local_value(const natural_params *v, const natural_local *l, mbd_real x[3]);

/* The two arguments of the equation of a rigid body, in the frame of the body, where they have the same value at every time. */
void natural_own_arguments(const natural_params *v, const natural_element *e, mbd_real x[2][3]);

#endif
