/* Run files: reads sections by the tables of run_options.c, evaluates their expressions, and checks that they are consistent. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "config/model_file.h"
#include "config/options.h"
#include "config/repeat.h"
#include "config/run_experiments.h"
#include "config/run_numbers.h"
#include "config/uncertain.h"
#include "files/atomic_file.h"
#include "files/memory.h"
#include "files/text_file.h"
#include "base/nearest.h"
#include "files/command_text.h"
#include "files/text_stream.h"

static const char *kind_at(int i, int *named) {
  const option_section *section = option_section_at(i);
  *named = section && section->size;
  return section ? section->kind : NULL;
}

/* Returns the list of the items of a kind of section. *n: their number. */
static char *items_of(const mbo_run_config *c, const option_section *section, int *n) {
  char *list;
  memcpy(&list, (const char *)c + section->offset, sizeof list);
  memcpy(n, (const char *)c + section->count, sizeof *n);
  return list;
}

static mbd_status check_sections(const ini_file *f, mbd_error *err) {
  for (int i = 0; i < f->n; i++) {
    const ini_section *s = &f->section[i];
    if (!option_section_find(s->kind) && model_file_has_section(s->kind)) {
      return ini_fail(f, s, NULL, err,
                      "section '%s' is one of a model file; a run file names its model: [model] file = MODEL.ini",
                      s->kind);
    }
    MBD_TRY(ini_check_section(f, s, "a run file", kind_at, err));
  }
  return MBD_OK;
}

static int count(const ini_file *f, const char *kind) {
  int n = 0;
  for (int i = 0; i < f->n; i++) { n += strcmp(f->section[i].kind, kind) == 0; }
  return n;
}

/* Reads all sections of one kind, in the order of the file, into a list of structures that begin with their names. */
static mbd_status read_items(const ini_file *f, const option_section *section, mbo_run_config *c,
                             option_expressions *later, mbd_error *err) {
  char *list = calloc((size_t)count(f, section->kind) + 1, section->size);
  if (!list) { return ini_no_memory(f, err); }
  memcpy((char *)c + section->offset, &list, sizeof list);
  for (int i = 0, n = 0; i < f->n; i++) {
    ini_section *s = &f->section[i];
    if (strcmp(s->kind, section->kind) != 0) { continue; }
    char *item = list + (size_t)n++ * section->size, *name = mbd_strdup(s->name);
    memcpy(item, &name, sizeof name);
    memcpy((char *)c + section->count, &n, sizeof n);
    if (!name) { return ini_no_memory(f, err); }
    MBD_TRY(options_read(f, s, section->row, item, later, err));
  }
  return MBD_OK;
}

static mbd_status read_values(const ini_file *f, mbo_run_config *c, option_expressions *later, mbd_error *err) {
  const option_section *section;
  for (int i = 0; (section = option_section_at(i)) != NULL; i++) {
    MBD_TRY(section->size ? read_items(f, section, c, later, err)
                          : options_read(f, ini_find(f, section->kind, ""), section->row, (char *)c + section->offset,
                                         later, err));
  }
  /* lines for messages of what is read or computed later */
  const ini_entry *file = ini_get(ini_find(f, "model", ""), "file");
  c->model.line = file && file->line > 0 ? file->line : 0;
  for (int i = 0; i < c->ncase; i++) { c->cases[i].line = ini_find(f, "case", c->cases[i].name)->line; }
  c->model_path = ini_beside(f->path, c->model.file);
  return c->model_path ? MBD_OK : ini_no_memory(f, err);
}

/* Checks a path that results, studies and jobs hold, from the root. */
static mbd_status check_path(const ini_file *f, const char *path, mbd_error *err) {
  char resolved[PATH_MAX];
  return mbd_locate(err, path_check(realpath(path, resolved) ? resolved : path, err), "%s: ", f->path);
}

/* The path of a file relative to the run file becomes absolute. */
static mbd_status find_file(const ini_file *f, char **file, mbd_error *err) {
  char resolved[PATH_MAX], *beside = ini_beside(f->path, *file);
  if (!beside) { return ini_no_memory(f, err); }
  const mbd_status status = ini_replace(f, file, realpath(beside, resolved) ? resolved : beside, err);
  free(beside);
  return status == MBD_OK ? check_path(f, *file, err) : status;
}

