#include "CPango.h"

#include <pango/pangocairo.h>

struct greenroom_fonts {
    PangoFontMap *map;
    PangoContext *context;
};

struct greenroom_layout {
    PangoLayout *layout;
};

greenroom_fonts *greenroom_fonts_open(void) {
    PangoFontMap *map = pango_cairo_font_map_new();
    if (map == NULL) return NULL;
    pango_cairo_font_map_set_resolution(PANGO_CAIRO_FONT_MAP(map), 72);
    greenroom_fonts *fonts = g_new0(greenroom_fonts, 1);
    fonts->map = map;
    fonts->context = pango_font_map_create_context(map);
    // A text keeps its shape in each size.
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(fonts->context, options);
    cairo_font_options_destroy(options);
    return fonts;
}

void greenroom_fonts_close(greenroom_fonts *fonts) {
    g_object_unref(fonts->context);
    g_object_unref(fonts->map);
    g_free(fonts);
}

static void set_alignment(PangoLayout *layout, const greenroom_text_style *style) {
    // Pango's left and right change sides in text from right to left.
    const gboolean turns = pango_layout_get_direction(layout, 0) == PANGO_DIRECTION_RTL;
    switch (style->alignment) {
    case GREENROOM_ALIGN_CENTRE: pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER); break;
    case GREENROOM_ALIGN_LEFT:
        pango_layout_set_alignment(layout, turns ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT);
        break;
    case GREENROOM_ALIGN_RIGHT:
        pango_layout_set_alignment(layout, turns ? PANGO_ALIGN_LEFT : PANGO_ALIGN_RIGHT);
        break;
    default: pango_layout_set_alignment(layout, PANGO_ALIGN_LEFT);
    }
}

greenroom_layout *greenroom_layout_make(
    greenroom_fonts *fonts, const char *text, size_t length, const greenroom_text_style *style) {
    if (length > G_MAXINT || style->heading > length) return NULL;
    PangoLayout *layout = pango_layout_new(fonts->context);
    PangoFontDescription *font = pango_font_description_from_string(style->font);
    pango_font_description_set_absolute_size(font, (double)style->pixels * PANGO_SCALE);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    pango_layout_set_text(layout, text, (int)length);
    set_alignment(layout, style);

    if (style->heading > 0) {
        PangoAttrList *attributes = pango_attr_list_new();
        PangoAttribute *bold = pango_attr_weight_new(PANGO_WEIGHT_BOLD);
        bold->end_index = (guint)style->heading;
        pango_attr_list_insert(attributes, bold);
        PangoAttribute *small = pango_attr_scale_new(style->subtitle);
        small->start_index = (guint)style->heading;
        pango_attr_list_insert(attributes, small);
        pango_layout_set_attributes(layout, attributes);
        pango_attr_list_unref(attributes);
    }

    int width = 0, height = 0;
    pango_layout_get_pixel_size(layout, &width, &height);
    if (style->width > 0 && width > style->width) {
        pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
        pango_layout_set_width(layout, style->width * PANGO_SCALE);
        pango_layout_get_pixel_size(layout, &width, &height);
    }
    if (style->height > 0 && height > style->height) {
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
        pango_layout_set_width(layout, (style->width > 0 ? style->width : width) * PANGO_SCALE);
        pango_layout_set_height(layout, style->height * PANGO_SCALE);
    }
    greenroom_layout *result = g_new0(greenroom_layout, 1);
    result->layout = layout;
    return result;
}

void greenroom_layout_free(greenroom_layout *layout) {
    g_object_unref(layout->layout);
    g_free(layout);
}

greenroom_box greenroom_layout_box(const greenroom_layout *layout) {
    PangoRectangle logical;
    pango_layout_get_pixel_extents(layout->layout, NULL, &logical);
    const greenroom_box box = {logical.x, logical.y, logical.width, logical.height};
    return box;
}

int greenroom_layout_is_right_to_left(const greenroom_layout *layout) {
    return pango_layout_get_direction(layout->layout, 0) == PANGO_DIRECTION_RTL;
}

size_t greenroom_layout_missing(
    const greenroom_layout *layout, uint32_t *code_points, size_t capacity) {
    if (pango_layout_get_unknown_glyphs_count(layout->layout) == 0) return 0;
    size_t count = 0;
    PangoLayoutIter *runs = pango_layout_get_iter(layout->layout);
    do {
        const PangoLayoutRun *run = pango_layout_iter_get_run_readonly(runs);
        if (run == NULL) continue; // the end of a line
        for (int index = 0; index < run->glyphs->num_glyphs && count < capacity; index++) {
            const PangoGlyph glyph = run->glyphs->glyphs[index].glyph;
            if (glyph & PANGO_GLYPH_UNKNOWN_FLAG && glyph != PANGO_GLYPH_INVALID_INPUT)
                code_points[count++] = glyph & ~PANGO_GLYPH_UNKNOWN_FLAG;
        }
    } while (count < capacity && pango_layout_iter_next_run(runs));
    pango_layout_iter_free(runs);
    return count;
}

// A surface in the picture's own memory: stride and width agree for 32-bit pixels.
static cairo_t *drawing(greenroom_picture picture) {
    cairo_surface_t *surface = cairo_image_surface_create_for_data(
        picture.pixels, CAIRO_FORMAT_ARGB32, picture.width, picture.height, picture.width * 4);
    cairo_t *cairo = cairo_create(surface);
    cairo_surface_destroy(surface);
    return cairo;
}

static void set_color(cairo_t *cairo, greenroom_rgba color) {
    cairo_set_source_rgba(cairo, color.red, color.green, color.blue, color.alpha);
}

static int finish(cairo_t *cairo) {
    cairo_surface_flush(cairo_get_target(cairo));
    const int is_fine = cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(cairo);
    return is_fine;
}

int greenroom_draw_box(greenroom_picture picture, greenroom_box box, greenroom_rgba color) {
    cairo_t *cairo = drawing(picture);
    set_color(cairo, color);
    cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
    cairo_fill(cairo);
    return finish(cairo);
}

int greenroom_draw_layout(
    greenroom_picture picture, const greenroom_layout *layout, int x, int y, greenroom_rgba color) {
    cairo_t *cairo = drawing(picture);
    set_color(cairo, color);
    cairo_move_to(cairo, x, y);
    pango_cairo_show_layout(cairo, layout->layout);
    return finish(cairo);
}
