/* The beams of a model: their nodes, their elasticity, and the numbers behind all coefficients that follow from a design (flexible/beam.h).
 * Equations: theory.md §12. */
#ifndef MBD_BEAMS_H
#define MBD_BEAMS_H

#include "model/numbers.h"
#include "model/spec_internal.h"

/* Adds the beams of the description, once the bodies and the joints of the model exist; body_of [nbody]: bodies of the model. */
mbd_status beams_build(mbd_model *m, const mbd_spec *s, const int *body_of, mbd_error *err);
/* Adds the force of elasticity of each beam to the forces, for which there is memory, once there are coordinates. */
mbd_status beams_build_forces(mbd_model *m, mbd_error *err);
/* Finds the points of inertia that are light (model.h), once there are all elements. */
void beams_find_light(mbd_model *m);
void beams_destroy(mbd_model *m);

mbd_status beams_check(const mbd_model *m, const double *theta, mbd_error *err); /* MBD_OUT_OF_DOMAIN: not positive */

/* The numbers in theta; their change along dtheta; the transpose, after which the derivatives by these numbers are zero, by the coefficients
 * that are requested; and which of them are requested. */
void beams_set(const mbd_model *m, mbd_real *theta);
void beams_direct(const mbd_model *m, const mbd_real *theta, mbd_real *dtheta);
void beams_reverse(const mbd_model *m, const mbd_real *theta, const unsigned char *requested, mbd_real *thetabar);
void beams_request(const mbd_model *m, unsigned char *requested);
/* 1: one of n coefficients from `first`, which may be none (-1), is requested. */
int coefs_requested(const unsigned char *requested, int first, int n);

/* Beam i, bodies with data from outside not counted, with *station := the one that is number k from its clamped end to its tip. NULL: there are
 * not so many. */
const mbd_beam *beams_station(const mbd_model *m, int i, int k, int *station);

/* The frames and the scale of the modal joint of a node, beyond what all joints have; their change; the transpose. */
void beams_set_node(mbd_params *p, int joint);
void beams_direct_node(const mbd_params *p, mbd_dparams *d, int joint);
void beams_reverse_node(const mbd_params *p, params_reverse *u, int joint);

#endif
