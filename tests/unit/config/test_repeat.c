/* Repetition in files: sections, keys and items of lists over ranges of whole numbers, and what is wrong with them. */
#include <unistd.h>

#include "config/name_index.h"
#include "config/repeat.h"
#include "test.h"

static mbd_status read_text(const char *text, ini_file *f, mbo_names *counts, mbd_error *err) {
  char path[] = "/tmp/mbopt_repeat_XXXXXX";
  FILE *out = fdopen(mkstemp(path), "w");
  fprintf(out, "schema = 1\n%s", text);
  fclose(out);
  *counts = (mbo_names){0};
  mbd_status status = ini_read(path, f, err);
  if (status == MBD_OK) { status = repeat_expand(f, counts, err); }
  unlink(path);
  return status;
}

/* The file as it comes out: a word for each section and entry. */
static char *written(const ini_file *f) {
  char *text;
  size_t n;
  FILE *out = open_memstream(&text, &n);
  for (int i = 0; i < f->n; i++) {
    const ini_section *s = &f->section[i];
    fprintf(out, "[%s%s%s]", s->kind, *s->name ? " " : "", s->name);
    for (int k = 0; k < s->n; k++) { fprintf(out, "%s=%s;", s->entry[k].key, s->entry[k].value); }
  }
  fclose(out);
  return text;
}

static void becomes(const char *from, const char *to) {
  ini_file f;
  mbo_names counts;
  mbd_error err = {0};
  mbd_status status = read_text(from, &f, &counts, &err);
  if (status != MBD_OK) { printf("\n  %s\n", err.text); }
  CU_ASSERT_EQUAL_FATAL(status, MBD_OK);
  char *text = written(&f);
  if (strcmp(text, to) != 0) { printf("\n  got:    %s\n  wanted: %s\n", text, to); }
  CU_ASSERT_STRING_EQUAL(text, to);
  free(text);
  text_list_free(counts.v, counts.n);
  ini_free(&f);
}

static void test_sections(void) {
  becomes("[scalars]\nN = 2\n[body link{i}]\nrepeat = i from 1 to N + 1\nmass = {i}*m\n",
          "[scalars]N=2;[body link1]mass=1*m;[body link2]mass=2*m;[body link3]mass=3*m;");
  becomes("[body b{i}_{j}]\nrepeat = i from 0 to 1, j from i to 1\nmass = {10*i + j}\n",
          "[body b0_0]mass=0;[body b0_1]mass=1;[body b1_1]mass=11;");
  becomes("[scalars]\nN = 1\n[body link{i}]\nrepeat = i from 2 to N\nmass = 1\n[body tip]\nmass = 2\n",
          "[scalars]N=1;[body tip]mass=2;");
  becomes("[scalars]\nN = 2*M\nM = 2\n[point tip]\nat.link{N} = {N}*L, 0, 0\n",
          "[scalars]N=2*M;M=2;[point tip]at.link4=4*L, 0, 0;");
}

static void test_keys_and_lists(void) {
  becomes("[start]\nhold.J{i from 1 to 2}.angle = {i}*a\nsettle = J{i from 1 to 2}.angle, s\n",
          "[start]hold.J1.angle=1*a;hold.J2.angle=2*a;settle=J1.angle,J2.angle, s;");
  becomes("[scalars]\nx0 = 0\nx{i from 1 to 2} = x{i-1} + L{i}\n", "[scalars]x0=0;x1=x0 + L1;x2=x1 + L2;");
  becomes("[vector n]\nbodies = ground, s{j from 0 to 1}_{k from 1 to j + 1}\n",
          "[vector n]bodies=ground, s0_1, s1_1, s1_2;");
  becomes("[vector n]\nbodies = s{i from 1 to 0}, ground\n", "[vector n]bodies=ground;");
  becomes("[curve c]\ncoefficients = max({i from 1 to 2}, 0), 5\n", "[curve c]coefficients=max(1, 0),max(2, 0), 5;");
}

