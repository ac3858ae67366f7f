/* A page of a report: one file of HTML that needs no other file, network or server. It has sections with a table of
 * contents, paragraphs, tables that can be sorted, figures, and scripts with data. Every text is escaped. The content
 * is collected in memory and written at the end, completely or not at all; page_write returns earlier errors (no
 * memory). */
#ifndef MBO_PAGE_H
#define MBO_PAGE_H

#include <jansson.h>
#include <stdio.h>
#include <time.h>

#include "mbd/status.h"
#include "report/assets.h"

typedef struct page page;

/* MBD_NO_MEMORY: also for a title that is NULL. */
mbd_status page_create(const char *title, page **out, mbd_error *err);
/* The same with the title "NAME OF THE FILE: WHAT". */
mbd_status page_create_about(const char *path, const char *what, page **out, mbd_error *err);
void page_destroy(page *p);

/* Writes the page; to be called once, at the end. MBD_IO_ERROR: the file cannot be written, MBD_NO_MEMORY: memory ran
 * out here or earlier (files/memory.h), so that texts that are NULL may be given to the functions below. An earlier file is unchanged after
 * an error. */
mbd_status page_write(page *p, const char *path, mbd_error *err);

/* Makes the page one that is written anew while its work goes on: it loads itself again after so many seconds. */
void page_live(page *p, double period);

/* The page may compile the engine that it holds and run it in a Worker. The policy of every page (Content Security Policy, W3C) forbids all that comes from
 * elsewhere, and all scripts and styles but those that are given here. */
void page_computes(page *p);

/* A section with its entry in the table of contents; its anchor is its title in lower-case letters. Ends the previous
 * section. */
void page_section(page *p, const char *title);
/* The same, whose content is hidden until the title is clicked. Paper has it as the reader has left it. */
void page_folded_section(page *p, const char *title);
void page_heading(page *p, const char *title); /* within a section */

/* A paragraph; a note, which is set apart from the rest. */
void page_text(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_note(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The paragraph that a hurried reader reads; good = 0: one with bad news. Frees the text; NULL: memory ran out for it. */
void page_verdict_owned(page *p, int good, char *text);

/* A paragraph "WHAT a, b, c." with the first `max` of the names; nothing without names. */
void page_names(page *p, const char *what, const json_t *names, int max);

/* A paragraph with a link to another file of the folder of the page. */
void page_link(page *p, const char *file, const char *text);

/* Facts about the subject of the page: rows of name and value. There is no row for an empty value (NULL or ""). */
void page_facts_open(page *p);
void page_fact(page *p, const char *name, const char *value);
void page_fact_owned(page *p, const char *name, char *value); /* frees the value; NULL: memory ran out for it */
void page_fact_date(page *p, const char *name, time_t date);
void page_fact_of(page *p, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void page_fact_file(page *p, const char *name, const char *path); /* in the form of path_shown */
void page_facts_close(page *p);

/* Less important paragraphs, hidden until the summary is clicked. */
void page_more_open(page *p, const char *summary);
void page_more_close(page *p);

/* Preformatted text under a heading. */
void page_listing(page *p, const char *heading, const char *text);

/* A table: headings, then rows of cells from left to right. Numbers are aligned to the right and are sorted as numbers;
 * `mark` is a word beside a highlighted number, NULL: none. Numbers that are not finite are shown as a dash. */
void page_table_open(page *p, int n, const char *const *heading);
void page_row(page *p);
/* the row under the mouse marks the body in the picture, and the reverse */
void page_row_of_body(page *p, const char *body);
void page_cell(page *p, const char *text);
void page_cell_owned(page *p, char *text); /* frees the text; NULL: memory ran out for it */
void page_cell_number(page *p, double v, int digits, const char *mark);
/* a number with a link to a file of the page's folder; file NULL: no link */
void page_cell_link(page *p, double v, int digits, const char *file);
void page_cell_part(page *p, double v, int digits); /* v from -1 to 1, with a tint for its size and sign */
/* a part of 1 in per cent, with a bar, and its interval from low to high as a line; NaN: none */
void page_cell_bar(page *p, double v, double low, double high);
void page_table_close(page *p);

/* A whole table, whose rows are objects. A column has the members of one key: numbers with so many digits, beside them the text of
 * the member `mark` where there is one; texts: PAGE_WORDS, or PAGE_DASH, which shows a dash where there is none. A row with a member `body`
 * belongs to a body (page_row_of_body). */
enum { PAGE_WORDS = 0, PAGE_DASH = -1, PAGE_DIGITS = 9 };
typedef struct page_column {
  const char *heading, *key;
  int digits;
  const char *mark;
} page_column;
void page_table(page *p, int n, const page_column *column, const json_t *rows);
/* A section with such a table; nothing without rows. */
void page_table_section(page *p, const char *title, int n, const page_column *column, const json_t *rows);

/* A graph: an unchanged element <svg> with a caption, in its own size times `scale`; it scrolls if there is less
 * room. */
void page_graph(page *p, const char *svg, double scale, const char *caption);
void page_figures_open(page *p);  /* figures side by side, if there is room */
void page_beside_open(page *p);   /* a picture and a graph of any width, side by side if there is room */
void page_figures_close(page *p); /* ends either of them */

/* Parts for scripts: an empty element with an id; data in JSON, which scripts find by `id`; a style sheet and a script of the
 * program. assets/begin.js draws data into containers. */
void page_container(page *p, const char *id);
void page_json(page *p, const char *id, const json_t *data);
void page_style(page *p, const mbo_asset *css);
/* An interactive figure (report/figure.h), or a tinted table of parts: a figure_sink. */
mbd_status page_figure(void *p, json_t *spec, mbd_error *err);
void page_uses_plots(page *p); /* adds plot.js and the style of curves, once, for other scripts */
void page_uses_scene(page *p); /* adds scene.js, what it needs, and its style */
void page_script(page *p, const mbo_asset *script);
void page_last_script(page *p, const mbo_asset *script); /* runs after all others */

#endif
