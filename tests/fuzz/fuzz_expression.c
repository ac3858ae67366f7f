/* Expressions: any text is parsed or refused; what is parsed has a value and derivatives, or says why not. */
#include "config/expr.h"
#include "fuzz.h"

enum { N = MBO_EXPR_NODES };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = fuzz_text(data, size);
  mbo_expr e;
  mbd_error err = {0};
  if (mbo_expr_parse(text, &e, &err) == MBD_OK) {
    double scalar[N], partial[N], direction[N], change[N], value;
    for (int i = 0; i < N; i++) { scalar[i] = 0.25 + 0.5 * i, direction[i] = 1 - 0.01 * i; }
    mbo_expr_bind(&e, "x", 0.75);
    for (int i = 0; i < e.nname; i++) { e.index[i] = i; }
    if (mbo_expr_eval(&e, scalar, &value, partial, &err) == MBD_OK) { mbo_expr_second(&e, scalar, direction, change); }
    mbo_expr_free(&e);
  }
  free(text);
  return 0;
}
