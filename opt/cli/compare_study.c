/* mbopt compare over several problems and starts: a study, whose runs are one backend from one start of one problem each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "base/memory.h"
#include "mechanism/run_settings.h"
#include "study/compare.h"
#include "study/profiles.h"
#include "study/starts.h"

/* The backends that can solve one of the problems. */
typedef struct entrants {
  int n;
  char **name; /* [n] */
} entrants;

typedef struct field {
  int nfile, starts;
  entrants *of; /* [nfile] */
  int width;    /* characters of the longest name */
} field;

static void field_free(field *f) {
  for (int i = 0; f->of && i < f->nfile; i++) {
    for (int k = 0; k < f->of[i].n; k++) { free(f->of[i].name[k]); }
    free(f->of[i].name);
  }
  free(f->of);
}

static mbd_status take_names(const comparison *c, field *f, entrants *of, mbd_error *err) {
  of->name = calloc((size_t)c->n + 1, sizeof *of->name);
  for (int k = 0; of->name && k < c->n; k++) {
    const compare_entry *e = &c->entry[k];
    if (e->state == COMPARE_LEFT_OUT) {
      fprintf(stderr, "left out: %s: %s\n", e->name, e->text);
      continue;
    }
    of->name[of->n] = mbd_strdup(e->name);
    if (!of->name[of->n++]) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the comparison"); }
    if ((int)strlen(e->name) > f->width) { f->width = (int)strlen(e->name); }
  }
  if (!of->name) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the comparison"); }
  return MBD_OK;
}

/* What compares a problem alone says who can solve it. */
static mbd_status enter(const mbo_run_config *config, mechanism *m, field *f, entrants *of, mbd_error *err) {
  mbo_problem p;
  mbo_settings s;
  comparison *c = NULL;
  char *list = NULL;
  mbo_option *options = run_settings(config, &s);
  mechanism_problem(m, &p);
  mbd_status status = options ? compare_list(config, &list, err)
                              : mbd_fail(err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for the comparison");
  if (status == MBD_OK) { status = compare_create(&p, &s, config->optimizer.backend, list, &c, err); }
  if (status == MBD_OK) { status = take_names(c, f, of, err); }
  compare_destroy(c);
  free(options), free(list);
  return status;
}

static mbd_status enter_file(const cli_run *r, int i, field *f, mbd_error *err) {
  mbo_run_config *config = NULL;
  mechanism *m = NULL;
  mbd_status status = mbo_run_config_read(r->a->files[i], r->a->nset, r->a->set, &config, err);
  if (status == MBD_OK && config->nobjective == 0) {
    status = mbd_fail(err, MBD_BAD_INPUT, __func__, __LINE__,
                      "%s: no [objective NAME]; expected at least one to minimize", config->path);
  }
  if (status == MBD_OK) { status = mechanism_create(config, &m, err); }
  if (status == MBD_OK && f->starts > 1) { status = starts_check(m, err); }
  if (status == MBD_OK) { status = enter(config, m, f, &f->of[i], err); }
  mechanism_destroy(m);
  mbo_run_config_destroy(config);
  return status;
}

/* Starts of a problem come one after the other, each with all backends: what is done first is complete. */
static mbd_status write_rows(void *user, const study_rows *to, mbd_error *err) {
  const field *f = user;
  (void)err;
  for (int i = 0; i < f->nfile; i++) {
    for (int start = 0; start < f->starts && study_rows_wanted(to); start++) {
      for (int k = 0; k < f->of[i].n; k++) {
        fprintf(to->out, "%-6d,%-9d,%-*s\n", i + 1, start, f->width, f->of[i].name[k]);
      }
    }
  }
  return MBD_OK;
}

static int begin(const cli_run *r, field *f) {
  char problem[] = "problem", start[] = "start", backend[] = "backend", none[] = "";
  const study_column column[] = {
      {problem, STUDY_PROBLEM, none}, {start, STUDY_START, none}, {backend, STUDY_BACKEND, none}};
  study_plan plan = {.kind = "compare",
                     .task = "optimize",
                     .nfile = f->nfile,
                     .file = r->a->files,
                     .nset = r->a->nset,
                     .set = r->a->set,
                     .ncolumn = 3,
                     .column = column,
                     .starts = f->starts,
                     .write_rows = write_rows,
                     .user = f};
  for (int i = 0; i < f->nfile; i++) { plan.n += (long)f->starts * f->of[i].n; }
  return cli_begin_study(r, &plan, "compare");
}

int compare_study(cli_run *r) {
  mbd_error err = {0};
  field f = {.nfile = r->a->nfile, .starts = r->a->starts ? r->a->starts : r->config->compare.starts};
  f.of = calloc((size_t)f.nfile, sizeof *f.of);
  mbd_status status = f.of ? MBD_OK : mbd_fail(&err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for the comparison");
  for (int i = 0; status == MBD_OK && i < f.nfile; i++) { status = enter_file(r, i, &f, &err); }
  const int code = status == MBD_OK ? begin(r, &f) : cli_error(&err, cli_exit_code(status));
  field_free(&f);
  return code;
}

void cli_print_profiles(const profiles *p) {
  printf("%d problems and starts; solved to f <= best + tau (start - best), simulations in the middle\n%-24s",
         p->ninstance, "");
  for (int t = 0; t < PROFILES_NTAU; t++) { printf("     tau = %-8g", profiles_tau[t]); }
  putchar('\n');
  for (int b = 0; b < p->nbackend; b++) {
    printf("%-24s", p->backend[b]);
    for (int t = 0; t < PROFILES_NTAU; t++) {
      char median[16] = "-"; /* what solves nothing has none */
      if (isfinite(profiles_median(p, t, b))) { snprintf(median, sizeof median, "%.0f", profiles_median(p, t, b)); }
      printf(" %5.0f %% %8s  ", profiles_percent(p, t, b), median);
    }
    putchar('\n');
  }
  if (p->solved_by_none) { printf("%d of them without any design that could be simulated\n", p->solved_by_none); }
}
