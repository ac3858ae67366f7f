/* All load cases of a design, each in a thread of its own. */
#ifndef MBO_CASES_H
#define MBO_CASES_H

#include "mechanism/case_gradient.h"

/* Run `work` for every case that has objectives or constraints, in threads. A case's numbers must depend on nothing that
 * another one does; then neither they nor the error that is reported, that of the first case that failed, depend on the
 * number of threads. */
typedef mbd_status (*cases_work)(mechanism *m, mechanism_case *load, mbd_error *err);
mbd_status cases_each(mechanism *m, cases_work work, mbd_error *err);

/* Sets m->lanes and m->lockstep, once the cases are known. Errors of lockstep_create. */
mbd_status cases_make_lanes(mechanism *m, mbd_error *err);
void cases_free_lanes(mechanism *m);

/* Simulate all cases at rho [n]: psi [quantities]. Gradients and Gauss-Newton matrices as `ask` says are left in the cases
 * (case_row, case_add_sum, gn). */
mbd_status cases_simulate(mechanism *m, const double *rho, case_request ask, double *psi, mbd_error *err);

/* Simulates the scenarios alone at the design that is set, without gradients: m->psi of their samples. The cases of the run file keep their last
 * results. */
mbd_status cases_simulate_scenarios(mechanism *m, mbd_error *err);

/* To first order across scenarios, after an evaluation with gradients: the curvature of each quantity (scenarios.h). Cost: a complex simulation with its
 * adjoint for each scalar that scatters and each case. Errors of mbd_referee_second. */
mbd_status cases_curvature(mechanism *m, mbd_error *err);

/* Before the first evaluation: a sharpness that the run file leaves out is SHARPNESS divided by the range of its output at the start of the run
 * file, in two digits, whatever design is evaluated, so that the objective is one function. It takes a simulation of the cases that have one, and
 * nothing later on. Fails as that simulation does, and with MBD_BAD_INPUT where the output does not change there. */
enum { SHARPNESS = 50 };
mbd_status cases_choose_sharpness(mechanism *m, mbd_error *err);

#endif
