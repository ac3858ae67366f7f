/* Parts of the page of a comparison over several problems or starts: verdicts, profiles, and a section for each problem. */
#ifndef MBO_COMPARISON_PARTS_H
#define MBO_COMPARISON_PARTS_H

#include "report/page.h"
#include "report/study_figures.h"

typedef struct comparison_parts {
  page *p;
  const study_data *d;
  const study_drawing *drawing; /* of figures into the page */
} comparison_parts;

/* What to choose, with its confidence: the verdicts, the optimizers in their order, and what they need at every pair. */
mbd_status comparison_parts_verdict(const comparison_parts *w, mbd_error *err);

/* Who solves how much, how soon: the table of solved problems, and performance and data profiles at each accuracy. */
mbd_status comparison_parts_profiles(const comparison_parts *w, mbd_error *err);

/* The best objectives of all problems, then of each problem the spread over its starts, its best designs and its histories. */
mbd_status comparison_parts_problems(const comparison_parts *w, mbd_error *err);

/* The costs of evaluations of a problem and the scales that its run file leaves out, as paragraphs. problem: NULL: not known. */
void comparison_parts_notes(page *p, const problem_costs *cost, const json_t *problem);

/* "best" for objectives that agree with the best one but for rounding; NULL. */
const char *comparison_parts_mark(const study_data *d, int problem, double objective);

#endif
