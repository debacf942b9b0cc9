#include "x11.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xcb/composite.h>
#include <xcb/damage.h>
#include <xcb/randr.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>
#include <xcb/xfixes.h>

struct greenroom_x11 {
    xcb_connection_t *connection;
    int descriptor;
    xcb_screen_t *screen;
    uint8_t damage_event, randr_event, fixes_event;
    int has_composite, has_shm, has_randr;
    xcb_window_t watched;
    xcb_pixmap_t pixmap; // the contents of a watched window; 0 for the screen
    uint16_t border;
    uint16_t width, height; // of what is watched, when it was measured
    xcb_damage_damage_t damage;
    xcb_shm_seg_t segment; // 0 without memory
};

static void set_reason(greenroom_x11_reason *reason, const char *text) {
    snprintf(reason->text, sizeof reason->text, "%s", text);
}

// MARK: The connection

static const xcb_query_extension_reply_t *extension(greenroom_x11 *display, xcb_extension_t *id) {
    const xcb_query_extension_reply_t *found =
        xcb_get_extension_data(display->connection, id);
    return found && found->present ? found : NULL;
}

// Negotiates the versions, which each extension requires before its use.
static const char *negotiate(greenroom_x11 *display) {
    xcb_connection_t *connection = display->connection;
    const xcb_query_extension_reply_t *damage = extension(display, &xcb_damage_id);
    const xcb_query_extension_reply_t *fixes = extension(display, &xcb_xfixes_id);
    const xcb_query_extension_reply_t *randr = extension(display, &xcb_randr_id);
    if (!damage || !fixes)
        return "the extensions DAMAGE and XFIXES are missing; use another X server";
    display->damage_event = damage->first_event;
    display->fixes_event = fixes->first_event;
    free(xcb_damage_query_version_reply(
        connection, xcb_damage_query_version(connection, 1, 1), NULL));
    free(xcb_xfixes_query_version_reply(
        connection, xcb_xfixes_query_version(connection, 4, 0), NULL));
    if (randr) {
        xcb_randr_query_version_reply_t *version = xcb_randr_query_version_reply(
            connection, xcb_randr_query_version(connection, 1, 5), NULL);
        display->has_randr = version
            && (version->major_version > 1
                || (version->major_version == 1 && version->minor_version >= 5));
        display->randr_event = randr->first_event;
        free(version);
    }
    if (extension(display, &xcb_composite_id)) {
        xcb_composite_query_version_reply_t *version = xcb_composite_query_version_reply(
            connection, xcb_composite_query_version(connection, 0, 4), NULL);
        display->has_composite = version
            && (version->major_version > 0 || version->minor_version >= 2);
        free(version);
    }
    if (extension(display, &xcb_shm_id)) {
        xcb_shm_query_version_reply_t *version =
            xcb_shm_query_version_reply(connection, xcb_shm_query_version(connection), NULL);
        display->has_shm = version
            && (version->major_version > 1
                || (version->major_version == 1 && version->minor_version >= 2));
        free(version);
    }
    return NULL;
}

// Whether pixels of 24 and 32 bits are B, G, R and a byte.
static int has_plain_pixels(xcb_connection_t *connection, const xcb_screen_t *screen) {
    const xcb_setup_t *setup = xcb_get_setup(connection);
    if (setup->image_byte_order != XCB_IMAGE_ORDER_LSB_FIRST) return 0;
    if (screen->root_depth != 24 && screen->root_depth != 32) return 0;
    for (xcb_format_iterator_t format = xcb_setup_pixmap_formats_iterator(setup); format.rem;
         xcb_format_next(&format))
        if ((format.data->depth == 24 || format.data->depth == 32)
            && format.data->bits_per_pixel != 32)
            return 0;
    for (xcb_depth_iterator_t depth = xcb_screen_allowed_depths_iterator(screen); depth.rem;
         xcb_depth_next(&depth))
        for (xcb_visualtype_iterator_t visual = xcb_depth_visuals_iterator(depth.data); visual.rem;
             xcb_visualtype_next(&visual))
            if (visual.data->visual_id == screen->root_visual)
                return visual.data->red_mask == 0xff0000 && visual.data->blue_mask == 0xff;
    return 0;
}