/* So do the words of a command that name a file beside the run file. */
static mbd_status find_command(const ini_file *f, char **command, mbd_error *err) {
  char *found = NULL, *folder = ini_beside(f->path, ".");
  ini_section *s = ini_find(f, "optimizer", "");
  if (!folder) { return ini_no_memory(f, err); }
  mbd_status status = **command ? command_text_beside(folder, *command, &found, err) : MBD_OK;
  free(folder);
  if (status != MBD_OK) { return ini_locate(f, s, ini_get(s, "command"), status, err); }
  if (found) { status = ini_replace(f, command, found, err); }
  free(found);
  return status;
}

/* Makes the paths of files relative to the run file absolute for the program, so that the configuration can be written to any folder. */
static mbd_status find_files(const ini_file *f, mbo_run_config *c, mbd_error *err) {
  MBD_TRY(check_path(f, c->model_path, err));
  for (int i = 0; i < c->nplugin; i++) { MBD_TRY(find_file(f, &c->plugin[i].file, err)); }
  for (int i = 0; i < c->nmeasurement; i++) { MBD_TRY(find_file(f, &c->measurement[i].file, err)); }
  return find_command(f, &c->optimizer.command, err);
}

/* Refuses options of IPOPT, 3.11 to 3.14, by which it writes or reads files or loads libraries: a run file may come from others. A prefix as in
 * "resto.output_file" is part of IPOPT's own names. */
static mbd_status check_native(const ini_file *f, mbd_error *err) {
  static const char *const refused[] = {"output_file", "option_file_name", "hsllib", "pardisolib",
                                        "wsmp_write_matrix_iteration"};
  ini_section *s = ini_find(f, "native", "");
  for (int i = 0; s && i < s->n; i++) {
    const ini_entry *e = &s->entry[i];
    const char *dot = strrchr(e->key, '.'), *name = dot ? dot + 1 : e->key;
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
      if (strcasecmp(name, refused[k]) != 0) { continue; }
      return ini_fail(f, s, e, err,
                      "an option by which the optimizer writes, reads or loads files; expected one without a file");
    }
  }
  return MBD_OK;
}

/* ---- measured series: an objective for each ---- */

/* Checks that no objective has the name of the measurement, and that its keys go together. */
static mbd_status check_measurement(const ini_file *f, const mbo_run_config *c, const mbo_measurement_config *k,
                                    mbd_error *err) {
  ini_section *s = ini_find(f, "measurement", k->name);
  for (int i = 0; i < c->nobjective; i++) {
    if (strcmp(c->objective[i].name, k->name) == 0) {
      return ini_fail(f, s, NULL, err, "there is an [objective %s] already, expected another name", k->name);
    }
  }
  if (!(k->from < k->until)) {
    return ini_fail(f, s, ini_get(s, "until"), err, "from = %g s, expected less than until = %g s", k->from, k->until);
  }
  if (k->hold_out && strcmp(c->objectives.combine, "worst") == 0) {
    return ini_fail(f, s, ini_get(s, "hold_out"), err,
                    "the worst of all objectives leaves none out, expected [objectives] combine = sum");
  }
  return MBD_OK;
}

static int line_of(const ini_file *f, const mbo_measurement_config *k, const char *key) {
  const ini_entry *e = ini_get(ini_find(f, "measurement", k->name), key);
  return e && e->line > 0 ? e->line : 0;
}

/* Appends an objective for a measurement, with the defaults of all other keys. */
static mbd_status add_measurement(const ini_file *f, mbo_run_config *c, const mbo_measurement_config *k,
                                  mbd_error *err) {
  option_expressions none = {0};
  mbo_objective_config *o = &c->objective[c->nobjective];
  *o = (mbo_objective_config){.name = mbd_strdup(k->name)};
  c->nobjective++;
  MBD_TRY(options_read(f, NULL, option_section_find("objective")->row, o, &none, err));
  MBD_TRY(ini_replace(f, &o->of, k->of, err));
  MBD_TRY(ini_replace(f, &o->in_case, k->in_case, err));
  o->form = "measured", o->measured = k;
  o->weight = k->hold_out ? 0 : 1;
  return o->name ? MBD_OK : ini_no_memory(f, err);
}

