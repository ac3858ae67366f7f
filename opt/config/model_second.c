/* Second derivatives of the coefficients in the design variables. Let e be an expression with G = d names / d rho, and
 * w the weight of its value. Each expression between rho and theta adds
 *   w G' (d2 e / d names2) G
 * and its first derivatives times w are added to the weights of its names: a reverse sweep from the coefficients to the
 * variables. */
#include <math.h>
#include <stdlib.h>

#include "config/model_file.h"
#include "files/memory.h"

static const double *gradient_of(const mbo_model_file *f, const mbo_expr *x, int name) {
  return f->gradient + (size_t)x->index[name] * (size_t)f->n;
}

/* direction [nname] = column j of G, or G along [n]; returns 0 if it is zero */
static int column(const mbo_model_file *f, const mbo_expr *x, const double *along, int j, double *direction) {
  int any = 0;
  for (int p = 0; p < x->nname; p++) {
    const double *g = gradient_of(f, x, p);
    direction[p] = along ? 0 : g[j];
    for (int i = 0; along && i < f->n; i++) { direction[p] += along[i] * g[i]; }
    any |= direction[p] != 0;
  }
  return any;
}

static mbd_status no_derivative(const mbo_model_file *f, const mbo_expr *x, int name, mbd_error *err) {
  MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "%s: expression '%s' has no finite second derivative in '%s'", f->path, x->text,
           x->name[name]);
}

static mbd_status add_own(const mbo_model_file *f, const mbo_expr *x, double w, const double *along, double *H,
                          mbd_error *err) {
  const int n = f->n, ncolumn = along ? 1 : n;
  double direction[MBO_EXPR_NODES], change[MBO_EXPR_NODES];
  for (int j = 0; j < ncolumn; j++) {
    if (!column(f, x, along, j, direction)) { continue; }
    mbo_expr_second(x, f->value, direction, change);
    for (int p = 0; p < x->nname; p++) {
      const double *g = gradient_of(f, x, p);
      for (int i = 0; i < n; i++) {
        if (g[i] == 0 || change[p] == 0) { continue; }
        if (!isfinite(change[p])) { return no_derivative(f, x, p, err); }
        H[i * ncolumn + j] += w * g[i] * change[p];
      }
    }
  }
  return MBD_OK;
}

/* One expression whose value has the weight w; bar [nscalar]: weights of the scalars. */
static mbd_status add_expression(const mbo_model_file *f, const mbo_expr *x, double w, const double *along,
                                 double *reverse, double *H, mbd_error *err) {
  double value, partial[MBO_EXPR_NODES];
  if (w == 0 || x->nname == 0) { return MBD_OK; }
  MBD_TRY(mbo_expr_eval(x, f->value, &value, partial, err));
  for (int p = 0; p < x->nname; p++) {
    if (!f->moves[x->index[p]]) { continue; }
    if (!isfinite(partial[p])) { return no_derivative(f, x, p, err); }
    reverse[x->index[p]] += w * partial[p];
  }
  return add_own(f, x, w, along, H, err);
}

static mbd_status backwards(const mbo_model_file *f, const double *weight, const double *along, double *reverse,
                            double *H, mbd_error *err) {
  for (int k = 0; k < f->ncoef; k++) {
    if (!f->direct[k] && !f->line[k].drawn) {
      MBD_TRY(add_expression(f, &f->coef[k], weight[k], along, reverse, H, err));
    }
  }
  for (int i = f->nscalar - 1; i >= 0; i--) {
    const model_scalar *s = &f->scalar[f->order[i]];
    if (!s->design) { MBD_TRY(add_expression(f, &s->expr, reverse[f->order[i]], along, reverse, H, err)); }
  }
  return MBD_OK;
}

mbd_status mbo_model_file_second(const mbo_model_file *f, const double *weight, const double *along, double *H,
                                 mbd_error *err) {
  double *reverse = calloc((size_t)f->nscalar + 1, sizeof *reverse);
  MEMORY_TRY(reverse, err, "the second derivatives of coefficients");
  mbd_status status = backwards(f, weight, along, reverse, H, err);
  free(reverse);
  return status;
}
