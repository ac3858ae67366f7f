/* The mechanics of one motion (theory.md §3): the residual
 *   r = M(z) zdd - Q(z, zd, t) + Phi_z' lam
 * the constraints Phi, Phid, Phidd, and their derivatives: as matrices, along a direction of coefficients and coordinates, and in
 * reverse. All that formulations, starts and sensitivities ask of bodies, joints and elements is asked here.
 *
 * The motion is placed, then moved: the work holds it, and every function says which of the two it needs (an assert of builds
 * without NDEBUG). Matrices are row-major. Entries of M, Phi_z and its rates that are zero at every motion are not written: their
 * memory is cleared once, by the caller. */
#ifndef MBD_MOTION_H
#define MBD_MOTION_H

#include "kinematics/reverse.h"
#include "mbd/user_force.h"
#include "la/packed.h"

/* ---- the motion ---- */

/* The bodies at the coordinates z [nz] and the time t, for the parameters p, which stay the caller's until the next placing. */
void motion_place(mbd_work *w, const mbd_params *p, mbd_real t, const mbd_real *z);

/* Velocities zd and accelerations zdd [nz] at the placed position. zd NULL: at rest, for products with M, which see no forces.
 * gravity  1: the ground accelerates with -g, so that the inertia of a body has its weight */
void motion_move(mbd_work *w, const mbd_real *zd, const mbd_real *zdd, int gravity);
/* Both leave out points of inertia of beams (`light` bodies, kinematics/sweep.h). Brings these to the stage of the others, for who reads the state
 * of any body. */
void motion_light_bodies(mbd_work *w);
/* Other rates of coordinate j, which moves no body, at the motion that is there. */
static inline void motion_move_free(mbd_work *w, int j, mbd_real zd, mbd_real zdd) {
  w->zd[j] = zd, w->zdd[j] = zdd;
}

/* Wrenches from outside, in the list [n] that stays the caller's, which act from now on, at this and at later motions: they are among
 * the forces of the residual, of its derivatives and of its reverse pass. Sections do not contain them. n = 0: none, as in a new work. Their
 * changes belong to a direction, as a stretch does; NULL: held. */
static inline void motion_external(mbd_work *w, int n, const external_wrench *list) {
  w->external.n = n, w->external.wrench = list;
}
static inline void motion_external_along(mbd_work *w, const external_wrench *change) {
  w->variation.last.external = change;
}

/* ---- what the functions below are about ---- */

/* Rows: the constraints of the model, then the first nhold of its held quantities, one row each. Held quantities may be more than
 * quadratic in their arguments (angles), so there are no derivatives of their Phidd. */
typedef struct motion_rows {
  const mbd_model *m;
  int nhold, nrow;
} motion_rows;

static inline motion_rows motion_constraints(const mbd_model *m) {
  return (motion_rows){m, 0, m->nphi};
}
static inline motion_rows motion_with_holds(const mbd_model *m, int nhold) {
  return (motion_rows){m, nhold, m->nphi + nhold};
}

/* The terms of a residual: M zdd or not, - Q or not, and the reactions of rows with the multipliers lam [nrow], NULL: none. */
typedef struct motion_terms {
  int inertia, forces;
  motion_rows rows;
  const mbd_real *lam;
} motion_terms;

/* r + Phi_z' lam. Moved. */
static inline motion_terms motion_equations(motion_rows rows, const mbd_real *lam) {
  return (motion_terms){.inertia = 1, .forces = 1, .rows = rows, .lam = lam};
}

/* ---- values ---- */

/* r [nz] without reactions, theory.md §3 (3.2). Moved. Cost O(bodies). */
void motion_residual(mbd_work *w, mbd_real *r);

/* r + Phi_z' lam and Phi [nrow] in one sweep, without Phi_z; of velocity constraints Psi. Moved. Cost O(bodies + rows). */
void motion_residual_held(mbd_work *w, motion_rows rows, const mbd_real *lam, mbd_real *phi, mbd_real *r);

/* Inertia of rotor i of the model's nrotor, a mass term of the coordinate *j. Placed. */
mbd_real motion_rotor(const mbd_work *w, int i, int *j);
mbd_real motion_rotor_direction(const mbd_work *w, int i); /* its change along the direction of motion_along */

/* M, by composite bodies, theory.md §3 (3.6); at: where it can differ from zero, if it is packed. Placed. Cost O(sum of the depths). */
void motion_mass(mbd_work *w, const mbd_nonzeros *at, mbd_real *M);

