#include "report/page.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "files/json.h"
#include "files/text_stream.h"
#include "files/xml.h"
#include "report/assets.h"
#include "files/atomic_file.h"

enum { SCRIPTS, STYLES, STYLE, CONTENTS, BODY, SCRIPT, LAST_SCRIPT, N_PARTS }; /* SCRIPTS, STYLES: by their hashes */

struct page {
  char *title;
  text_stream part[N_PARTS];
  int in_section, in_row; /* in_section: FOLDED in one whose content is hidden at first */
  int plots;              /* 1: the page has style and script of plot.js */
  double live;            /* [s] after which it loads itself again; 0: it does not */
  int computes;           /* 1: with an engine */
};

mbd_status page_create(const char *title, page **out, mbd_error *err) {
  page *p = mbd_zeros(1, sizeof *p);
  int ok = p && (p->title = mbd_strdup(title));
  for (int i = 0; ok && i < N_PARTS; i++) { ok = text_begin(&p->part[i]) != NULL; }
  if (!ok) {
    page_destroy(p);
    return MEMORY_NONE(err, "a page");
  }
  page_style(p, &mbo_asset_page_css);
  page_script(p, &mbo_asset_common_js);
  page_script(p, &mbo_asset_page_js);
  page_last_script(p, &mbo_asset_begin_js);
  *out = p;
  return MBD_OK;
}

mbd_status page_create_about(const char *path, const char *what, page **out, mbd_error *err) {
  const char *slash = strrchr(path, '/');
  char *title = mbd_sprintf_dup("%s: %s", slash ? slash + 1 : path, what);
  const mbd_status status = page_create(title, out, err); /* of NULL, which page_write refuses */
  free(title);
  return status;
}

void page_destroy(page *p) {
  if (!p) { return; }
  for (int i = 0; i < N_PARTS; i++) {
    if (p->part[i].out) { (void)text_end(&p->part[i]); }
    free(p->part[i].text);
  }
  free(p->title), free(p);
}

/* A text between two pieces of HTML. */
static void between(FILE *out, const char *before, const char *text, const char *after) {
  fputs(before, out);
  xml_escape(out, text);
  fputs(after, out);
}

static void escape_formatted(page *p, const char *format, va_list list) {
  char *text = NULL;
  if (vasprintf(&text, format, list) < 0) {
    mbd_memory_note();
    return;
  }
  xml_escape(p->part[BODY].out, text);
  free(text);
}

/* ---- the file ---- */

