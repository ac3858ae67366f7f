#include "report/compare_csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mechanism/warnings.h"
#include "files/atomic_file.h"
#include "files/csv.h"

/* 0: no memory */
static int put_warnings(FILE *out, const json_t *list) {
  char *words = warnings_words(list);
  const int whole = words != NULL;
  csv_put_text(out, words ? words : "");
  free(words);
  return whole;
}

/* This and the next: 0 if something is missing because there was no memory. */
static int table(FILE *out, const comparison *c) {
  int whole = 1;
  fprintf(out, "backend");
  for (int j = 0; j < c->p->n; j++) { fprintf(out, ",%s", c->p->names[j]); }
  fprintf(out,
          ",objective,violation,iterations,simulations,failures,seconds,status,simulations_to_best,message,warnings\n");
  for (int i = 0; i < c->n; i++) {
    const compare_entry *e = &c->entry[i];
    const mbo_result *r = &e->r;
    const int done = e->state == COMPARE_DONE;
    if (e->state == COMPARE_LEFT_OUT) { continue; }
    fprintf(out, "%s", e->name);
    for (int j = 0; j < c->p->n; j++) { csv_put_number(out, done && isfinite(r->f) ? r->x[j] : NAN); }
    csv_put_number(out, done ? r->f : NAN);
    csv_put_number(out, done ? r->violation : NAN);
    fprintf(out, ",%d,%d,%d", r->iterations, r->evaluations, r->failures);
    csv_put_number(out, done ? r->seconds : NAN);
    fprintf(out, ",%s", compare_status(e));
    csv_put_number(out, e->reached ? (double)e->reached : NAN);
    csv_put_text(out, done ? r->text : e->text);
    whole &= put_warnings(out, e->warnings);
    fputc('\n', out);
  }
  return whole;
}

static int history(FILE *out, const comparison *c) {
  fprintf(out, "backend,evaluation,objective,best,violation\n");
  for (int i = 0; i < c->n; i++) {
    const compare_entry *e = &c->entry[i];
    double best = INFINITY; /* of the designs without violation */
    for (int k = 0; k < e->n; k++) {
      const mbo_simulation *s = &e->simulation[k];
      if (s->status == MBD_OK && s->violation <= c->s.tol_constraint) { best = fmin(best, s->f); }
      fprintf(out, "%s,%d", e->name, s->number);
      csv_put_number(out, s->f);
      csv_put_number(out, best);
      csv_put_number(out, s->violation);
      fputc('\n', out);
    }
  }
  return 1;
}

static mbd_status write_one(const char *folder, const char *name, int (*fill)(FILE *out, const comparison *c),
                            const comparison *c, mbd_error *err) {
  atomic_file a;
  char *path = path_in(folder, name);
  mbd_status status = path ? atomic_open(path, &a, err) : mbd_fail(err, MBD_NO_MEMORY, __func__, __LINE__, "no memory");
  free(path);
  MBD_TRY(status);
  if (fill(a.out, c)) { return atomic_commit(&a, err); }
  atomic_abort(&a);
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s/%s", folder, name);
}

mbd_status compare_write(const char *folder, const comparison *c, mbd_error *err) {
  MBD_TRY(write_one(folder, "compare.csv", table, c, err));
  return write_one(folder, "history.csv", history, c, err);
}
