/* The elements of a URDF file: the permitted ones, and the values of their attributes, with messages that contain the
 * position. */
#ifndef MBO_URDF_FILE_H
#define MBO_URDF_FILE_H

#include "base/names.h"
#include "files/xml.h"
#include "import/robot.h"

typedef struct urdf_file {
  const char *path;
  robot *r; /* gets the warnings */
  mbd_error *err;
} urdf_file;

/* "FILE:LINE: joint 'elbow' <limit> WHAT", as MBD_BAD_INPUT; as a warning: MBD_OK or MBD_NO_MEMORY. A warning that was given for another
 * place before is counted there. */
mbd_status urdf_fail(const urdf_file *f, const xml_element *e, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
mbd_status urdf_warn(const urdf_file *f, const xml_element *e, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* Checks that elements and attributes are those of the format. Elements outside of mechanics are not checked. An unknown element or attribute
 * causes a warning, since programs add their own; an error if its name is similar to one of the format that is missing there, since
 * a misspelt word would change the mechanism. */
mbd_status urdf_check(const urdf_file *f, const xml_element *root);

/* Values of attributes. dflt NULL: the attribute is required. */
mbd_status urdf_read_text(const urdf_file *f, const xml_element *e, const char *key, const char **text);
mbd_status urdf_read_number(const urdf_file *f, const xml_element *e, const char *key, const double *dflt, double *v);
mbd_status urdf_read_three(const urdf_file *f, const xml_element *e, const char *key, const double *dflt, double v[3]);

/* Reads the name of a link, which is one of `known`. */
mbd_status urdf_read_link(const urdf_file *f, const xml_element *e, const char *key, const mbd_names *known, int *link);

/* Reads the attributes xyz and rpy of an element itself. */
mbd_status urdf_read_pose(const urdf_file *f, const xml_element *e, robot_pose *pose);

/* Reads <origin> of an element; without it, the frame is that of the element. */
mbd_status urdf_read_origin(const urdf_file *f, const xml_element *e, robot_pose *origin);

#endif
