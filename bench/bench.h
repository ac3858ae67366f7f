/* What the parts of the benchmark share. */
#ifndef MBD_BENCH_H
#define MBD_BENCH_H

#include "mbd/status.h"

double bench_now(void); /* time of this process on a core [s] */

/* Ends the program with the message unless status is MBD_OK. */
void bench_must(mbd_status status, const mbd_error *err);

/* The two manoeuvres of problems/buggy: speed, cost of a gradient, and where the time of a step goes. */
void bench_buggy(const char *path);

/* The effect of the number of parameters, for run files in the folder `configs`. */
void bench_parameters(const char *configs);

#endif
