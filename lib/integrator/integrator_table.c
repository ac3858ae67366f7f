/* The table of time schemes: a new one is one file and one word here. */
#include "base/table.h"
#include "integrator/integrator.h"

#define MBD_INTEGRATORS(X) X(newmark) X(generalized_alpha) X(runge_kutta_4) X(dormand_prince)

#define DECLARED(n) extern const mbd_integrator_ops mbd_integrator_##n;
#define LISTED(n)   &mbd_integrator_##n,
MBD_INTEGRATORS(DECLARED)

MBD_TABLE(mbd_integrator_ops, MBD_INTEGRATORS(LISTED), mbd_integrator_at, mbd_integrator_find, mbd_integrator_name,
          name)
