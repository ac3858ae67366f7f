/* Lines of an optimizer that is a program: each is answered, or refused with a reason. */
#include <math.h>

#include "backend/command_line.h"
#include "fuzz.h"

/* (x - 1)^2 + y^2 with x + y >= 1/2 */
static mbd_status evaluate(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  (void)user, (void)err;
  out->f = (x[0] - 1) * (x[0] - 1) + x[1] * x[1];
  out->c[0] = x[0] + x[1];
  if (request & MBO_REQUEST_GRADIENT) {
    out->g[0] = 2 * (x[0] - 1), out->g[1] = 2 * x[1];
    out->jac[0] = out->jac[1] = 1;
  }
  if (request & MBO_REQUEST_HESSIAN) {
    for (int i = 0; i < 8; i++) { out->hess[i] = i == 0 || i == 3 ? 2 : 0; }
  }
  return MBD_OK;
}

/* Reads the lines of a text. */
static mbd_status talk(void *text, mbo_ask *a, mbd_error *err) {
  int done = 0;
  for (char *rest = text, *line; !done && (line = strsep(&rest, "\n")) != NULL;) {
    json_t *answer;
    err->text[0] = '\0';
    const mbd_status status = command_line_answer(a, line, &answer, &done, err);
    promise(status == MBD_OK || *err->text, "a reason", line);
    json_decref(answer);
  }
  return MBD_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"x", "y"}, *const constraint[] = {"sum"};
  static const double start[] = {0, 0}, lower[] = {-1, -INFINITY}, upper[] = {2, 3}, scale[] = {1, 2};
  static const double c_lower[] = {0.5}, c_upper[] = {INFINITY};
  const mbo_problem p = {.name = "fuzz",
                         .n = 2,
                         .names = names,
                         .start = start,
                         .lower = lower,
                         .upper = upper,
                         .scale = scale,
                         .nc = 1,
                         .c_names = constraint,
                         .c_lower = c_lower,
                         .c_upper = c_upper,
                         .has_gradient = 1,
                         .has_hessian = 1,
                         .eval = evaluate};
  mbd_error err = {0};
  mbo_settings s;
  mbo_result r = {0};
  mbo_settings_init(&s);
  s.optimizer = talk, s.of_optimizer = fuzz_text(data, size);
  promise(mbo_solve("command", &p, &s, &r, &err) == MBD_OK, "a result", err.text);
  mbo_result_free(&r);
  free(s.of_optimizer);
  return 0;
}