static mbd_status add_measurements(const ini_file *f, mbo_run_config *c, mbd_error *err) {
  const size_t max = (size_t)(c->nobjective + c->nmeasurement) + 1;
  if (c->nmeasurement == 0) { return MBD_OK; }
  mbo_objective_config *grown = realloc(c->objective, max * sizeof *grown);
  if (!grown) { return ini_no_memory(f, err); }
  c->objective = grown;
  for (int i = 0; i < c->nmeasurement; i++) {
    MBD_TRY(check_measurement(f, c, &c->measurement[i], err));
    c->measurement[i].time_line = line_of(f, &c->measurement[i], "time");
    c->measurement[i].column_line = line_of(f, &c->measurement[i], "column");
    MBD_TRY(add_measurement(f, c, &c->measurement[i], err));
  }
  return MBD_OK;
}

/* Sorts the values and refuses equal ones; all must lie within the bounds, which become the least and the largest of them. */
static mbd_status check_catalogue(const ini_file *f, mbo_design_config *d, ini_section *s, mbd_error *err) {
  const int n = d->values.n;
  double *v = d->values.v;
  if (n == 0) { return MBD_OK; }
  const ini_entry *e = ini_get(s, "values");
  mbd_sort_values(n, v);
  for (int i = 0; i < n; i++) {
    if (i > 0 && v[i] == v[i - 1]) { return ini_fail(f, s, e, err, "%g is there twice, expected it once", v[i]); }
    if (v[i] < d->lower || v[i] > d->upper) {
      return ini_fail(f, s, e, err, "%g is outside of the bounds %g and %g", v[i], d->lower, d->upper);
    }
  }
  d->lower = v[0], d->upper = v[n - 1];
  return MBD_OK;
}

/* Checks design variable i and completes its defaults. varied: the scalars and curves that earlier design variables vary, with their numbers. */
static mbd_status check_design(const ini_file *f, mbo_run_config *c, int i, name_index *varied, mbd_error *err) {
  mbo_design_config *d = &c->design[i];
  ini_section *s = ini_find(f, "design", d->name);
  if (*d->scalar && *d->curve) {
    return ini_fail(f, s, ini_get(s, "curve"), err, "expected either 'scalar' or 'curve', not both");
  }
  if (!*d->scalar && !*d->curve) { MBD_TRY(ini_replace(f, &d->scalar, d->name, err)); }
  /* bounds, catalogue and start */
  if (d->lower > d->upper) { return ini_fail(f, s, NULL, err, "lower = %g is above upper = %g", d->lower, d->upper); }
  MBD_TRY(check_catalogue(f, d, s, err));
  if (!isnan(d->start) && (d->start < d->lower || d->start > d->upper)) {
    return ini_fail(f, s, NULL, err, "start = %g is outside of the bounds %g and %g", d->start, d->lower, d->upper);
  }
  /* only one variable for each scalar and curve */
  const int twice = name_index_find(varied, d->scalar, d->curve), is_curve = *d->curve != '\0';
  if (twice >= 0) {
    return ini_fail(f, s, NULL, err, "%s '%s' is varied already by [design %s]", is_curve ? "curve" : "scalar",
                    is_curve ? d->curve : d->scalar, c->design[twice].name);
  }
  if (!name_index_add(varied, d->scalar, d->curve, i)) { return ini_no_memory(f, err); }
  return MBD_OK;
}

static mbd_status check_designs(const ini_file *f, mbo_run_config *c, mbd_error *err) {
  name_index varied = {0};
  mbd_status status = MBD_OK;
  for (int i = 0; i < c->ndesign && status == MBD_OK; i++) { status = check_design(f, c, i, &varied, err); }
  name_index_free(&varied);
  return status;
}

static mbd_status check_case(const ini_file *f, const mbo_run_config *c, ini_section *s, const char *name,
                             mbd_error *err) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = name};
  for (int k = 0; k < c->ncase; k++) {
    if (strcmp(c->cases[k].name, name) == 0) { return MBD_OK; }
  }
  for (int k = 0; k < c->ncase; k++) { mbd_nearest_offer(&near, c->cases[k].name); }
  return ini_fail(f, s, ini_get(s, "case"), err, "case '%s' is not known%s", name,
                  mbd_nearest_text(&near, hint, sizeof hint));
}

/* The case of a section: the only one where its key is left out. */
static mbd_status take_case(const ini_file *f, const mbo_run_config *c, ini_section *s, char **name, mbd_error *err) {
  if (!**name) {
    if (c->ncase != 1) { return ini_fail(f, s, NULL, err, "key 'case' is missing: there are %d cases", c->ncase); }
    MBD_TRY(ini_replace(f, name, c->cases[0].name, err));
  }
  return check_case(f, c, s, *name, err);
}

