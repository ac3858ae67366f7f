/* The page of one run, and those parts of it that the page of a study has of its best run. */
#ifndef MBO_RUN_PAGE_H
#define MBO_RUN_PAGE_H

#include "report/page.h"
#include "report/run_figures.h"

/* 1: scripts of pages draw curves over time: run_view_create is to give them (RUN_VIEW_CURVES). 0: the program was built without the library
 * dygraphs; each output has a figure (RUN_VIEW_FIGURES). */
int run_page_draws_curves(void);

/* Writes the page about the run to `path`, completely or not at all. view: results/run_view.h. Errors: of memory, of files. */
mbd_status run_page_write(const json_t *view, const char *path, mbd_error *err);

typedef struct run_parts {
  page *p;
  run_figures f; /* with the page as their sink */
} run_parts;

/* Sections; those without contents are omitted. design: the title of that section; NULL: "Design". */
mbd_status run_parts_open(page *p, const json_t *view, run_parts *w, mbd_error *err);
void run_parts_close(run_parts *w);               /* in any case; {0} allowed */
void run_parts_not_simulated(const run_parts *w); /* a note if start or result cannot be simulated */
void run_parts_motion(const run_parts *w);
void run_parts_requirements(const run_parts *w); /* the table of objectives and constraints for hurried readers */
mbd_status run_parts_design(const run_parts *w, const char *design, mbd_error *err);
void run_parts_quantities(const run_parts *w);
mbd_status run_parts_histories(const run_parts *w, mbd_error *err);
mbd_status run_parts_directions(const run_parts *w, mbd_error *err);

#endif
