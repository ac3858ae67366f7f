/* Parts of a page about one run, for the page of a run and for that of a study about its best run. */
#ifndef MBO_RUN_PARTS_H
#define MBO_RUN_PARTS_H

#include "report/page.h"
#include "report/run_figures.h"

enum { PAGE_DIGITS = 9 };

typedef struct run_parts {
  page *p;
  const run_folder *f;
  const mechanism *m; /* of the folder */
  run_figures v;
  const char *design; /* title of the section of the design; NULL: "Result", or "Design" if there is no result */
} run_parts;

/* Sections; those without contents are omitted. */
mbd_status run_parts_motion(const run_parts *w, mbd_error *err);
void run_parts_design(const run_parts *w);
void run_parts_quantities(const run_parts *w);
mbd_status run_parts_histories(const run_parts *w, mbd_error *err);
void run_parts_directions(const run_parts *w);

/* Writes a note if start or result cannot be simulated. */
void run_parts_not_simulated(const run_parts *w);

/* page_fact with a format. */
void page_fact_of(page *p, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
