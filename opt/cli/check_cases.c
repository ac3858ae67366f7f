/* mbopt check at other settings of the load cases: at half the steps, or with a tighter tolerance. */
#include <stdlib.h>

#include "cli/check.h"
#include "files/memory.h"

mbd_status check_with_cases(const mechanism *m, void (*change)(mbd_case *), check_work *work, void *user,
                            mbd_error *err) {
  mbo_run_config c = *m->config;
  mechanism *other = NULL;
  c.cases = calloc((size_t)c.ncase + 1, sizeof *c.cases);
  MEMORY_TRY(c.cases, err, "the check");
  for (int i = 0; i < c.ncase; i++) {
    c.cases[i] = m->config->cases[i];
    change(&c.cases[i].simulation);
  }
  mbd_status status = mechanism_create(&c, &other, err);
  if (status == MBD_OK) {
    other->stop = m->stop, other->threads = m->threads;
    status = work(other, user, err);
  }
  mechanism_destroy(other);
  free(c.cases);
  return status;
}
