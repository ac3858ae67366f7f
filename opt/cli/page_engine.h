/* What a page that computes holds beside the data of a run (opt/report/assets/try.js): the engine, which scripts/web builds. */
#ifndef MBO_PAGE_ENGINE_H
#define MBO_PAGE_ENGINE_H

#include <jansson.h>

#include "mbd/status.h"

/* {program: JavaScript, wasm}, both packed by gzip in base64, from the folder that the environment names in MBOPT_WEB, or else ../share/mbopt/web or ../web beside the
 * program. The caller owns *out. MBD_NOT_BUILT_IN: none of them has it. */
mbd_status page_engine(json_t **out, mbd_error *err);

#endif
