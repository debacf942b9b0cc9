/* A window for the tests of Screen: draws a number that a program can read, and obeys lines of a named pipe.
 *
 *   draw N        16 columns, white for each bit of N that is 1, else black, on blue
 *   move X Y      resize W H      hide      show      raise      close      open      point X Y
 *
 * It prints its id, and each line again when the server has done it. Arguments: the pipe, title, class, X, Y, width,
 * height. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/xcb.h>

static xcb_connection_t *connection;
static xcb_screen_t *screen;
static xcb_window_t window;
static xcb_gcontext_t context;
static unsigned width, height, number;

static void fill(uint32_t color, int x, int y, unsigned w, unsigned h) {
    xcb_rectangle_t area = {(int16_t)x, (int16_t)y, (uint16_t)w, (uint16_t)h};
    xcb_change_gc(connection, context, XCB_GC_FOREGROUND, &color);
    xcb_poly_fill_rectangle(connection, window, context, 1, &area);
}

static void draw(void) {
    fill(0x2040c0, 0, 0, width, height);
    for (unsigned bit = 0; bit < 16; bit++)
        fill(number >> bit & 1 ? 0xffffff : 0x000000, (int)(bit * 16), 0, 16, 32);
}

static void show(int is_shown) {
    if (is_shown) {
        xcb_map_window(connection, window);
        /* Drawn once the server has mapped it. */
        free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), NULL));
        draw();
    } else {
        xcb_unmap_window(connection, window);
    }
}

static void open_window(const char *title, const char *class_name, int x, int y) {
    uint32_t values[] = {screen->black_pixel, 1};
    window = xcb_generate_id(connection);
    xcb_create_window(
        connection, XCB_COPY_FROM_PARENT, window, screen->root, (int16_t)x, (int16_t)y,
        (uint16_t)width, (uint16_t)height, 1, XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual,
        XCB_CW_BACK_PIXEL | XCB_CW_OVERRIDE_REDIRECT, values);
    xcb_change_property(
        connection, XCB_PROP_MODE_REPLACE, window, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, 8,
        (uint32_t)strlen(title), title);
    char both[200];
    int length = snprintf(both, sizeof both, "%s%c%s", "window", 0, class_name) + 1;
    xcb_change_property(
        connection, XCB_PROP_MODE_REPLACE, window, XCB_ATOM_WM_CLASS, XCB_ATOM_STRING, 8,
        (uint32_t)length, both);
    context = xcb_generate_id(connection);
    xcb_create_gc(connection, context, window, 0, NULL);
    show(1);
}

int main(int count, char **arguments) {
    if (count != 8) return 64;
    /* For writing, too: the pipe has no end then. */
    FILE *lines = fopen(arguments[1], "r+");
    if (!lines) return 66;
    arguments++;
    connection = xcb_connect(NULL, NULL);
    if (xcb_connection_has_error(connection)) return 69;
    screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
    int x = atoi(arguments[3]), y = atoi(arguments[4]);
    width = (unsigned)atoi(arguments[5]);
    height = (unsigned)atoi(arguments[6]);
    open_window(arguments[1], arguments[2], x, y);
    free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), NULL));
    printf("0x%x\n", window);
    fflush(stdout);
    char line[100];
    while (fgets(line, sizeof line, lines)) {
        int first, second;
        uint32_t values[2];
        if (sscanf(line, "draw %u", &number) == 1) {
            draw();
        } else if (sscanf(line, "move %d %d", &first, &second) == 2) {
            values[0] = (uint32_t)first;
            values[1] = (uint32_t)second;
            xcb_configure_window(
                connection, window, XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y, values);
        } else if (sscanf(line, "resize %d %d", &first, &second) == 2) {
            values[0] = width = (unsigned)first;
            values[1] = height = (unsigned)second;
            xcb_configure_window(
                connection, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, values);
            draw();
        } else if (sscanf(line, "point %d %d", &first, &second) == 2) {
            xcb_warp_pointer(
                connection, XCB_NONE, screen->root, 0, 0, 0, 0, (int16_t)first, (int16_t)second);
        } else if (!strcmp(line, "raise\n")) {
            values[0] = XCB_STACK_MODE_ABOVE;
            xcb_configure_window(connection, window, XCB_CONFIG_WINDOW_STACK_MODE, values);
            draw();
        } else if (!strcmp(line, "hide\n")) {
            show(0);
        } else if (!strcmp(line, "show\n")) {
            show(1);
        } else if (!strcmp(line, "close\n")) {
            xcb_destroy_window(connection, window);
        } else if (!strcmp(line, "open\n")) {
            open_window(arguments[1], arguments[2], x, y);
        }
        free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), NULL));
        fputs(line, stdout);
        fflush(stdout);
    }
    return 0;
}