/* Returns MBD_BAD_INPUT unless a section has exactly one of: an output with a form, and a value. */
static mbd_status check_term(const ini_file *f, const mbo_objective_config *objective, ini_section *s, mbd_error *err) {
  static const char *const others[] = {"of", "form", "target",    "target_curve", "from", "until",
                                       "at", "over", "tolerance", "level",        "width"};
  if (!*objective->value && !*objective->of) {
    return ini_fail(f, s, NULL, err, "expected 'of' (an output, with 'form') or 'value' (an expression of scalars)");
  }
  if (!*objective->value && !*objective->form) {
    return ini_fail(f, s, NULL, err,
                    "key 'form' is missing: it is the number that is computed from s = output - target over time");
  }
  for (size_t i = 0; *objective->value && i < sizeof others / sizeof others[0]; i++) {
    const ini_entry *e = ini_get(s, others[i]);
    if (!e || !*e->value) { continue; }
    return ini_fail(f, s, e, err, "'%s' does not go with 'value'; expected one of 'of' and 'value'", others[i]);
  }
  return MBD_OK;
}

/* Finds the case of every objective and constraint. */
static mbd_status check_objectives(const ini_file *f, const mbo_run_config *c, const char *kind, int n,
                                   mbo_objective_config *list, mbd_error *err) {
  for (int i = 0; i < n; i++) {
    mbo_objective_config *objective = &list[i];
    ini_section *s = ini_find(f, objective->measured ? "measurement" : kind, objective->name);
    MBD_TRY(check_term(f, objective, s, err));
    if (!*objective->in_case && *objective->value) { continue; }
    MBD_TRY(take_case(f, c, s, &objective->in_case, err));
  }
  return MBD_OK;
}

/* Finds the case of every sensor, and checks its times. */
static mbd_status check_sensors(const ini_file *f, const mbo_run_config *c, mbd_error *err) {
  for (int i = 0; i < c->nsensor; i++) {
    mbo_sensor_config *k = &c->sensor[i];
    ini_section *s = ini_find(f, "sensor", k->name);
    MBD_TRY(take_case(f, c, s, &k->in_case, err));
    if (!(k->from < k->until)) {
      return ini_fail(f, s, ini_get(s, "until"), err, "from = %g s, expected less than until = %g s", k->from,
                      k->until);
    }
    for (int j = 0; j < c->nmeasurement; j++) {
      if (strcmp(c->measurement[j].name, k->name) != 0) { continue; }
      return ini_fail(f, s, NULL, err, "there is a [measurement %s] already, expected another name", k->name);
    }
  }
  return MBD_OK;
}

/* Finds the cases of every mode. */
static mbd_status check_modes(const ini_file *f, mbo_run_config *c, mbd_error *err) {
  for (int i = 0; i < c->nmode; i++) {
    mbo_mode_config *k = &c->mode[i];
    ini_section *s = ini_find(f, "mode", k->name);
    if (k->in_case.n == 0) {
      if (c->ncase != 1) { return ini_fail(f, s, NULL, err, "key 'case' is missing: there are %d cases", c->ncase); }
      char **list = calloc(1, sizeof *list), *name = mbd_strdup(c->cases[0].name);
      if (!list || !name) {
        free(list), free(name);
        return ini_no_memory(f, err);
      }
      free(k->in_case.v);
      list[0] = name, k->in_case = (mbo_names){1, list};
    }
    for (int j = 0; j < k->in_case.n; j++) {
      MBD_TRY(check_case(f, c, s, k->in_case.v[j], err));
      for (int l = 0; l < j; l++) {
        if (strcmp(k->in_case.v[l], k->in_case.v[j]) == 0) {
          return ini_fail(f, s, ini_get(s, "case"), err, "case '%s' is there twice, expected it once", k->in_case.v[j]);
        }
      }
    }
  }
  return MBD_OK;
}

/* Without a case there is no simulation, so objectives and constraints must be values. */
static mbd_status check_cases(const ini_file *f, const mbo_run_config *c, mbd_error *err) {
  int values = c->nobjective + c->nconstraint > 0;
  for (int i = 0; i < c->nobjective; i++) { values &= !*c->objective[i].of; }
  for (int i = 0; i < c->nconstraint; i++) { values &= !*c->constraint[i].of; }
  if (c->ncase > 0 || values) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s: no [case NAME]; expected at least one with duration and step", f->path);
}

