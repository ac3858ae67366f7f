/* The intermediate results between (z, zd, zdd) and residuals and derivatives: scratch of one simulation.
 *
 * Spatial quantities of a body (coordinate) are taken at its reference point r (that of the body it carries), in
 * global axes. Accelerations are those of the body's velocity field at the place of the reference point; with gravity
 * on, the ground accelerates with -g, so that weight is an inertia force and needs no separate wrench. */
#ifndef MBD_WORK_H
#define MBD_WORK_H

#include <assert.h>
#include <stddef.h>

#include "base/memory.h"
#include "la/dense.h"
#include "la/lanes.h"
#include "la/spatial.h"
#include "mbd/work.h"
#include "model/model.h"
#include "model/params.h"

/* Motion of one body. */
typedef struct body_state {
  mbd_real A[9];        /* orientation */
  mbd_real o[3];        /* origin of the body frame */
  mbd_real g[3];        /* centre of mass */
  mbd_real r[3];        /* reference point: see mbd_reference */
  mbd_real D[9];        /* orientation of its joint's frame, on the parent */
  mbd_real s[3];        /* the joint's point on the parent */
  mbd_inertia in;       /* at r */
  mbd_real V[6], Vd[6]; /* velocity, acceleration (minus gravity) at r */
  mbd_real Vh[6];       /* the parent's velocity, at r */
  mbd_real p[6];        /* momentum I V, at r */
  mbd_real W[6];        /* inertia wrench of this body alone, at r */
} body_state;

/* One column of a joint: how a coordinate moves all bodies beyond it.
 *   d/dz_j   V_i = b x V_i + c,         d/dz_j   Vd_i = b x Vd_i + c x V_i + e
 *   d/dzd_j  V_i = b,                   d/dzd_j  Vd_i = b x V_i + (c + bd),     d/dzdd_j Vd_i = b */
typedef struct column_state {
  mbd_real b[6], c[6], e[6], bd[6];
  mbd_real cbd[6]; /* c + bd */
} column_state;

/* Columns of neighbours in a chain, the members of column_state component by component: products of all of them with
 * one wrench are then operations on short vectors (LANES numbers fill a register of the processors that every build is
 * for). */
enum { LANES = 2 };
typedef struct column_block {
  mbd_real b[6][LANES], c[6][LANES], e[6][LANES], cbd[6][LANES];
} column_block;

/* All coordinates that move a body, from the ground outwards, with their columns at one point; see chain.c */
typedef struct column_chain {
  int longest; /* largest number of coordinates that move one body */
  int n, held; /* number of coordinates of the current body; number of columns that are stored, which may exceed n */
  ptrdiff_t *z, *row;  /* [longest] the coordinates, and where their rows begin in a matrix [nz][nz] */
  int *col;            /* [longest] their columns */
  column_block *block; /* [longest/LANES, rounded up] */
  mbd_real r[3];       /* the point */
} column_chain;

/* Products of a block of columns with the wrenches of one coordinate; see dynamics/pairs.h */
typedef struct pair_block {
  mbd_real K[LANES], C[LANES], M[LANES], K_row[LANES], C_row[LANES];
} pair_block;

typedef struct marker_state {
  mbd_real p[3], v[3], a[3]; /* position (or the vector), rate, second rate minus gravity */
} marker_state;

/* Sums over the bodies beyond a joint, as if locked together. */
typedef struct composite {
  mbd_inertia in;
  mbd_real pf[3]; /* linear momentum */
  mbd_real Bn[9]; /* angular block of the velocity-product matrix, see jacobian.c */
  mbd_real W[6];  /* inertia wrenches */
} composite;

/* Forces on the bodies beyond a joint, of the elements that are independent of the motion of one common body; see
 * second.c */
typedef struct second_state {
  int any;                   /* 0: none, the rest is not set */
  mbd_real f[3], S[9], m[3]; /* sums of forces, of arm f', of moments without a point; arms from r */
} second_state;

/* The wrench of elements that act on one body alone, and its slopes by the motion of the body, summed over all bodies
 * beyond a joint; see slopes.c */
typedef struct body_slopes {
  int any, damped;           /* 0: none, the rest is not set; D is not zero */
  mbd_real F[6];             /* wrench on the body alone; like K and D at its centre of mass */
  mbd_real K[6][6], D[6][6]; /* slopes by the displacement and by the velocity of the body; D is set if `damped` is 1 */
} body_slopes;

/* Wrench on a body, or on all bodies beyond a joint, and its change along a direction; see vary_forces.c */
typedef struct wrench_variation {
  int any;              /* 0: none, the rest is not set */
  mbd_real F[6], dF[6]; /* at r; F only if the body moves */
} wrench_variation;

/* An external wrench: a force and a torque, in global axes, on a body (not the ground) at a point fixed in it, in its
 * body frame. The same structure holds changes of these numbers, and derivatives by them. */
