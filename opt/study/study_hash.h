/* What determines the runs of a study, as one number: the run files without comments and without who does the runs, the contents
 * of the model files, assignments, the task, where starts come from, the version of the program. */
#ifndef MBO_STUDY_HASH_H
#define MBO_STUDY_HASH_H

#include "study/study.h"

/* Of the run files as they are configured without the values of any row; s->config becomes that of the first. */
mbd_status study_hash(study *s, unsigned long long *hash, mbd_error *err);

/* Of the bytes of a file, going on from *hash; a file that is not there adds none. MBD_NO_MEMORY. */
mbd_status study_hash_file(unsigned long long *hash, const char *path, mbd_error *err);

#endif
