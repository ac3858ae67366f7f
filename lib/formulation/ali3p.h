/* What the step of ALI3-P and its derivatives share. */
#ifndef MBD_ALI3P_H
#define MBD_ALI3P_H

#include "formulation/formulation.h"
#include "formulation/matrices.h"
#include "formulation/projection.h"

mbd_status ali3p_step(mbd_sim *s, mbd_error *err);

/* Phi, Phi_z, and the tangent's pieces K (with the reactions' part), C, M at the present iterate: s->now.z, and the rates
 * s->vs, s->as. */
void ali3p_evaluate_tangent(mbd_sim *s);

/* T0 = a M + c C + K */
void ali3p_sum_tangent(mbd_sim *s);

/* P0, the penalty alpha_P, and the factors P of P0 + alpha_P Phi_z' Phi_z, at the swept position. */
mbd_status ali3p_factor_projection(mbd_sim *s, mbd_error *err);

/* For constraints near to depending on each other. NULL where constraints yield: Phi is not zero there, and redundant rows
 * differ by its order (penalty.c). */
mbd_weak *ali3p_weak(mbd_sim *s);

/* T0 and Phi_z on the factors of the last iterate; the compliance of constraints that yield. */
mbd_saddle ali3p_motion_system(mbd_sim *s);

/* The matrix of both projections, P and Phi_z, on its factors. */
mbd_saddle ali3p_projection_system(mbd_sim *s);

/* Sensitivities of the step (S0 §4) from those of the step before in s->sens, after the motion and after the projections. */
mbd_status ali3p_sens_motion(mbd_sim *s, mbd_error *err);
mbd_status ali3p_sens_projection(mbd_sim *s, mbd_error *err);

/* The step turned around (ali3p_adjoint.c). */
mbd_status ali3p_adjoint_step(mbd_sim *s, sim_adjoint *a, mbd_error *err);
/* Refuses integrators that are not of Newmark's family. */
mbd_status ali3p_create(mbd_sim *s, mbd_error *err);

/* What the adjoint reads of a step. */
size_t ali3p_record_reals(const mbd_sim *s);
void ali3p_copy_record(mbd_sim *s, sim_copy copy, mbd_real **at);

/* A node of the continuous adjoint (ali3p_continuous.c). */
mbd_status ali3p_continuous_adjoint(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err);

#endif