/* Phi [nrow] (NULL: not wanted) and Phi_z [nrow][nz]. Placed. Velocity constraints have no Phi: zero, and A in the place of Phi_z. */
void motion_phi(mbd_work *w, motion_rows rows, mbd_real *phi, mbd_real *Phi_z);
/* The same into rows anywhere, zero before: row i begins at row[i] [nrow], column j is its entry at[j] [nz]; of rows with packed[i] 1 only
 * the columns of their constraint are there, side by side (packed NULL: of none) */
void motion_phi_scattered(mbd_work *w, motion_rows rows, mbd_real *phi, mbd_real *const *row, const int *at,
                          const unsigned char *packed);
/* Such a row of the constraint c := 0 */
void motion_clear_scattered(const mbd_constraint *c, int i, mbd_real *const *row, const int *at,
                            const unsigned char *packed);
/* In rows of P, each with the columns of its constraint; rows that are all zero have none. Memory for all of them. */
void motion_phi_packed(mbd_work *w, motion_rows rows, mbd_real *phi, const mbd_packed *P);

/* phi_t [nrow] = dPhi/dt at fixed z: Phid = Phi_z zd + phi_t. Placed. */
void motion_phi_t(const mbd_work *w, motion_rows rows, mbd_real *phi_t);

/* Phidd [nrow], theory.md §4 (4.2). Moved. */
void motion_phidd(const mbd_work *w, motion_rows rows, mbd_real *phidd);

/* psi [nvelocity_row] and psi_z [nvelocity_row][nz] (each NULL: not wanted) of the velocity constraints, psi = A zd + b; with psi_z the derivatives
 * psid_z, psid_zd of psid (NULL: neither). Moved. Entries that are zero at every motion are not written. */
void motion_velocity_rows(mbd_work *w, mbd_real *psi, mbd_real *psi_z, mbd_real *psid_z, mbd_real *psid_zd);

/* Kinetic energy; potential energy of gravity and of the springs. Moved. */
mbd_real motion_kinetic(mbd_work *w);
mbd_real motion_potential(mbd_work *w);

/* Value f of force number i on its arguments, and these in x. Moved. */
void motion_force(const mbd_work *w, int i, mbd_arg_state *x, mbd_real (*f)[3]);

/* ---- sections ---- */

/* A section frees a part of the mechanism. What the rest exerts on that part through it is a wrench F, here in global axes about the
 * reference point r of `body`:
 *   count < 0   through the joint that carries `body`, on all bodies beyond,
 *                 F = sum over them of (inertia wrench - applied wrenches + their part of Phi_q' lam)
 *               with the forces that act along the joint's own coordinates, which are no wrenches on bodies but part of F
 *   count >= 0  through the constraints first, .., first + count - 1, on `body` alone,  F = -(its part of Phi_q' lam)      (3.7) */
typedef struct motion_section {
  int body, first, count;
} motion_section;

/* F. Moved. Cost O(bodies + elements), once at a motion with its lam for all joints of the tree; through constraints O(count). */
void motion_section_wrench(mbd_work *w, const motion_section *s, const mbd_real *lam, mbd_real F[6]);
/* Its change along the direction of motion_along and dlam [nphi] (NULL: held), about the same place. */
void motion_section_direction(mbd_work *w, const motion_section *s, const mbd_real *lam, const mbd_real *dlam,
                              mbd_real dF[6]);
/* L += T . F for a rigid motion T of all space, at r, that nothing changes; lam_T [nphi] += its derivatives by lam. */
void motion_section_reverse(mbd_reverse *sweep, const motion_section *s, const mbd_real *lam, const mbd_real T[6],
                            mbd_real *lam_T);

/* The force of elements along coordinate j itself: motors, springs, drives, gears; its change along the direction; and L += s times it. */
mbd_real motion_on_coordinate(const mbd_work *w, int j, const mbd_real *lam);
mbd_real motion_on_coordinate_direction(const mbd_work *w, int j, const mbd_real *lam, const mbd_real *dlam);
void motion_on_coordinate_reverse(mbd_reverse *sweep, int j, const mbd_real *lam, mbd_real s, mbd_real *lam_T);

/* ---- derivatives as matrices ---- */

/* K = dr/dz, C = dr/dzd, M = dr/dzdd [nz][nz], theory.md §3 (3.3). C and M may be NULL (C only without forces). Moved, with velocities
 * where C is wanted; a work with matrices.
 * at: where K and C can differ from zero: they are overwritten there alone, and are packed if this says so; NULL: not known, and they are
 * overwritten everywhere. M_at: the same of M; NULL: it is not packed.
 * Cost O(sum of the depths) and the elements'. */
