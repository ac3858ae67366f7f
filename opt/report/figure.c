#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "files/atomic_file.h"
#include "report/gnuplot.h"

static const char *const formats[] = {"svg", "png", "pdf"};

mbd_status figure_format_find(const char *name, figure_format *f, mbd_error *err) {
  mbd_nearest near = {.wanted = name};
  char hint[96];
  for (int i = FIGURE_SVG; i <= FIGURE_PDF; i++) {
    if (strcmp(name, formats[i]) == 0) {
      *f = (figure_format)i;
      return MBD_OK;
    }
  }
  for (int i = FIGURE_SVG; i <= FIGURE_PDF; i++) { mbd_nearest_offer(&near, formats[i]); }
  MBD_FAIL(err, MBD_BAD_INPUT, "format '%s' of figures is not known: expected svg, png or pdf%s", name,
           mbd_nearest_text(&near, hint, sizeof hint));
}

const char *figure_format_name(figure_format f) {
  return formats[f];
}

/* ---- the script ---- */

/* Sets the terminal: SVG in units of its own, PNG in enough pixels for print, PDF in inches: the same picture in each. */
static void terminal(figure *f) {
  enum { PIXELS = 3 };
  const figure_target *t = f->target;
  const double w = t->width > 0 ? t->width : 640, h = t->height > 0 ? t->height : 320;
  fprintf(f->script, "set encoding utf8\n");
  switch (t->format) {
    case FIGURE_SVG:
      fprintf(f->script, "set terminal svg size %g,%g dynamic font 'sans,12' noenhanced background 'white'\n", w, h);
      break;
    case FIGURE_PNG:
      fprintf(f->script,
              "set terminal pngcairo size %g,%g font 'sans,9' fontscale %d linewidth %d pointscale %d noenhanced\n",
              PIXELS * w, PIXELS * h, PIXELS, PIXELS, PIXELS);
      break;
    case FIGURE_PDF:
      fprintf(f->script, "set terminal pdfcairo size %gin,%gin font 'sans,9' noenhanced\n", w / 72, h / 72);
  }
}

/* Sets the colours of Okabe and Ito without yellow, which no white page shows; the darkest first. */
static void look(figure *f) {
  static const char *const colour[] = {FIGURE_AFTER, "#d55e00", "#009e73", "#cc79a7",
                                       "#e69f00",    "#56b4e9", "#000000", "#8c8c8c"};
  enum { N = sizeof colour / sizeof colour[0] };
  for (int i = 0; i < N; i++) {
    fprintf(f->script, "set linetype %d lc rgb '%s' lw 1.8 pt 7 ps 0.5\n", i + 1, colour[i]);
  }
  fprintf(f->script,
          "set linetype cycle %d\n"
          "set border 3 lc rgb '#606060' lw 0.8\n"
          "set format '%%g'\n" /* gnuplot's own shortens what differs late */
          "set tics nomirror out scale 0.6 textcolor rgb '#303030'\n"
          "set grid back lt 1 lc rgb '#e0e0e0' lw 0.7 dt 1\n"
          "set key outside top center horizontal\n"
          "set style fill solid 1 noborder\n"
          "set datafile missing 'NaN'\n",
          N);
}

mbd_status figure_open(figure *f, figure_target *t, mbd_error *err) {
  *f = (figure){.target = t};
  if (!t->path && t->format != FIGURE_SVG) {
    MBD_FAIL(err, MBD_BAD_INPUT, "a figure without a file is of format svg, not %s", formats[t->format]);
  }
  f->script = text_begin(&f->stream);
  if (!f->script) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a figure"); }
  terminal(f);
  look(f);
  return MBD_OK;
}

void figure_quote(figure *f, const char *text) {
  fputc('\'', f->script);
  for (; *text; text++) {
    if (*text == '\'') { fputc('\'', f->script); }
    fputc((unsigned char)*text < ' ' ? ' ' : *text, f->script);
  }
  fputc('\'', f->script);
}

void figure_label(figure *f, const char *what, const char *text) {
  if (!text || !*text) { return; }
  fprintf(f->script, "set %s ", what);
  figure_quote(f, text);
  fputc('\n', f->script);
}

int figure_data(figure *f) {
  fprintf(f->script, "$d%d << EOD\n", ++f->nblock);
  return f->nblock;
}

void figure_number(figure *f, double v) {
  if (isfinite(v)) {
    fprintf(f->script, "%.9g ", v);
  } else {
    fputs("NaN ", f->script);
  }
}

void figure_row(figure *f) {
  fputc('\n', f->script);
}

void figure_data_end(figure *f) {
  fputs("EOD\n", f->script);
}

/* ---- the picture ---- */

static mbd_status into_file(const char *path, const char *picture, size_t n, mbd_error *err) {
  atomic_file a;
  MBD_TRY(atomic_open(path, &a, err));
  fwrite(picture, 1, n, a.out);
  return atomic_commit(&a, err);
}

mbd_status figure_close(figure *f, mbd_error *err) {
  char *picture = NULL;
  size_t n = 0;
  char *text = text_end(&f->stream);
  mbd_status status =
      text ? gnuplot_run(text, &picture, &n, err) : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for a figure");
  if (status == MBD_OK && f->target->path) { status = into_file(f->target->path, picture, n, err); }
  if (status == MBD_OK && !f->target->path) {
    f->target->text = picture;
    picture = NULL;
  }
  free(picture), free(text);
  *f = (figure){0};
  return status;
}

void figure_abort(figure *f) {
  free(text_end(&f->stream));
  *f = (figure){0};
}
