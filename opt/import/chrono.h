/* Vehicles of Project Chrono: from the JSON file of a wheeled vehicle, or of a suspension alone, the files of a model that is made of the
 * program's parts: the chassis, a file for each axle and for each steering, with their hard points and masses in tables. */
#ifndef MBO_CHRONO_H
#define MBO_CHRONO_H

#include "mbd/status.h"

typedef struct chrono_model {
  char *model, *run;   /* texts of the model file and of the run file */
  int nname, ntext;    /* of what else is written, nname = ntext */
  char **name, **text; /* names of these files, and their texts */
  int nwarning;
  char **warning;
  char *about; /* "4 wheels on double_wishbone and trailing_arm" */
} chrono_model;

/* Reads a vehicle. tyre: a .tir file, or the JSON of a tyre, for all wheels; NULL: the one that the vehicle names. name: of the model, with which the names of
 * all files begin. The result has to be freed in any case. MBD_IO_ERROR, MBD_BAD_INPUT: "FILE:LINE: ...", MBD_UNSUPPORTED: a subsystem of a template
 * that is not known, a tracked vehicle. */
mbd_status chrono_import(const char *path, const char *tyre, const char *name, chrono_model *m, mbd_error *err);
void chrono_model_free(chrono_model *m);

#endif
