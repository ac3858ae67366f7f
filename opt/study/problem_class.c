#include "study/problem_class.h"

#include <math.h>
#include <string.h>

#include "backend/scaling.h"
#include "base/memory.h"
#include "files/json.h"
#include "files/text_stream.h"

static const char *constraints_of(const mbo_problem *p) {
  int linears = 0, bounded = 0;
  for (int i = 0; i < p->nc; i++) { linears += p->c_linear && p->c_linear[i]; }
  for (int i = 0; i < p->n; i++) { bounded |= isfinite(p->lower[i]) || isfinite(p->upper[i]); }
  return p->nc > linears ? "nonlinear constraints"
         : p->nc > 0     ? "linear constraints"
         : bounded       ? "bounds"
                         : "no bounds";
}

static int has_catalogue(const mbo_problem *p) {
  int any = 0;
  for (int i = 0; p->nvalues && i < p->n; i++) { any |= p->nvalues[i] > 0; }
  return any;
}

char *problem_class_text(const mbo_problem *p) {
  return mbd_sprintf_dup("%s, %s%s%s", p->has_gauss_newton ? "squares" : "other objective", constraints_of(p),
                         has_catalogue(p) ? ", catalogue values" : "", p->has_gradient ? "" : ", no gradient");
}

/* The first variable of a section is NAME, or NAME.FIRST of a curve, whose points have one scale. */
static int is_of(const char *variable, const char *section) {
  const size_t n = strlen(section);
  return strncmp(variable, section, n) == 0 && (variable[n] == '\0' || variable[n] == '.');
}

json_t *problem_class_json(const mbo_run_config *c, const mbo_problem *p) {
  json_t *scales = json_object();
  for (int k = 0; k < c->ndesign; k++) {
    int i = 0;
    if (!isnan(c->design[k].scale)) { continue; }
    while (i < p->n && !is_of(p->names[i], c->design[k].name)) { i++; }
    if (i < p->n) { json_object_set_new(scales, c->design[k].name, json_number(scaling_by_bounds(p, i))); }
  }
  return json_pack("{s:o, s:s, s:o}", "class", json_own_text(problem_class_text(p)), "scaling", c->optimizer.scaling,
                   "scales", scales);
}

char *problem_class_scales(const json_t *problem) {
  text_stream stream;
  FILE *out = text_begin(&stream);
  json_t *scale, *scales = json_object_get(problem, "scales");
  const char *name, *scaling = json_text_in(problem, "scaling");
  const int given = !*scaling || strcmp(scaling, "given") == 0;
  const char *between = given ? "; scale is left out of the run file and taken as: " : ", from the scales: ";
  if (out && !(given && json_object_size(scales) == 0)) {
    fprintf(out, "scaling = %s", scaling);
    json_object_foreach(scales, name, scale) {
      fprintf(out, "%s%s %.5g", between, name, json_number_value(scale));
      between = ", ";
    }
  }
  return text_end(&stream);
}
