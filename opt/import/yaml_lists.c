#include "import/yaml_lists.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "files/text_file.h"
#include "files/text_list.h"

typedef struct yaml_reader {
  yaml_file *f;
  const char *at;   /* the next character */
  int line, is_ini; /* 1: keys end with '=', comments begin with ';', too, and there are lines [SECTION] */
  mbd_error *err;
} yaml_reader;

static mbd_status yaml_fail(const yaml_reader *in, const char *what) {
  MBD_FAIL(in->err, MBD_BAD_INPUT, "%s:%d: %s", in->f->path, in->line, what);
}

/* Skips blanks, comments and ends of lines. */
static void skip(yaml_reader *in) {
  while (isspace((unsigned char)*in->at) || *in->at == '#' || (in->is_ini && *in->at == ';')) {
    if (*in->at == '#' || *in->at == ';') {
      in->at += strcspn(in->at, "\n");
    } else {
      in->line += *in->at++ == '\n';
    }
  }
}

/* Reads a word, between quotation marks or up to the next mark of the format, in new memory. */
static mbd_status read_word(yaml_reader *in, char **word) {
  const char quote = (char)(*in->at == '"' || *in->at == '\'' ? *in->at : '\0');
  if (quote) { in->at++; }
  const char marks[] = {quote, '\0'};
  size_t n = quote ? strcspn(in->at, marks) : strcspn(in->at, in->is_ini ? ",[]{}#;\r\n" : ",[]{}#\r\n");
  const char *text = in->at;
  for (size_t i = 0; i < n; i++) { in->line += text[i] == '\n'; }
  if (quote && text[n] != quote) { return yaml_fail(in, "a text between quotation marks has no end"); }
  in->at += n + (quote != '\0');
  while (!quote && n > 0 && isspace((unsigned char)text[n - 1])) { n--; }
  if (n == 0) { return yaml_fail(in, "expected a name"); }
  *word = mbd_strndup(text, n);
  MEMORY_TRY(*word, in->err, "%s", in->f->path);
  if (text_is_utf8(*word)) { return MBD_OK; }
  free(*word);
  return yaml_fail(in, "expected UTF-8");
}

static mbd_status read_word_into(yaml_reader *in, yaml_item *item) {
  char *word = NULL;
  MBD_TRY(read_word(in, &word));
  MEMORY_TRY(text_list_take(&item->word, &item->n, word), in->err, "%s", in->f->path);
  return MBD_OK;
}

static mbd_status add_item(yaml_reader *in, yaml_list *list, yaml_item **item) {
  yaml_item *grown = mbd_list_grow(list->item, list->n, sizeof *grown);
  MEMORY_TRY(grown, in->err, "%s", in->f->path);
  list->item = grown;
  *item = &grown[list->n++];
  **item = (yaml_item){.line = in->line};
  return MBD_OK;
}

static mbd_status read_item(yaml_reader *in, yaml_list *list);

/* Reads what stands between brackets: the words of an item; NULL: items of the list. */
static mbd_status read_bracket(yaml_reader *in, yaml_list *list, yaml_item *item) {
  in->at++;
  for (skip(in); *in->at != ']'; skip(in)) {
    if (!*in->at) { return yaml_fail(in, "a list has no ']'"); }
    if (item && (*in->at == '[' || *in->at == '{')) { return yaml_fail(in, "expected names, or lists of names"); }
    MBD_TRY(item ? read_word_into(in, item) : read_item(in, list));
    skip(in);
    if (*in->at == ',') { in->at++; }
  }
  in->at++;
  return MBD_OK;
}

static mbd_status read_item(yaml_reader *in, yaml_list *list) {
  yaml_item *item = NULL;
  MBD_TRY(add_item(in, list, &item));
  if (*in->at == '[') { return read_bracket(in, list, item); }
  if (*in->at == '{' || *in->at == '&' || *in->at == '*' || *in->at == '!' || *in->at == '|' || *in->at == '>') {
    return yaml_fail(in, "expected names, or lists of names");
  }
  return read_word_into(in, item);
}

/* Reads items that stand behind dashes, one a line. */
static mbd_status read_dashes(yaml_reader *in, yaml_list *list) {
  while (in->at[0] == '-' && (in->at[1] == ' ' || in->at[1] == '\t')) {
    in->at++;
    skip(in);
    MBD_TRY(read_item(in, list));
    skip(in);
  }
  return MBD_OK;
}

/* Reads a key with its value. A key that stands twice keeps the first. */
static mbd_status read_key(yaml_reader *in) {
  size_t n = strcspn(in->at, in->is_ini ? "=#;\r\n[]{}," : ":#\r\n[]{},");
  const char *value = in->at + n + 1;
  if (n == 0 || in->at[n] != (in->is_ini ? '=' : ':')) {
    return yaml_fail(in, in->is_ini ? "expected KEY = and a list of names" : "expected KEY: and a list of names");
  }
  while (n > 0 && isblank((unsigned char)in->at[n - 1])) { n--; }
  yaml_list *grown = mbd_list_grow(in->f->list, in->f->n, sizeof *grown), *list;
  MEMORY_TRY(grown, in->err, "%s", in->f->path);
  in->f->list = grown;
  list = &grown[in->f->n++];
  *list = (yaml_list){.key = mbd_strndup(in->at, n), .line = in->line};
  MEMORY_TRY(list->key, in->err, "%s", in->f->path);
  in->at = value;
  const int line = in->line;
  skip(in);
  if (*in->at == '[') { return read_bracket(in, list, NULL); }
  if (in->line == line) { return *in->at ? read_item(in, list) : MBD_OK; }
  return read_dashes(in, list);
}

mbd_status yaml_read(const char *path, yaml_file *f, mbd_error *err) {
  text_file t = {0};
  *f = (yaml_file){.path = path};
  MBD_TRY(text_file_read(path, 1, &t, err));
  const char *dot = strrchr(path, '.');
  yaml_reader in = {.f = f, .at = t.text, .line = 1, .is_ini = dot && strcmp(dot, ".ini") == 0, .err = err};
  mbd_status status = MBD_OK;
  for (skip(&in); *in.at && status == MBD_OK; skip(&in)) {
    if (strncmp(in.at, "---", 3) == 0 || (in.is_ini && *in.at == '[')) { /* a document, a section */
      in.at += strcspn(in.at, "\n");
      continue;
    }
    status = read_key(&in);
  }
  text_file_free(&t);
  return status;
}

void yaml_free(yaml_file *f) {
  for (int i = 0; i < f->n; i++) {
    for (int k = 0; k < f->list[i].n; k++) { text_list_free(f->list[i].item[k].word, f->list[i].item[k].n); }
    free(f->list[i].item), free(f->list[i].key);
  }
  free(f->list);
  *f = (yaml_file){.n = 0};
}

const yaml_list *yaml_find(const yaml_file *f, const char *key) {
  for (int i = 0; i < f->n; i++) {
    if (strcmp(f->list[i].key, key) == 0) { return &f->list[i]; }
  }
  return NULL;
}
