#include "peers.h"

#include <gst/check/gstharness.h>
#include <stdio.h>
#include <string.h>

struct peer_balance {
    GstHarness *harness;
    uint8_t *pixels;
    size_t size;
};

struct peer_balance *peer_videobalance(int width, int height) {
    gst_init(NULL, NULL);
    GstElementFactory *factory = gst_element_factory_find("videobalance");
    if (!factory) return NULL;
    gst_object_unref(factory);
    struct peer_balance *balance = g_new0(struct peer_balance, 1);
    balance->size = (size_t)width * (size_t)height * 3 / 2;
    balance->pixels = g_malloc(balance->size);
    for (size_t i = 0; i < balance->size; i++) balance->pixels[i] = (uint8_t)(i * 31 >> 3);
    balance->harness = gst_harness_new_parse("videobalance brightness=0.05 contrast=1.1 saturation=1.2");
    char caps[100];
    snprintf(caps, sizeof caps, "video/x-raw,format=I420,width=%d,height=%d,framerate=30/1", width, height);
    gst_harness_set_src_caps_str(balance->harness, caps);
    return balance;
}

void peer_balance(struct peer_balance *balance) {
    GstBuffer *frame =
        gst_buffer_new_wrapped_full(0, balance->pixels, balance->size, 0, balance->size, NULL, NULL);
    gst_buffer_unref(gst_harness_push_and_pull(balance->harness, frame));
}