greenroom_x11 *greenroom_x11_open(
    int descriptor, const uint8_t *key, uint32_t key_length, uint32_t screen,
    greenroom_x11_reason *reason) {
    static char key_name[] = "MIT-MAGIC-COOKIE-1";
    xcb_auth_info_t auth = {
        .namelen = (int)sizeof key_name - 1, .name = key_name, .datalen = (int)key_length,
        .data = (char *)(uintptr_t)key};
    greenroom_x11 *display = calloc(1, sizeof *display);
    if (!display) {
        close(descriptor);
        set_reason(reason, "out of memory");
        return NULL;
    }
    display->descriptor = descriptor;
    // It closes the descriptor if it fails, and with the connection.
    display->connection = xcb_connect_to_fd(descriptor, key ? &auth : NULL);
    const char *problem = NULL;
    if (xcb_connection_has_error(display->connection)) {
        problem = key ? "the key of XAUTHORITY is refused; set XAUTHORITY to the display's key file"
                      : "the connection is refused; set XAUTHORITY to the display's key file";
    } else {
        xcb_screen_iterator_t screens =
            xcb_setup_roots_iterator(xcb_get_setup(display->connection));
        for (; screens.rem && screen > 0; screen--) xcb_screen_next(&screens);
        display->screen = screens.rem ? screens.data : NULL;
        if (!display->screen)
            problem = "no such screen; check DISPLAY";
        else if (!has_plain_pixels(display->connection, display->screen))
            problem = "the screen does not have 24 bits of colour; set it to 24";
        else
            problem = negotiate(display);
    }
    if (!problem) {
        const uint32_t events = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
        xcb_window_t root = display->screen->root;
        xcb_change_window_attributes(display->connection, root, XCB_CW_EVENT_MASK, &events);
        xcb_xfixes_select_cursor_input(
            display->connection, root, XCB_XFIXES_CURSOR_NOTIFY_MASK_DISPLAY_CURSOR);
        if (display->has_randr)
            xcb_randr_select_input(
                display->connection, root,
                XCB_RANDR_NOTIFY_MASK_SCREEN_CHANGE | XCB_RANDR_NOTIFY_MASK_CRTC_CHANGE
                    | XCB_RANDR_NOTIFY_MASK_OUTPUT_CHANGE
                    | XCB_RANDR_NOTIFY_MASK_RESOURCE_CHANGE);
        xcb_flush(display->connection);
        return display;
    }
    set_reason(reason, problem);
    greenroom_x11_close(display);
    return NULL;
}

void greenroom_x11_close(greenroom_x11 *display) {
    xcb_disconnect(display->connection);
    free(display);
}

void greenroom_x11_interrupt(greenroom_x11 *display) {
    shutdown(display->descriptor, SHUT_RDWR);
}

int greenroom_x11_is_lost(greenroom_x11 *display) {
    return xcb_connection_has_error(display->connection) != 0;
}

// MARK: Monitors and windows

greenroom_x11_rect greenroom_x11_screen(greenroom_x11 *display) {
    greenroom_x11_rect size = {0, 0, 0, 0};
    xcb_get_geometry_reply_t *geometry = xcb_get_geometry_reply(
        display->connection, xcb_get_geometry(display->connection, display->screen->root), NULL);
    if (!geometry) return size;
    size.width = geometry->width;
    size.height = geometry->height;
    free(geometry);
    return size;
}

// Copies a text of `length` bytes, cut to what fits.
static void copy_text(char *target, size_t capacity, const void *text, int length) {
    size_t count = length < 0 ? 0 : (size_t)length;
    if (count > capacity - 1) count = capacity - 1;
    memcpy(target, text, count);
    target[count] = 0;
}

