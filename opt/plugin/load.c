#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plugin/plugin.h"

mbd_status plugin_load(const char *path, const mbd_user_force **out, mbd_error *err) {
  char *place = strchr(path, '/')
                    ? mbd_strdup(path)
                    : mbd_sprintf_dup("./%s", path); /* so that the loader does not search its own paths */
  if (!place) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", path); }
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

static mbd_status load_listed(mbo_plugin *p, mbd_error *err) {
  const mbo_run_config *c = p->from;
  const mbo_plugin_config *q = c->plugin;
  while (q->name != p->name) { q++; }
  return mbd_locate(err, plugin_load(q->file, &p->force, err), "%s: [plugin %s] file = %s: ", c->path, q->name,
                    q->file);
}

mbd_status plugin_list(const mbo_run_config *c, mbo_plugin **out, mbd_error *err) {
  mbo_plugin *list = calloc((size_t)c->nplugin + 1, sizeof *list);
  *out = list;
  if (!list) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the plugins"); }
  for (int i = 0; i < c->nplugin; i++) {
    list[i] = (mbo_plugin){.name = c->plugin[i].name, .load = load_listed, .from = c};
  }
  return MBD_OK;
}
