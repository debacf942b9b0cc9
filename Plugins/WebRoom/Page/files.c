#include "CRoomPage.h"

#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t control_css[] = {
#embed "Files/control.css"
};

static const uint8_t control_js[] = {
#embed "Files/control.js"
};

static const uint8_t icon_svg[] = {
#embed "Files/icon.svg"
};

static const uint8_t room_css[] = {
#embed "Files/room.css"
};

static const uint8_t room_html[] = {
#embed "Files/room.html"
};

static const uint8_t room_js[] = {
#embed "Files/room.js"
};

static const struct greenroom_embedded_file files[] = {
    {"control.css", control_css, sizeof control_css},
    {"control.js", control_js, sizeof control_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"room.css", room_css, sizeof room_css},
    {"room.html", room_html, sizeof room_html},
    {"room.js", room_js, sizeof room_js},
};

const uint8_t *room_page_file(const char *name, size_t *size) {
    return greenroom_embedded_file(files, sizeof files / sizeof *files, name, size);
}