/* Only motions are integrated: options of integration in other cases are mistakes. */
static mbd_status check_analyses(const ini_file *f, const mbo_run_config *c, mbd_error *err) {
  mbd_case usual;
  mbd_case_init(&usual);
  for (int i = 0; i < c->ncase; i++) {
    const mbd_case *simulation = &c->cases[i].simulation;
    const ini_section *s = ini_find(f, "case", c->cases[i].name);
    const char *key = strcmp(simulation->formulation, usual.formulation) != 0 ? "formulation"
                      : strcmp(simulation->integrator, usual.integrator) != 0 ? "integrator"
                      : simulation->coordinates != usual.coordinates          ? "coordinates"
                                                                              : NULL;
    if (!key || strcmp(simulation->analysis, usual.analysis) == 0) { continue; }
    return ini_fail(f, s, ini_find_entry(s, key), err, "a case with analysis = %s has no %s, expected the key left out",
                    simulation->analysis, key);
  }
  return MBD_OK;
}

/* Options of another integrator would have no effect. Resolved files have all of them, with their defaults. */
static mbd_status check_integrator_options(const ini_file *f, const mbo_case_config *load, mbd_error *err) {
  const mbd_case *simulation = &load->simulation;
  const ini_section *s = ini_find(f, "case", load->name);
  const int steps = strcmp(simulation->analysis, "motion") == 0;
  const mbd_case_option *o;
  for (int i = 0; (o = mbd_case_option_at(i)) != NULL; i++) {
    const char *reader = mbd_case_option_integrator(i);
    const ini_entry *entry = ini_find_entry(s, o->key);
    const void *field = (const char *)simulation + o->offset;
    if (!reader || !entry || (steps && strcmp(reader, simulation->integrator) == 0)) { continue; }
    if ((o->whole ? *(const int *)field : *(const double *)field) == o->dflt) { continue; }
    return ini_fail(f, s, entry, err, "%s '%s' has no %s, expected integrator = %s, or the key left out",
                    steps ? "integrator" : "analysis", steps ? simulation->integrator : simulation->analysis, o->key,
                    reader);
  }
  return MBD_OK;
}

static mbd_status check_constraints(const ini_file *f, const mbo_run_config *c, mbd_error *err) {
  for (int i = 0; i < c->nconstraint; i++) {
    const mbo_objective_config *objective = &c->constraint[i];
    const ini_section *s = ini_find(f, "constraint", objective->name);
    if (isinf(objective->lower) && isinf(objective->upper)) {
      return ini_fail(f, s, NULL, err,
                      "expected 'lower', 'upper' or both; a value that is shown and has no limit is an "
                      "[objective %s] with weight = 0",
                      objective->name);
    }
    if (objective->lower > objective->upper) {
      return ini_fail(f, s, NULL, err, "lower = %g is above upper = %g", objective->lower, objective->upper);
    }
  }
  return MBD_OK;
}

static mbd_status check_gradient(const ini_file *f, const mbo_run_config *c, mbd_error *err) {
  ini_section *s = ini_find(f, "gradient", "");
  const char *method = c->gradient.method;
  const int adjoint = strcmp(method, "discrete_adjoint") == 0 || strcmp(method, "continuous_adjoint") == 0;
  if (adjoint && strcmp(c->optimizer.hessian, "gauss_newton") == 0) {
    return ini_fail(f, s, ini_get(s, "method"), err,
                    "an adjoint gives no Gauss-Newton matrix; expected method = auto or direct, or [optimizer] hessian "
                    "= limited_memory");
  }
  return MBD_OK;
}

/* Returns results/NAME for NAME.ini. The extension is kept if the name would be empty, as for ".ini". */
static char *default_folder(const char *run_path) {
  const char *slash = strrchr(run_path, '/'), *base = slash ? slash + 1 : run_path, *dot = strrchr(base, '.');
  const int is_dots = dot && strspn(base, ".") >= (size_t)(dot - base);
  return mbd_sprintf_dup("results/%.*s", (int)(dot && !is_dots ? dot - base : (long)strlen(base)), base);
}

