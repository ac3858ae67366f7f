/* Elements of robots' files in XML: the permitted ones, the values of their attributes, and messages that contain the position. A reader of
 * a format says by a table of rules which words the format has. */
#ifndef MBO_IMPORT_ELEMENT_H
#define MBO_IMPORT_ELEMENT_H

#include "base/names.h"
#include "files/xml.h"
#include "import/robot.h"

/* Lists of words separated by blanks; NULL: none. */
typedef struct element_rule {
  const char *name, *parents; /* of the element; the elements that it may be in, NULL: any */
  const char *attributes;     /* that are read, or have no effect on the mechanics */
  const char *without;        /* attributes that have an effect elsewhere, but none on the model: a warning */
  const char *once, *several; /* children that are read, and may appear once or several times */
  const char *aside;          /* children without effect on the mechanics */
  const char *left_out;       /* children that have an effect elsewhere, but none on the model: a warning */
  const char *refused;        /* children without which the mechanism would be another one */
} element_rule;

typedef struct element_file {
  robot *r; /* gets the warnings */
  const element_rule *rule;
  int nrule;
  const char *refused; /* the end of the message about a child that is refused: "expected ..." */
  mbd_error *err;
} element_file;

/* "FILE:LINE: joint 'elbow' <limit> WHAT", as MBD_BAD_INPUT; as a warning: MBD_OK or MBD_NO_MEMORY. A warning that was given for another
 * place before is counted there. */
mbd_status element_fail(const element_file *f, const xml_element *e, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
mbd_status element_warn(const element_file *f, const xml_element *e, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* Checks that an element and all below it are those of the rules, where elements without effect are not looked into. An unknown element or
 * attribute causes a warning, since programs add their own; an error if its name is similar to one of the format that is missing there,
 * since a misspelt word would change the mechanism. */
mbd_status element_check(const element_file *f, const xml_element *e);

/* The value of an attribute that has to be there. */
mbd_status element_text(const element_file *f, const xml_element *e, const char *key, const char **text);

/* Finds one of the words in the text of an attribute. */
mbd_status element_word(const element_file *f, const xml_element *e, const char *key, const char *text,
                        const char *(*word_at)(int i), int *i);

/* Reads at least min and at most max numbers that white space separates from the text of an attribute; the count into *n unless it is NULL.
 * Numbers beyond 1e50 are refused: they are no physical quantities, and their products could overflow. */
mbd_status element_numbers(const element_file *f, const xml_element *e, const char *key, const char *text, int min,
                           int max, double *v, int *n);

/* Adds the shape in <geometry> of an element to a link: <box size>, <sphere radius>, <cylinder radius length>, <capsule radius length>, <mesh filename scale> or
 * <mesh> with <uri>, with numbers in attributes or in elements. What is drawn has no effect on the mechanics: a shape that is not known, or whose
 * numbers are wrong, is left out. MBD_NO_MEMORY. */
mbd_status element_shape(const element_file *f, const xml_element *e, const robot_pose *pose, robot_link *link);

/* Reports that an element refers to something that does not exist: joint1 = "elbo" is not known, did you mean 'elbow'? */
mbd_status element_not_known(const element_file *f, const xml_element *e, const char *key, const char *name,
                             const mbd_names *known);

#endif
