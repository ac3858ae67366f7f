/* What the parts of the benchmark share. */
#ifndef MBD_BENCH_H
#define MBD_BENCH_H

#include "mbd/model.h"

double bench_now(void); /* time of this process on a core [s] */

/* Ends the program with the message unless status is MBD_OK. */
void bench_must(mbd_status status, const mbd_error *err);

/* Links on revolute joints with axes in turn along x, y, z; link i hangs on link (i - 1) / branches. */
mbd_model *bench_tree(int bodies, int branches);

/* The two manoeuvres of problems/buggy: speed, cost of a gradient, and where the time of a step goes. */
void bench_buggy(const char *path);

/* Time steps of S3's multiple four-bar linkage, with dense and with sparse factors. */
void bench_linkages(void);

/* The effect of the number of parameters, for run files in the folder `configs`. */
void bench_parameters(const char *configs);

/* The formulations on the same problems, for run files in the folder `configs`. */
void bench_formulations(const char *configs);

/* The study layer: scaling with workers, overhead, very many runs, for run files in the folder `configs`. */
void bench_studies(const char *configs);

/* The effect of the number of bodies: chains and their gradients, fully recursive and with a mass matrix. */
void bench_chain(void);

#endif
