#include "report/front_parts.h"

#include <math.h>
#include <stdlib.h>

#include "files/memory.h"
#include "files/plural.h"
#include "report/front_figures.h"
#include "results/study_units.h"

void front_words(FILE *out, const study_data *d) {
  const pareto_front *p = &d->front;
  int count[FRONT_NOT_NEEDED + 1] = {0}, gaps = 0;
  for (int i = 0; i < p->front.planned; i++) { count[p->front.point[i].state]++; }
  for (int k = 1; k < p->nefficient; k++) { gaps += pareto_has_gap(p, p->order[k - 1], p->order[k]); }
  fprintf(out, "The front of %s and %s has %d point%s", p->name[0], p->front.m == 2 ? p->name[1] : "the others",
          p->nefficient, plural(p->nefficient));
  if (gaps) { fprintf(out, " in %d parts", gaps + 1); }
  for (front_state s = FRONT_DOMINATED; s <= FRONT_NOT_NEEDED; s++) {
    if (count[s]) { fprintf(out, "; %d %s", count[s], front_state_name(s)); }
  }
  fputs(".", out);
  if (p->knee < 0) { return; }
  fprintf(out, " Its knee is run %d:", p->knee);
  for (int k = 0; k < p->front.m; k++) {
    fprintf(out, "%s %s = %.5g", k ? "," : "", p->name[k], pareto_value(p, p->knee, k));
  }
  fputs(".", out);
}

/* A row of the table: an efficient point, or one that is none. */
static void point_row(const front_page *w, int point) {
  const pareto_front *p = &w->d->front;
  const front_point *at = &p->front.point[point];
  char *file = study_links_file(w->links, point);
  page_row(w->p);
  page_cell_link(w->p, point, PAGE_DIGITS, file);
  page_cell_owned(w->p, at->by < 0 ? mbd_strdup(front_state_name(at->state))
                                   : mbd_sprintf_dup("%s by %d", front_state_name(at->state), at->by));
  for (int k = 0; k < p->front.m; k++) {
    page_cell_number(w->p, pareto_value(p, point, k), 7, k == 0 && point == p->knee ? "knee" : NULL);
  }
  for (int k = 0; k + 1 < p->front.m; k++) {
    page_cell_number(w->p, pareto_slope(p, point, p->front.m - 1, k), 5, NULL);
  }
  free(file);
}

/* Efficient points by their first objective, then the others by their numbers. */
static void point_table(const front_page *w) {
  const pareto_front *p = &w->d->front;
  const int m = p->front.m;
  const char *heading[2 + 2 * FRONT_OBJECTIVES_MAX] = {"run", "point"};
  char *text[2 * FRONT_OBJECTIVES_MAX];
  int n = 0;
  for (int k = 0; k < m; k++) { text[n++] = study_units_heading(w->d, p->name[k]); }
  for (int k = 0; k + 1 < m; k++) { text[n++] = mbd_sprintf_dup("d %s/d %s", p->name[m - 1], p->name[k]); }
  /* cppcheck-suppress uninitvar ; there are two objectives at least */
  for (int k = 0; k < n; k++) { heading[2 + k] = text[k]; }
  page_table_open(w->p, 2 + n, heading);
  for (int k = 0; k < p->nefficient; k++) { point_row(w, p->order[k]); }
  for (int i = 0; i < p->front.planned; i++) {
    const front_state s = p->front.point[i].state;
    if (s != FRONT_EFFICIENT && s != FRONT_UNKNOWN && s != FRONT_NOT_NEEDED) { point_row(w, i); }
  }
  page_table_close(w->p);
  for (int k = 0; k < n; k++) { free(text[k]); }
}

mbd_status front_parts(const front_page *w, mbd_error *err) {
  const pareto_front *p = &w->d->front;
  page_section(w->p, "Front");
  if (p->nefficient > 1) { MBD_TRY(front_figures(w->drawing, err)); }
  page_text(
      w->p,
      "Along the front no objective falls unless another rises. The slopes are exact where a point is an optimum: they "
      "are the multipliers of its limits. The knee is the point farthest from the %s through the optima of the single "
      "objectives, where each is relative to its range.",
      p->front.m == 2 ? "line" : "plane");
  point_table(w);
  return MBD_OK;
}
