// The parts of GStreamer that WebRoom needs: pipelines, their ends in Swift, and webrtcbin.
//
// GStreamer's own headers are macros and functions with variable arguments, which Swift does not
// import. Its objects are counted and may be used from any thread; so may every function here.
// Functions that are called back run on GStreamer's threads.

#ifndef GREENROOM_CGSTREAMER_H
#define GREENROOM_CGSTREAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct _GstElement GstElement;
typedef struct _GstBuffer GstBuffer;
typedef struct _GstPad GstPad;

// The context of a callback. `release` is called once, when no call follows.
typedef struct greenroom_gst_context {
    void *_Nonnull value;
    void (*_Nonnull release)(void *_Nonnull value);
} greenroom_gst_context;

// Start GStreamer without its registry: it loads no plugins but those of greenroom_gst_load, and
// writes no file. Once a process; further calls do nothing. The text is NULL, or why it failed; free
// it.
char *_Nullable greenroom_gst_start(void);

// Load a plugin of GStreamer by the name of its file: "vpx" for libgstvpx.so.
bool greenroom_gst_load(const char *_Nonnull name);

// Make the certificate of this process. It takes a moment, and the first peer would wait for it.
void greenroom_gst_make_certificate(void);

// The clock of all pipelines.
uint64_t greenroom_gst_now(void);

// MARK: Pipelines

// A pipeline from a description in the language of gst-launch. NULL: `why` is set; free it.
GstElement *_Nullable greenroom_gst_pipeline(
    const char *_Nonnull description, char *_Nullable *_Nonnull why);

// Play; times are counted from `base` on the clock.
bool greenroom_gst_play(GstElement *_Nonnull pipeline, uint64_t base);

// Stop and free. Waits for the pipeline's threads: never call it on one of them.
void greenroom_gst_stop(GstElement *_Nonnull pipeline);

// Call back with the text of each error and each warning. `report` may be called on any of its threads.
void greenroom_gst_on_report(
    GstElement *_Nonnull pipeline, greenroom_gst_context context,
    void (*_Nonnull report)(void *_Nonnull value, const char *_Nonnull text, bool is_error));

// An element of the pipeline by its name; free it with greenroom_gst_unref.
GstElement *_Nullable greenroom_gst_child(GstElement *_Nonnull pipeline, const char *_Nonnull name);

void greenroom_gst_unref(GstElement *_Nonnull element);

// MARK: Buffers

void greenroom_gst_buffer_unref(GstBuffer *_Nonnull buffer);

// An I420 frame.
typedef struct greenroom_gst_frame {
    const uint8_t *_Nonnull planes[3];
    size_t strides[3];
    uint32_t width;
    uint32_t height;
} greenroom_gst_frame;

// A copy of a frame: its left upper part of twice the size, each four samples one, if `is_half`; else
// of the size itself. NULL: no memory, or the frame is smaller. Free it with
// greenroom_gst_buffer_unref.
GstBuffer *_Nullable greenroom_gst_i420(
    const greenroom_gst_frame *_Nonnull frame, uint32_t width, uint32_t height, bool is_half,
    uint64_t pts, uint64_t duration);

// MARK: Into a pipeline

// Buffers that wait in an appsrc.
uint64_t greenroom_gst_waiting(GstElement *_Nonnull source);

// Push a buffer into an appsrc, which takes its own reference.
void greenroom_gst_push(GstElement *_Nonnull source, GstBuffer *_Nonnull buffer);

// Push a copy of bytes.
void greenroom_gst_push_bytes(
    GstElement *_Nonnull source, const void *_Nonnull bytes, size_t count, uint64_t pts,
    uint64_t duration);

// Ask the encoder before an appsink for a key frame, or the far end behind one for a PLI.
void greenroom_gst_request_key(GstElement *_Nonnull sink);

// MARK: Out of a pipeline

