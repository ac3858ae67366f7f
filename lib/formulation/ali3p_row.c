/* The row of ALI3-P in the table of formulations, with that of natural coordinates (ali3p_natural.c). Equations: theory.md §5.1. */
#include "formulation/ali3p.h"

extern const mbd_formulation_ops mbd_formulation_natural_ali3p;

const mbd_formulation_ops mbd_formulation_ali3p = {
    .name = "ali3p",
    .doc =
        "Index-3 augmented Lagrangian, in joint or natural coordinates, with projections of velocities and "
        "accelerations (ALI3-P): the constraints hold.",
    .in_natural = &mbd_formulation_natural_ali3p,
    .create = ali3p_create,
    .destroy = ali3p_destroy,
    .begin = ali3p_begin,
    .step = ali3p_step,
    .state_reals = ali3p_state_reals,
    .copy_state = ali3p_copy_state,
    .record_reals = ali3p_record_reals,
    .copy_record = ali3p_copy_record,
    .adjoint_step = ali3p_adjoint_step,
    .continuous_adjoint = ali3p_continuous_adjoint,
    .continuous_of_states = 1,
    .tangent = 1,
    .projects = 1,
    .projections = ali3p_projections,
    .matrices = ali3p_matrices,
};
