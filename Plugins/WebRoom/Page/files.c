#include "CRoomPage.h"

#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t common_js[] = {
#embed "Files/common.js"
};

static const uint8_t control_css[] = {
#embed "Files/control.css"
};

static const uint8_t control_js[] = {
#embed "Files/control.js"
};

static const uint8_t icon_svg[] = {
#embed "Files/icon.svg"
};

static const uint8_t join_js[] = {
#embed "Files/join.js"
};

static const uint8_t people_js[] = {
#embed "Files/people.js"
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

static const uint8_t stage_js[] = {
#embed "Files/stage.js"
};

static const uint8_t watch_js[] = {
#embed "Files/watch.js"
};

static const struct greenroom_embedded_file files[] = {
    {"common.js", common_js, sizeof common_js},
    {"control.css", control_css, sizeof control_css},
    {"control.js", control_js, sizeof control_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"join.js", join_js, sizeof join_js},
    {"people.js", people_js, sizeof people_js},
    {"room.css", room_css, sizeof room_css},
    {"room.html", room_html, sizeof room_html},
    {"room.js", room_js, sizeof room_js},
    {"stage.js", stage_js, sizeof stage_js},
    {"watch.js", watch_js, sizeof watch_js},
};

const uint8_t *room_page_file(const char *name, size_t *size) {
    return greenroom_embedded_file(files, sizeof files / sizeof *files, name, size);
}
