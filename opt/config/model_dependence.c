/* Determines from the expressions whether coefficients depend linearly on the design variables, independently of the values. */
#include <stdlib.h>

#include "base/operator.h"
#include "config/model_file.h"

static model_dependence of_operation(mbd_operator op, model_dependence a, model_dependence b) {
  const model_dependence both = a > b ? a : b;
  if (both == MODEL_CONSTANT || op == MBD_OP_ADD || op == MBD_OP_SUB || op == MBD_OP_NEG) { return both; }
  if (op == MBD_OP_MUL && (a == MODEL_CONSTANT || b == MODEL_CONSTANT)) { return both; }
  return op == MBD_OP_DIV && b == MODEL_CONSTANT ? a : MODEL_NONLINEAR;
}

model_dependence model_expression_dependence(const mbo_expr *x, const model_dependence *of) {
  model_dependence result[MBO_EXPR_NODES];
  for (int i = 0; i < x->value.n; i++) {
    const mbd_operation *o = &x->value.op[i];
    if (o->op == MBD_OP_NUMBER) {
      result[i] = MODEL_CONSTANT;
    } else if (o->op == MBD_OP_LEAF) {
      result[i] = of[o->a];
    } else {
      result[i] =
          of_operation(o->op, result[o->a], mbd_operator_at(o->op)->operands == 2 ? result[o->b] : MODEL_CONSTANT);
    }
  }
  /* cppcheck-suppress uninitvar ; an expression has one operation at least */
  return result[x->value.n - 1];
}

/* Dependence of an expression of scalars; of [nscalar] is known for those that come before it in the order. */
static model_dependence of_scalars(const mbo_expr *x, const model_dependence *of) {
  model_dependence name[MBO_EXPR_NODES];
  for (int i = 0; i < x->nname; i++) { name[i] = of[x->index[i]]; }
  return model_expression_dependence(x, name);
}

model_dependence model_file_dependence(const mbo_model_file *f, int coefficient) {
  model_dependence *of = calloc((size_t)f->nscalar + 1, sizeof *of);
  if (!of) { return MODEL_NONLINEAR; }
  for (int i = 0; i < f->nscalar; i++) {
    const model_scalar *s = &f->scalar[f->order[i]];
    of[f->order[i]] = s->design ? MODEL_LINEAR : of_scalars(&s->expr, of);
  }
  const model_dependence found =
      f->direct && f->direct[coefficient] ? MODEL_LINEAR : of_scalars(&f->coef[coefficient], of);
  free(of);
  return found;
}
