/* Outputs: the named quantities that objectives, constraints and result files are made of.
 *
 *   POINT.position[.x|.y|.z|.norm]      [m]      likewise .velocity, .acceleration; without component: x, y and z
 *                                                a point of several bodies that no joint or constraint keeps together
 *                                                needs its body: POINT@BODY.position
 *   BODY.angle.x|.y|.z                  [rad]    angle about a global axis of the body seen along it, in (-pi, pi]
 *   BODY.rate[.x|.y|.z|.norm]           [rad/s]  angular velocity, global components
 *   BODY.roll, .pitch, .yaw             [rad]    attitude of the body's frame, x forward, y left, z up (ISO 8855)
 *   BODY.roll_rate, .pitch_rate, .yaw_rate       [rad/s] their rates
 *   COORDINATE, .rate, .acceleration             a joint coordinate ("J1.angle") or an added one
 *   FORCE.length, .speed, .force                 what the force's type offers; on a coordinate [N] or [N m]
 *   FORCE.power                         [W]      of any force on the mechanism
 *   CONSTRAINT.multiplier[.x|.y|.z|.norm]        the multipliers of its equations that go with the accelerations, of the
 *                                                order of the integrator (formulation/projection.h), as lam'Phi is an
 *                                                energy: [N] where the equations are lengths, [N/m] squares of lengths,
 *                                                [N m] angles and products of unit vectors; closures are named
 *                                                "JOINT.coincident", and theirs is the reaction of the cut joint [N]
 *   energy.kinetic, .potential, .total  [J] */
#ifndef MBD_OUTPUT_H
#define MBD_OUTPUT_H

#include "mbd/model.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mbd_outputs mbd_outputs;

mbd_status mbd_outputs_create(const mbd_model *m, mbd_outputs **out, mbd_error *err);
void mbd_outputs_destroy(mbd_outputs *o);

/* Add a quantity: one to three scalars, *first .. *first + *count - 1. The same quantity added twice is found again.
 * MBD_BAD_INPUT: what part of the name is not known, and the nearest that is. */
mbd_status mbd_outputs_add(mbd_outputs *o, const char *quantity, int *first, int *count, mbd_error *err);

int mbd_outputs_count(const mbd_outputs *o);
const char *mbd_outputs_name(const mbd_outputs *o, int i);
const char *mbd_outputs_unit(const mbd_outputs *o, int i);

/* For tables with a column per quantity. An output that was added alone and as a part of a vector is there twice, with one
 * name: 1 for the second. A coordinate, its rate or acceleration: its number; a multiplier: its equation's; else -1. */
int mbd_outputs_is_repeated(const mbd_outputs *o, int i);
int mbd_outputs_coordinate(const mbd_outputs *o, int i);
int mbd_outputs_multiplier(const mbd_outputs *o, int i);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
