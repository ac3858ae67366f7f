/* A page of a report: one file of HTML that needs nothing else, no network and no server. Sections with a table of contents,
 * paragraphs, tables that can be sorted, figures, scripts with data. Every text is escaped. Content is collected in memory and
 * written at the end, whole or not at all; page_write returns errors on the way (no memory). */
#ifndef MBO_PAGE_H
#define MBO_PAGE_H

#include <jansson.h>
#include <stdio.h>

#include "files/text_stream.h"
#include "mbd/status.h"

typedef struct page page;

mbd_status page_create(const char *title, page **out, mbd_error *err);
void page_destroy(page *p);

/* MBD_IO_ERROR: the file cannot be written, MBD_NO_MEMORY: something was lost on the way; an earlier one stays as it was. Called
 * once, at the end. */
mbd_status page_write(page *p, const char *path, mbd_error *err);

/* Who makes a text for the page and finds no memory says so, and page_write fails. */
void page_lost(page *p);

/* A section with its entry in the table of contents; its anchor is its title in small letters. Ends the one before it. */
void page_section(page *p, const char *title);
void page_heading(page *p, const char *title); /* within a section */

/* A paragraph; a note, which is set apart from the rest. */
void page_text(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_note(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A paragraph that leads to another file of the folder of the page. */
void page_link(page *p, const char *file, const char *text);

/* What the page is about: name and value, in rows. Nothing for an empty value (NULL or ""). */
void page_facts_open(page *p);
void page_fact(page *p, const char *name, const char *value);
void page_fact_file(page *p, const char *name, const char *path); /* as path_shown has it */
void page_facts_close(page *p);

/* Text as it is, line by line, behind a summary that opens it. */
void page_details(page *p, const char *summary, const char *text);

/* A table: headings, then row after row of cells from the left. Numbers stand to the right and are sorted as numbers; `mark` is a
 * word beside the number that is set apart, NULL: none. Cells of what is not finite are a dash. */
void page_table_open(page *p, int n, const char *const *heading);
void page_row(page *p);
void page_row_of_body(page *p,
                      const char *body); /* under the mouse it shows that body in the picture, and the reverse */
void page_cell(page *p, const char *text);
void page_cell_of(page *p, text_stream *s); /* the text of a stream, which ends here */
void page_cell_number(page *p, double v, int digits, const char *mark);
void page_cell_link(page *p, double v, int digits,
                    const char *file);              /* that leads to a file of the page's folder; NULL: it does not */
void page_cell_part(page *p, double v, int digits); /* v from -1 to 1, with a tint for its size and sign */
void page_table_close(page *p);

/* The element <svg> as it is, with a caption, in its own size, times `scale`, which scrolls where there is less room: a graph. */
void page_graph(page *p, const char *svg, double scale, const char *caption);
void page_figures_open(page *p);  /* figures side by side, where there is room */
void page_beside_open(page *p);   /* a picture and a graph of any width, side by side where there is room */
void page_figures_close(page *p); /* of both */

/* Parts that scripts fill: an empty element of that id; data that script `id` finds as JSON; a style sheet and a script, which
 * stand in the page as they are and must come from the program itself. */
void page_container(page *p, const char *id);
void page_json(page *p, const char *id, const json_t *data);
void page_style(page *p, const char *css);
/* A figure that answers the mouse, from data as assets/plot.js says; takes over `spec`. */
void page_plot(page *p, json_t *spec);
void page_uses_plots(page *p); /* plot.js and the style of curves, once: other scripts draw by them */
void page_script(page *p, const char *script);

/* Write text so that HTML takes it for text: & < > " ' escaped. */
void page_escape(FILE *out, const char *text);

#endif
