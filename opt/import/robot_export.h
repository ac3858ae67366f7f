/* A compiled mechanism at a design, as the writers of formats see it: a tree of bodies, each on the one before it by one joint, and what has been
 * written of forces and constraints. */
#ifndef MBO_ROBOT_EXPORT_H
#define MBO_ROBOT_EXPORT_H

#include <stdio.h>

#include "mbd/measures.h"
#include "mbd/simulate.h"

/* What is written. The caller sets these fields. */
typedef struct robot_source {
  const mbd_model *m;
  const mbd_params *p;
  const double *theta; /* [ncoef] of the design */
  const mbd_sim
      *sim; /* after mbd_sim_start, whose position is that of the file, and its coordinates z [nz]; of MJCF alone */
  const double *z;
  const char *name;
  void (*tell)(
      const char *text); /* is called for what is left out, and what other programs refuse; NULL: nobody is told */
} robot_source;

typedef struct robot_export {
  const robot_source *s;
  FILE *out;
  int nbody;
  int *joint,
      *before; /* [nbody + 1] the joint of the tree that carries a body, and the body that it is on; -1 of the ground */
  unsigned char *taken; /* [nforce + nconstraint] forces and constraints that have been written */
} robot_export;

/* Finds the tree. The result has to be freed in any case. MBD_NO_MEMORY. */
mbd_status export_begin(robot_export *e, const robot_source *s, FILE *out, mbd_error *err);
void export_free(robot_export *e);

/* Tells something; and of forces and constraints that have not been taken, which it takes. Closures of cut joints are no constraints of their own; drives belong to
 * the load case. */
void export_tell(const robot_export *e, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
void export_tell_rest(robot_export *e);

/* Returns 1 if the carried body is the second one of its joint, whose coordinates then measure its motion. */
int export_is_second(const robot_export *e, int body);

const char *export_body(const robot_export *e, int body, const char *ground);

/* Attributes: key="text", key="1 2 3". */
void export_name(const robot_export *e, const char *key, const char *name);
void export_numbers(const robot_export *e, const char *key, int n, const double *v);

/* What rotors, and the forces JOINT_friction and JOINT_spring, as an import calls them, do at the joint that carries a body; those that are in it are
 * taken. has_springs: the format can say stiffness and rotor. */
typedef struct export_dynamics {
  double damping, friction, stiffness, rest, rotor;
} export_dynamics;
export_dynamics export_take_dynamics(robot_export *e, int body, int has_springs);

/* The coupling JOINT_mimic of a joint with another one, z = ratio z_other + offset; *other is that joint. Returns 0 if there is none. */
int export_take_coupling(robot_export *e, int joint, int *other, double *ratio, double *offset);

#endif