void motion_jacobian(mbd_work *w, const motion_terms *e, const mbd_nonzeros *at, mbd_real *K, mbd_real *C,
                     const mbd_nonzeros *M_at, mbd_real *M);

/* dPhid/dz, dPhidd/dz, dPhidd/dzd [nrow][nz]; the last two may be NULL, both. Moved. */
void motion_rates_z(mbd_work *w, motion_rows rows, mbd_real *Phid_z, mbd_real *Phidd_z, mbd_real *Phidd_zd);

/* The same derivatives times k directions of the coordinates at once, at most MOTION_SEVERAL of them, blocks [.][k], without the
 * matrices (theory.md §3 (3.4)). Cost O(bodies + elements), the same for any k.
 *   dr [nz][k] += c d(M x + Phi_z' lam)/dz dz, at rest with the accelerations x; e has no forces. Moved.
 *   dphid += Phid_z dz + Phi_z dzd,   dphidd += Phidd_z dz + Phidd_zd dzd [nrow][k], each may be NULL. Moved.
 * dz, dzd [nz][k]; NULL: held */
enum { MOTION_SEVERAL = MBD_LANES };
void motion_rest_times(mbd_work *w, const motion_terms *e, int k, mbd_real c, const mbd_real *dz, mbd_real *dr);
void motion_rates_times(mbd_work *w, motion_rows rows, int k, const mbd_real *dz, const mbd_real *dzd, mbd_real *dphid,
                        mbd_real *dphidd);

/* T [nz][nz] += alpha Phi_z' W Phi_z, Phi_z of the constraints: an element touches few columns. weight [nphi]: the diagonal of W;
 * NULL: ones */
void motion_add_gram(const mbd_model *m, const mbd_real *Phi_z, mbd_real alpha, const double *weight, mbd_real *T);

/* The places where K, C and M can differ from zero. By inertia: coordinates of one joint, or of two joints of which one is between the
 * other and the ground. By forces or constraints: all pairs of coordinates that move their arguments. These places of mark [nz][nz]
 * become 1, others stay. Wrenches from outside add no places to those of inertia. */
void motion_mark_inertia(const mbd_model *m, unsigned char *mark);
void motion_mark_forces(const mbd_model *m, unsigned char *mark);
void motion_mark_constraints(const mbd_model *m, unsigned char *mark);

/* ---- derivatives along a direction ---- */

/* The direction d of the coefficients with dz, dzd, dzdd [nz] of the coordinates, all of which stay the caller's; NULL: held. It
 * is valid until the next motion or direction. Moved. Cost O(bodies). */
void motion_along(mbd_work *w, const mbd_dparams *d, const mbd_real *dz, const mbd_real *dzd, const mbd_real *dzdd);

/* The same direction with a stretch of time: t changes by t times `stretch`. Elements see the time through curves. */
static inline void motion_stretch(mbd_work *w, mbd_real stretch) {
  w->variation.last.stretch = stretch;
}

/* 1: the coefficients' direction d (NULL: none) is one of forces and gravity alone: rows do not change along it, nor do inertia and reactions
 * at a motion without gravity; a stretch of time is another matter. */
int motion_of_forces_alone(const mbd_model *m, const mbd_dparams *d);

/* Does force number i change along the direction by itself, its arguments held? How, for its functions of directions. */
int motion_force_moves(const mbd_work *w, int i);
mbd_element_direction motion_force_along(const mbd_work *w, int i);

/* The state and coefficients at which force i, a force of the user, is evaluated, as in mbd/user_force.h, real parts. NULL: it is of
 * another type. */
const mbd_user_force *motion_user_force(const mbd_work *w, int i, double *state, double *coef);
/* The first force of one's own that is no finite number at finite arguments; -1: none. */
int motion_not_finite(const mbd_work *w);

/* Changes along it, theory.md §3 (3.4), at fixed lam: dr [nz] of the residual, dphi, dphid, dphidd [nrow] of the rows; each may
 * be NULL.
 * Cost O(bodies + elements). */
void motion_direction(mbd_work *w, const motion_terms *e, mbd_real *dr, mbd_real *dphi, mbd_real *dphid,
                      mbd_real *dphidd);

/* Change of a . I b of body i by its own mass, centre of mass and inertia, for motions a, b at its reference point; the direction has
 * coefficients. */
mbd_real motion_vary_inertia(const mbd_work *w, int i, const mbd_real a[6], const mbd_real b[6]);