// Call back with each decoded I420 frame, which is valid during the call, and its running time;
// UINT64_MAX for none.
void greenroom_gst_on_frame(
    GstElement *_Nonnull sink, greenroom_gst_context context,
    void (*_Nonnull take)(
        void *_Nonnull value, const greenroom_gst_frame *_Nonnull frame, uint64_t time));

// Call back with the bytes of each buffer of an appsink, and its running time; UINT64_MAX for none.
void greenroom_gst_on_bytes(
    GstElement *_Nonnull sink, greenroom_gst_context context,
    void (*_Nonnull take)(
        void *_Nonnull value, const void *_Nonnull bytes, size_t count, uint64_t time));

// Let a valve pass media, or drop them.
void greenroom_gst_set_open(GstElement *_Nonnull valve, bool is_open);

// Let a sink hand media on so long after their time, from the next buffer on.
void greenroom_gst_set_offset(GstElement *_Nonnull sink, int64_t nanoseconds);

// Call back with the bytes of each buffer that leaves an element, and its PTS; UINT64_MAX for none. The buffer is
// dropped unless the call returns true.
void greenroom_gst_filter(
    GstElement *_Nonnull element, greenroom_gst_context context,
    bool (*_Nonnull passes)(
        void *_Nonnull value, const uint8_t *_Nonnull bytes, size_t count, uint64_t pts));

// MARK: Peers

// GstWebRTCPeerConnectionState.
enum {
    GREENROOM_PEER_CONNECTED = 2,
    GREENROOM_PEER_FAILED = 4,
    GREENROOM_PEER_CLOSED = 5
};

// The far end's report of packets that were sent to it, by transport-wide feedback.
typedef struct greenroom_peer_feedback {
    uint32_t packets;
    uint32_t lost;
    // Of those that arrived, with their headers.
    uint64_t bytes;
    // The shortest time that a packet took, on two clocks: only its changes mean something.
    // INT64_MIN: no packet arrived.
    int64_t delay;
} greenroom_peer_feedback;

typedef struct greenroom_peer_calls {
    // The peer's own description with all candidates, or NULL if there is none, and then why.
    void (*_Nonnull described)(
        void *_Nonnull value, const char *_Nullable sdp, const char *_Nullable why);
    void (*_Nonnull state_changed)(void *_Nonnull value, int state);
    // Media arrive: link `pad` with greenroom_peer_link. `encoding` is VP8, OPUS, …
    void (*_Nonnull pad_added)(
        void *_Nonnull value, GstPad *_Nonnull pad, const char *_Nonnull encoding);
    // The far end has sent its certificate, in PEM. Unless the call returns true, no media pass, in no direction.
    // Called before the keys of the media are made.
    bool (*_Nonnull trusts)(void *_Nonnull value, const char *_Nonnull pem);
    // Packets have arrived; they are dropped unless the call returns true.
    bool (*_Nonnull heard)(void *_Nonnull value, size_t packets, size_t bytes);
    // The far end has reported which packets it got.
    void (*_Nonnull fed_back)(void *_Nonnull value, const greenroom_peer_feedback *_Nonnull feedback);
} greenroom_peer_calls;

// The length of the next function's code.
enum { GREENROOM_SHA1_BYTES = 20 };

// Write the HMAC-SHA-1 of a text, for the passwords of TURN servers.
void greenroom_hmac_sha1(
    const char *_Nonnull key, const char *_Nonnull text, uint8_t *_Nonnull code);

// Whether a certificate in PEM has a hash, `sha-256`, `sha-384` or `sha-512`, of this value: pairs of hexadecimal
// digits in capitals, with colons.
bool greenroom_certificate_matches(
    const char *_Nonnull pem, const char *_Nonnull hash, const char *_Nonnull value);

