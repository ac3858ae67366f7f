#include "config/man_text.h"

#include <string.h>

#include "mbd/version.h"

/* The escape of a character with a meaning in troff; NULL: none is needed. A line may be broken after a slash or a bar, since lists of
 * choices are long. */
static const char *escape(char c) {
  static const struct {
    char c;
    const char *text;
  } escapes[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"}, {'"', "\\(dq"},
                 {'^', "\\(ha"}, {'~', "\\(ti"}, {'/', "/\\:"},   {'|', "|\\:"}};
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

/* The page has no date, so that equal sources make equal pages. Lines are not justified and words not hyphenated, since they are names.
 * groff 1.23 takes HY and AD at each paragraph, older versions and other programs use .nh and .ad. */
void man_head(FILE *out, const char *title, int section, const char *name, const char *doc) {
  fprintf(out, ".TH %s %d \"\" \"mbopt %s\"\n.nr HY 0\n.ds AD l\n.nh\n.ad l\n.SH NAME\n", title, section, MBD_VERSION);
  man_text(out, name);
  fputs(" \\- ", out);
  man_text(out, doc);
  fputc('\n', out);
}
