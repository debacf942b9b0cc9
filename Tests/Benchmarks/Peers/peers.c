#include "peers.h"

#include <libavutil/cpu.h>
#include <libswscale/swscale.h>
#include <stdlib.h>
#include <string.h>
#include <zimg.h>

// The compiler's library: __builtin_cpu_supports reads it.
extern struct {
    unsigned vendor, type, subtype, features[1];
} __cpu_model;

static enum zimg_cpu_type_e zimg_cpu = ZIMG_CPU_AUTO_64B;

void peer_limit_to_avx2(void) {
    const unsigned avx512bw = 1u << 21;
    __cpu_model.features[0] &= ~avx512bw;
    av_force_cpu_flags(av_get_cpu_flags() & ~(AV_CPU_FLAG_AVX512 | AV_CPU_FLAG_AVX512ICL));
    zimg_cpu = ZIMG_CPU_X86_AVX2;
}

struct peer {
    zimg_filter_graph *graph;
    void *memory;
    struct SwsContext *context;
};

static void describe(zimg_image_format *format, const struct peer_image *image) {
    zimg_image_format_default(format, ZIMG_API_VERSION);
    format->width = image->width;
    format->height = image->height;
    format->pixel_type = image->format == PEER_I420 ? ZIMG_PIXEL_BYTE : ZIMG_PIXEL_WORD;
    format->subsample_w = format->subsample_h = 1;
    format->color_family = ZIMG_COLOR_YUV;
    format->matrix_coefficients = image->is_709 ? ZIMG_MATRIX_BT709 : ZIMG_MATRIX_ST170_M;
    format->pixel_range = image->is_full ? ZIMG_RANGE_FULL : ZIMG_RANGE_LIMITED;
    format->chroma_location = ZIMG_CHROMA_CENTER;
}

struct peer *peer_zimg(const struct peer_image *from, const struct peer_image *to, enum peer_filter filter) {
    if (from->format != PEER_I420 || to->format != PEER_I420 || filter == PEER_AREA) return NULL;
    zimg_image_format source, result;
    describe(&source, from);
    describe(&result, to);
    zimg_graph_builder_params params;
    zimg_graph_builder_params_default(&params, ZIMG_API_VERSION);
    params.resample_filter = params.resample_filter_uv =
        filter == PEER_BICUBIC ? ZIMG_RESIZE_BICUBIC : ZIMG_RESIZE_BILINEAR;
    params.cpu_type = zimg_cpu;
    zimg_filter_graph *graph = zimg_filter_graph_build(&source, &result, &params);
    if (!graph) return NULL;
    struct peer *peer = calloc(1, sizeof *peer);
    size_t size = 0;
    zimg_filter_graph_get_tmp_size(graph, &size);
    peer->graph = graph;
    if (posix_memalign(&peer->memory, 64, size + 64)) abort();
    return peer;
}

static enum AVPixelFormat pixel_format(enum peer_format format) {
    if (format == PEER_I420) return AV_PIX_FMT_YUV420P;
    return format == PEER_BGRA ? AV_PIX_FMT_BGRA : AV_PIX_FMT_P010LE;
}

struct peer *peer_swscale(const struct peer_image *from, const struct peer_image *to, enum peer_filter filter) {
    int flags = filter == PEER_AREA ? SWS_AREA : filter == PEER_BICUBIC ? SWS_BICUBIC : SWS_BILINEAR;
    struct SwsContext *context = sws_getContext(
        from->width, from->height, pixel_format(from->format), to->width, to->height,
        pixel_format(to->format), flags, NULL, NULL, NULL);
    if (!context) return NULL;
    const int *from_matrix = sws_getCoefficients(from->is_709 ? SWS_CS_ITU709 : SWS_CS_ITU601);
    const int *to_matrix = sws_getCoefficients(to->is_709 ? SWS_CS_ITU709 : SWS_CS_ITU601);
    sws_setColorspaceDetails(context, from_matrix, from->is_full, to_matrix, to->is_full, 0, 1 << 16,
                             1 << 16);
    struct peer *peer = calloc(1, sizeof *peer);
    peer->context = context;
    return peer;
}

void peer_run(struct peer *peer, const struct peer_image *from, const struct peer_image *to) {
    if (peer->context) {
        sws_scale(peer->context, (const uint8_t *const *)from->planes, from->strides, 0, from->height,
                  (uint8_t *const *)to->planes, to->strides);
        return;
    }
    zimg_image_buffer_const source = {.version = ZIMG_API_VERSION};
    zimg_image_buffer result = {.version = ZIMG_API_VERSION};
    for (int i = 0; i < 3; i++) {
        source.plane[i].data = from->planes[i];
        source.plane[i].stride = from->strides[i];
        source.plane[i].mask = result.plane[i].mask = ZIMG_BUFFER_MAX;
        result.plane[i].data = to->planes[i];
        result.plane[i].stride = to->strides[i];
    }
    zimg_filter_graph_process(peer->graph, &source, &result, peer->memory, NULL, NULL, NULL, NULL);
}
