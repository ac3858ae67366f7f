/* External commands that a test runs and that must be there. */
#ifndef MBOPT_RAN_H
#define MBOPT_RAN_H

#include "files/command.h"
#include "test.h"

/* The result is the caller's to destroy. */
static inline command_result ran(const char *const *argv, const char *input) {
  command_result r;
  mbd_error err = {0};
  must(command_run(argv, input, "bash, coreutils", &r, &err), &err);
  return r;
}

#endif