// The contents of a peer's description.
typedef struct greenroom_peer_terms {
    // The far end's offer, which it answers; NULL: it is an offer itself.
    const char *_Nullable offer;
    // Whether the peer sends and does not receive.
    bool sends;
    // The caps of what is received; NULL: nothing of the kind.
    const char *_Nullable audio_caps;
    const char *_Nullable video_caps;
    // The only address to be reached at; NULL: all of the machine's that others can use.
    const char *_Nullable address;
    // The ports of UDP to be reached at; 0: any.
    uint32_t first_port;
    uint32_t last_port;
    // A STUN server as stun://HOST:PORT; NULL: none.
    const char *_Nullable stun;
    // TURN servers as turn://USER:PASSWORD@HOST:PORT?transport=udp, with newlines between them; NULL: none.
    const char *_Nullable turn;
} greenroom_peer_terms;

// Answer an offer, or make one, with the webrtcbin of a pipeline that plays.
void greenroom_peer_describe(
    GstElement *_Nonnull webrtc, const greenroom_peer_terms *_Nonnull terms,
    const greenroom_peer_calls *_Nonnull calls, greenroom_gst_context context);

// The peer's own description with the candidates that there are by now; NULL: there is none yet. Free it.
char *_Nullable greenroom_peer_description(GstElement *_Nonnull webrtc);

// Take the far end's answer to a peer's offer. NULL: it is taken; else why not: free it.
char *_Nullable greenroom_peer_take_answer(
    GstElement *_Nonnull webrtc, const char *_Nonnull answer);

// Take a candidate of the far end's, `candidate:…`, for the medium of a place in its description.
void greenroom_peer_take_candidate(
    GstElement *_Nonnull webrtc, uint32_t line, const char *_Nonnull candidate);

// From now on the streams that arrive keep the times of their packets, whatever sender reports say.
void greenroom_peer_ignore_reports(GstElement *_Nonnull webrtc);

// The most slots of a peer.
enum { GREENROOM_PEER_SLOTS = 16 };

// Let packets enter a peer by slots, as long as it exists. `caps` has a structure for each slot, with its SSRC. The last
// `layers` slots are further layers of the first slot's video. `key_requested` is called when the far end needs a key
// frame.
bool greenroom_peer_route(
    GstElement *_Nonnull webrtc, const char *_Nonnull caps, uint32_t layers, greenroom_gst_context context,
    void (*_Nonnull key_requested)(void *_Nonnull value, uint32_t slot));

// Push an RTP packet into a slot of a peer that is connected: a copy of its head and of its payload. The packets of a
// frame leave together, with its last packet, because each push goes through many elements.
void greenroom_peer_push(
    GstElement *_Nonnull webrtc, uint32_t slot, const void *_Nonnull head, size_t head_count,
    const void *_Nonnull payload, size_t payload_count, uint64_t pts, bool is_last);

// Add elements by their description, which has one open end: that is returned. NULL: they can't be
// made.
GstPad *_Nullable greenroom_peer_add(
    GstElement *_Nonnull pipeline, const char *_Nonnull description);

// Call back with the packets of RTP that leave a pad, and whether the last one ends a frame; they are
// dropped unless the call returns true.
void greenroom_peer_filter(
    GstPad *_Nonnull pad, greenroom_gst_context context,
    bool (*_Nonnull passes)(
        void *_Nonnull value, size_t packets, size_t bytes, bool ends_frame));

// Call back with the RTP timestamp and the PTS of each packet that leaves a pad; the packet gets the returned
// PTS.
void greenroom_peer_retime(
    GstPad *_Nonnull pad, greenroom_gst_context context,
    uint64_t (*_Nonnull pts_of)(void *_Nonnull value, uint32_t timestamp, uint64_t pts));

// Call back with each packet of H.264 that leaves a pad, which returns the position of a NAL unit's header that
// becomes filler; 0: none.
void greenroom_peer_fill(
    GstPad *_Nonnull pad, greenroom_gst_context context,
    size_t (*_Nonnull header_of)(
        void *_Nonnull value, const uint8_t *_Nonnull bytes, size_t count));

// Link a pad with an open end, which is freed.
bool greenroom_peer_link(GstPad *_Nonnull pad, GstPad *_Nonnull end);

#endif
