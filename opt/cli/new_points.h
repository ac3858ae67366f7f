/* Hard points of a user's table in the place of those of a template. */
#ifndef MBO_CLI_NEW_POINTS_H
#define MBO_CLI_NEW_POINTS_H

#include "cli/templates.h"
#include "mbd/status.h"

/* *text: in new memory the model file of a template without its hard points, scalars NAME_x, NAME_y, NAME_z, and with a section [table NAME] that
 * names the table `path` from `folder`. Small and capital letters do not differ, and names may be those that engineers use, as LCA front. Rows that are no hard points of the template are told and not taken. MBD_BAD_INPUT: the table has not all
 * of them; other mistakes are found when the model is read. */
mbd_status cli_model_with_points(const cli_template *t, const char *path, const char *folder, char **text,
                                 mbd_error *err);

/* The axle among the templates that `at` returns, NULL past the last one, whose hard points a table has, the one with the most of them. MBD_BAD_INPUT: it has
 * those of none. */
mbd_status cli_template_of_points(const char *path, const cli_template *(*at)(int i), const cli_template **t,
                                  mbd_error *err);

/* Writes the files of a template into a folder; with a table its hard points, or the precision points of a linkage, are taken from there. Returns the exit code. */
int cli_write_template(const cli_template *t, const char *folder, const char *table);

#endif