/* ---- derivatives in reverse ---- */

/* Reverse passes (kinematics/reverse.h) gather a scalar L at the current motion: reverse_begin; any of the functions below, each of which
 * adds to L; then its derivatives by the coordinates are read by reverse_coordinates, as often as wanted and before more is added; in the
 * end those by the joints' geometry by reverse_joints. Derivatives by the coefficients are added to the theta of the pass. */

/* A force at a motion, and a constraint's reactions: f on the arguments [narg], and their slopes K[a][b] = df_a/dx_b, D[a][b] =
 * df_a/dxd_b [narg], listed where these are not zero [narg^2]. The memory is that of the list. */
typedef struct force_linear {
  mbd_real (*f)[3], (*K)[ELEMENT_ARG_MAX][9], (*D)[ELEMENT_ARG_MAX][9];
  int nK, nD;
  lift_block *K_at, *D_at;
} force_linear;

typedef struct reaction_linear {
  mbd_real (*f)[3], (*K)[ELEMENT_ARG_MAX][9];
  mbd_real lam[MBD_ROW_MAX];
  int any, nK; /* any: f is not zero */
  lift_block *K_at;
} reaction_linear;

/* The linearization of all elements at one motion, made once for any number of reverse passes. */
typedef struct motion_linear {
  motion_rows rows;
  force_linear *force;       /* [nforce] */
  reaction_linear *reaction; /* [nconstraint + nhold] */
} motion_linear;

/* Memory in an arena, for all rows of the model; then those of the current motion, for r + Phi_z' lam (lam NULL: r). Moved. */
void motion_linear_layout(motion_linear *l, const mbd_model *m, mbd_arena *a);
force_linear *motion_force_layout(const mbd_model *m, mbd_arena *a); /* [nforce] */
void motion_linearize(mbd_work *w, motion_rows rows, const mbd_real *lam, motion_linear *l);
void motion_linearize_forces(const mbd_work *w, force_linear *list);

/* Slopes of forces that are dear to evaluate, as a Jacobian with forces has left them: how many numbers; where to leave them, which stays the
 * caller's (NULL: nowhere); and motion_linearize at the motion that they are of. */
size_t motion_kept_reals(const mbd_model *m);
static inline void motion_keep_slopes(mbd_work *w, mbd_real *kept) {
  w->forces.kept_slopes = kept;
}
void motion_linearize_kept(mbd_work *w, motion_rows rows, const mbd_real *lam, const mbd_real *kept, motion_linear *l);

/* L += mu . (r + Phi_z' lam), theory.md §3 (3.5), mu [nz] fixed; l: linearized at this motion, NULL: only for the coefficients of
 * inertia, forces and gravity */
void motion_reverse_residual(mbd_reverse *sweep, const motion_linear *l, const mbd_real *mu);

/* change[i].point, .force, .torque += the derivatives of mu . r by wrench i from outside; once, after a motion_reverse_residual. Those of a
 * point are by its place in the body's frame. */
void motion_reverse_external(const mbd_reverse *sweep, external_wrench *change);

/* L += mu . (M x + Phi_z' lam), mu and x [nz] fixed, with the reactions of e and M if e has inertia. Placed. */
void motion_reverse_mass(mbd_reverse *sweep, const motion_terms *e, const mbd_real *mu, const mbd_real *x);

/* L += nu . Phi + nud . Phid + nudd . Phidd, each [nrow] or NULL. Placed; moved for the last two. */
void motion_reverse_rows(mbd_reverse *sweep, motion_rows rows, const mbd_real *nu, const mbd_real *nud,
                         const mbd_real *nudd);

/* The same in parts: by the coefficients of the elements themselves; by what moves, which are the coordinates and the geometry. */
enum { MOTION_OWN = 1, MOTION_MOVED = 2 };
void motion_reverse_rows_part(mbd_reverse *sweep, motion_rows rows, unsigned parts, const mbd_real *nu,
                              const mbd_real *nud, const mbd_real *nudd);
/* Are all constraints linear functions of coordinates, so that their slopes are constant? */
int motion_rows_constant(const mbd_model *m);

/* theta += s times the derivatives of the inertia of rotor i. */
void motion_reverse_rotor(mbd_reverse *sweep, int i, mbd_real s);

/* theta += s d(a . I b) of body i by its mass, centre of mass and inertia, for motions a, b at its reference point. */
void motion_reverse_inertia(mbd_reverse *sweep, int i, const mbd_real a[6], const mbd_real b[6], mbd_real s);

#endif
