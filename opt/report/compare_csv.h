/* compare.csv, a line per backend, and history.csv, a line per simulation, of a comparison. Each is written whole or not
 * at all. */
#ifndef MBO_COMPARE_CSV_H
#define MBO_COMPARE_CSV_H

#include "study/compare.h"

mbd_status compare_write(const char *folder, const comparison *c, mbd_error *err);

#endif
