/* study.json: what a study is, written last when one is made and read first when one is opened. */
#ifndef MBO_STUDY_JSON_H
#define MBO_STUDY_JSON_H

#include <jansson.h>

#include "study/study.h"

/* rows: hash of points.csv. */
mbd_status study_json_write(const study *s, unsigned long long rows, mbd_error *err);

/* *out: the whole of it, the caller's. MBD_BAD_INPUT: the folder is no study; MBD_NO_MEMORY. */
mbd_status study_json_read(const char *folder, json_t **out, mbd_error *err);

/* Fill *s, of which the folder is known. */
mbd_status study_from_json(study *s, const json_t *o, mbd_error *err);

/* Is this the hash under the key "hash" or "points"? */
int study_json_has(const json_t *o, const char *key, unsigned long long hash);

#endif
