#include "config/schema_format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "config/man_text.h"
#include "files/json.h"

static const char *or_empty(const char *text) {
  return text ? text : "";
}

static void write_upper(FILE *out, const char *text) {
  for (; *text; text++) { fputc(toupper((unsigned char)*text), out); }
}

/* "required", "default 3", "default none"; empty in lists of names */
static const char *default_text(const schema_writer *w, const schema_key *k, char *text, size_t size) {
  if (w->names) { return ""; }
  if (!k->dflt) { return "required"; }
  snprintf(text, size, "default %s", *k->dflt ? k->dflt : "none");
  return text;
}

/* ---- text ---- */

static void text_begin(schema_writer *w, const char *syntax) {
  fprintf(w->out, "%s\n", syntax);
}

static void text_part(schema_writer *w, const char *title) {
  fputc('\n', w->out);
  write_upper(w->out, title);
  fputc('\n', w->out);
}

static void text_section(schema_writer *w, const char *file, const char *title, const char *doc) {
  (void)file;
  fprintf(w->out, "\n%s   %s\n", title, doc);
}

static void text_key(schema_writer *w, const schema_key *k) {
  char text[128];
  const char *unit = or_empty(k->unit), *range = or_empty(k->range), *dflt = default_text(w, k, text, sizeof text);
  fprintf(w->out, "  %-22s %s%s%s%s%s%s%s%s\n", k->key, k->type, *range ? " " : "", range,
          *unit && *k->type ? " ["
          : *unit           ? "["
                            : "",
          unit, *unit ? "]" : "", *dflt ? "; " : "", dflt);
  fprintf(w->out, "  %-22s %s\n", "", k->doc);
}

/* ---- markdown ---- */

static void markdown_part(schema_writer *w, const char *title) {
  fprintf(w->out, "\n## %s\n", title);
}

static void markdown_section(schema_writer *w, const char *file, const char *title, const char *doc) {
  (void)file;
  fprintf(w->out, "\n### `%s`\n\n%s\n", title, doc);
  w->table = 0;
}

static void markdown_key(schema_writer *w, const schema_key *k) {
  const char *unit = or_empty(k->unit), *range = or_empty(k->range);
  if (!w->table) { fprintf(w->out, "\n| key | value | default | meaning |\n|---|---|---|---|\n"); }
  w->table = 1;
  fprintf(w->out, "| `%s` | %s%s%s%s%s | %s%s%s | ", k->key, k->type, *range ? ", " : "", range,
          *unit && *k->type ? ", " : "", unit, k->dflt && *k->dflt ? "`" : "", k->dflt ? k->dflt : "required",
          k->dflt && *k->dflt ? "`" : "");
  for (const char *c = k->doc; *c; c++) { fprintf(w->out, *c == '|' ? "\\%c" : "%c", *c); }
  fprintf(w->out, " |\n");
}

/* ---- JSON ---- */

static void json_begin(schema_writer *w, const char *syntax) {
  (void)syntax;
  w->lost = mbd_memory_lost();
  w->json = json_array();
}

static void json_section(schema_writer *w, const char *file, const char *title, const char *doc) {
  w->section = json_array();
  json_t *o = json_pack("{s:s, s:s, s:s, s:o}", "file", file, "section", title, "doc", doc, "keys", w->section);
  if (json_array_append_new(w->json, o) != 0) { w->section = NULL; }
}

static void json_key(schema_writer *w, const schema_key *k) {
  json_array_append_new(w->section,
                        json_pack("{s:s, s:s, s:s?, s:s, s:s, s:s}", "key", k->key, "type", k->type, "default", k->dflt,
                                  "range", or_empty(k->range), "unit", or_empty(k->unit), "doc", k->doc));
}

static void json_end(schema_writer *w) {
  char *text = json_memory_dumps(w->json, JSON_INDENT(1), w->lost);
  if (text) { fprintf(w->out, "%s\n", text); }
  w->no_memory = !text;
  free(text);
  json_decref(w->json);
}

/* ---- manual page ---- */

static void man_begin(schema_writer *w, const char *syntax) {
  man_head(w->out, "MBOPT.INI", 5, "mbopt.ini", "run files and model files of mbopt");
  fputs(".SH DESCRIPTION\n", w->out);
  man_text(w->out, syntax);
  fputs("\n.PP\nThis page is made from the tables of the program; ", w->out);
  man_text(w->out, "`mbopt schema` prints the same.\n");
}

static void man_part(schema_writer *w, const char *title) {
  fputs(".SH ", w->out);
  write_upper(w->out, title);
  fputc('\n', w->out);
}

static void man_section(schema_writer *w, const char *file, const char *title, const char *doc) {
  (void)file;
  fputs(".SS ", w->out);
  man_text(w->out, title);
  fputc('\n', w->out);
  man_text(w->out, doc);
  fputc('\n', w->out);
}

/* key (type; range; unit; default) */
static void man_key(schema_writer *w, const schema_key *k) {
  char text[128];
  const char *parts[] = {k->type, or_empty(k->range), or_empty(k->unit), default_text(w, k, text, sizeof text)};
  const char *open = "\\fR  (";
  fputs(".TP\n\\fB", w->out);
  man_text(w->out, k->key);
  for (int i = 0; i < 4; i++) {
    if (!*parts[i]) { continue; }
    fputs(open, w->out);
    man_text(w->out, parts[i]);
    open = "; ";
  }
  fputs(*open == '\\' ? "\\fR\n" : ")\n", w->out);
  man_text(w->out, k->doc);
  fputc('\n', w->out);
}

static void man_end(schema_writer *w) {
  fputs(".SH SEE ALSO\n.BR mbopt (1)\n", w->out);
}

static const schema_format formats[] = {
    {"text", text_begin, text_part, text_section, text_key, NULL},
    {"markdown", text_begin, markdown_part, markdown_section, markdown_key, NULL},
    {"json", json_begin, NULL, json_section, json_key, json_end},
    {"man", man_begin, man_part, man_section, man_key, man_end},
};

const schema_format *schema_format_find(const char *name) {
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    if (strcmp(formats[i].name, name) == 0) { return &formats[i]; }
  }
  return NULL;
}