static void write_all(page *p, FILE *out) {
  between(out,
          "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          p->title, "</title>\n");
  /* The policy: scripts and styles of the program alone, nothing from elsewhere. */
  fprintf(out,
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src%s%s; "
          "style-src%s; img-src data: blob:; media-src blob:; frame-src 'self'; base-uri 'none'; "
          "form-action 'none'\">\n",
          p->part[SCRIPTS].text, p->computes ? " 'wasm-unsafe-eval'; worker-src blob:" : "", p->part[STYLES].text);
  if (p->live > 0) { /* where scripts are not allowed */
    fprintf(out, "<noscript><meta http-equiv=\"refresh\" content=\"%.0f\"></noscript>\n", p->live);
  }
  fputs(p->part[STYLE].text, out);
  between(out, "</head>\n<body>\n<header><h1>", p->title, "</h1></header>\n");
  fprintf(out, "<nav aria-label=\"contents\"><ul>\n%s</ul></nav>\n<main>\n%s</main>\n%s%s</body>\n</html>\n",
          p->part[CONTENTS].text, p->part[BODY].text, p->part[SCRIPT].text, p->part[LAST_SCRIPT].text);
}

void page_computes(page *p) {
  p->computes = 1;
}

void page_live(page *p, double period) {
  p->live = period;
  json_t *data = json_pack("{s:I, s:f}", "written", (json_int_t)time(NULL), "period", period);
  page_json(p, "live", data);
  page_last_script(p, &mbo_asset_live_js);
  json_decref(data);
}

enum { OPEN = 1, FOLDED };

static void end_section(page *p) {
  if (p->in_section == FOLDED) { fputs("</details>\n", p->part[BODY].out); }
  if (p->in_section) { fputs("</section>\n", p->part[BODY].out); }
  p->in_section = 0;
}

mbd_status page_write(page *p, const char *path, mbd_error *err) {
  atomic_file a;
  end_section(p);
  for (int i = 0; i < N_PARTS; i++) { (void)text_end(&p->part[i]); }
  MBD_TRY(MEMORY_WHOLE(err, "the page %s", path));
  MBD_TRY(atomic_open(path, &a, err));
  write_all(p, a.out);
  return atomic_commit(&a, err);
}

/* ---- text ---- */

/* Writes lower-case letters and digits, with a dash for all other characters between them. */
static void write_anchor(FILE *out, const char *title) {
  int gap = 0;
  for (const char *s = title; *s; s++) {
    const unsigned char c = (unsigned char)*s;
    if (isalnum(c)) {
      if (gap) { fputc('-', out); }
      fputc(tolower(c), out);
      gap = 0;
    } else {
      gap = s > title;
    }
  }
}

static void begin_section(page *p, const char *title, int how) {
  FILE *out = p->part[BODY].out, *list = p->part[CONTENTS].out;
  end_section(p);
  fputs("<section id=\"", out), write_anchor(out, title);
  fputs(how == FOLDED ? "\">\n<details class=\"fold\"><summary>" : "\">\n", out);
  between(out, "<h2>", title, how == FOLDED ? "</h2></summary>\n" : "</h2>\n");
  fputs("<li><a href=\"#", list), write_anchor(list, title);
  between(list, "\">", title, "</a></li>\n");
  p->in_section = how;
}

void page_section(page *p, const char *title) {
  begin_section(p, title, OPEN);
}

void page_folded_section(page *p, const char *title) {
  begin_section(p, title, FOLDED);
}

void page_heading(page *p, const char *title) {
  between(p->part[BODY].out, "<h3>", title, "</h3>\n");
}

static void paragraph(page *p, const char *begin, const char *format, va_list list) {
  fputs(begin, p->part[BODY].out);
  escape_formatted(p, format, list);
  fputs("</p>\n", p->part[BODY].out);
}

void page_text(page *p, const char *format, ...) {
  va_list list;
  va_start(list, format);
  paragraph(p, "<p>", format, list);
  va_end(list);
}

void page_note(page *p, const char *format, ...) {
  va_list list;
  va_start(list, format);
  paragraph(p, "<p class=\"note\">", format, list);
  va_end(list);
}

void page_verdict_owned(page *p, int good, char *text) {
  fprintf(p->part[BODY].out, "<p class=\"verdict%s\">", good ? "" : " bad");
  between(p->part[BODY].out, "", text, "</p>\n");
  free(text);
}

void page_names(page *p, const char *what, const json_t *names, int max) {
  text_stream stream;
  size_t i;
  const json_t *one;
  if (json_array_size(names) == 0) { return; }
  FILE *out = text_begin(&stream);
  json_array_foreach(names, i, one) {
    if (out && i < (size_t)max) { fprintf(out, "%s%s", i ? ", " : "", json_string_value(one)); }
  }
  char *text = text_end(&stream);
  page_text(p, "%s %s%s.", what, text ? text : "", json_array_size(names) > (size_t)max ? ", ..." : "");
  free(text);
}

/* Bytes with a meaning in addresses are written as % and two digits [RFC 3986, section 2.1]. */
static void open_link(FILE *out, const char *file) {
  fputs("<a href=\"", out);
  for (const char *s = file; *s; s++) {
    if (isalnum((unsigned char)*s) || strchr("-_.~", *s)) {
      fputc(*s, out);
    } else {
      fprintf(out, "%%%02X", (unsigned)(unsigned char)*s);
    }
  }
  fputs("\">", out);
}

void page_link(page *p, const char *file, const char *text) {
  FILE *out = p->part[BODY].out;
  fputs("<p>", out);
  open_link(out, file);
  between(out, "", text, "</a></p>\n");
}

void page_facts_open(page *p) {
  fputs("<dl>\n", p->part[BODY].out);
}

void page_fact(page *p, const char *name, const char *value) {
  if (!value || !*value) { return; }
  between(p->part[BODY].out, "<div><dt>", name, "</dt><dd>");
  between(p->part[BODY].out, "", value, "</dd></div>\n");
}

void page_fact_owned(page *p, const char *name, char *value) {
  page_fact(p, name, value);
  free(value);
}

void page_fact_date(page *p, const char *name, time_t date) {
  char text[64] = "";
  struct tm local;
  if (localtime_r(&date, &local)) { strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local); }
  page_fact(p, name, text);
}

void page_fact_of(page *p, const char *name, const char *format, ...) {
  char *text = NULL;
  va_list list;
  va_start(list, format);
  if (vasprintf(&text, format, list) < 0) {
    text = NULL;
    mbd_memory_note();
  }
  va_end(list);
  page_fact_owned(p, name, text);
}

void page_fact_file(page *p, const char *name, const char *path) {
  page_fact_owned(p, name, path_shown(path));
}

void page_facts_close(page *p) {
  fputs("</dl>\n", p->part[BODY].out);
}

void page_more_open(page *p, const char *summary) {
  between(p->part[BODY].out, "<details><summary>", summary, "</summary>\n");
}

void page_more_close(page *p) {
  fputs("</details>\n", p->part[BODY].out);
}

