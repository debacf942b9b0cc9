// What the files of this target share.

#ifndef GREENROOM_CGSTREAMER_INTERNAL_H
#define GREENROOM_CGSTREAMER_INTERNAL_H

#include <gst/gst.h>

#include "include/CGStreamer.h"

// A context with the function to call, for GStreamer's user data.
typedef struct callback {
    greenroom_gst_context context;
    void (*function)(void);
} callback;

callback *callback_new(greenroom_gst_context context, void (*function)(void));
void callback_free(gpointer data);

#endif