uint32_t greenroom_x11_monitors(
    greenroom_x11 *display, greenroom_x11_monitor *monitors, uint32_t capacity) {
    if (!display->has_randr) return 0;
    xcb_connection_t *connection = display->connection;
    xcb_randr_get_monitors_reply_t *reply = xcb_randr_get_monitors_reply(
        connection, xcb_randr_get_monitors(connection, display->screen->root, 1), NULL);
    if (!reply) return 0;
    uint32_t count = 0;
    for (xcb_randr_monitor_info_iterator_t each = xcb_randr_get_monitors_monitors_iterator(reply);
         each.rem && count < capacity; xcb_randr_monitor_info_next(&each)) {
        greenroom_x11_monitor *monitor = &monitors[count++];
        memset(monitor, 0, sizeof *monitor);
        monitor->area.x = each.data->x;
        monitor->area.y = each.data->y;
        monitor->area.width = each.data->width;
        monitor->area.height = each.data->height;
        monitor->is_primary = each.data->primary;
        xcb_get_atom_name_reply_t *name = xcb_get_atom_name_reply(
            connection, xcb_get_atom_name(connection, each.data->name), NULL);
        if (!name) continue;
        copy_text(
            monitor->name, sizeof monitor->name, xcb_get_atom_name_name(name),
            xcb_get_atom_name_name_length(name));
        free(name);
    }
    free(reply);
    return count;
}

static xcb_atom_t atom(greenroom_x11 *display, const char *name) {
    xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(
        display->connection,
        xcb_intern_atom(display->connection, 1, (uint16_t)strlen(name), name), NULL);
    xcb_atom_t found = reply ? reply->atom : XCB_ATOM_NONE;
    free(reply);
    return found;
}

static xcb_get_property_reply_t *property(
    greenroom_x11 *display, xcb_window_t window, xcb_atom_t name, uint32_t words) {
    if (name == XCB_ATOM_NONE) return NULL;
    return xcb_get_property_reply(
        display->connection,
        xcb_get_property(
            display->connection, 0, window, name, XCB_GET_PROPERTY_TYPE_ANY, 0, words),
        NULL);
}

// Reads a text; returns whether there is one.
static int read_text(
    greenroom_x11 *display, xcb_window_t window, xcb_atom_t name, char *text, size_t capacity) {
    xcb_get_property_reply_t *reply =
        property(display, window, name, (uint32_t)(capacity + 3) / 4);
    if (!reply) return 0;
    int length = reply->format == 8 ? xcb_get_property_value_length(reply) : 0;
    if (length > 0) copy_text(text, capacity, xcb_get_property_value(reply), length);
    free(reply);
    return length > 0;
}

// The class of a window is the second of two texts, each of which ends with zero.
static int read_class(greenroom_x11 *display, xcb_window_t window, char *text, size_t capacity) {
    char both[256];
    memset(both, 0, sizeof both);
    if (!read_text(display, window, XCB_ATOM_WM_CLASS, both, sizeof both - 1)) return 0;
    size_t first = strlen(both);
    const char *class_name = first + 1 < sizeof both && both[first + 1] ? both + first + 1 : both;
    copy_text(text, capacity, class_name, (int)strlen(class_name));
    return 1;
}

static int describe_window(
    greenroom_x11 *display, xcb_window_t id, xcb_atom_t title, greenroom_x11_window *window) {
    memset(window, 0, sizeof *window);
    window->id = id;
    if (!read_text(display, id, title, window->title, sizeof window->title))
        read_text(display, id, XCB_ATOM_WM_NAME, window->title, sizeof window->title);
    read_class(display, id, window->class_name, sizeof window->class_name);
    if (!window->title[0] && !window->class_name[0]) return 0;
    xcb_connection_t *connection = display->connection;
    xcb_get_geometry_cookie_t asked_size = xcb_get_geometry(connection, id);
    xcb_get_window_attributes_cookie_t asked_state = xcb_get_window_attributes(connection, id);
    xcb_translate_coordinates_cookie_t asked_place =
        xcb_translate_coordinates(connection, id, display->screen->root, 0, 0);
    xcb_get_geometry_reply_t *size = xcb_get_geometry_reply(connection, asked_size, NULL);
    xcb_get_window_attributes_reply_t *state =
        xcb_get_window_attributes_reply(connection, asked_state, NULL);
    xcb_translate_coordinates_reply_t *place =
        xcb_translate_coordinates_reply(connection, asked_place, NULL);
    int is_there = size && state && place && state->_class == XCB_WINDOW_CLASS_INPUT_OUTPUT;
    if (is_there) {
        window->area.x = place->dst_x;
        window->area.y = place->dst_y;
        window->area.width = size->width;
        window->area.height = size->height;
        window->is_viewable = state->map_state == XCB_MAP_STATE_VIEWABLE;
    }
    free(size);
    free(state);
    free(place);
    return is_there;
}

