/* Standard input, output and error of the program. */
#ifndef MBO_STREAMS_H
#define MBO_STREAMS_H

/* Before any file is opened: a stream that the caller has closed leads nowhere from now on, as if it were /dev/null. Else the
 * first file, as a journal, would take its place, and what is printed would go into that file. 0: /dev/null cannot be opened. */
int streams_open(void);

/* At the end: has all that was printed on standard output arrived? If not, say why, and make an exit code of success one that is
 * not. Other codes stay: they tell of something that was before it. */
int streams_close(int code);

#endif