/* Reads all sections, then checks that they are consistent. */
static mbd_status load(mbo_run_config *c, const ini_file *f, mbd_error *err) {
  MBD_TRY(check_sections(f, err));
  if (!ini_find(f, "model", "")) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: section [model] is missing; it names the model file: file = PATH", f->path);
  }
  /* contents: sections, files relative to the run file, measurements as objectives */
  option_expressions later = {0};
  mbd_status status = read_values(f, c, &later, err);
  if (status == MBD_OK) { status = run_numbers_evaluate(f, &later, c, err); }
  free(later.v);
  MBD_TRY(status);
  MBD_TRY(find_files(f, c, err));
  MBD_TRY(check_native(f, err));
  MBD_TRY(add_measurements(f, c, err));
  /* consistency of the sections with each other */
  MBD_TRY(check_cases(f, c, err));
  MBD_TRY(check_analyses(f, c, err));
  for (int i = 0; i < c->ncase; i++) { MBD_TRY(check_integrator_options(f, &c->cases[i], err)); }
  for (int i = 0; i < c->ncase; i++) { /* of "auto" an empty list, with which the library chooses the coordinates */
    const mbo_names *names = &c->cases[i].independent;
    const int automatic = names->n == 1 && strcmp(names->v[0], "auto") == 0;
    c->cases[i].simulation.independent = automatic ? NULL : (const char *const *)names->v;
    c->cases[i].simulation.nindependent = automatic ? 0 : names->n;
    const mbo_pairs *branches = &c->cases[i].branches;
    c->cases[i].simulation.nbranch = branches->name.n;
    c->cases[i].simulation.branch_output = (const char *const *)branches->name.v;
    c->cases[i].simulation.branch_side = (const char *const *)branches->text.v;
    const mbo_number_pairs *penalties = &c->cases[i].penalties;
    c->cases[i].simulation.penalty_name = (const char *const *)penalties->pairs.name.v;
    c->cases[i].simulation.penalty_value = penalties->value.v;
    c->cases[i].simulation.npenalty = penalties->value.n;
  }
  MBD_TRY(check_designs(f, c, err));
  MBD_TRY(check_objectives(f, c, "objective", c->nobjective, c->objective, err));
  MBD_TRY(check_objectives(f, c, "constraint", c->nconstraint, c->constraint, err));
  MBD_TRY(check_modes(f, c, err));
  MBD_TRY(check_sensors(f, c, err));
  MBD_TRY(uncertain_check(f, c, err));
  MBD_TRY(run_experiments_check(f, c, err));
  MBD_TRY(check_constraints(f, c, err));
  MBD_TRY(check_gradient(f, c, err));
  if (!*c->output.folder) {
    free(c->output.folder);
    c->output.folder = default_folder(f->path);
  }
  return c->output.folder ? MBD_OK : ini_no_memory(f, err);
}

/* Is it a setting of the file before sections are repeated: of scalars, which may count repetitions, or of a section with an index in its
 * name, as case.{side}.step? */
static int before_repetition(const char *set) {
  return strncmp(set, "scalars.", strlen("scalars.")) == 0 || set[strcspn(set, "{=")] == '{';
}

static mbd_status apply_sets(ini_file *f, int nset, const char *const *set, int before, mbd_error *err) {
  for (int i = 0; i < nset; i++) {
    if (before_repetition(set[i]) == before) { MBD_TRY(ini_set(f, set[i], kind_at, err)); }
  }
  return MBD_OK;
}

static mbd_status prepare(ini_file *f, int nset, const char *const *set, mbd_error *err) {
  mbo_names counts = {0};
  MBD_TRY(apply_sets(f, nset, set, 1, err));
  const mbd_status status = repeat_expand(f, &counts, err);
  text_list_free(counts.v, counts.n);
  MBD_TRY(status);
  return apply_sets(f, nset, set, 0, err);
}

mbd_status mbo_run_config_read(const char *path, int nset, const char *const *set, mbo_run_config **out,
                               mbd_error *err) {
  ini_file f = {0};
  *out = NULL;
  mbo_run_config *c = calloc(1, sizeof *c);
  MEMORY_TRY(c, err, "%s", path);
  c->path = mbd_strdup(path);
  mbd_status status = c->path ? ini_read(path, &f, err) : MEMORY_NONE(err, "%s", path);
  if (status == MBD_OK) { status = prepare(&f, nset, set, err); }
  if (status == MBD_OK) { status = load(c, &f, err); }
  ini_free(&f);
  if (status != MBD_OK) { mbo_run_config_destroy(c); }
  *out = status == MBD_OK ? c : NULL;
  return status;
}

