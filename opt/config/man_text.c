#include "config/man_text.h"

#include <string.h>

#include "mbd/version.h"

/* The escape of a character that troff would change or act upon; NULL: none is needed. A line may end after a slash: lists
 * of choices are long. */
static const char *escape(char c) {
  static const struct {
    char c;
    const char *text;
  } escapes[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"}, {'"', "\\(dq"},
                 {'^', "\\(ha"}, {'~', "\\(ti"}, {'/', "/\\:"}};
  for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
    if (escapes[i].c == c) { return escapes[i].text; }
  }
  return NULL;
}

void man_text(FILE *out, const char *text) {
  int bold = 0;
  for (const char *s = text; *s; s++) {
    if (*s == '`') {
      bold = !bold;
      fputs(bold ? "\\fB" : "\\fR", out);
    } else if (*s == '.' && (s == text || s[-1] == '\n')) {
      fputs("\\&.", out);
    } else if (escape(*s)) {
      fputs(escape(*s), out);
    } else {
      fputc(*s, out);
    }
  }
}

/* No date: the same sources make the same page. Lines are neither stretched nor broken inside of words: these are names. groff 1.23
 * returns to HY and AD at each paragraph, earlier ones and other programs leave alone what .nh and .ad say. */
void man_head(FILE *out, const char *title, int section, const char *name, const char *doc) {
  fprintf(out, ".TH %s %d \"\" \"mbopt %s\"\n.nr HY 0\n.ds AD l\n.nh\n.ad l\n.SH NAME\n", title, section, MBD_VERSION);
  man_text(out, name);
  fputs(" \\- ", out);
  man_text(out, doc);
  fputc('\n', out);
}
