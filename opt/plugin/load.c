#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plugin/plugin.h"

mbd_status plugin_load(const char *path, const mbd_user_force **out, mbd_error *err) {
  char *place =
      strchr(path, '/') ? mbd_strdup(path) : mbd_sprintf_dup("./%s", path); /* no search along paths of the loader */
  if (!place) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", path); }
  /* It stays for as long as the program runs: nothing closes it. */
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

mbd_status plugin_load_all(const mbo_run_config *c, mbo_plugin **out, mbd_error *err) {
  mbo_plugin *list = calloc((size_t)c->nplugin + 1, sizeof *list);
  *out = NULL;
  if (!list) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the plugins"); }
  for (int i = 0; i < c->nplugin; i++) {
    const mbo_plugin_config *q = &c->plugin[i];
    list[i].name = q->name;
    const mbd_status status = mbd_locate(err, plugin_load(q->file, &list[i].force, err),
                                         "%s: [plugin %s] file = %s: ", c->path, q->name, q->file);
    if (status != MBD_OK) {
      free(list);
      return status;
    }
  }
  *out = list;
  return MBD_OK;
}
