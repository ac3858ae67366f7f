#include "report/convergence_page.h"

#include <math.h>

#include "files/json.h"
#include "files/plural.h"
#include "report/page.h"
#include "report/run_figures.h"

/* How far it has come: the last iteration, and the best objective of one without violation. */
static void verdict(page *p, const run_figures *w, double live) {
  const csv *table = &w->history;
  const int n = table->nrow, f = csv_column(table, "objective"), violation = csv_column(table, "violation");
  const double tol = json_number_in(w->view, "tol_constraint");
  const long failed = (long)json_number_in(w->view, "failed");
  double best = NAN;
  for (int i = 0; i < n; i++) {
    if (!(csv_number(table, i, violation) > tol)) { best = fmin(best, csv_number(table, i, f)); }
  }
  page_section(p, "Result");
  if (n == 0) {
    page_verdict_owned(p, live > 0, mbd_strdup(live > 0 ? "No iteration is done yet." : "No iteration was done."));
  } else {
    const double last = csv_number(table, n - 1, f),
                 designs = csv_number(table, n - 1, csv_column(table, "evaluations"));
    page_verdict_owned(
        p, isfinite(best),
        mbd_sprintf_dup("Iteration %.0f after %.0f simulated design%s: objective %.6g, at the start "
                        "%.6g; %s %.6g.",
                        csv_number(table, n - 1, csv_column(table, "iteration")), designs, plural((long)designs), last,
                        csv_number(table, 0, f),
                        isfinite(best) ? "the best without violation" : "all violate limits, the last by",
                        isfinite(best) ? best : csv_number(table, n - 1, violation)));
  }
  if (live > 0) {
    page_note(p,
              "This optimization goes on. The page is written anew meanwhile; motions, curves and the design are in "
              "the one at the end.");
  } else {
    page_note(p, "This optimization has ended without a result that could be shown.");
  }
  if (failed) { page_text(p, "%ld design%s could not be simulated.", failed, plural(failed)); }
}

mbd_status convergence_page_write(const json_t *view, double live, const char *path, mbd_error *err) {
  page *p;
  run_figures w;
  MBD_TRY(
      page_create_about(json_text_in(view, "run_file"), live > 0 ? "running optimization" : "optimization", &p, err));
  mbd_status status = run_figures_open(view, page_figure, p, &w, err);
  if (status == MBD_OK) {
    verdict(p, &w, live);
    if (w.history.nrow) { page_section(p, "Convergence"); }
    status = run_figures_convergence(&w, err);
  }
  if (status == MBD_OK && live > 0) { page_live(p, live); }
  if (status == MBD_OK) { status = page_write(p, path, err); }
  run_figures_close(&w);
  page_destroy(p);
  return status;
}
