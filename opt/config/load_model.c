/* Model files: their sections become a description of the mechanism, with expressions of its coefficients. */
#include "config/load_model.h"

#include <stdlib.h>
#include <string.h>

#include "files/memory.h"

/* ---- the sections ---- */

static const model_key repetition_keys[] = {
    KEY("repeat", "INDEX from FIRST to LAST, ...", "", "",
        "in a section with a name: it is there for every value of the index, as [body link{i}] with `repeat = i from 1 "
        "to N`; of several indices the last runs fastest; FIRST and LAST are whole numbers, expressions of scalars and "
        "of indices to the left; where LAST = FIRST - 1 there are none. `repeat = side in left right` is there for "
        "every word, "
        "which {side} stands for in names, keys and values"),
    KEY("{EXPRESSION}", "whole number", "", "",
        "in names, keys and values, as link{i-1} or {i}*length: the value of an expression of scalars and indices"),
    KEY("{INDEX from FIRST to LAST}", "", "", "",
        "in a key: the entry is there for every value, as `mass{i from 1 to N} = m/{i}` in [scalars]; in an item of a "
        "list: the item is, as `bodies = ground, link{i from 1 to N}`. {INDEX in WORD WORD ...}: for every word, as "
        "`drive.{side in left right}_knee.angle = {side}_motion`"),
    KEY_END,
};

const model_section model_section_repetition = {
    NULL,
    "Regular mechanisms of any size, in all sections of a model file. How many there are may come from scalars, which "
    "the run file or --set can change but no design can vary. What is different at the ends gets a section of its own. "
    "The same in run files, whose counts come from their own [scalars]: [design mass{i}], [case speed{i}]. What the "
    "repetitions of a file make may have 16 MiB of text, where every value of an index counts 64 characters: this is "
    "enough for chains of 10000 links.",
    .key = repetition_keys};

static const model_section *const sections[] = {
#define X(name) &model_section_##name,
    MODEL_SECTIONS(X)
#undef X
};

const model_section *model_section_at(int i) {
  return i >= 0 && i < (int)(sizeof sections / sizeof sections[0]) ? sections[i] : NULL;
}

static const char *kind_at(int i, int *named) {
  const model_section *section;
  for (int k = 0; (section = model_section_at(k)) != NULL; k++) {
    if (!section->kind || i-- > 0) { continue; }
    *named = section->named;
    return section->kind;
  }
  return NULL;
}

int model_file_has_section(const char *kind) {
  const char *known;
  int named;
  for (int i = 0; (known = kind_at(i, &named)) != NULL; i++) {
    if (strcmp(known, kind) == 0) { return 1; }
  }
  return 0;
}

/* ---- reading ---- */

static mbd_status read_section(loader *l, const model_section *section, ini_section *s) {
  if (s && strlen(l->p->prefix) + strlen(s->name) > MBO_FULL_NAME_MAX && l->p->outer) {
    return load_fail(l, s, NULL, "with the names of its parts the name is too long, expected at most %d characters",
                     MBO_FULL_NAME_MAX);
  }
  free(l->name);
  l->name = mbd_sprintf_dup("%s%s", l->p->prefix, s ? s->name : "");
  if (!l->name) { return load_no_memory(l); }
  l->nintegral = 0;
  if (s && section->named) { MBD_TRY(load_note_object(l, s, s->kind, l->name)); }
  MBD_TRY(section->read(l, section, s));
  return s && section->key ? load_all_used(l, section, s) : MBD_OK;
}

/* Reads the sections of one kind in the present part. */
static mbd_status read_sections(loader *l, const model_section *section) {
  if (!section->named) { return read_section(l, section, ini_find(l->f, section->kind, "")); }
  for (int i = 0; i < l->f->n; i++) {
    if (strcmp(l->f->section[i].kind, section->kind) == 0) { MBD_TRY(read_section(l, section, &l->f->section[i])); }
  }
  return MBD_OK;
}

/* Opens the files of all parts, and reads all scalars. */
static mbd_status load_named_numbers(loader *l) {
  MBD_TRY(load_open_parts(l));
  MBD_TRY(load_scalars(l));
  /* Scalars that count repetitions, or number the repeated objects, cannot vary. */
  for (int i = 0; i < l->counts.n; i++) {
    const int k = name_index_find(&l->scalar_at, l->counts.v[i], "");
    MBD_TRY(load_fix_scalar(l, k, "numbers what is repeated or named"));
  }
  return MBD_OK;
}

/* The sections of one kind are read in all parts before those of the next kind, since every part may refer to objects of another one. */
static mbd_status load(loader *l) {
  const model_section *section;
  MBD_TRY(load_named_numbers(l));
  MBD_TRY(load_check_curves(l));
  MBD_TRY(load_place_parts(l));
  for (int i = 0; (section = model_section_at(i)) != NULL; i++) {
    for (int k = 0; section->read && k < l->npart; k++) {
      load_enter(l, l->part[k]);
      MBD_TRY(read_sections(l, section));
    }
  }
  load_enter(l, l->part[0]);
  MBD_TRY(load_drives(l));
  MBD_TRY(load_steady(l));
  MBD_TRY(load_run_quantities(l));
  MBD_TRY(load_run_states(l));
  MBD_TRY(load_rows_used(l));
  return load_spread_fixed(l);
}

/* Reads the file by `part`, which may read only some of its sections. */
static mbd_status read_file(const char *path, const mbo_model_changes *by, mbd_status (*part)(loader *l),
                            mbo_model_file **out, mbd_error *err) {
  static const mbo_pairs none;
  loader l = {.kinds = kind_at,
              .text = by->text,
              .scalars = by->scalars ? by->scalars : &none,
              .nplugin = by->nplugin,
              .plugin = by->plugin,
              .nquantity = by->nquantity,
              .quantity = by->quantity,
              .nstate = by->nstate,
              .state = by->state,
              .nuncertain = by->nuncertain,
              .uncertain = by->uncertain,
              .scenario = by->scenario,
              .of_case = by->of_case,
              .run = by->run ? by->run : "",
              .err = err};
  *out = NULL;
  /* The result, whose description is empty until `part` fills it. */
  l.m = calloc(1, sizeof *l.m);
  MEMORY_TRY(l.m, err, "%s", path);
  l.m->spec = mbd_spec_create();
  l.m->path = mbd_strdup(path);
  mbd_status status = l.m->spec && l.m->path ? part(&l) : MEMORY_NONE(err, "%s", path);
  /* Files, indices and names that only the reading needs are freed; the result remains if the reading succeeded. */
  load_free_parts(&l);
  name_index_free(&l.scalar_at);
  free(l.source), free(l.name);
  if (status != MBD_OK) {
    mbo_model_file_destroy(l.m);
    return status;
  }
  *out = l.m;
  return MBD_OK;
}

mbd_status mbo_model_file_read(const char *path, int nset, const char *const *name, const char *const *expression,
                               mbo_model_file **out, mbd_error *err) {
  const mbo_pairs scalars = {{nset, (char **)name}, {nset, (char **)expression}};
  return mbo_model_file_read_case(path, &(mbo_model_changes){.scalars = &scalars}, out, err);
}

mbd_status mbo_model_file_read_case(const char *path, const mbo_model_changes *changes, mbo_model_file **out,
                                    mbd_error *err) {
  return read_file(path, changes, load, out, err);
}

mbd_status model_file_read_scalars(const char *path, const mbo_model_changes *changes, mbo_model_file **out,
                                   mbd_error *err) {
  return read_file(path, changes, load_named_numbers, out, err);
}
