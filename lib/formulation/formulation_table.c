/* The table of formulations: a new one is one file and one word here. */
#include "base/table.h"
#include "formulation/formulation.h"

#define MBD_FORMULATIONS(X) X(ali3p) X(penalty) X(matrix_r) X(semi_recursive) X(fully_recursive)

#define X(n) extern const mbd_formulation_ops mbd_formulation_##n;
MBD_FORMULATIONS(X)
#undef X

static const mbd_formulation_ops *const formulations[] = {
#define X(n) &mbd_formulation_##n,
    MBD_FORMULATIONS(X)
#undef X
};

MBD_TABLE(mbd_formulation_ops, formulations, mbd_formulation_at, mbd_formulation_find, name)
