#include "results/run_folder.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/memory.h"
#include "files/json.h"
#include "files/atomic_file.h"

const char *run_kind_text(run_kind k) {
  static const char *const text[] = {"optimization", "simulation"};
  return text[k];
}

static mbd_status look(run_folder *f, mbd_error *err) {
  struct stat info;
  if (stat(f->path, &info) != 0 || !S_ISDIR(info.st_mode)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s is no folder; expected one that optimize, simulate, compare or a study wrote",
             f->path);
  }
  double result, config, journal;
  MBD_TRY(file_written(f->path, "result.json", &result, err));
  MBD_TRY(file_written(f->path, "resolved.ini", &config, err));
  MBD_TRY(file_written(f->path, "journal.jsonl", &journal, err));
  if (config < 0 || result < 0) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s is not the folder of a finished run: looked for study.json, and for resolved.ini with result.json%s",
             f->path, journal >= 0 ? ", found a journal: the same run with --resume goes on" : "");
  }
  f->written = (time_t)result;
  return MBD_OK;
}

static mbd_status read_config(run_folder *f, mbd_error *err) {
  char *path = path_in(f->path, "resolved.ini");
  errno = 0;
  f->run_file = path ? mbo_run_config_origin(path) : NULL;
  if (path && !f->run_file && errno != ENOMEM) { f->run_file = mbd_strdup(path); }
  mbd_status status =
      f->run_file ? mbo_run_config_read(path, 0, NULL, &f->config, err) : MEMORY_NONE(err, "%s", f->path);
  free(path);
  MBD_TRY(status);
  return mechanism_create(f->config, &f->m, err);
}

/* ---- result.json ---- */

/* Reads the final design of an optimization; there is none if the start failed. */
static mbd_status final_of_result(run_folder *f, mbd_error *err) {
  const json_t *values = json_object_get(f->result, "design");
  if (!isfinite(json_number_in(f->result, "objective"))) { return MBD_OK; }
  f->final = calloc((size_t)f->m->n + 1, sizeof *f->final);
  MEMORY_TRY(f->final, err, "%s", f->path);
  for (int i = 0; i < f->m->n; i++) {
    const json_t *v = json_object_get(values, f->m->name[i]);
    if (!json_is_number(v)) {
      MBD_FAIL(err, MBD_BAD_INPUT,
               "%s/result.json has no number for '%s', a design variable of resolved.ini: are they of the same run?",
               f->path, f->m->name[i]);
    }
    f->final[i] = json_number_value(v);
  }
  return MBD_OK;
}

static mbd_status read_result(run_folder *f, mbd_error *err) {
  json_error_t where = {.text = "no memory"};
  const mbd_status status = json_read_in(f->path, "result.json", &f->result, &where);
  MEMORY_TRY(status != MBD_NO_MEMORY, err, "%s/result.json", f->path);
  if (!f->result && where.line > 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s/result.json:%d: %s", f->path, where.line, where.text);
  }
  if (!f->result) { MBD_FAIL(err, MBD_BAD_INPUT, "%s/result.json: %s", f->path, where.text); }
  const json_t *failure = json_object_get(f->result, "failure");
  if (failure) {
    const char *text = json_string_value(json_object_get(failure, "error"));
    MBD_FAIL(err, MBD_BAD_INPUT, "%s is the folder of a simulation that failed: %s", f->path, text ? text : "");
  }
  if (json_object_get(f->result, "cases")) {
    f->kind = RUN_SIMULATE;
    return MBD_OK;
  }
  if (!json_object_get(f->result, "status")) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s/result.json has neither 'status', as of an optimization, nor 'cases', as of a simulation", f->path);
  }
  MBD_TRY(final_of_result(f, err));
  json_t *directions = json_object_get(f->result, "gauss_newton");
  if (f->m->n > 0 && json_array_size(directions) == (size_t)f->m->n) { f->flat_directions = json_incref(directions); }
  return MBD_OK;
}

/* ---- all of it ---- */

mbd_status run_folder_open(const char *path, run_folder **out, mbd_error *err) {
  run_folder *f = calloc(1, sizeof *f);
  mbd_status status = f && (f->path = mbd_strdup(path)) ? MBD_OK : MEMORY_NONE(err, "%s", path);
  if (status == MBD_OK) {
    f->before = "start", f->after = "result";
    status = look(f, err);
  }
  if (status == MBD_OK) { status = read_config(f, err); }
  if (status == MBD_OK) { status = read_result(f, err); }
  if (status != MBD_OK) { run_folder_close(f); }
  *out = status == MBD_OK ? f : NULL;
  return status;
}

void run_folder_close(run_folder *f) {
  if (!f) { return; }
  mechanism_destroy(f->m), mechanism_destroy(f->reference);
  mbo_run_config_destroy(f->config);
  json_decref(f->result), json_decref(f->flat_directions);
  free(f->path), free(f->run_file), free(f->title), free(f->study), free(f->values), free(f->final), free(f);
}
