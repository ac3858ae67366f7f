/* The row of ALI3-P in the table of formulations, with that of natural coordinates (ali3p_natural.c). Equations: theory.md §5.1. */
#include "formulation/ali3p.h"

extern const mbd_formulation_ops mbd_formulation_natural_ali3p;

const mbd_formulation_ops mbd_formulation_ali3p = {
    .name = "ali3p",
    .doc =
        "Index-3 augmented Lagrangian, in joint or natural coordinates, with projections of velocities and "
        "accelerations (ALI3-P): the constraints hold.",
    .in_natural = &mbd_formulation_natural_ali3p,
    .velocities = 1,
    ALI3P_FORMULATION,
    .create = ali3p_create,
    .continuous_adjoint = ali3p_continuous_adjoint,
    .continuous_of_states = 1,
};
