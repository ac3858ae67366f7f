/* mbopt export: the mechanism of a run file at a design, in the formats of others. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "files/json.h"
#include "files/memory.h"
#include "import/robot_fill.h"
#include "import/mjcf_write.h"
#include "import/urdf_write.h"
#include "mbd/model.h"
#include "mechanism/measures.h"
#include "results/position.h"

/* Sets the design that an optimization of this run file has found, if its folder has one of the same variables; else that of the file. Says which
 * one it is. */
static mbd_status set_design(const cli_run *r, mbd_error *err) {
  mechanism *m = r->m;
  json_t *o = NULL;
  json_error_t why;
  double *rho = malloc(((size_t)m->n + 1) * sizeof *rho);
  MEMORY_TRY(rho, err, "a design");
  memcpy(rho, m->start, (size_t)m->n * sizeof *rho);
  int found = m->n > 0 && json_read_in(r->folder, "result.json", &o, &why) == MBD_OK;
  for (int i = 0; i < m->n && found; i++) {
    const json_t *v = json_object_get(json_object_get(o, "design"), m->name[i]);
    found = json_is_number(v);
    if (found) { rho[i] = json_number_value(v); }
  }
  json_decref(o);
  if (!found) { memcpy(rho, m->start, (size_t)m->n * sizeof *rho); }
  if (m->n > 0 && r->a->verbosity >= 0) {
    fprintf(stderr, "mbopt: the design is that of %s%s\n", found ? r->folder : r->a->file, found ? "/result.json" : "");
  }
  const mbd_status status = mechanism_set_design(m, rho, 0, err);
  free(rho);
  return status;
}

static void tell(const char *text) {
  fprintf(stderr, "mbopt: warning: %s\n", text);
}

/* The places of the joints at the start of the first case: a line each, as [table NAME] reads them. */
static mbd_status write_table(const cli_run *r, const robot_source *s, FILE *out, mbd_error *err) {
  const mechanism_case *load = &r->m->cases[0];
  const mbd_model *model = s->m;
  (void)err;
  fputs("name, x, y, z, axis_x, axis_y, axis_z\n", out);
  for (int i = 0; i < mbd_model_njoint(model); i++) {
    mbd_joint_report j;
    joint_measures at;
    mbd_model_joint(model, i, &j);
    measures_joint(load, i, &at);
    fputs(j.name, out);
    for (int k = 0; k < 6; k++) {
      fputs(", ", out);
      if (k < 3 || at.on_bodies.naxis) { robot_number(out, k < 3 ? at.point[k] : at.axis[0][k - 3]); }
    }
    fputc('\n', out);
  }
  return MBD_OK;
}

/* Warns of a gravity that URDF cannot say. */
static void check_gravity(const cli_run *r, const mechanism_variant *v) {
  static const double earth[3] = {0, 0, -9.81};
  static const char *const axis[3] = {"gravity.x", "gravity.y", "gravity.z"};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < mbd_model_ncoef(v->model); k++) {
      const char *name = mbd_model_coef_name(v->model, k), *at = strstr(name, axis[i]);
      if (!at || strcmp(at, axis[i]) != 0 || v->theta[k] == earth[i] || r->a->verbosity < 0) { continue; }
      fprintf(stderr, "mbopt: warning: %s is %g m/s^2, which URDF cannot say: it means 0, 0, -9.81\n", axis[i],
              v->theta[k]);
    }
  }
}

static mbd_status write_urdf(const cli_run *r, const robot_source *s, FILE *out, mbd_error *err) {
  check_gravity(r, &r->m->variant[0]);
  return urdf_write(s, out, err);
}

static mbd_status write_mjcf(const cli_run *r, const robot_source *s, FILE *out, mbd_error *err) {
  (void)r;
  return mjcf_write(s, out, err);
}

static mbd_status write_picture(const cli_run *r, const robot_source *s, FILE *out, mbd_error *err) {
  (void)s;
  return position_draw(&r->m->cases[0], out, err);
}

/* The first one is that without an option. */
static const struct {
  const char *name;
  mbd_status (*write)(const cli_run *r, const robot_source *s, FILE *out, mbd_error *err);
  int is_placed; /* 1: it shows the position at the start of the first case */
} formats[] = {{"urdf", write_urdf, 0}, {"mjcf", write_mjcf, 1}, {"svg", write_picture, 1}, {"csv", write_table, 1}};

int command_export(cli_run *r) {
  mbd_error err = {0};
  if (cli_need_case(r, &err) != MBD_OK) { return cli_error(&err, EXIT_CONFIGURATION); }
  mbd_status status = set_design(r, &err);
  const mechanism_case *load = &r->m->cases[0];
  const mechanism_variant *v = load->v;
  int format = 0;
  for (int i = 0; r->a->format && i < (int)(sizeof formats / sizeof formats[0]); i++) {
    if (strcmp(formats[i].name, r->a->format) == 0) { format = i; }
  }
  double *z = mbd_zeros((size_t)mbd_model_nz(v->model) + 1, sizeof *z);
  if (status == MBD_OK) { status = MEMORY_WHOLE(&err, "the position"); }
  if (status == MBD_OK && formats[format].is_placed) {
    status = mbd_sim_start(load->sim, v->params, z, NULL, NULL, NULL, &err);
  }
  const robot_source source = {.m = v->model,
                               .p = v->params,
                               .theta = v->theta,
                               .sim = load->sim,
                               .z = z,
                               .name = mbo_model_file_title(v->file),
                               .tell = r->a->verbosity < 0 ? NULL : tell};
  if (status == MBD_OK) { status = formats[format].write(r, &source, stdout, &err); }
  free(z);
  return status == MBD_OK ? EXIT_CONVERGED : cli_error(&err, cli_exit_code(status));
}