void page_listing(page *p, const char *heading, const char *text) {
  page_heading(p, heading);
  between(p->part[BODY].out, "<pre>", text, "</pre>\n");
}

/* ---- tables ---- */

void page_table_open(page *p, int n, const char *const *heading) {
  FILE *out = p->part[BODY].out;
  fputs("<div class=\"table\"><table>\n<thead><tr>", out);
  for (int i = 0; i < n; i++) {
    between(out, "<th scope=\"col\"><button type=\"button\">", heading[i], "</button></th>");
  }
  fputs("</tr></thead>\n<tbody>\n", out);
  p->in_row = 0;
}

static void end_row(page *p) {
  if (p->in_row) { fputs("</tr>\n", p->part[BODY].out); }
  p->in_row = 0;
}

void page_row(page *p) {
  end_row(p);
  fputs("<tr>", p->part[BODY].out);
  p->in_row = 1;
}

void page_row_of_body(page *p, const char *body) {
  end_row(p);
  between(p->part[BODY].out, "<tr data-body=\"", body, "\">");
  p->in_row = 1;
}

void page_cell(page *p, const char *text) {
  between(p->part[BODY].out, "<td>", text, "</td>");
}

void page_cell_owned(page *p, char *text) {
  page_cell(p, text);
  free(text);
}

void page_cell_number(page *p, double v, int digits, const char *mark) {
  FILE *out = p->part[BODY].out;
  fputs("<td class=\"number\"", out);
  if (isfinite(v)) { fprintf(out, " data-value=\"%.17g\"", v); }
  fputc('>', out);
  if (mark) { between(out, "<span class=\"mark\">", mark, "</span> "); }
  if (isfinite(v)) {
    fprintf(out, "%.*g", digits, v);
  } else {
    fputs("–", out);
  }
  fputs("</td>", out);
}

void page_cell_link(page *p, double v, int digits, const char *file) {
  FILE *out = p->part[BODY].out;
  if (!file) {
    page_cell_number(p, v, digits, NULL);
    return;
  }
  fprintf(out, "<td class=\"number\" data-value=\"%.17g\">", v);
  open_link(out, file);
  fprintf(out, "%.*g</a></td>", digits, v);
}

void page_cell_part(page *p, double v, int digits) {
  FILE *out = p->part[BODY].out;
  if (!isfinite(v)) {
    page_cell_number(p, v, digits, NULL);
    return;
  }
  fprintf(out, "<td class=\"number %s\" data-style=\"--part: %.3f\" data-value=\"%.17g\">%.*g</td>",
          v < 0 ? "minus" : "plus", fabs(v), v, digits, v);
}

void page_cell_bar(page *p, double v, double low, double high) {
  FILE *out = p->part[BODY].out;
  if (!isfinite(v)) {
    page_cell_number(p, v, 3, NULL);
    return;
  }
  fprintf(out,
          "<td class=\"number bar\" data-style=\"--part: %.3f; --low: %.3f; --high: %.3f\" data-value=\"%.17g\">%.3g",
          v, isfinite(low) ? low : 0, isfinite(low) ? high : 0, v, 100 * v);
  if (isfinite(low)) { fprintf(out, " (%.3g to %.3g)", 100 * low, 100 * high); }
  fputs("</td>", out);
}

void page_table_close(page *p) {
  end_row(p);
  fputs("</tbody></table></div>\n", p->part[BODY].out);
}

void page_table(page *p, int n, const page_column *column, const json_t *rows) {
  const char **heading = mbd_zeros((size_t)n, sizeof *heading);
  const json_t *row;
  size_t i;
  if (!heading) { return; }
  for (int k = 0; k < n; k++) { heading[k] = column[k].heading; }
  page_table_open(p, n, heading);
  free(heading);
  /* A row for each object; that of a body is marked together with the body in the picture. */
  json_array_foreach(rows, i, row) {
    const char *body = json_text_in(row, "body");
    if (*body) {
      page_row_of_body(p, body);
    } else {
      page_row(p);
    }
    for (int k = 0; k < n; k++) {
      const page_column *c = &column[k];
      const char *mark = c->mark ? json_text_in(row, c->mark) : "", *text = json_text_in(row, c->key);
      /* A number with its mark, or a text. */
      if (c->digits > 0) {
        page_cell_number(p, json_number_in(row, c->key), c->digits, *mark ? mark : NULL);
      } else {
        page_cell(p, c->digits == PAGE_DASH && !*text ? "–" : text);
      }
    }
  }
  page_table_close(p);
}

void page_table_section(page *p, const char *title, int n, const page_column *column, const json_t *rows) {
  if (json_array_size(rows) == 0) { return; }
  page_section(p, title);
  page_table(p, n, column, rows);
}

/* ---- figures and scripts ---- */

