// The declarations that the files of this target share.

#ifndef GREENROOM_CGSTREAMER_INTERNAL_H
#define GREENROOM_CGSTREAMER_INTERNAL_H

#include <gst/gst.h>

#include "include/CGStreamer.h"

// A context with the function to call, for GStreamer's user data.
typedef struct callback {
    greenroom_gst_context context;
    void (*function)(void);
} callback;

// The certificate of this process, with a key on P-256: the one that every WebRTC must take. The one that
// GStreamer makes has an RSA key, which some far ends refuse. Both are NULL if none could be made: then
// GStreamer's is used.
typedef struct certificate {
    // With its key.
    const char *pem;
    // The certificate's fingerprint in SDP.
    const char *fingerprint;
} certificate;

// Made by the first call.
const certificate *certificate_of_process(void);

callback *callback_new(greenroom_gst_context context, void (*function)(void));
void callback_free(gpointer data);

#endif