// Adds the windows with a title or a class, including those inside the frames of a window manager.
static uint32_t add_windows(
    greenroom_x11 *display, xcb_window_t parent, int depth, xcb_atom_t title,
    greenroom_x11_window *windows, uint32_t count, uint32_t capacity) {
    xcb_query_tree_reply_t *tree = xcb_query_tree_reply(
        display->connection, xcb_query_tree(display->connection, parent), NULL);
    if (!tree) return count;
    const xcb_window_t *children = xcb_query_tree_children(tree);
    for (int index = xcb_query_tree_children_length(tree) - 1; index >= 0 && count < capacity;
         index--) {
        if (describe_window(display, children[index], title, &windows[count]))
            count++;
        else if (depth > 0)
            count = add_windows(
                display, children[index], depth - 1, title, windows, count, capacity);
    }
    free(tree);
    return count;
}

uint32_t greenroom_x11_windows(
    greenroom_x11 *display, greenroom_x11_window *windows, uint32_t capacity) {
    xcb_atom_t title = atom(display, "_NET_WM_NAME");
    xcb_get_property_reply_t *clients =
        property(display, display->screen->root, atom(display, "_NET_CLIENT_LIST"), 1024);
    uint32_t count = 0;
    if (clients && clients->format == 32) {
        const xcb_window_t *ids = xcb_get_property_value(clients);
        int number = xcb_get_property_value_length(clients) / 4;
        for (int index = number - 1; index >= 0 && count < capacity; index--)
            if (describe_window(display, ids[index], title, &windows[count])) count++;
    }
    free(clients);
    if (count > 0) return count;
    return add_windows(display, display->screen->root, 2, title, windows, 0, capacity);
}

// MARK: Watching

static void stop_watching(greenroom_x11 *display) {
    xcb_connection_t *connection = display->connection;
    if (display->damage) xcb_damage_destroy(connection, display->damage);
    if (display->pixmap) xcb_free_pixmap(connection, display->pixmap);
    if (display->watched && display->watched != display->screen->root)
        xcb_composite_unredirect_window(
            connection, display->watched, XCB_COMPOSITE_REDIRECT_AUTOMATIC);
    display->damage = 0;
    display->pixmap = 0;
    display->border = 0;
    display->watched = 0;
}

static int watch(greenroom_x11 *display, xcb_window_t window, greenroom_x11_reason *reason) {
    xcb_connection_t *connection = display->connection;
    xcb_damage_damage_t damage = xcb_generate_id(connection);
    xcb_generic_error_t *error = xcb_request_check(
        connection, xcb_damage_create_checked(
                        connection, damage, window, XCB_DAMAGE_REPORT_LEVEL_BOUNDING_BOX));
    if (error || xcb_connection_has_error(connection)) {
        free(error);
        set_reason(reason, "the window is closed");
        return -1;
    }
    display->damage = damage;
    display->watched = window;
    return 0;
}

int greenroom_x11_watch_screen(greenroom_x11 *display, greenroom_x11_reason *reason) {
    stop_watching(display);
    return watch(display, display->screen->root, reason);
}

int greenroom_x11_watch_window(
    greenroom_x11 *display, uint32_t id, greenroom_x11_reason *reason) {
    stop_watching(display);
    if (!display->has_composite) {
        set_reason(reason, "the X server lacks the extension Composite: share the screen instead");
        return -1;
    }
    const uint32_t events = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
    xcb_connection_t *connection = display->connection;
    if (id == display->screen->root) {
        set_reason(reason, "the window is the whole screen; leave \"window\" out");
        return -1;
    }
    xcb_change_window_attributes(connection, id, XCB_CW_EVENT_MASK, &events);
    xcb_composite_redirect_window(connection, id, XCB_COMPOSITE_REDIRECT_AUTOMATIC);
    return watch(display, id, reason);
}

