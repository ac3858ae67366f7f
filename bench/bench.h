/* What the parts of the benchmark share. */
#ifndef MBD_BENCH_H
#define MBD_BENCH_H

#include "mbd/model.h"

double bench_now(void); /* time of this process on a core [s] */

/* Ends the program with the message unless status is MBD_OK. */
void bench_must(mbd_status status, const mbd_error *err);

/* Links on revolute joints with axes in turn along x, y, z; link i hangs on link (i - 1) / branches. */
mbd_model *bench_tree(int bodies, int branches);

/* Link i of such a tree: its joint's place on the body that carries it, where its own frame is at zero angles; the joint's axis. */
typedef struct bench_link {
  double mass, com[3], inertia[6]; /* xx yy zz xy xz yz, about the centre of mass */
  double place[3], axis[3];
} bench_link;
bench_link bench_link_of(int i);

/* Such links in the tree of a human that S4 publishes: 43 joints, seven branches, depths that add up to 395. Parent -1: the ground. */
enum { BENCH_HUMAN = 43 };
int bench_human_parent(int i);
mbd_model *bench_human(void);

/* The two manoeuvres of problems/buggy: speed, cost of a gradient, and where the time of a step goes. */
void bench_buggy(const char *path);

/* S3's multiple four-bar linkage of so many loops side by side and below each other, and its time steps with dense and with sparse factors. */
mbd_model *bench_linkage(int columns, int levels);
void bench_linkages(void);

/* The links of bench_tree in a chain, at rest in half a circle below the place where it begins. closed: its end is on a ball joint; cut > 0: every
 * so many links the joint is cut, and the link floats. */
mbd_model *bench_arc(int bodies, int closed, int cut);

/* Recursion of order n with closed loops; argv: nothing, a family, or a family, a method and a number of steps. */
void bench_loops(const char *problems, int argc, char **argv);

/* The effect of the number of parameters, for run files in the folder `configs`. */
void bench_parameters(const char *configs);

/* The formulations on the same problems, for run files in the folder `configs`. */
void bench_formulations(const char *configs);

/* The study layer: scaling with workers, overhead, very many runs, for run files in the folder `configs`. */
void bench_studies(const char *configs);

/* Products with the Jacobian of a trajectory, for run files in the folder `configs`. */
void bench_trajectory(const char *configs);

/* Designs in lanes beside one by itself, for run files in the folder `configs`. */
void bench_lanes(const char *configs);

/* Inverse dynamics of that tree and its matrices for 301 samples of a motion: of the links, and of the human in `problems`. */
void bench_inverse(const char *problems);

/* The effect of the number of bodies: chains and their gradients, fully recursive and with a mass matrix. */
void bench_chain(void);

/* Seconds for the O(n^4) part of what a variable adds to an evaluation of such a chain by conventional direct differentiation. */
double bench_conventional(int bodies);

#endif
