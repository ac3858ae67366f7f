/* Mass and size of a mechanism, and checks of whether its numbers are plausible. */
#ifndef MBO_MEASURES_H
#define MBO_MEASURES_H

#include <stdio.h>

#include "mbd/measures.h"
#include "mechanism/mechanism.h"

/* At the position that the case's simulation has, as after mbd_sim_start; global frame. */
typedef struct measures {
  double mass, com[3];   /* total mass [kg], its centre [m]; zero without mass */
  double min[3], max[3]; /* box of all points and centres of mass [m] */
} measures;

void measures_take(const mechanism_case *load, measures *m);

/* Where a joint is at that position: its point on the first body and its axes. */
typedef struct joint_measures {
  mbd_joint_place on_bodies;   /* on the bodies */
  double point[3], axis[2][3]; /* global; axis[1] on the second body */
} joint_measures;

void measures_joint(const mechanism_case *load, int joint, joint_measures *m);

/* Writes the position in which all coordinates of a joint are zero, as the frames of its bodies: "zero where the frames coincide". With
 * frame = global they coincide in the position of the model file. */
void measures_write_zero(FILE *out, const mbd_joint_report *j, const mbd_joint_place *place);

/* Finds numbers that seem to be in millimetres; one sentence for each of
 *   gravity of more than 100 m/s^2, of which there is none on a planet;
 *   with gravity, a body whose points are more than 50 m apart;
 *   a body whose radius of gyration, sqrt(I/m) of its largest moment, is more than 30 times the distance of its points, or less than a
 *   30th: nearer, in logarithms, to a factor of 1000 than to 1. Bodies without mass, inertia or a second point are not judged.
 * returns  MBD_NO_MEMORY */
enum { MEASURES_DOUBTS = 3, MEASURES_TEXT = 512 };
mbd_status measures_doubts(const mechanism_variant *v, char text[MEASURES_DOUBTS][MEASURES_TEXT], int *n,
                           mbd_error *err);

#endif
