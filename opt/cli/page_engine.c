#include "cli/page_engine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "files/atomic_file.h"
#include "files/memory.h"
#include "files/text_file.h"
#include "results/packed.h"

enum { MAX = 64 }; /* MiB of a file */

static char *beside_program(const char *folder) {
  char *program = mbd_strdup(cli_program()), *slash = program ? strrchr(program, '/') : NULL;
  if (slash) { *slash = '\0'; }
  char *path = program ? mbd_sprintf_dup("%s/../%s", slash ? program : ".", folder) : NULL;
  free(program);
  return path;
}

static int has_engine(const char *folder) {
  char *file = folder ? path_in(folder, "live.wasm.gz") : NULL;
  const int there = file && access(file, R_OK) == 0;
  free(file);
  return there;
}

static char *find(void) {
  const char *const named = getenv("MBOPT_WEB");
  char *folder = named && *named ? mbd_strdup(named) : beside_program("share/mbopt/web");
  if (!has_engine(folder) && !(named && *named)) {
    free(folder);
    folder = beside_program("web");
  }
  return folder;
}

static mbd_status add(json_t *o, const char *key, const char *folder, const char *name, mbd_error *err) {
  text_file t;
  char *path = path_in(folder, name);
  MEMORY_TRY(path, err, "the engine of the page");
  const mbd_status status = bytes_read(path, MAX, &t, err);
  free(path);
  MBD_TRY(status);
  json_object_set_new(o, key, packed_bytes(t.size, (unsigned char *)t.text));
  return MBD_OK;
}

mbd_status page_engine(json_t **out, mbd_error *err) {
  char *folder = find();
  json_t *o = json_object();
  mbd_status status = MBD_OK;
  if (!has_engine(folder)) {
    status = MBD_FAILED(err, MBD_NOT_BUILT_IN,
                        "a page that computes needs the engine, which is not in %s: build it by scripts/web, or name "
                        "its folder in MBOPT_WEB",
                        folder ? folder : "memory");
  }
  if (status == MBD_OK) { status = add(o, "program", folder, "live.js.gz", err); }
  if (status == MBD_OK) { status = add(o, "wasm", folder, "live.wasm.gz", err); }
  free(folder);
  if (status != MBD_OK) { json_decref(o); }
  *out = status == MBD_OK ? o : NULL;
  return status;
}