static void test_words(void) {
  becomes("[design {side}_{joint}]\nrepeat = side in left right, joint in hip knee\ncurve = {side}.{joint}\n",
          "[design left_hip]curve=left.hip;[design left_knee]curve=left.knee;[design right_hip]curve=right.hip;"
          "[design right_knee]curve=right.knee;");
  becomes(
      "[case c]\ndrive.{s in left right}.{j  in  a b }.angle = {j}_{s}\n",
      "[case "
      "c]drive.left.a.angle=a_left;drive.left.b.angle=b_left;drive.right.a.angle=a_right;drive.right.b.angle=b_right;");
  becomes("[vector n]\nbodies = ground, {s in left right}{i from 1 to 2}\n",
          "[vector n]bodies=ground, left1, left2, right1, right2;");
  becomes("[body {s}{i}]\nrepeat = i from 1 to 2, s in only\nmass = {i}\n", "[body only1]mass=1;[body only2]mass=2;");
}

/* A negative number must not lose its sign to an operator, nor get parentheses where a plain number is expected. */
static void test_negative_numbers(void) {
  becomes("[curve c{i}]\nrepeat = i from 1 to 1\na = L*{i-3}^2\nb = 1, {i-3}, {i-3}*L\n",
          "[curve c1]a=L*(-2)^2;b=1, -2, (-2)*L;");
}

static void test_counts(void) {
  ini_file f;
  mbo_names counts;
  mbd_error err = {0};
  CU_ASSERT_EQUAL_FATAL(
      read_text("[scalars]\nN = 2*M\nM = 1\nL = 3\n[body b{i}]\nrepeat = i from 1 to N\nmass = L\n", &f, &counts, &err),
      MBD_OK);
  CU_ASSERT_EQUAL_FATAL(counts.n, 2);
  CU_ASSERT_STRING_EQUAL(counts.v[0], "M");
  CU_ASSERT_STRING_EQUAL(counts.v[1], "N");
  CU_ASSERT_EQUAL(f.section[1].line, 6);
  CU_ASSERT_EQUAL(f.section[2].entry[0].line, 8);
  text_list_free(counts.v, counts.n);
  ini_free(&f);
}

/* 170 digits: what repetition makes may not be longer than 16 MiB. */
#define TEN_DIGITS "1000000000"
#define LONG                                                                                                    \
  TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS \
      TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS

static void test_messages(void) {
  static const char *const bad[][2] = {
      {"[scalars]\nN = 2.5\n[body b{i}]\nrepeat = i from 1 to N\n",
       ":5: [body b{i}] repeat = i from 1 to N: 'N' is 2.5, expected a whole number"},
      {"[body b{i}]\nrepeat = i from 3 to 1\n", "i runs from 3 to 1, expected an end of at least 2"},
      {"[body b{i}]\nrepeat = i from 1 to 1e7\n", "expected at most 1000000 repetitions"},
      {"[scalars]\nlinks = 2\n[body b{i}]\nrepeat = i from 1 to link\n",
       "'link' is neither an index here nor a scalar, did you mean 'links'?"},
      {"[body b{j}]\nrepeat = i from 1 to 2\n",
       ":2: [body b{j}] 'j' is neither an index here nor a scalar, did you mean 'i'? (at i = 1)"},
      {"[body b{i}]\nmass = 1\n", "[body b{i}] 'i' is neither an index here nor a scalar"},
      {"[body b{i]\nmass = 1\n", "names are made of letters, digits, '_', '-' and pairs of braces"},
      {"[body b]\nmass = {1\n", "[body b] mass = {1: '{1', expected braces in pairs: {expression}"},
      {"[body b]\nmass = 1}\n", "'}', expected braces in pairs"},
      {"[body b]\nrepeat = i from 1 to 2\n", "section '[body b]' comes out twice, first from line 2"},
      {"[start]\nhold.J{i from 1 to 2 = 1\n", "'{i from 1 to 2', expected braces in pairs"},
      {"[start]\nhold.J{i from 1 to 2 - i} = 1\n", "'i' is neither"},
      {"[start]\nhold.J1 = 1\nhold.J{i from 1 to 2} = 2\n", "key 'hold.J1' comes out twice"},
      {"[start]\nrepeat = i from 1 to 2\n",
       "[start] is there once; expected INDEX from FIRST to LAST in braces in a key"},
      {"[body b{i from 1 to 2}]\nmass = 1\n", "expected 'repeat = INDEX from FIRST to LAST' in the section instead"},
      {"[body b{i}]\nrepeat = i = 1 to 2\n", "'i = 1 to 2', expected INDEX from FIRST to LAST"},
      {"[body b{i}]\nrepeat = i in\n", "'i in', expected INDEX from FIRST to LAST or INDEX in WORD WORD ..."},
      {"[start]\nhold.{i in }.angle = 1\n", "index 'i' has no words, expected one at least"},
      {"[body {i}]\nrepeat = i in a b.c\n",
       "'b.c' of index 'i', expected words of letters, digits and '_', with blanks between them"},
      {"[body {i}]\nrepeat = i in a b\nmass = {i+1}\n",
       "[body {i}] mass = {i+1}: index 'i' is a word, expected it alone in braces: {i} (at i = a)"},
      {"[body {i}]\nrepeat = i in a b a\nmass = 1\n", "section '[body a]' comes out twice"},
      {"[body {i}{k}]\nrepeat = i in a b, k from 1 to i\n", "index 'i' is a word, expected it alone in braces"},
      {"[body b{i}]\nrepeat = i from 1 upto 2\n", "expected INDEX from FIRST to LAST"},
      {"[body b{i}]\nrepeat = i from 1 to 2, i from 1 to 2\n", "index 'i' is used twice"},
      {"[scalars]\ni = 1\n[body b{i}]\nrepeat = i from 1 to 2\n", "index 'i' is also a scalar, expected another name"},
      {"[body b{i}]\nrepeat = 2i from 1 to 2\n", "'2i' is no name for an index"},
      {"[body b{i-2}]\nrepeat = i from 1 to 2\n", "{i-2} is -1 in a name, expected >= 0 (at i = 1)"},
      {"[point p{i}]\nrepeat = i from 1 to 2\nbodies = b{i - 2}\n", "bodies = b{i - 2}: {i - 2} is -1 in a name"},
      {"[body b{i}]\nrepeat = i from 1 to 2\nmass = {i/2}\n", "'i/2' is 0.5, expected a whole number (at i = 1)"},
      {"[body b{i}]\nrepeat = i from 1 to 2\nmass = {i +}\n",
       "mass = {i +}: expression 'i +', column 4: found the end"},
      {"[body b{i}_{j}]\nrepeat = i from 1 to 100000, j from 1 to 100000\nmass = " LONG "\n",
       ":3: [body b{i}_{j}] repeat = i from 1 to 100000, j from 1 to 100000: the repetitions make more"},
      {"[body b{i}_{j}]\nrepeat = i from 1 to 100000, j from 1 to 100000\nmass = " LONG "\n",
       ": the repetitions make more than 16 MiB of text, expected fewer (at i = 1, j = 70"},
      {"[point p]\nbodies = \\\n  " LONG "\\\n  {i from 1 to 100000}{j from 1 to 100000}\n",
       ": the repetitions make more than 16 MiB of text, expected fewer (at i = 1, j = 69"},
      {"[scalars]\nm{i from 1 to 2000}_{j from 1 to 2000} = \\\n  " LONG "\n",
       ": the repetitions make more than 16 MiB of text, expected fewer (at i = 35, j = "},
      {"[scalars]\nN = M\nM = N\n[body b{N}]\nmass = 1\n", ":4: [scalars] M = N: scalar 'N' depends on itself"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    ini_file f;
    mbo_names counts;
    mbd_error err = {0};
    CU_ASSERT_EQUAL(read_text(bad[i][0], &f, &counts, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, bad[i][1]);
    text_list_free(counts.v, counts.n);
    ini_free(&f);
  }
}

/* ---- as a model ---- */

static const char chain[] = MBOPT_SOURCE_DIR "/problems/chain/chain.ini";

static int count_bodies(const mbo_model_file *m) {
  const mbd_spec *s = mbo_model_file_spec(m);
  int n = 0;
  for (int k = 0; k < mbd_spec_ncoef(s); k++) {
    const char *name = mbd_spec_coef_name(s, k);
    n += strncmp(name, "body.", 5) == 0 && strstr(name, ".mass") != NULL;
  }
  return n;
}

/* The run says how many; what counts cannot vary, what is numbered can. */
static void test_model(void) {
  static const char *const names[] = {"N", "mass7"}, *const values[] = {"20", "3"}, *const vary[] = {"mass7", "length"},
                           *const counts[] = {"N"};
  mbo_model_file *m;
  mbd_error err = {0};
  CU_ASSERT_EQUAL_FATAL(mbo_model_file_read(chain, 2, names, values, &m, &err), MBD_OK);
  CU_ASSERT_STRING_EQUAL(mbo_model_file_title(m), "spatial chain of 20 links");
  CU_ASSERT_EQUAL(count_bodies(m), 20);
  CU_ASSERT_EQUAL(mbo_model_file_vary(m, 2, vary, &err), MBD_OK);
  CU_ASSERT_EQUAL(mbo_model_file_vary(m, 1, counts, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "scalar 'N' of ");
  CHECK_CONTAINS(err.text, "numbers what is repeated or named, so it cannot vary");
  mbo_model_file_destroy(m);
}

/* In a run file: counts from --set scalars, other settings of sections as they come out, or of all of a repeated section by its name. */
static void test_run_file(void) {
  char path[] = "/tmp/mbopt_repeat_XXXXXX";
  static const char *const set[] = {"design.mass2.lower=0.5", "scalars.N=3", "case.fall{k}.step={k}e-3",
                                    "case.fall{k}.duration=3", "case.fall2.duration=4"};
  static const char *const unknown[] = {"case.fall{i}.step=1e-3"};
  mbo_run_config *c;
  mbd_error err = {0};
  FILE *out = fdopen(mkstemp(path), "w");
  fprintf(out, "schema = 1\n[model]\nfile = %s\n[scalars]\nN = 2\n", chain);
  fprintf(out, "[design mass{i}]\nrepeat = i from 1 to N\nlower = 0.1\n[case fall{k}]\nrepeat = k from 1 to 2\n");
  fprintf(out, "duration = 1\nstep = 1e-3\nscalar.twist = {k}/2\n[output]\noutputs = link{i from 1 to N}.angle.y\n");
  fclose(out);
  CU_ASSERT_EQUAL(mbo_run_config_read(path, 1, unknown, &c, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "--set 'case.fall{i}.step=1e-3': ");
  CHECK_CONTAINS(err.text, "has no section [case fall{i}], did you mean 'fall{k}'?");
  CU_ASSERT_EQUAL_FATAL(mbo_run_config_read(path, 5, set, &c, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(c->ndesign, 3);
  CU_ASSERT_STRING_EQUAL(c->design[2].name, "mass3");
  CHECK_CLOSE("design mass2", c->design[1].lower, 0.5, 0);
  CHECK_CLOSE("design mass3", c->design[2].lower, 0.1, 0);
  CU_ASSERT_EQUAL_FATAL(c->ncase, 2);
  CU_ASSERT_STRING_EQUAL(c->cases[1].scalars.text.v[0], "2/2");
  for (int k = 0; k < 2; k++) {
    CHECK_CLOSE("step of a repeated case", c->cases[k].simulation.step, (k + 1) * 1e-3, 0);
    CHECK_CLOSE("duration, of both cases and of one", c->cases[k].simulation.duration, 3 + k, 0);
  }
  CU_ASSERT_EQUAL_FATAL(c->output.outputs.n, 3);
  CU_ASSERT_STRING_EQUAL(c->output.outputs.v[2], "link3.angle.y");
  mbo_run_config_destroy(c);
  unlink(path);
}

static void test_unknown_scalar_of_run(void) {
  static const char *const names[] = {"mass11"}, *const values[] = {"3"};
  mbo_model_file *m;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(mbo_model_file_read(chain, 1, names, values, &m, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "mass11 = 3: the model");
  CHECK_CONTAINS(err.text, "has no such scalar, did you mean 'mass1'?");
}

static void test_name_index(void) {
  enum { N = 1000 };
  static char name[N][8];
  name_index x = {0};
  for (int i = 0; i < N; i++) {
    snprintf(name[i], sizeof name[i], "n%d", i);
    CU_ASSERT_FATAL(name_index_add(&x, name[i], i % 2 ? "odd" : "even", i));
  }
  for (int i = 0; i < N; i++) {
    CU_ASSERT_EQUAL(name_index_find(&x, name[i], i % 2 ? "odd" : "even"), i);
    CU_ASSERT_EQUAL(name_index_find(&x, name[i], i % 2 ? "even" : "odd"), -1);
  }
  CU_ASSERT_EQUAL(name_index_find(&x, "n", "1odd"), -1);
  name_index_free(&x);
  CU_ASSERT_EQUAL(name_index_find(&x, name[0], "even"), -1);
}

TEST_MAIN(TEST(test_sections), TEST(test_keys_and_lists), TEST(test_words), TEST(test_negative_numbers),
          TEST(test_counts), TEST(test_messages), TEST(test_model), TEST(test_run_file),
          TEST(test_unknown_scalar_of_run), TEST(test_name_index))