typedef struct external_wrench {
  int body;
  mbd_real point[3], force[3], torque[3];
} external_wrench;

/* The change of the motion of a body, and of all bodies that it carries, along a direction of coefficients and
 * coordinates; see variation.c. */
typedef struct body_variation {
  int active;
  mbd_real x[6], c[6], e[6]; /* displacement, change of velocity and of acceleration, at the body's reference point */
  mbd_real x0[6], x1[6];     /* displacement of the frame that carries its joint's columns before and behind `mid` */
} body_variation;

typedef struct mbd_variation {
  const mbd_dparams *d;            /* direction of the coefficients; NULL: held */
  const mbd_real *dz, *dzd, *dzdd; /* [nz] of the coordinates, not copied; NULL: held */
  mbd_real stretch;                /* stretch of time: the time changes by t times this */
  const external_wrench *external; /* changes of the external wrenches, not copied; NULL: zero */
  const body_variation *body;      /* [nb] */
  int any;                         /* 1: some body or coordinate moves */
} mbd_variation;

/* Several directions of the coordinates at once; see several.h. */
/* The changes of a body: x, c, e of struct body_variation, by number. */
enum { SEVERAL_X, SEVERAL_C, SEVERAL_E, SEVERAL_KINDS };

typedef struct body_several {
  mbd_lane m[SEVERAL_KINDS][6]; /* at the body's reference point */
  mbd_lane x0[6];               /* displacement of the frame that carries its joint's columns */
  mbd_lane dF[6];               /* change of the wrench on the bodies beyond its joint, at r */
  mbd_real F[6];                /* the wrench on these bodies */
} body_several;

/* The directions and the sums along them. */
typedef struct work_several {
  mbd_lane *dz, *dzd; /* [nz]; zero where held */
  mbd_lane *dr;       /* [nz] change of generalized forces */
  int requested;      /* bit 1 << SEVERAL_X and so on: the kinds that are swept */
  int rates;          /* 0: dzd is held */
  body_several *body; /* [nb]; the ground's is zero */
} work_several;

/* The stage of the work; each stage includes those before it. Columns are swept when they are first needed. */
typedef enum work_stage { WORK_EMPTY, WORK_PLACED, WORK_MOVED, WORK_COLUMNS } work_stage;

/* The markers that sweeps place and move. */
typedef struct work_swept {
  int n, *marker;    /* [nmarker] their numbers, in any order */
  int light;         /* 1: some of them, or a rotation that is read, are on light bodies */
  unsigned char *is; /* [nmarker] */
} work_swept;

/* Gravity of the last motion sweep. */
typedef struct work_gravity {
  int on;
  mbd_real g[3]; /* zero when off */
} work_gravity;

/* External wrenches at the current motion. */
typedef struct work_external {
  int n;
  const external_wrench *wrench; /* [n] not owned */
} work_external;

/* The wrenches that a coordinate causes, at the reference point of a body. */
typedef struct column_wrench {
  mbd_real z[6], v[6], a[6]; /* dW/dz, dW/dzd, dW/dzdd = I b */
  mbd_real Bb[6], Kb[6]; /* B' b, K' b; for inertia alone the first has an angular part only, and the second is zero */
  int moving, sloped;    /* moving: 0, without velocities, v is zero; sloped: 0, inertia alone */
} column_wrench;

/* While matrices are formed. */
typedef struct work_formed {
  column_wrench *shape; /* [nz] of an amplitude, the sum over all nodes and points of its beam, at its body */
  column_chain chain;   /* chain of one body */
  pair_block *pair;     /* [blocks of the chain] */
  const mbd_nonzeros *K_at, *M_at; /* places of the matrices, if they are packed, not owned; NULL: [nz][nz] */
} work_formed;

/* [model_arg_max][nz][3] columns of one element, each coordinate once at most. */
typedef struct work_element {
  mbd_real *dx, *dxd, *dxdd;
  mbd_real *dxdd_zd; /* d xdd / d zd */
} work_element;

/* Sums of second.c. */
typedef struct work_second {
  int nlevel;          /* longest chain of joints */
  second_state *state; /* [nb][nlevel] by level of the common body; NULL: not wanted */
  int any;             /* 1: some of it is set */
} work_second;

/* What Jacobians leave of forces. */
typedef struct work_forces {
  body_slopes *slopes; /* [nb]; NULL: not wanted */
  /* [nforce] forces on their arguments, from the last Jacobian; NULL: not wanted */
  mbd_real (*on_args)[ELEMENT_ARG_MAX][3];
  int known;             /* they are of the current motion */
  mbd_real *kept_slopes; /* slopes of forces (dynamics/kept_slopes.c); NULL: not stored */
} work_forces;

/* Wrenches through the joints of the tree; section.c */
typedef struct work_section {
  mbd_real *wrench, *lam; /* [nb][6], and [nphi] the multipliers they are of */
  int known;              /* 1: they belong to the current motion */
  unsigned char *beyond;  /* [nb] bodies of a section, while one is in use */
} work_section;