void page_graph(page *p, const char *svg, double scale, const char *caption) {
  const char *box = strstr(svg, "<svg "), *width = box ? strstr(box, " width=\"") : NULL;
  const double size = width ? atof(width + strlen(" width=\"")) : 0;
  fprintf(p->part[BODY].out,
          "<figure class=\"graph\" data-style=\"--least: %.0fpx\"><div class=\"wide\">%s</div><figcaption>",
          scale * size, svg);
  between(p->part[BODY].out, "", caption, "</figcaption></figure>\n");
}

void page_figures_open(page *p) {
  fputs("<div class=\"figures\">\n", p->part[BODY].out);
}

void page_beside_open(page *p) {
  fputs("<div class=\"beside\">\n", p->part[BODY].out);
}

void page_figures_close(page *p) {
  fputs("</div>\n", p->part[BODY].out);
}

void page_container(page *p, const char *id) {
  fprintf(p->part[BODY].out, "<div id=\"%s\"></div>\n", id);
}

/* Writes a text without any <, which a browser could take for the end of the script or for a comment in it. */
static int write_without_tags(const char *text, size_t size, void *out) {
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '<') {
      fputs("\\u003c", out);
    } else {
      fputc(text[i], out);
    }
  }
  return 0;
}

static void write_json(FILE *out, const json_t *data) {
  if (json_dump_callback(data, write_without_tags, out, JSON_COMPACT | JSON_REAL_PRECISION(9)) != 0) {
    mbd_memory_note();
  }
  fputs("</script>\n", out);
}

void page_json(page *p, const char *id, const json_t *data) {
  fprintf(p->part[SCRIPT].out, "<script type=\"application/json\" id=\"%s\">", id);
  write_json(p->part[SCRIPT].out, data);
}

void page_uses_plots(page *p) {
  if (p->plots) { return; }
  page_style(p, &mbo_asset_curves_css);
  page_script(p, &mbo_asset_plot_js);
  p->plots = 1;
}

void page_uses_scene(page *p) {
  page_style(p, &mbo_asset_scene_css);
  page_script(p, &mbo_asset_vectors_js);
  page_script(p, &mbo_asset_share_js);
  page_script(p, &mbo_asset_shapes_js);
  page_script(p, &mbo_asset_centres_js);
  page_script(p, &mbo_asset_scene_js);
}

/* A row for each direction, with its number and its parts. */
static void table_of_parts(page *p, const json_t *spec) {
  const json_t *rows = json_object_get(spec, "rows"), *columns = json_object_get(spec, "columns"), *one, *part;
  const int n = (int)json_array_size(columns);
  size_t i, k;
  const char **heading = mbd_zeros((size_t)n, sizeof *heading);
  if (!heading) { return; }
  /* Headings: what the numbers of the rows are, then the names of the columns. */
  heading[0] = json_text_in(json_object_get(spec, "y"), "label");
  json_array_foreach(columns, i, one) {
    heading[i + 1] = json_string_value(one);
  }
  page_table_open(p, n + 1, heading);
  /* The number of each row, and its parts with tints. */
  json_array_foreach(rows, i, one) {
    page_row(p);
    page_cell_number(p, json_number_of(one), 4, NULL);
    json_array_foreach(json_array_get(json_object_get(spec, "parts"), i), k, part) {
      page_cell_part(p, json_number_of(part), 3);
    }
  }
  page_table_close(p);
  free(heading);
}

mbd_status page_figure(void *to, json_t *spec, mbd_error *err) {
  page *p = to;
  (void)err; /* page_write says what is lost */
  if (!spec) {
    mbd_memory_note();
  } else if (strcmp(json_text_in(spec, "kind"), "parts") == 0) {
    table_of_parts(p, spec);
  } else {
    page_uses_plots(p);
    fputs("<div class=\"plot-data\"><script type=\"application/json\">", p->part[BODY].out);
    write_json(p->part[BODY].out, spec);
    fputs("</div>\n", p->part[BODY].out);
  }
  json_decref(spec);
  return MBD_OK;
}

/* Adds a script or a style sheet, and its hash to those that the policy allows. */
static void add_asset(page *p, int allowed, int part, const char *element, const mbo_asset *asset) {
  fprintf(p->part[allowed].out, " 'sha256-%s'", asset->sha256);
  fprintf(p->part[part].out, "<%s>%s</%s>\n", element, asset->text, element);
}

void page_style(page *p, const mbo_asset *css) {
  add_asset(p, STYLES, STYLE, "style", css);
}

void page_script(page *p, const mbo_asset *script) {
  add_asset(p, SCRIPTS, SCRIPT, "script", script);
}

void page_last_script(page *p, const mbo_asset *script) {
  add_asset(p, SCRIPTS, LAST_SCRIPT, "script", script);
}