static void free_items(const option_section *section, mbo_run_config *c) {
  int n;
  char *list = items_of(c, section, &n), *name;
  for (int i = 0; i < n; i++) {
    char *item = list + (size_t)i * section->size;
    memcpy(&name, item, sizeof name);
    free(name);
    options_free(section->row, item);
  }
  free(list);
}

void mbo_run_config_destroy(mbo_run_config *c) {
  const option_section *section;
  if (!c) { return; }
  for (int i = 0; (section = option_section_at(i)) != NULL; i++) {
    if (section->size) {
      free_items(section, c);
    } else {
      options_free(section->row, (char *)c + section->offset);
    }
  }
  for (int i = 0; i < c->expressions.n; i++) {
    mbo_expression *x = &c->expressions.v[i];
    free(x->kind), free(x->name), free(x->key), free(x->text), free(x->value.v);
  }
  free(c->expressions.v), free(c->path), free(c->model_path);
  free(c);
}

/* ---- origin of a configuration: its first lines, a comment ---- */

static const char origin[] = "; resolved from ";
enum { ORIGIN_WIDTH = 100 }; /* characters of a line */

/* Writes a long path in several lines, and control characters as codes, since the reader refuses these and long lines. */
static void write_origin(FILE *out, const char *path) {
  int column = fprintf(out, "%s", origin);
  for (const char *c = path; *c; c++) {
    if (column > ORIGIN_WIDTH) { column = fprintf(out, "\n; ") - 1; }
    const int is_code = *c == '\\' || iscntrl((unsigned char)*c);
    column += is_code ? fprintf(out, "\\x%02x", (unsigned char)*c) : fprintf(out, "%c", *c);
  }
  fputc('\n', out);
}

static void put_path(const char *text, FILE *out) {
  unsigned code;
  while (*text) {
    const int is_code = text[0] == '\\' && text[1] == 'x' && isxdigit((unsigned char)text[2]) &&
                        isxdigit((unsigned char)text[3]) && sscanf(text + 2, "%2x", &code) == 1;
    putc(is_code ? (int)code : *text, out);
    text += is_code ? strlen("\\x00") : 1;
  }
}

char *mbo_run_config_origin(const char *path) {
  text_file in;
  char *text = NULL;
  if (text_file_read(path, TEXT_FILE_SETTINGS, &in, NULL) != MBD_OK) { return NULL; }
  const char *line = text_file_line(&in);
  if (line && strncmp(line, origin, strlen(origin)) == 0) {
    text_stream stream;
    FILE *out = text_begin(&stream);
    if (out) { put_path(line + strlen(origin), out); }
    while (out && (line = text_file_line(&in)) != NULL && strncmp(line, "; ", 2) == 0) { put_path(line + 2, out); }
    text = text_end(&stream);
  }
  text_file_free(&in);
  return text;
}

static int write_items(FILE *out, const option_section *section, const mbo_run_config *c, mbo_expressions *left) {
  int n, whole = 1;
  const char *list = items_of(c, section, &n), *name;
  for (int i = 0; i < n; i++) {
    const char *item = list + (size_t)i * section->size;
    memcpy(&name, item, sizeof name);
    if (list == (const char *)c->objective && ((const mbo_objective_config *)item)->measured) { continue; }
    whole &= options_write(out, section->kind, name, section->row, item, left);
  }
  return whole;
}

mbd_status mbo_run_config_write(const mbo_run_config *c, FILE *out) {
  char resolved[PATH_MAX], *path = realpath(c->model_path, resolved); /* so that it can be read from any folder */
  mbo_run_config absolute = *c;
  const option_section *section;
  int whole = 1;
  mbo_expressions left = c->expressions;
  absolute.model.file = path ? path : c->model_path;
  write_origin(out, c->path);
  fprintf(out, "schema = %d\n", MBO_SCHEMA);
  for (int i = 0; (section = option_section_at(i)) != NULL; i++) {
    whole &= section->size ? write_items(out, section, &absolute, &left)
                           : options_write(out, section->kind, "", section->row,
                                           (const char *)&absolute + section->offset, &left);
  }
  return whole ? MBD_OK : MBD_NO_MEMORY;
}
