#include "mechanism/window.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/model_file.h"

/* ---- outputs ---- */

/* Adds an output that has to be one number; a vector is refused. */
static mbd_status one_output(const mechanism *m, mechanism_case *load, const char *where, const char *key,
                             const char *name, int *output, mbd_error *err) {
  int count;
  MBD_TRY(mbd_locate(err, mbd_outputs_add(load->outputs, name, output, &count, err), "%s: %s %s: ", m->config->path,
                     where, key));
  if (count == 1) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s: %s %s: output %s has %d components, expected one number, as %s.norm or %s",
           m->config->path, where, key, name, count, name, mbd_outputs_name(load->outputs, *output));
}

/* ---- moments ---- */

static const struct {
  const char *words;
  mbd_moment_kind kind;
} crossings[] = {
    {" crosses ", MBD_MOMENT_CROSSES}, {" rises above ", MBD_MOMENT_RISES}, {" falls below ", MBD_MOMENT_FALLS}};
enum { N_CROSSINGS = sizeof crossings / sizeof crossings[0] };

/* A number, or an expression of scalars of the model that no design variable moves. */
static mbd_status number(const mechanism_case *load, const char *text, double *value, mbd_error *err) {
  const mbo_model_file *f = load->v->file;
  mbo_expr x;
  MBD_TRY(mbo_expr_parse(text, &x, err));
  mbd_status status = model_file_resolve(f, &x, err);
  if (status == MBD_OK && model_file_mover(f, &x) >= 0) {
    status =
        MBD_FAILED(err, MBD_BAD_INPUT, "'%s' moves with a design variable; expected a value that none moves", text);
  }
  if (status == MBD_OK) { status = mbo_expr_eval(&x, f->value, value, NULL, err); }
  mbo_expr_free(&x);
  return status == MBD_OUT_OF_DOMAIN ? MBD_BAD_INPUT : status;
}

static const char form_of_moments[] =
    "expected a time, or a moment as OUTPUT crosses VALUE, OUTPUT rises above VALUE, OUTPUT falls below VALUE";

static mbd_status located(const mechanism *m, mbd_status status, const char *where, const char *key, const char *text,
                          mbd_error *err) {
  return mbd_locate(err, status, "%s: %s %s = %s: %s; ", m->config->path, where, key, text, form_of_moments);
}

static mbd_status read_moment(const mechanism *m, mechanism_case *load, const char *where, const char *key,
                              const char *text, mbd_moment *moment, mbd_error *err) {
  char name[256];
  *moment = (mbd_moment){.kind = MBD_MOMENT_NONE};
  if (!*text) { return MBD_OK; }
  for (int i = 0; i < N_CROSSINGS; i++) {
    const char *words = strstr(text, crossings[i].words);
    if (!words) { continue; }
    const int length = (int)(words - text);
    snprintf(name, sizeof name, "%.*s", length, text);
    for (size_t n = strlen(name); n > 0 && isspace((unsigned char)name[n - 1]); n--) { name[n - 1] = '\0'; }
    moment->kind = crossings[i].kind;
    MBD_TRY(one_output(m, load, where, key, name, &moment->output, err));
    return located(m, number(load, words + strlen(crossings[i].words), &moment->value, err), where, key, text, err);
  }
  moment->kind = MBD_MOMENT_TIME;
  return located(m, number(load, text, &moment->value, err), where, key, text, err);
}

/* ---- numbers of forms ---- */

/* The number of a key that the form needs; 0 if it is not given, which the library reports. A key of other forms is refused. */
static mbd_status form_number(const mechanism *m, const char *where, const mbo_objective_config *o, const char *key,
                              double given, unsigned need, double *value, mbd_error *err) {
  *value = isnan(given) ? 0 : given;
  if (isnan(given) || (mbd_form_find(o->form)->needs & need)) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s: %s form = %s takes no %s, which belongs to %s", m->config->path, where, o->form,
           key, need == MBD_NEEDS_TOLERANCE ? "settling_time" : "quantile");
}

mbd_status term_window(const mechanism *m, mechanism_case *load, const char *where, const mbo_objective_config *o,
                       mbd_term *t, mbd_error *err) {
  int over = -1;
  t->label = where;
  MBD_TRY(read_moment(m, load, where, "from", o->from, &t->from, err));
  MBD_TRY(read_moment(m, load, where, "until", o->until, &t->until, err));
  MBD_TRY(read_moment(m, load, where, "at", o->at, &t->at, err));
  if (*o->over) { MBD_TRY(one_output(m, load, where, "over", o->over, &over, err)); }
  t->over = over + 1;
  MBD_TRY(form_number(m, where, o, "tolerance", o->tolerance, MBD_NEEDS_TOLERANCE, &t->tolerance, err));
  MBD_TRY(form_number(m, where, o, "level", o->level, MBD_NEEDS_LEVEL, &t->level, err));
  return form_number(m, where, o, "width", o->width, MBD_NEEDS_LEVEL, &t->width, err);
}
