/* Names of the columns that the table of runs will have: those of the study, of objectives and constraints, and of its own. */
#ifndef MBO_STUDY_NAMES_H
#define MBO_STUDY_NAMES_H

#include "study/study.h"

/* MBD_BAD_INPUT: the runs of a run file would have two values of one name, of which a record holds one. */
mbd_status study_check_names(const study *s, const mbo_run_config *c, mbd_error *err);

#endif
