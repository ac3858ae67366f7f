/* The elements of a URDF file (element.h): the permitted ones, and the values of their attributes. */
#ifndef MBO_URDF_FILE_H
#define MBO_URDF_FILE_H

#include "import/element.h"

/* Checks that elements and attributes are those of the format; f gets its rules. Elements outside of mechanics are not checked. */
mbd_status urdf_check(element_file *f, const xml_element *root);

/* The n numbers of an attribute; without it they keep their values, or it is required. */
mbd_status urdf_numbers(const element_file *f, const xml_element *e, const char *key, int n, double *v);
mbd_status urdf_required(const element_file *f, const xml_element *e, const char *key, int n, double *v);

/* Reads the name of a link, which is one of `known`. */
mbd_status urdf_read_link(const element_file *f, const xml_element *e, const char *key, const mbd_names *known,
                          int *link);

/* Reads <axis xyz> of an element, which has a length; without it the axis stays. */
mbd_status urdf_read_axis(const element_file *f, const xml_element *e, double axis[3]);

/* Reads the attributes xyz and rpy of an element itself. */
mbd_status urdf_read_pose(const element_file *f, const xml_element *e, robot_pose *pose);

/* Reads <origin> of an element; without it, the frame is that of the element. */
mbd_status urdf_read_origin(const element_file *f, const xml_element *e, robot_pose *origin);

#endif
