/* Files that the program writes as a start for users; existing files are never overwritten. */
#ifndef MBO_CLI_NEW_FILES_H
#define MBO_CLI_NEW_FILES_H

/* The files of a mechanism, FOLDER/NAME_model.ini and FOLDER/NAME.ini, and with a table FOLDER/NAME_points.csv. */
typedef struct cli_new_files {
  const char *folder, *name;
  const char *model, *run, *table; /* their texts; table NULL: there is none */
  int nmore;                       /* further files that the model names, with their texts */
  char *const *more_name, *const *more_text;
  int read;                            /* 1: the model has to be right, else nothing is written */
  const char *about_model, *about_run; /* what they are, for the user */
} cli_new_files;

/* Writes all or none, in a folder that is created if needed, and prints their paths. Returns the exit code; a file that exists already is an
 * error. */
int cli_write_new_files(const cli_new_files *files);

#endif
