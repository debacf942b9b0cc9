// Conversions by zimg and FFmpeg's swscale, and videobalance of GStreamer, to compare Greenroom's with.
// Nothing else is linked with them.

#ifndef GREENROOM_PEERS_H
#define GREENROOM_PEERS_H

#include <stdint.h>

#pragma clang assume_nonnull begin

enum peer_format { PEER_I420, PEER_BGRA, PEER_P010 };

enum peer_filter { PEER_AREA, PEER_BILINEAR, PEER_BICUBIC };

struct peer_image {
    enum peer_format format;
    int width, height, is_full, is_709;
    uint8_t *_Nullable planes[3];
    int strides[3];
};

// Keeps the kernels of Greenroom, zimg and swscale that are made from now on from AVX-512.
void peer_limit_to_avx2(void);

struct peer;

// Null if the library does not do it. The planes and strides count only when it runs.
struct peer *_Nullable peer_zimg(const struct peer_image *from, const struct peer_image *to,
                                 enum peer_filter filter);
struct peer *_Nullable peer_swscale(const struct peer_image *from, const struct peer_image *to,
                                    enum peer_filter filter);

// GStreamer's videobalance of I420 frames, which changes brightness, contrast and saturation; it runs on the
// calling thread. Null without GStreamer's good plugins.
struct peer_balance;
struct peer_balance *_Nullable peer_videobalance(int width, int height);
void peer_balance(struct peer_balance *balance);

void peer_run(struct peer *peer, const struct peer_image *from, const struct peer_image *to);

#pragma clang assume_nonnull end

#endif