static void add_rect(greenroom_x11_events *events, const xcb_rectangle_t *area) {
    greenroom_x11_rect *all = &events->damage;
    if (!events->is_damaged) {
        events->is_damaged = 1;
        all->x = area->x;
        all->y = area->y;
        all->width = area->width;
        all->height = area->height;
        return;
    }
    int32_t left = area->x < all->x ? area->x : all->x;
    int32_t top = area->y < all->y ? area->y : all->y;
    int32_t right = area->x + area->width, bottom = area->y + area->height;
    if (all->x + (int32_t)all->width > right) right = all->x + (int32_t)all->width;
    if (all->y + (int32_t)all->height > bottom) bottom = all->y + (int32_t)all->height;
    all->x = left;
    all->y = top;
    all->width = (uint32_t)(right - left);
    all->height = (uint32_t)(bottom - top);
}

static void note(
    greenroom_x11 *display, const xcb_generic_event_t *event, greenroom_x11_events *events) {
    uint8_t type = event->response_type & 0x7f;
    if (type == display->damage_event + XCB_DAMAGE_NOTIFY) {
        const xcb_damage_notify_event_t *damage = (const void *)event;
        if (damage->damage == display->damage) add_rect(events, &damage->area);
    } else if (type == display->fixes_event + XCB_XFIXES_CURSOR_NOTIFY) {
        events->has_new_cursor = 1;
    } else if (
        display->has_randr
        && (type == display->randr_event + XCB_RANDR_SCREEN_CHANGE_NOTIFY
            || type == display->randr_event + XCB_RANDR_NOTIFY)) {
        events->has_new_layout = 1;
    } else if (type == XCB_CONFIGURE_NOTIFY) {
        const xcb_configure_notify_event_t *change = (const void *)event;
        if (change->window == display->watched
            && (change->width != display->width || change->height != display->height
                || change->border_width != display->border))
            events->has_new_size = 1;
        if (change->window == display->screen->root) events->has_new_layout = 1;
    } else if (type == XCB_UNMAP_NOTIFY) {
        const xcb_unmap_notify_event_t *change = (const void *)event;
        if (change->window == display->watched) {
            events->was_hidden = 1;
            events->was_shown = 0;
        }
    } else if (type == XCB_MAP_NOTIFY) {
        const xcb_map_notify_event_t *change = (const void *)event;
        if (change->window == display->watched) {
            events->was_shown = 1;
            events->was_hidden = 0;
        }
    } else if (type == XCB_DESTROY_NOTIFY) {
        const xcb_destroy_notify_event_t *change = (const void *)event;
        if (change->window == display->watched) events->was_closed = 1;
    }
}

greenroom_x11_events greenroom_x11_poll(greenroom_x11 *display) {
    greenroom_x11_events events;
    memset(&events, 0, sizeof events);
    xcb_generic_event_t *event;
    while ((event = xcb_poll_for_event(display->connection))) {
        note(display, event, &events);
        free(event);
    }
    return events;
}

int greenroom_x11_measure(greenroom_x11 *display, greenroom_x11_rect *size) {
    xcb_connection_t *connection = display->connection;
    xcb_get_geometry_reply_t *geometry = xcb_get_geometry_reply(
        connection, xcb_get_geometry(connection, display->watched), NULL);
    if (!geometry) return -1;
    size->x = 0;
    size->y = 0;
    size->width = geometry->width;
    size->height = geometry->height;
    display->width = geometry->width;
    display->height = geometry->height;
    uint16_t border = geometry->border_width;
    free(geometry);
    if (display->watched == display->screen->root) return 0;
    if (display->pixmap) xcb_free_pixmap(connection, display->pixmap);
    display->pixmap = 0;
    display->border = border;
    xcb_pixmap_t pixmap = xcb_generate_id(connection);
    xcb_generic_error_t *error = xcb_request_check(
        connection,
        xcb_composite_name_window_pixmap_checked(connection, display->watched, pixmap));
    if (error || xcb_connection_has_error(connection)) {
        free(error);
        return -1;
    }
    display->pixmap = pixmap;
    return 0;
}

// MARK: Pixels

