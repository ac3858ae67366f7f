/* The page of `mbopt model`, which describes a mechanism: its picture at the start beside the graph of bodies and
 * joints, loops with the elements that close them, joints, coordinates, bodies with masses and inertias, elements. */
#ifndef MBO_MODEL_PAGE_H
#define MBO_MODEL_PAGE_H

#include <jansson.h>

#include "mechanism/mechanism.h"

/* Writes the page of case q of m, which is at its start: z, zd [nz] are results of mbd_sim_start. told: the output of
 * `mbopt model --json`, from which natural coordinates and warnings are read. Errors of page_write; MBD_NO_MEMORY. */
mbd_status model_page_write(const mechanism *m, const mechanism_case *q, const double *z, const double *zd,
                            const json_t *told, const char *path, mbd_error *err);

#endif
