/* Texts of the headers of lib/include/mbd that a user's force includes; cmake/assets.cmake makes them part of the program. */
#ifndef MBO_PLUGIN_HEADERS_H
#define MBO_PLUGIN_HEADERS_H

extern const char plugin_header_element_h[], plugin_header_plugin_h[], plugin_header_status_h[],
    plugin_header_user_force_h[];

#endif
