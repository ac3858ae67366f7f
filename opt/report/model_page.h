/* The page of `mbopt model`, which describes a mechanism: its picture at the start beside the graph of bodies and
 * joints, loops with the elements that close them, joints, coordinates, bodies with masses and inertias, elements. */
#ifndef MBO_MODEL_PAGE_H
#define MBO_MODEL_PAGE_H

#include <jansson.h>

#include "mbd/status.h"

/* o: what `mbopt model --json` prints, and
 *   mechanism, run_file, model_file, parts   as in results/run_view.h
 *   case, graph, scene                       the load case; results/mechanism_view.h; {up, case} of scene_at_start
 * Errors of page_write; MBD_NO_MEMORY. */
mbd_status model_page_write(const json_t *o, const char *path, mbd_error *err);

#endif
