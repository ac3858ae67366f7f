/* The side of mbopt of a comparison with a library in C++: accelerations and simulations of a mechanism. */
#ifndef MBD_BENCH_OWN_H
#define MBD_BENCH_OWN_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct own own;

/* Each ends the program with a message where it fails.
 * own_tree  a tree of links (bench.h): branches 1: a chain; 0: the published tree
 * own_file  the model and the case of a run file
 * formulation: of the state-space family */
own *own_tree(int bodies, int branches, const char *formulation);
own *own_file(const char *path, const char *formulation);
void own_close(own *q);

int own_coordinates(const own *q);
int own_coordinate(const own *q, int link); /* place of a link's angle in z */
double own_duration(const own *q);
void own_start(own *q, double *z, double *zd);
/* Accelerations zdd [nz] at z, zd [nz], which satisfy the constraints. */
void own_accelerations(own *q, const double *z, const double *zd, double *zdd);
/* By Dormand-Prince with this tolerance: z, zd at the end, and at each of n + 1 nodes into zs, zds [n + 1][nz] unless these are NULL; returns the steps. */
long own_simulate(own *q, double tolerance, int n, double *z, double *zd, double *zs, double *zds);

double own_now(void); /* bench_now */
int own_parent(int i);
void own_link(int i, double *mass, double com[3], double inertia[6], double place[3], double axis[3]);

#ifdef __cplusplus
}
#endif
#endif
