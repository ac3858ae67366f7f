/* Readers of model and run files on broken and unusual input: every message says where, what was found and what was
 * expected, and nothing of a file is passed over in silence. */
#include <ctype.h>
#include <locale.h>

#include "config/expr.h"
#include "config/options.h"
#include "edited.h"

static const char model_text[] =
    "schema = 1\n"
    "[scalars]\n"
    "m = 2\n"
    "L = 1.5\n"
    "zero = 0\n"
    "[body bar]\n"
    "mass = m\n"
    "com = L/2, 0, 0\n"
    "inertia = 0, 0, m*L^2/12\n"
    "[point O]\n"
    "at = 0, 0, 0\n"
    "bodies = ground, bar\n"
    "[vector n]\n"
    "along = 0, 0, 1\n"
    "bodies = ground, bar\n";

static const char run_text[] =
    "schema = 1\n"
    "[model]\n"
    "file = model.ini\n"
    "[design m]\n"
    "lower = 0.1\n"
    "[case drop]\n"
    "duration = 1\n"
    "step = 0.01\n"
    "[objective speed]\n"
    "of = O.velocity\n"
    "form = integral_square\n";

static mbd_status read_run(const char *text, const char *set, mbo_run_config **c, mbd_error *err) {
  char path[] = "/tmp/mbopt_run_XXXXXX";
  write_file(path, text);
  mbd_status status = mbo_run_config_read(path, set ? 1 : 0, &set, c, err);
  unlink(path);
  return status;
}