/* The change along one direction; variation.c, vary_forces.c */
typedef struct work_variation {
  mbd_variation last;            /* the last direction, of the current motion; its bodies are one of: */
  body_variation *moved, *still; /* [nb] as computed; none of them active, for directions that move no body */
  wrench_variation *dF;          /* [nb] */
} work_variation;

struct mbd_work {
  const mbd_model *model;
  mbd_reference reference; /* any but "auto" */
  int open;                /* 1: work_choose_reference chooses it */
  work_stage stage;
  work_stage light; /* of light bodies (model.h), which are swept when they are read: sweep_light; at most `stage` */

  /* the motion of the last sweeps */
  const mbd_params *p; /* of the last position sweep, with its time; not owned */
  mbd_real t;
  mbd_real *z, *zd, *zdd; /* [nz] for coordinate arguments */
  int moving;             /* 0: velocities were taken as zero */
  work_gravity gravity;
  work_external external;
  work_swept swept;
  body_state *body;   /* [nb] */
  column_state *col;  /* [ncol] */
  marker_state *mark; /* [nmarker] */
  composite *comp;    /* [nb] */
  mbd_real *F;        /* [nb][6] wrenches summed towards the ground */

  /* its derivatives */
  work_formed formed;
  work_element element;
  work_second second;
  work_forces forces;
  work_section section;
  work_variation variation;
  work_several several;
  struct mbd_reverse *reverse; /* a separate reverse sweep for rows of outputs */
  mbd_real *row;               /* [5 nz + 4 nphi] the gradient of an output that is part of another */
  /* Angles whose turns are counted, those that forces read (model.nturn) before those of outputs: the time of the last place where they were
   * counted (NAN: none), then [angles][2] each of them and its rate there; not owned; NULL: none are counted. */
  const mbd_real *turns;
  mbd_arena arena;
};

/* mbd_work_create with a choice; matrices: 0: no memory for mass matrices, for derivatives as matrices (the memory of
 * second.c grows with the length of chains), and for products of these with several directions: such a work has no
 * motion_mass, motion_jacobian, motion_rest_times and motion_rates_times. */
mbd_status work_create(const mbd_model *m, mbd_reference reference, int matrices, mbd_work **out, mbd_error *err);

/* Chooses the reference points for parameters if they are "auto": the centres of mass, if in the position of the model file, z = 0, a body is
 * more than a hundred times as far from the origin as bodies extend. Inertias about the origin lose twice the digits of this ratio. */
void work_choose_reference(mbd_work *w, const mbd_params *p);

/* Which markers sweeps place and move from the next position sweep on: all markers, as after work_create; those that
 * forces and constraints use; in addition those of a lift, or a single one. Other markers are undefined. */
void work_sweep_all_markers(mbd_work *w);
void work_sweep_element_markers(mbd_work *w);
void work_sweep_lift(mbd_work *w, const mbd_lift *l);
void work_sweep_marker(mbd_work *w, int k);

/* Marker k of the last sweep. */
static inline const marker_state *work_marker(const mbd_work *w, int k) {
  assert(w->swept.is[k]);
  return &w->mark[k];
}

/* Arm of marker k at the reference point r of its body: p - r of a point, a vector itself. */
static inline void marker_arm(const mbd_work *w, int k, mbd_real arm[3]) {
  const mbd_marker *marker = &w->model->marker[k];
  v3_copy(arm, work_marker(w, k)->p);
  if (marker->is_point) { v3_sub(arm, arm, w->body[marker->body].r); }
}

/* F += the wrench at r of a force f on a point, or of f as arm x f on a vector. */
static inline void marker_wrench_add(mbd_real F[6], const mbd_real f[3], const mbd_real arm[3], int is_point) {
  if (is_point) { v3_add(F, F, f); }
  v3_cross_add(F + 3, arm, f);
}

/* Transforms a twist from the joint frame, at the joint's point, to the global frame, at r. */
static inline void body_twist(mbd_real out[6], const body_state *b, const mbd_real H[6]) {
  mbd_real arm[3];
  m3_vec(out + 3, b->D, H + 3);
  m3_vec(out, b->D, H);
  v3_sub(arm, b->r, b->s);
  v3_cross_add(out, out + 3, arm);
}

/* The transpose: transforms a wrench at r to the joint frame, at the joint's point, so that H . local = body_twist(H) .
 * F. */
static inline void body_local_wrench(mbd_real local[6], const body_state *b, const mbd_real F[6]) {
  mbd_real n[3], arm[3];
  v3_sub(arm, b->r, b->s);
  v3_copy(n, F + 3);
  v3_cross_add(n, arm, F);
  m3_Tvec(local, b->D, F);
  m3_Tvec(local + 3, b->D, n);
}

#endif
