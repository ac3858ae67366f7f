/* What the parts of the MJCF reader share: bodies and joints first, then what refers to them by name. */
#ifndef MBO_MJCF_READ_H
#define MBO_MJCF_READ_H

#include "import/mjcf_file.h"
#include "import/robot_fill.h"

typedef struct mjcf_site {
  const char *name;
  int link;
  robot_pose pose; /* in the frame of the link */
} mjcf_site;

typedef struct mjcf_tendon {
  const xml_element *e;
  int n, *joint; /* of the robot */
  double *coef;
} mjcf_tendon;

/* Texts of names belong to the elements. */
typedef struct mjcf_reader {
  mjcf_file file;
  robot *r;
  int nplace, naxis, nsite, ntendon;
  robot_pose *place; /* [nplace] pose of each link of the robot in the world, where the file puts it */
  int *axis;         /* [naxis] joints of the robot, in the order in which keyframes give their positions */
  mjcf_site *site;
  mjcf_tendon *tendon;
  mbd_names bodies, joints, sites,
      tendons; /* names of the file: numbers of links, of joints of the robot, of sites, of tendons */
} mjcf_reader;

/* Bodies with their joints and masses, and sites; the ground is link 0. */
mbd_status mjcf_read_bodies(mjcf_reader *in);

/* <tendon>, <equality>; <actuator>, with the motor of each control in *motor, -1: it has been left out; <keyframe>. */
mbd_status mjcf_read_tendons(mjcf_reader *in);
mbd_status mjcf_read_equalities(mjcf_reader *in);
mbd_status mjcf_read_motors(mjcf_reader *in, int **motor, int *nmotor);
mbd_status mjcf_read_keys(mjcf_reader *in, const int *motor, int nmotor);

/* Finds what the attribute `key` of an element names; *number is -1 if the element has no such attribute. */
mbd_status mjcf_find(const mjcf_reader *in, const xml_element *e, const char *key, const mbd_names *names, int *number);

#endif
