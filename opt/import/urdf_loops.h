/* Loops in URDF, which has trees alone: what programs and people add to close them. */
#ifndef MBO_URDF_LOOPS_H
#define MBO_URDF_LOOPS_H

#include "base/names.h"
#include "import/urdf_file.h"

/* Adds what the file says of loops, after its links and joints:
 *   <loop_joint name type> with <link1 link xyz rpy/> and <link2 .../>, <axis/>
 *   <loop name type>, <constraint name type> with <predecessor link> and <successor link>, each with its <origin/>, <axis/>
 *   <drake:ball_constraint> with two bodies and a point of each
 *   <gazebo> with a <joint> of SDFormat, and its springs <springStiffness>, <springReference> of a joint
 *   links closing_NAME_1 and closing_NAME_2, whose origins coincide */
mbd_status urdf_read_loops(const element_file *f, const xml_element *root, const mbd_names *links, mbd_names *joints);

#endif
