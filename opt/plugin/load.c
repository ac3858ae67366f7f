#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "plugin/plugin.h"

mbd_status plugin_load(const char *path, const mbd_user_force **out, mbd_error *err) {
  char *place = strchr(path, '/')
                    ? mbd_strdup(path)
                    : mbd_sprintf_dup("./%s", path); /* so that the loader does not search its own paths */
  MEMORY_TRY(place, err, "%s", path);
  /* The library stays loaded until the program ends. */
  void *library = dlopen(place, RTLD_NOW | RTLD_LOCAL);
  free(place);
  if (!library) {
    MBD_FAIL(err, MBD_IO_ERROR, "the library cannot be loaded: %s; `mbopt plugin FILE.c` makes one", dlerror());
  }
  const mbd_user_force *u = dlsym(library, "mbd_plugin");
  if (!u) {
    MBD_FAIL(err, MBD_BAD_INPUT, "the library has no 'mbd_plugin'; expected one that `mbopt plugin FILE.c` has made");
  }
  MBD_TRY(mbd_user_force_check(u, err));
  *out = u;
  return MBD_OK;
}

/* ---- permission ---- */

static int allowed;
static plugin_teller *teller;

void plugin_allow(int allow) {
  allowed = allow;
}

void plugin_tell(plugin_teller *tell) {
  teller = tell;
}

/* ---- the libraries of a run file ---- */

static const char *file_of(const mbo_plugin *p) {
  const mbo_plugin_config *plugin = ((const mbo_run_config *)p->from)->plugin;
  while (plugin->name != p->name) { plugin++; }
  return plugin->file;
}

/* Puts the section of the run file in front of a message. */
static mbd_status locate(const mbo_plugin *p, mbd_status status, mbd_error *err) {
  const mbo_run_config *c = p->from;
  return mbd_locate(err, status, "%s: [plugin %s] file = %s: ", c->path, p->name, file_of(p));
}

static mbd_status describe_listed(mbo_plugin *p, mbd_error *err) {
  text_file library;
  plugin_description *d = NULL;
  mbd_status status = bytes_read(file_of(p), PLUGIN_MIB, &library, err);
  if (status != MBD_OK) {
    return locate(p, mbd_locate(err, status, "the library cannot be loaded, `mbopt plugin FILE.c` makes one: "), err);
  }
  status = description_read(&library, &d, err);
  text_file_free(&library);
  p->loader_memory = d;
  if (d) { p->force = &d->force; }
  return locate(p, status, err);
}

/* The file that is to be loaded, in new memory: the copy of what this user has built, or whatever the run file names if all is allowed. */
static mbd_status find_library(const mbo_plugin *p, char **path, mbd_error *err) {
  text_file library;
  if (allowed) {
    *path = mbd_strdup(file_of(p));
    return *path ? MBD_OK : MEMORY_NONE(err, "a path");
  }
  MBD_TRY(bytes_read(file_of(p), PLUGIN_MIB, &library, err));
  mbd_error why = {0};
  mbd_status status = built_find(&library, path, &why);
  text_file_free(&library);
  if (status == MBD_UNSUPPORTED) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "the library is not loaded, as its code would run with all rights of this user: %s; build it by `mbopt "
             "plugin FILE.c` from a source that you have read, or allow it (--allow-plugins; in Python "
             "mbopt.allow_plugins(), in C mbo_plugins_allow)",
             why.text);
  }
  if (status != MBD_OK && err) { *err = why; }
  return status;
}

static mbd_status open_listed(mbo_plugin *p, mbd_error *err) {
  plugin_description *d = p->loader_memory;
  const mbd_user_force *u;
  char *path;
  MBD_TRY(find_library(p, &path, err));
  if (teller) { teller(p->name, p->force, file_of(p)); }
  mbd_status status = plugin_load(path, &u, err);
  free(path);
  if (status == MBD_OK) { status = description_take(d, u, err); }
  d->open = status == MBD_OK;
  return status;
}

mbd_status plugin_list_open(mbo_plugin *list, int n, mbd_error *err) {
  for (int i = 0; i < n; i++) {
    const plugin_description *d = list[i].loader_memory;
    if (d && !d->open) { MBD_TRY(locate(&list[i], open_listed(&list[i], err), err)); }
  }
  return MBD_OK;
}

mbd_status plugin_list(const mbo_run_config *c, mbo_plugin **out, mbd_error *err) {
  mbo_plugin *list = calloc((size_t)c->nplugin + 1, sizeof *list);
  *out = list;
  MEMORY_TRY(list, err, "the plugins");
  for (int i = 0; i < c->nplugin; i++) {
    list[i] = (mbo_plugin){.name = c->plugin[i].name, .load = describe_listed, .from = c};
  }
  return MBD_OK;
}

mbo_plugin *plugin_list_keep(const mbo_plugin *list, int n) {
  mbo_plugin *kept = mbd_zeros((size_t)n + 1, sizeof *kept);
  for (int i = 0; kept && i < n; i++) {
    plugin_description *d = list[i].loader_memory;
    kept[i] = list[i];
    if (d) { d->lists++; }
  }
  return kept;
}

void plugin_list_free(mbo_plugin *list, int n) {
  for (int i = 0; list && i < n; i++) { description_free(list[i].loader_memory); }
  free(list);
}
