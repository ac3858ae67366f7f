/* Scalars from tables: hard points as spreadsheets give them, and what is wrong with them, with the line of the table. */
#include "edited.h"
#include "opened_run.h"

static char folder[] = "/tmp/mbopt_table_XXXXXX";
static char table[sizeof folder + 20];

static const char rest[] =
    "[body bar]\nmass = 2\ncom = ball_x, ball_y, ball_z\ninertia = 1, 1, 1\n[point O]\nat = inner_x, inner_y, "
    "inner_z\nbodies = ground, bar\n";

static const char points[] =
    "name,x,y,z\n"
    "ball,8,705,-180.5\n"
    "\n"
    "# a comment\n"
    "inner,1,2,3\n";

static void write_table(const char *cells) {
  snprintf(table, sizeof table, "%s/points.csv", folder);
  FILE *out = fopen(table, "wb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  fputs(cells, out), fclose(out);
}

/* Reads a model with this table, after the keys of [table NAME] and before the rest of the model. */
static mbd_status read_with(const char *cells, const char *keys, const char *before, mbo_model_file **m,
                            mbd_error *err) {
  char text[2000];
  write_table(cells);
  snprintf(text, sizeof text, "schema = 1\n[table hard_points]\nfile = %s\n%s%s%s", table, keys, before, rest);
  return read_model(text, m, err);
}

static void expect(const char *cells, const char *keys, const char *const *name, const double *value) {
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  must(read_with(cells, keys, "", &m, &err), &err);
  for (int k = 0; name[k]; k++) {
    double got = 0;
    int found = 0;
    for (int i = 0; i < mbo_model_file_nscalar(m); i++) {
      double v;
      if (strcmp(mbo_model_file_scalar(m, i, &v), name[k]) == 0) { found = 1, got = v; }
    }
    CU_ASSERT(found);
    CHECK_CLOSE(name[k], got, value[k], 0);
  }
  CU_ASSERT_STRING_EQUAL(mbo_model_file_part(m, 0), table);
  mbo_model_file_destroy(m);
}

static const char *const names[] = {"ball_x", "ball_y", "ball_z", "inner_x", "inner_y", "inner_z", NULL};
static const double values[] = {8, 705, -180.5, 1, 2, 3};

static void test_values(void) {
  expect(points, "", names, values);
  /* A European spreadsheet: decimal commas, units, columns in another order, an empty line of cells, a column without a name. */
  expect("\xEF\xBB\xBFPunkt;Bemerkung;Z [mm];Y [mm];X [mm];\r\nball;Kugel;-180,5;705;8;\r\n;;;;;\r\ninner;;3;2;1,0;\r\n",
         "", names, values);
  /* Rows that are taken alone, and under another name. */
  expect("name,x,y,z\nball,8,705,-180.5\ninner,1,2,3\nseat,4,5,6\n", "rows = ball, inner\n", names, values);
  expect("name,x,y,z\nLCA outer,8,705,-180.5\nP1,1,2,3\nseat,4,5,6\n", "row.ball = LCA outer\nrow.inner = P1\n", names,
         values);
  /* Numbers that are no places. */
  expect("name,value,x\nball_x,8,\nball-y,705,\nball z,-180.5,\ninner_x,1,\ninner_y,2,\ninner_z,3,\n",
         "columns = value\n", names, values);
}

/* The run replaces them like others, and a design varies them. */
static void test_replaced(void) {
  char model[2000];
  write_table(points);
  snprintf(model, sizeof model, "schema = 1\n[table hard_points]\nfile = %s\n%s", table, rest);
  mbo_run_config *c = NULL;
  mbd_error err = {0};
  const char *const set[] = {"scalars.inner_y=7"};
  must(run_read_texts(model,
                      "schema = 1\n[model]\nfile = MODEL\n[design ball_y]\nlower = ball_y - 20\nupper = ball_y + "
                      "inner_y\n[case c]\nduration = 1\nstep = 0.1\n",
                      1, set, &c, &err),
       &err);
  CHECK_CLOSE("lower", c->design[0].lower, 685, 0);
  CHECK_CLOSE("upper", c->design[0].upper, 712, 0);
  mbo_run_config_destroy(c);
}

static void test_broken(void) {
  static const struct {
    const char *from, *to, *keys, *before, *message;
  } cases[] = {
      {"ball,", "bal,", "", "", "scalar 'ball_x' is not known, did you mean 'bal_x'?"},
      {"inner,1,2,3\n", "inner,1,2,3\nseat,4,5,6\n", "", "",
       ":6: nothing in the model uses 'seat_x'; expected another name, a # at the start of this line, or the key"},
      {"inner,1", "ball,1", "", "", ":5: the row 'ball' appears twice, first in line 2"},
      {"", "", "", "[scalars]\nball_y = 3\n", ":2: the scalar 'ball_y' is there already, by line 5 of "},
      {"705", "7o5", "", "", ":2: '7o5' in column 'y', expected a number"},
      {"705", "", "", "", ":2: '' in column 'y', expected a number"},
      {"705,", "", "", "", ":2: 3 values, expected 4 as in the first line"},
      {"name,x,y,z", "name,x,why,z", "", "",
       ":1: there is no column 'y' beside the names in the first one, did you mean 'x'? (known: x, z, why)"},
      {"ball,", "1st ball,", "", "", ":2: '1st_ball' is no name of a row, expected letters, digits and '_'"},
      {"", "", "rows = ball, iner\n", "", " rows = ball, iner: /tmp/"},
      {"", "", "rows = ball, iner\n", "", "has no row 'iner', did you mean 'inner'?"},
      {"", "", "row.ball = bal\n", "", "has no row 'bal', did you mean 'ball'?"},
      {"", "", "row = ball\n", "", "key 'row' is not known here, did you mean 'rows'?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char cells[500];
    mbo_model_file *m = NULL;
    mbd_error err = {0};
    edit(cells, sizeof cells, points, cases[i].from, cases[i].to);
    CU_ASSERT_EQUAL(read_with(cells, cases[i].keys, cases[i].before, &m, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, cases[i].message);
    mbo_model_file_destroy(m);
  }
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(read_model("schema = 1\n[table t]\nfile = nowhere.csv\n", &m, &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, ":3: [table t] file = nowhere.csv: ");
  CU_ASSERT_EQUAL(read_model("schema = 1\n[table t]\ncolumns = x\n", &m, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, ":2: [table t] key 'file' is missing: ");
}

TEST_MAIN_IN(folder, TEST(test_values), TEST(test_replaced), TEST(test_broken))