int greenroom_x11_attach(greenroom_x11 *display, int memory) {
    xcb_connection_t *connection = display->connection;
    if (display->segment) xcb_shm_detach(connection, display->segment);
    display->segment = 0;
    if (!display->has_shm) {
        close(memory);
        return -1;
    }
    xcb_shm_seg_t segment = xcb_generate_id(connection);
    // The call closes the descriptor.
    xcb_generic_error_t *error =
        xcb_request_check(connection, xcb_shm_attach_fd_checked(connection, segment, memory, 0));
    if (error || xcb_connection_has_error(connection)) {
        free(error);
        return -1;
    }
    display->segment = segment;
    return 0;
}

static int fetch_by_socket(
    greenroom_x11 *display, xcb_drawable_t source, greenroom_x11_rect part, uint8_t *pixels) {
    xcb_connection_t *connection = display->connection;
    xcb_get_image_reply_t *reply = xcb_get_image_reply(
        connection,
        xcb_get_image(
            connection, XCB_IMAGE_FORMAT_Z_PIXMAP, source, (int16_t)part.x, (int16_t)part.y,
            (uint16_t)part.width, (uint16_t)part.height, UINT32_MAX),
        NULL);
    if (!reply) return -1;
    size_t length = (size_t)part.width * part.height * 4;
    int is_whole = xcb_get_image_data_length(reply) >= 0
        && (size_t)xcb_get_image_data_length(reply) >= length;
    if (is_whole) memcpy(pixels, xcb_get_image_data(reply), length);
    free(reply);
    return is_whole ? 0 : -1;
}

int greenroom_x11_fetch(
    greenroom_x11 *display, greenroom_x11_rect part, size_t offset, uint8_t *pixels) {
    xcb_connection_t *connection = display->connection;
    int is_screen = display->watched == display->screen->root;
    xcb_drawable_t source = is_screen ? display->watched : display->pixmap;
    if (!source || offset > UINT32_MAX) return -1;
    // A pixmap of a window includes its border.
    part.x += display->border;
    part.y += display->border;
    if (part.x < 0 || part.y < 0 || part.x > INT16_MAX || part.y > INT16_MAX
        || part.width > UINT16_MAX || part.height > UINT16_MAX)
        return -1;
    // Subscribe first, so that later changes are reported.
    xcb_damage_subtract(connection, display->damage, XCB_NONE, XCB_NONE);
    if (!display->segment) return pixels ? fetch_by_socket(display, source, part, pixels) : -1;
    xcb_shm_get_image_reply_t *reply = xcb_shm_get_image_reply(
        connection,
        xcb_shm_get_image(
            connection, source, (int16_t)part.x, (int16_t)part.y, (uint16_t)part.width,
            (uint16_t)part.height, UINT32_MAX, XCB_IMAGE_FORMAT_Z_PIXMAP, display->segment,
            (uint32_t)offset),
        NULL);
    if (!reply) return -1;
    free(reply);
    return 0;
}

int greenroom_x11_read_cursor(greenroom_x11 *display, greenroom_x11_cursor *cursor) {
    xcb_xfixes_get_cursor_image_reply_t *reply = xcb_xfixes_get_cursor_image_reply(
        display->connection, xcb_xfixes_get_cursor_image(display->connection), NULL);
    if (!reply) return -1;
    memset(cursor, 0, sizeof *cursor);
    size_t count = (size_t)reply->width * reply->height;
    int length = xcb_xfixes_get_cursor_image_cursor_image_length(reply);
    if (length >= 0 && (size_t)length >= count && count > 0) cursor->pixels = malloc(count * 4);
    if (cursor->pixels) {
        memcpy(
            cursor->pixels, xcb_xfixes_get_cursor_image_cursor_image(reply), count * 4);
        cursor->width = reply->width;
        cursor->height = reply->height;
        cursor->hot_x = reply->xhot;
        cursor->hot_y = reply->yhot;
    }
    free(reply);
    return cursor->pixels ? 0 : -1;
}

int greenroom_x11_pointer(greenroom_x11 *display, int32_t *x, int32_t *y) {
    xcb_query_pointer_reply_t *reply = xcb_query_pointer_reply(
        display->connection, xcb_query_pointer(display->connection, display->watched), NULL);
    if (!reply) return -1;
    int is_here = reply->same_screen;
    *x = reply->win_x;
    *y = reply->win_y;
    free(reply);
    return is_here ? 0 : -1;
}