static void test_broken_runs(void) {
  static const broken_case cases[] = {
      {"[case drop]\n", "[case drop] step = 3\n", ":6: 'step = 3' after ']', expected nothing there"},
      {"schema = 1\n", "schema = 1\nschema = 1\n", ":2: schema appears twice, first in line 1"},
      {"duration = 1", "duration : 1", ":7: 'duration : 1' is neither a [section] nor key = value"},
      {"duration = 1", "duration : 1 = 2", ":7: 'duration : 1 = 2' is neither a [section] nor key = value"},
      {"duration = 1", "duration = 0x10",
       ":7: [case drop] duration: expected a number or an expression; expression '0x10', column 2: found 'x10'"},
      {"duration = 1", "duration = nan", ":7: [case drop] duration = nan: expected a number"},
      {"duration = 1", "duration = 1,5",
       ":7: [case drop] duration: expected a number or an expression; expression '1,5', column 2: found ',5'"},
      {"duration = 1", "duration = 1e999",
       ":7: [case drop] duration: expected a number or an expression; expression '1e999', column 1: found '1e999'"},
      {"lower = 0.1", "start = inf", ":5: [design m] start = inf: expected a number >= -1e+300"},
      {"form =", "target = inf\nform =", ":11: [objective speed] target = inf: expected numbers"},
      {"[case drop]", "  [case drop]\n  [case drop]", ":7: section '[case drop]' appears twice, first in line 6"},
      {"step = 0.01", "step =\n", ":8: [case drop] step has no value"},
      {"step = 0.01", "  stp = 0.01", "key 'step' is missing"},
      {"step = 0.01", "step = 0.01\n[output]\noutputs = a,, b",
       "[output] outputs = a,, b: name 2 of the list is empty"},
      {"step = 0.01", "step = 0.01\n  more",
       ":8: [case drop] step: expected a number or an expression; expression '0.01 more', column 6: found 'more'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[2000];
    mbo_run_config *c = NULL;
    mbd_error err = {0};
    edit(text, sizeof text, run_text, cases[i].from, cases[i].to);
    CU_ASSERT_EQUAL(read_run(text, NULL, &c, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, cases[i].message);
    mbo_run_config_destroy(c);
  }
}

/* The same run file, written in unusual ways. */
static void test_unusual_runs(void) {
  static const char *const edits[][2] = {
      {"step = 0.01", "step = 0.01 # seconds"},
      {"step = 0.01", "step = 0.01\t; seconds"},
      {"[case drop]\n", "[case drop]   # the only one\n"},
      {"[case drop]\n", "  [case drop]\n"}, /* after an entry: no more of its value */
      {"duration = 1\nstep = 0.01", "  duration = 1\n  step = 0.01"},
      {"duration = 1\nstep = 0.01", "duration = 1 ; x\n\n  # y\n\tstep = 1e-2"},
      {"schema = 1\n", "\xEF\xBB\xBFschema = 1\r\n"},
      {"schema = 1\n", "# first\n\n ; second\nschema = 1 # third\n"},
  };
  for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
    char text[2000];
    mbo_run_config *c = NULL;
    mbd_error err = {0};
    edit(text, sizeof text, run_text, edits[i][0], edits[i][1]);
    mbd_status status = read_run(text, NULL, &c, &err);
    if (status != MBD_OK) { printf("\n  %s\n", err.text); }
    CU_ASSERT_EQUAL_FATAL(status, MBD_OK);
    CU_ASSERT_EQUAL(c->ncase, 1);
    CHECK_CLOSE("duration", c->cases[0].simulation.duration, 1, 0);
    CHECK_CLOSE("step", c->cases[0].simulation.step, 0.01, 0);
    mbo_run_config_destroy(c);
  }
}

static void test_continued_list(void) {
  char text[2000];
  mbo_run_config *c = NULL;
  mbd_error err = {0};
  edit(text, sizeof text, run_text, "", "[output]\noutputs = a,   # first\n  b,\n\n  ; nothing\n  c\nevery = 3\n");
  CU_ASSERT_EQUAL_FATAL(read_run(text, NULL, &c, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(c->output.outputs.n, 3);
  CU_ASSERT_STRING_EQUAL(c->output.outputs.v[2], "c");
  CU_ASSERT_EQUAL(c->output.every, 3);
  mbo_run_config_destroy(c);
}

static void test_set(void) {
  static const char *const bad[][2] = {
      {"cas.drop.step=1", "section 'cas' is not known, did you mean 'case'?"},
      {"case..step=1", "the name '' is not made of letters"},
      {"case.a b.step=1", "the name 'a b' is not made of letters"},
      {"case.drop.=1", "--set 'case.drop.=1', expected a key"},
      {"case.drop.stp=",
       "--set 'case.drop.stp=': an empty value leaves the key out, but the file has no 'stp' there, did you mean "
       "'step'? (known: step, duration)"},
      {"case.drp.step=", "the file has no 'step' there"},
      {"case.drop.step=", "[case drop] key 'step' is missing"},
      {"case.drop.stp=1", "--set: [case drop] stp = 1: key 'stp' is not known here, did you mean 'step'?"}};
  mbo_run_config *c = NULL;
  mbd_error err = {0};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    CU_ASSERT_EQUAL(read_run(run_text, bad[i][0], &c, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, bad[i][1]);
  }
  char set[3100] = "output.outputs="; /* long values arrive whole */
  for (int i = 0; i < 1000; i++) { strcat(set, i ? ",ab" : "ab"); }
  CU_ASSERT_EQUAL_FATAL(read_run(run_text, set, &c, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(c->output.outputs.n, 1000);
  CU_ASSERT_STRING_EQUAL(c->output.outputs.v[999], "ab");
  mbo_run_config_destroy(c);
}

/* Whether the run file takes `value` as one of the words of this key; other complaints do not count. */
static int is_taken(const option_section *s, const option_row *r, const char *value) {
  const char *const name = strcmp(s->kind, "case") == 0 ? ".drop" : s->size ? ".speed" : "";
  char set[300], text[2000];
  mbo_run_config *c = NULL;
  mbd_error err = {0};
  edit(text, sizeof text, run_text, "",
       "[constraint speed]\nof = O.velocity\nform = terminal\nupper = 1\n"
       "[measurement speed]\nfile = speed.csv\ntime = t\ncolumn = v\nof = O.velocity\n");
  snprintf(set, sizeof set, "%s%s.%s=%s", s->kind, name, r->key, value);
  const mbd_status status = read_run(text, set, &c, &err);
  mbo_run_config_destroy(c);
  return status == MBD_OK || !strstr(err.text, "expected one of");
}

/* Of "a|b|c" each word is taken, and neither two of them together, nor a beginning, nor a bar at an end. */
static void check_choices(const option_section *s, const option_row *r, const char *choices) {
  for (const char *a = choices; *a; a += *a == '|') {
    const int n = (int)strcspn(a, "|");
    char word[64], broken[7][300];
    snprintf(word, sizeof word, "%.*s", n, a);
    snprintf(broken[0], sizeof broken[0], "%s", choices);
    snprintf(broken[1], sizeof broken[1], "%s|", word);
    snprintf(broken[2], sizeof broken[2], "|%s", word);
    snprintf(broken[3], sizeof broken[3], "%.*s%s", n - 1, a, n > 1 ? "" : "x");
    snprintf(broken[4], sizeof broken[4], "%sx", word);
    snprintf(broken[5], sizeof broken[5], "%c%s",
             isupper((unsigned char)*a) ? tolower((unsigned char)*a) : toupper((unsigned char)*a), word + 1);
    snprintf(broken[6], sizeof broken[6], "%.*s", a[n] ? n + 1 + (int)strcspn(a + n + 1, "|") : 1, a);
    CU_ASSERT(is_taken(s, r, word));
    for (int k = 0; k < 7; k++) {
      if (strcmp(broken[k], word) == 0) { continue; } /* of one letter */
      const int taken = is_taken(s, r, broken[k]);
      if (taken) { printf("\n  [%s] %s = %s was taken\n", s->kind, r->key, broken[k]); }
      CU_ASSERT(!taken);
    }
    a += n;
  }
}

static void test_choices(void) {
  const option_section *s;
  int n = 0;
  for (int i = 0; (s = option_section_at(i)); i++) {
    option_row r;
    for (int k = 0; option_row_at(s->row, k, &r); k++) {
      char words[OPTIONS_TEXT];
      if (!r.words.word && !r.words.at) { continue; }
      check_choices(s, &r, options_words_text(&r.words, "|", words));
      n++;
    }
  }
  CU_ASSERT(n >= 15);
}

static void test_broken_models(void) {
  static const broken_case cases[] = {
      {"m = 2\nL = 1.5\nzero = 0", "m = L\nL = zero + 1\nzero = 2*m",
       ":3: [scalars] m = L: scalar 'm' depends on itself: m -> L -> zero -> m"},
      {"m = 2", "m = 2 + m", ":3: [scalars] m = 2 + m: scalar 'm' depends on itself: m -> m"},
      {"zero = 0", "zero = 0x10", "column 2: found 'x10'"},
      {"zero = 0", "zero = 1e999", "found '1e999', expected a number"},
      {"mass = m\n", "mass = log(-1)\n", ":7: [body bar] mass: expression 'log(-1)': 'log' of -1 is nan"},
      {"m*L^2/12", "m, 0", ":9: [body bar] inertia = 0, 0, m, 0: 4 values, expected 3 (Ixx, Iyy, Izz) or 6"},
      {"", "[joint J]\ntype = revolute\nbodies = ground, bar\npoint = O\npoints = O, O\naxis = n\n",
       ":20: [joint J] points = O, O: expected either 'point' or 'points', not both"},
      {"", "[curve c]\ntype = spline\ncoefficients = 1, 2, 3\nknots = 0, nan, 2\n",
       ":19: [curve c] knots = 0, nan, 2: 'nan'"},
      {"", "[curve c]\ntype = spline\ncoefficients = 1, 2, 3\nknots = 0, 1, 2\nfrom = 1\n",
       ":20: [curve c] from = 1: expected either"},
      {"", "[curve c]\ntype = polynomial\nfile = c.csv\n",
       ":18: [curve c] file = c.csv: this type of curve has no knots"},
      {"", "[curve c]\ntype = spline\nfile = .\n", ":18: [curve c] file = .: "},
  };
  check_broken_models(model_text, sizeof cases / sizeof cases[0], cases);
}

/* The second of two scalars, where the list of them has just grown. */
static void test_scalar_names(void) {
  static const char *const bad[] = {"k-f", "2k", "k.f", "k{1"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char text[2000];
    mbo_model_file *m = NULL;
    mbd_error err = {0};
    snprintf(text, sizeof text, "schema = 1\n[scalars]\ns1 = 1\n%s = 3\n", bad[i]);
    CU_ASSERT_EQUAL(read_model(text, &m, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, i < 3 ? "the name of a scalar is made of letters, digits and '_'" : "braces in pairs");
    mbo_model_file_destroy(m);
  }
  char name[129] = "", text[2000]; /* no name is cut short, neither where it is given nor where it is used */
  memset(name, 'n', 128);
  for (int length = 127; length <= 128; length++) {
    mbo_model_file *m = NULL;
    mbd_error err = {0};
    snprintf(text, sizeof text, "schema = 1\n[scalars]\n%.*s = 1\na = 2*%.*s\n", length, name, length, name);
    CU_ASSERT_EQUAL(read_model(text, &m, &err), length == 127 ? MBD_OK : MBD_BAD_INPUT);
    if (length == 128) { CHECK_CONTAINS(err.text, "at most 127 of them"); }
    mbo_model_file_destroy(m);
    m = NULL;
    snprintf(text, sizeof text, "schema = 1\n[scalars]\na = 2*%.*s\n", length, name);
    CU_ASSERT_EQUAL(read_model(text, &m, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text,
                   length == 127 ? "is not known" : "column 3: found 'nnnnnnnnnnnn', expected a shorter name");
  }
}

/* "schema = 1 [scalars] s0 = FIRST, s1 = s0 + 1, ..., and so on": n of them, in new memory. */
static char *chained_scalars(int n, const char *first, const char *rest) {
  char *text = malloc(40 * (size_t)n + strlen(rest) + 200), *at = text;
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  at += sprintf(at, "schema = 1\n[scalars]\ns0 = %s\n", first);
  for (int i = 1; i < n; i++) { at += sprintf(at, "s%d = s%d + 1\n", i, i - 1); }
  strcpy(at, rest);
  return text;
}

/* Each uses the one before; none of it costs more than in proportion, or the stack. Numbers of something, they do not either. */
static void test_chained_scalars(void) {
  enum { N = 30000 };
  static const char *const first[] = {"s0"}, *const last[] = {"s29999"};
  char *text = chained_scalars(N, "1", "last = s29999\n[body b]\nmass = last\ncom = 0, 0, 0\ninertia = 1, 1, 1\n");
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  double value = 0;
  must(read_model(text, &m, &err), &err);
  CU_ASSERT_EQUAL_FATAL(mbo_model_file_nscalar(m), N + 1);
  CU_ASSERT_STRING_EQUAL(mbo_model_file_scalar(m, N, &value), "last");
  CHECK_CLOSE("last", value, N, 0);
  CU_ASSERT_EQUAL(mbo_model_file_vary(m, 1, first, &err), MBD_OK);
  mbo_model_file_destroy(m);
  free(text);
  text = chained_scalars(N, "1 - s29999 + s29999",
                         "[body b{i}]\nrepeat = i from s29999 to s29999\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n");
  CU_ASSERT_EQUAL(read_model(text, &m, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "depends on itself");
  free(text);
  text = chained_scalars(N, "1",
                         "[body b{i}]\nrepeat = i from s29999 to s29999\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n");
  must(read_model(text, &m, &err), &err);
  CU_ASSERT_EQUAL(mbo_model_file_vary(m, 1, first, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "scalar 's0' of ");
  CHECK_CONTAINS(err.text, "numbers what is repeated or named, so it cannot vary");
  CU_ASSERT_EQUAL(mbo_model_file_vary(m, 1, last, &err), MBD_BAD_INPUT);
  mbo_model_file_destroy(m);
  free(text);
  text = chained_scalars(N, "s29999", "");
  CU_ASSERT_EQUAL(read_model(text, &m, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "scalar 's0' depends on itself: s0 -> s29999 -> s29998 -> ");
  CHECK_CONTAINS(err.text, " -> ... -> s0");
  free(text);
}

/* Each uses the two before: as many ways lead to the first as there are Fibonacci's rabbits. */
static void test_shared_scalars(void) {
  static const char *const first[] = {"a0"};
  char text[4000], *at = text;
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  at += sprintf(at, "schema = 1\n[scalars]\na0 = 1\na1 = 1\n");
  for (int i = 2; i <= 80; i++) { at += sprintf(at, "a%d = a%d + 0*a%d\n", i, i - 1, i - 2); }
  sprintf(at, "[body b{i}]\nrepeat = i from 1 to a80\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n");
  must(read_model(text, &m, &err), &err);
  CU_ASSERT_EQUAL(mbo_model_file_vary(m, 1, first, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "scalar 'a0' of ");
  mbo_model_file_destroy(m);
}

/* A required key that is missing, and what stands in its place. */
static void test_misspelt_keys(void) {
  static const broken_case models[] = {
      {"mass = m", "mas = m",
       ":6: [body bar] key 'mass' is missing: mass of the body [kg]; line 7 has 'mas', which is not known here: did "
       "you "
       "mean 'mass'?"},
      {"inertia =", "inerta =", "; line 9 has 'inerta', which is not known here: did you mean 'inertia'?"},
      {"bodies = ground, bar\n[vector", "bodis = ground, bar\n[vector",
       "key 'bodies' is missing: the bodies that share it; line 12 has 'bodis'"},
      {"along =", "allong =", "key 'along' is missing: x, y, z; line 14 has 'allong'"},
      {"", "[joint J]\ntyp = revolute\n", "key 'type' is missing: type of the joint; line 17 has 'typ'"},
      {"", "[curve c]\ntype = spline\ncoeficients = 1, 2, 3\n", "key 'coefficients' is missing: ordinates"},
      {"", "[curve c]\ntype = spline\ncoeficients = 1, 2, 3\n", "; line 18 has 'coeficients'"},
      {"", "[curve c]\ntype = spline\ncoefficients = 1, 2, 3\nknot = 0, 1, 2\n",
       "key 'knots' is missing: a knot for each coefficient (or 'from' and 'to'); line 19 has 'knot'"},
      {"", "[curve c]\ntype = spline\ncoefficients = 1, 2, 3\nfrom = 0\nt = 1\n",
       "key 'to' is missing: where the last knot is; line 20 has 't'"},
      {"", "[coordinate x]\nges = 1\n", "key 'guess' is missing"},
      {"", "[force s]\ntype = spring\npoint = O, O\n",
       "; line 18 has 'point', which is not known here: did you mean 'points'?"},
      {"", "[force s]\ntpe = spring\n", "key 'type' is missing: what it is; line 17 has 'tpe'"},
  };
  static const struct {
    const char *from, *to, *set, *message;
  } runs[] = {
      {"duration =", "duraton =", NULL,
       ":6: [case drop] key 'duration' is missing: simulated time; line 7 has 'duraton', which is not known here: did "
       "you "
       "mean 'duration'?"},
      {"duration = 1\n", "", "case.drop.duraton=2", "; --set has 'duraton', which is not known here"},
      {"", "", "case.drp.step=1", "; --set has added this section: did you mean [case drop]?"},
  };
  char text[2000];
  mbd_error err = {0};
  check_broken_models(model_text, sizeof models / sizeof models[0], models);
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    mbo_run_config *c = NULL;
    edit(text, sizeof text, run_text, runs[i].from, runs[i].to);
    CU_ASSERT_EQUAL(read_run(text, runs[i].set, &c, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, runs[i].message);
  }
}

/* As many lines as one likes, and a key of any length, which the INI library does not know whole. */
static void test_long_list(void) {
  enum { LINES = 100000 };
  static const char key[] = "a_key_of_more_than_the_forty_nine_characters_that_the_library_knows";
  char *text = malloc(20 * (size_t)LINES + 2000), *at = text;
  mbo_run_config *c = NULL;
  mbd_error err = {0};
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  at += sprintf(at, "%s[native]\n%s = a\n  b\n[output]\noutputs = o0", run_text, key);
  for (int i = 1; i < LINES; i++) { at += sprintf(at, "\n  , o%d", i); }
  must(read_run(text, NULL, &c, &err), &err);
  CU_ASSERT_EQUAL_FATAL(c->output.outputs.n, LINES);
  CU_ASSERT_STRING_EQUAL(c->output.outputs.v[LINES - 1], "o99999");
  CU_ASSERT_STRING_EQUAL(c->native.name.v[0], key);
  CU_ASSERT_STRING_EQUAL(c->native.text.v[0], "a b");
  mbo_run_config_destroy(c);
  free(text);
}

/* More text than a model has. */
static void test_long_points(void) {
  char text[4000], value[1000] = "x";
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  for (int i = 0; i < 10; i++) { strcat(value, " + x"); }
  snprintf(text, sizeof text, "schema = 1\n[curve c]\ntype = spline\npoints = 1000000\nfrom = 0\nto = 1\nvalue = %s\n",
           value);
  CU_ASSERT_EQUAL(read_model(text, &m, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, ": 41 characters for 1000000 points, expected at most 16: give long parts of it to scalars");
}

/* A wrong value from the run is not blamed on the model's line. */
static void test_replaced_scalar(void) {
  static const char *const name[] = {"L"},
                           *const bad[][2] = {
                               {"1 +", "replaced by the run: [scalars] L: expression '1 +', column 4"},
                               {"log(-1)",
                                "replaced by the run: [scalars] L: expression 'log(-1)': 'log' of -1 is nan"},
                               {"mm", "replaced by the run: [scalars] L = mm: scalar 'mm' is not known"}};
  char path[] = "/tmp/mbopt_model_XXXXXX";
  write_file(path, model_text);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    mbo_model_file *m = NULL;
    mbd_error err = {0};
    CU_ASSERT_EQUAL(mbo_model_file_read(path, 1, name, &bad[i][0], &m, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, bad[i][1]);
  }
  unlink(path);
}

/* Curves from files of two columns: no row is lost or half read. */
static void test_curve_files(void) {
  static const struct {
    const char *csv, *message; /* NULL: three rows */
  } files[] = {
      {"0,1\n1,2\n2,3\n", NULL},
      {"\xEF\xBB\xBF"
       "0,1\r\n1,2\r\n2,3\r\n",
       NULL},
      {"x;y\n# a comment\n0;1\n\n1 ; 2\n2\t3\n", NULL},
      {"0 1 # a comment\n1, 2\t# another\n2\t3\n", NULL},
      {"0,1\n1,2#3\n2,3\n", ":2: '1,2#3', expected two numbers"},
      {"0,1\n2,2\n\n2,3\n", ":4: knots must increase, but 2 follows 2"},
      {"x;y # one, two\n-0,5;1,5\n1,25 ; 2\n2;3,0\n", NULL},
      {"0;1,5,2\n1;2\n2;3\n", ":1: '0;1.5.2', expected two numbers"},
      {"x,y\n0,1\n1,2,3\n2,3\n", ":3: '1,2,3', expected two numbers"},
      {"0,1\n1,nan\n2,3\n", ":2: '1,nan', expected two numbers"},
      {"0,1\n1,2 m\n2,3\n", ":2: '1,2 m', expected two numbers"},
      {"0,1\n1\n2,3\n", ":2: '1', expected two numbers"},
      {"x,y\nt,v\n0,1\n", ":2: 't,v', expected two numbers"},
      {"", "has no row of two numbers"},
  };
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char path[] = "/tmp/mbopt_curve_XXXXXX", text[2000], section[100];
    mbo_model_file *m = NULL;
    mbd_error err = {0};
    write_file(path, files[i].csv);
    snprintf(section, sizeof section, "[curve c]\ntype = spline\nfile = %s\n", path);
    edit(text, sizeof text, model_text, "", section);
    mbd_status status = read_model(text, &m, &err);
    unlink(path);
    CU_ASSERT_EQUAL(status, files[i].message ? MBD_BAD_INPUT : MBD_OK);
    if (files[i].message) {
      CHECK_CONTAINS(err.text, files[i].message);
      continue;
    }
    const mbd_spec *s = mbo_model_file_spec(m);
    int last = mbd_spec_ncoef(s) - 1;
    while (last > 0 && strcmp(mbd_spec_coef_name(s, last), "curve.c.3") != 0) { last--; }
    CHECK_CLOSE("third value", mbd_spec_nominal(s, last), 3, 0);
    mbo_model_file_destroy(m);
  }
}

/* A measured road: reading takes time in proportion to the points. */
static void test_long_curve_file(void) {
  enum { ROWS = 50000 };
  char path[] = "/tmp/mbopt_road_XXXXXX", text[2000], section[100];
  char *csv = malloc(40 * (size_t)ROWS), *at = csv;
  mbo_model_file *m = NULL;
  mbd_model *model = NULL;
  mbd_error err = {0};
  CU_ASSERT_PTR_NOT_NULL_FATAL(csv);
  for (int i = 0; i < ROWS; i++) { at += sprintf(at, "%.2f, %.6f\n", 0.01 * i, 0.02 * sin(0.01 * i)); }
  write_file(path, csv);
  free(csv);
  snprintf(section, sizeof section, "[curve road]\ntype = table\nfile = %s\n", path);
  edit(text, sizeof text, model_text, "", section);
  CU_ASSERT_EQUAL_FATAL(read_model(text, &m, &err), MBD_OK);
  unlink(path);
  const mbd_spec *s = mbo_model_file_spec(m);
  int last = mbd_spec_ncoef(s) - 1;
  while (last > 0 && strcmp(mbd_spec_coef_name(s, last), "curve.road.50000") != 0) { last--; }
  CHECK_CLOSE("last value", mbd_spec_nominal(s, last), 0.02 * sin(499.99), 1e-6);
  CHECK_CLOSE("first value", mbd_spec_nominal(s, last - ROWS + 1), 0, 0);
  CU_ASSERT_EQUAL(mbd_model_create(s, &model, &err), MBD_OK);
  mbd_model_destroy(model);
  mbo_model_file_destroy(m);
}

/* A derivative that does not exist matters only where its name varies; then the message names the coefficient. */
static void test_missing_derivative(void) {
  static const char *const m_only[] = {"m"}, *const zero_too[] = {"m", "zero"};
  char text[2000];
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  const int *start, *index;
  const double *value, rho[] = {2, 0}, negative[] = {2, -1};
  edit(text, sizeof text, model_text, "mass = m", "mass = m + sqrt(zero)");
  CU_ASSERT_EQUAL_FATAL(read_model(text, &m, &err), MBD_OK);
  double *theta = calloc((size_t)mbd_spec_ncoef(mbo_model_file_spec(m)), sizeof *theta);
  CU_ASSERT_EQUAL_FATAL(mbo_model_file_vary(m, 1, m_only, &err), MBD_OK);
  CU_ASSERT_EQUAL(mbo_model_file_eval(m, rho, theta, &start, &index, &value, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(start[1] - start[0], 2);
  CU_ASSERT_STRING_EQUAL(mbd_spec_coef_name(mbo_model_file_spec(m), index[0]), "body.bar.mass");
  CHECK_CLOSE("d mass / d m", value[0], 1, 0);
  CHECK_CLOSE("d Izz / d m", value[1], 1.5 * 1.5 / 12, 1e-15);
  CU_ASSERT_EQUAL_FATAL(mbo_model_file_vary(m, 2, zero_too, &err), MBD_OK);
  CU_ASSERT_EQUAL(mbo_model_file_eval(m, rho, theta, &start, &index, &value, &err), MBD_OUT_OF_DOMAIN);
  CHECK_CONTAINS(err.text, ":7: body.bar.mass: expression 'm + sqrt(zero)' has no finite derivative in 'zero'");
  CU_ASSERT_EQUAL(mbo_model_file_eval(m, negative, theta, NULL, NULL, NULL, &err), MBD_OUT_OF_DOMAIN);
  CHECK_CONTAINS(err.text, ":7: body.bar.mass: expression 'm + sqrt(zero)': 'sqrt' of -1");
  free(theta);
  mbo_model_file_destroy(m);
}

/* The parser calls itself: an absurd expression is refused, not followed to the end of the stack. */
static void test_deep_expressions(void) {
  static const char *const parts[][2] = {
      {"-", "fewer signs"}, {"+", "fewer signs"}, {"(", "fewer nested"}, {"2^", "fewer powers"}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    const size_t n = 1000000, size = strlen(parts[i][0]);
    char *text = malloc(n * size + 2);
    mbo_expr e;
    mbd_error err = {0};
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    for (size_t k = 0; k < n; k++) { memcpy(text + k * size, parts[i][0], size); }
    strcpy(text + n * size, "1");
    CU_ASSERT_EQUAL(mbo_expr_parse(text, &e, &err), MBD_BAD_INPUT);
    free(text);
  }
  char text[200] = ""; /* what somebody might write is not refused */
  mbo_expr e;
  mbd_error err = {0};
  memset(text, '-', 150);
  strcpy(text + 150, "1");
  CU_ASSERT_EQUAL_FATAL(mbo_expr_parse(text, &e, &err), MBD_OK);
  mbo_expr_free(&e);
}

static void test_decimal(void) {
  static const struct {
    const char *text;
    double value;
    int length; /* 0: no number */
  } texts[] = {{"1.5x", 1.5, 3}, {"-2e3", -2000, 4}, {".5", 0.5, 2}, {"5.", 5, 2}, {"1e", 1, 1},  {"1e+", 1, 1},
               {"0x10", 0, 1},   {"+7", 7, 2},       {".", 0, 0},    {"-", 0, 0},  {"inf", 0, 0}, {"nan", 0, 0},
               {"1e999", 0, 0},  {"", 0, 0},         {"1,5", 1, 1},  {" 1", 0, 0}};
  setlocale(LC_NUMERIC, "de_DE.UTF-8"); /* where it is installed: a comma for the point */
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    const char *end;
    double v = mbo_decimal(texts[i].text, &end);
    CU_ASSERT_EQUAL((int)(end - texts[i].text), texts[i].length);
    if (texts[i].length) { CHECK_CLOSE(texts[i].text, v, texts[i].value, 0); }
  }
  setlocale(LC_NUMERIC, "C");
}

TEST_MAIN(TEST(test_broken_runs), TEST(test_unusual_runs), TEST(test_continued_list), TEST(test_set),
          TEST(test_choices), TEST(test_broken_models), TEST(test_scalar_names), TEST(test_chained_scalars),
          TEST(test_shared_scalars), TEST(test_misspelt_keys), TEST(test_long_list), TEST(test_long_points),
          TEST(test_replaced_scalar), TEST(test_curve_files), TEST(test_long_curve_file), TEST(test_missing_derivative),
          TEST(test_deep_expressions), TEST(test_decimal))
