/* The table of time schemes: a new one is one file and one word here. */
#include "base/table.h"
#include "integrator/integrator.h"

#define MBD_INTEGRATORS(X) X(newmark) X(generalized_alpha) X(runge_kutta_4) X(dormand_prince)

#define X(n) extern const mbd_integrator_ops mbd_integrator_##n;
MBD_INTEGRATORS(X)
#undef X

static const mbd_integrator_ops *const integrators[] = {
#define X(n) &mbd_integrator_##n,
    MBD_INTEGRATORS(X)
#undef X
};

MBD_TABLE(mbd_integrator_ops, integrators, mbd_integrator_at, mbd_integrator_find, name)
