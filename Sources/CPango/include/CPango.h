// Text that Pango lays out and cairo draws.
//
// Their headers need the headers of GLib, HarfBuzz and FreeType, which Swift need not import.

#ifndef GREENROOM_CPANGO_H
#define GREENROOM_CPANGO_H

#include <stddef.h>
#include <stdint.h>

// The installed fonts. One thread at a time uses them and their layouts.
typedef struct greenroom_fonts greenroom_fonts;

greenroom_fonts *_Nullable greenroom_fonts_open(void);
void greenroom_fonts_close(greenroom_fonts *_Nonnull fonts);

// The alignment of a text's lines.
enum {
    GREENROOM_ALIGN_START = 0, // at the side where the text begins
    GREENROOM_ALIGN_CENTRE = 1,
    GREENROOM_ALIGN_LEFT = 2,
    GREENROOM_ALIGN_RIGHT = 3
};

// The style of a text's layout.
typedef struct greenroom_text_style {
    const char *_Nonnull font; // a description as Pango reads it, without the size
    int pixels;                // of the font
    int alignment;
    int width;           // where lines wrap, in pixels; 0 for never
    int height;          // what lines do not fit are left out, in pixels; 0 for none
    size_t heading;      // the first bytes of the text are bold; 0 for none of them
    double subtitle;     // the size of the text after the heading, as a part of the font's
} greenroom_text_style;

// A text in lines, with its position.
typedef struct greenroom_layout greenroom_layout;

// Lays out UTF-8 without control characters except line feeds.
greenroom_layout *_Nullable greenroom_layout_make(
    greenroom_fonts *_Nonnull fonts, const char *_Nonnull text, size_t length,
    const greenroom_text_style *_Nonnull style);
void greenroom_layout_free(greenroom_layout *_Nonnull layout);

// A rectangle, in pixels.
typedef struct greenroom_box {
    int x, y, width, height;
} greenroom_box;

// The box of all lines, with the spacing between them.
greenroom_box greenroom_layout_box(const greenroom_layout *_Nonnull layout);

// Whether the text begins at the right.
int greenroom_layout_is_right_to_left(const greenroom_layout *_Nonnull layout);

// The code points that no installed font has, in the order of the text; returns how many were written.
size_t greenroom_layout_missing(
    const greenroom_layout *_Nonnull layout, uint32_t *_Nonnull code_points, size_t capacity);

// Red, green, blue and alpha, 0 to 1 each; not premultiplied.
typedef struct greenroom_rgba {
    double red, green, blue, alpha;
} greenroom_rgba;

// A picture to draw into: rows of premultiplied B G R A, one after the other.
typedef struct greenroom_picture {
    uint8_t *_Nonnull pixels;
    int width, height;
} greenroom_picture;

// Fills a rectangle. Returns 0 if cairo failed.
int greenroom_draw_box(greenroom_picture picture, greenroom_box box, greenroom_rgba color);

// Draws the text so that the origin of its box's coordinates is at x, y; what lies outside is left
// out. Returns 0 if cairo failed.
int greenroom_draw_layout(
    greenroom_picture picture, const greenroom_layout *_Nonnull layout, int x, int y,
    greenroom_rgba color);

#endif
