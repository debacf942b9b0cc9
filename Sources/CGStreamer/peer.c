#include <arpa/inet.h>
#include <gst/rtp/rtp.h>
#include <gst/sdp/sdp.h>
#include <gst/video/video.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>

#include "internal.h"

// Of libgstwebrtc. Its headers come with a package that needs 739 MB.
typedef struct GstWebRTCSessionDescription {
    int type;
    GstSDPMessage *sdp;
} GstWebRTCSessionDescription;
GType gst_webrtc_session_description_get_type(void);
GstWebRTCSessionDescription *gst_webrtc_session_description_new(int type, GstSDPMessage *sdp);
void gst_webrtc_session_description_free(GstWebRTCSessionDescription *description);

enum { DESCRIPTION_OFFER = 1, DESCRIPTION_ANSWER = 3 };
enum { DIRECTION_SENDONLY = 2, DIRECTION_RECVONLY = 3 };
enum { GATHERING_COMPLETE = 2 };
enum { KIND_AUDIO = 1, KIND_VIDEO = 2 };

// Streams that a peer may send: an audio and a video, with their retransmissions, are four.
enum { MOST_STREAMS = 8 };

// A peer, for as long as one of webrtcbin's callbacks needs it.
typedef struct peer {
    greenroom_gst_context context;
    greenroom_peer_calls calls;
    gint references;
    gint has_described;
    gint pads;
    // Whether a certificate of the far end was trusted, and whether one was refused.
    gint is_trusted;
    gint is_connected;
    gint is_refused;
    gboolean sends;
    GstCaps *audio;
    GstCaps *video;
    // The end of the queue behind the socket; NULL before it is there.
    GstPad *receiver;
} peer;

static peer *peer_ref(peer *self)
{
    g_atomic_int_inc(&self->references);
    return self;
}

static void peer_unref(gpointer data)
{
    peer *self = data;
    if (!g_atomic_int_dec_and_test(&self->references)) return;
    self->context.release(self->context.value);
    gst_clear_caps(&self->audio);
    gst_clear_caps(&self->video);
    gst_clear_object(&self->receiver);
    g_free(self);
}

static void peer_closure_free(gpointer data, GClosure *closure) { peer_unref(data); }

static void tell(peer *self, const char *sdp, const char *why)
{
    if (!g_atomic_int_compare_and_exchange(&self->has_described, 0, 1)) return;
    self->calls.described(self->context.value, sdp, why);
}

// A step of the negotiation: the peer, and the element that it is of.
typedef struct step {
    peer *of;
    GstElement *webrtc;
} step;

static step *step_new(peer *of, GstElement *webrtc)
{
    step *made = g_new0(step, 1);
    made->of = peer_ref(of);
    made->webrtc = gst_object_ref(webrtc);
    return made;
}

static void step_free(gpointer data)
{
    step *freed = data;
    peer_unref(freed->of);
    gst_object_unref(freed->webrtc);
    g_free(freed);
}

// Waits for a promise. Returns NULL if it succeeded; otherwise the reason, which the caller frees.
static char *fault_of(GstPromise *promise, const char *what)
{
    if (gst_promise_wait(promise) != GST_PROMISE_RESULT_REPLIED) return g_strdup(what);
    const GstStructure *reply = gst_promise_get_reply(promise);
    if (!reply || !gst_structure_has_field(reply, "error")) return NULL;
    GError *error = NULL;
    gst_structure_get(reply, "error", G_TYPE_ERROR, &error, NULL);
    char *why = g_strdup(error ? error->message : what);
    g_clear_error(&error);
    return why;
}

// Whether a promise was kept; otherwise the peer reports the reason.
static bool is_kept(GstPromise *promise, peer *self, const char *what)
{
    char *why = fault_of(promise, what);
    if (!why) return true;
    tell(self, NULL, why);
    g_free(why);
    return false;
}

static void on_local_set(GstPromise *promise, gpointer data)
{
    step *now = data;
    is_kept(promise, now->of, "the own description is not usable");
    gst_promise_unref(promise);
}

// The description is made: an offer or an answer.
static void on_made(GstPromise *promise, gpointer data)
{
    step *now = data;
    if (is_kept(promise, now->of, "cannot make a description")) {
        GstWebRTCSessionDescription *made = NULL;
        const GstStructure *reply = gst_promise_get_reply(promise);
        const char *field =
            reply && gst_structure_has_field(reply, "offer") ? "offer" : "answer";
        if (reply) {
            gst_structure_get(
                reply, field, gst_webrtc_session_description_get_type(), &made, NULL);
        }
        if (made) {
            GstPromise *next = gst_promise_new_with_change_func(
                on_local_set, step_new(now->of, now->webrtc), step_free);
            g_signal_emit_by_name(now->webrtc, "set-local-description", made, next);
            gst_webrtc_session_description_free(made);
        } else {
            tell(now->of, NULL, "cannot make a description");
        }
    }
    gst_promise_unref(promise);
}

static void on_remote_set(GstPromise *promise, gpointer data)
{
    step *now = data;
    if (is_kept(promise, now->of, "the offer is not usable")) {
        GstPromise *next = gst_promise_new_with_change_func(
            on_made, step_new(now->of, now->webrtc), step_free);
        g_signal_emit_by_name(now->webrtc, "create-answer", NULL, next);
    }
    gst_promise_unref(promise);
}

// A description with the fingerprint of this process. webrtcbin 1.22 makes one of all that a PEM has, and
// so of the key, too.
static char *with_fingerprint(const char *text, const char *fingerprint)
{
    char **lines = g_strsplit(text, "\r\n", -1);
    for (char **line = lines; fingerprint && *line; line++) {
        if (!g_str_has_prefix(*line, "a=fingerprint:")) continue;
        g_free(*line);
        *line = g_strconcat("a=fingerprint:", fingerprint, NULL);
    }
    char *made = g_strjoinv("\r\n", lines);
    g_strfreev(lines);
    return made;
}

char *greenroom_peer_description(GstElement *webrtc)
{
    GstWebRTCSessionDescription *local = NULL;
    g_object_get(webrtc, "local-description", &local, NULL);
    if (!local) return NULL;
    char *text = gst_sdp_message_as_text(local->sdp);
    char *told = with_fingerprint(text, certificate_of_process()->fingerprint);
    g_free(text);
    gst_webrtc_session_description_free(local);
    return told;
}

static void on_gathering(GObject *webrtc, GParamSpec *property, gpointer data)
{
    gint state = 0;
    g_object_get(webrtc, "ice-gathering-state", &state, NULL);
    if (state != GATHERING_COMPLETE) return;
    char *told = greenroom_peer_description(GST_ELEMENT(webrtc));
    if (told) tell(data, told, NULL);
    g_free(told);
}

static void on_state(GObject *webrtc, GParamSpec *property, gpointer data)
{
    peer *self = data;
    gint state = 0;
    g_object_get(webrtc, "connection-state", &state, NULL);
    // GST_WEBRTC_PEER_CONNECTION_STATE_CONNECTED
    if (state == 2) g_atomic_int_set(&self->is_connected, 1);
    self->calls.state_changed(self->context.value, state);
}

// A request for a lost packet travels with the next report, which GStreamer sends every few seconds; browsers
// ask at once.
static void report_often(GstElement *webrtc)
{
    GObject *session = NULL;
    GstElement *rtpbin = gst_bin_get_by_name(GST_BIN(webrtc), "rtpbin");
    if (!rtpbin) return;
    g_signal_emit_by_name(rtpbin, "get-internal-session", 0, &session);
    gst_object_unref(rtpbin);
    if (!session) return;
    // At most 20 a second: 20 kbit/s. The second is their share, in bit/s. By default a report on the network would
    // leave with each frame; browsers send ten a second.
    g_object_set(
        session, "rtcp-min-interval", (guint64)(50 * GST_MSECOND), "rtcp-fraction", 100000.0,
        "twcc-feedback-interval", (guint64)(100 * GST_MSECOND), NULL);
    g_object_unref(session);
}

static void on_pad(GstElement *webrtc, GstPad *pad, gpointer data)
{
    peer *self = data;
    if (GST_PAD_DIRECTION(pad) != GST_PAD_SRC) return;
    report_often(webrtc);
    if (g_atomic_int_add(&self->pads, 1) >= MOST_STREAMS) return;
    GstCaps *caps = gst_pad_get_current_caps(pad);
    if (!caps) return;
    const char *encoding =
        gst_structure_get_string(gst_caps_get_structure(caps, 0), "encoding-name");
    if (encoding) self->calls.pad_added(self->context.value, pad, encoding);
    gst_caps_unref(caps);
}

static void on_transceiver(GstElement *webrtc, GObject *transceiver, gpointer data)
{
    peer *self = data;
    if (self->sends) return;
    gint kind = 0;
    g_object_get(transceiver, "kind", &kind, NULL);
    GstCaps *caps = kind == KIND_AUDIO ? self->audio : kind == KIND_VIDEO ? self->video : NULL;
    // Without this the answer has neither the offer's header extensions nor its feedback.
    if (caps) g_object_set(transceiver, "codec-preferences", caps, NULL);
    if (kind == KIND_VIDEO) g_object_set(transceiver, "do-nack", TRUE, NULL);
}

// Whether a packet of RTP has the marker bit.
static bool has_marker(GstBuffer *packet)
{
    guint8 byte = 0;
    return gst_buffer_extract(packet, 1, &byte, 1) == 1 && (byte & 0x80) != 0;
}

// Counts the contents of a probe: a packet, or several.
static void measure(GstPadProbeInfo *info, size_t *count, size_t *bytes, bool *ends_frame)
{
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
        GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST(info);
        guint length = gst_buffer_list_length(list);
        *count = length;
        *bytes = gst_buffer_list_calculate_size(list);
        *ends_frame = length > 0 && has_marker(gst_buffer_list_get(list, length - 1));
    } else {
        GstBuffer *packet = GST_PAD_PROBE_INFO_BUFFER(info);
        *count = 1;
        *bytes = gst_buffer_get_size(packet);
        *ends_frame = has_marker(packet);
    }
}

// Whether a packet is SRTP or SRTCP: they begin with 128 to 191 (RFC 7983).
static bool is_media(GstBuffer *packet)
{
    guint8 first = 0;
    return gst_buffer_extract(packet, 0, &first, 1) == 1 && first >= 128 && first <= 191;
}

// Whether a packet may pass: STUN and DTLS always pass, media only after the certificate of the far end is trusted.
static bool may_pass(peer *self, GstBuffer *packet)
{
    if (!is_media(packet)) return gst_buffer_get_size(packet) > 0;
    return g_atomic_int_get(&self->is_trusted) && !g_atomic_int_get(&self->is_refused);
}

static bool all_may_pass(peer *self, GstPadProbeInfo *info)
{
    if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST)) {
        return may_pass(self, GST_PAD_PROBE_INFO_BUFFER(info));
    }
    GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST(info);
    for (guint index = 0; index < gst_buffer_list_length(list); index++) {
        if (!may_pass(self, gst_buffer_list_get(list, index))) return false;
    }
    return true;
}

static GstPadProbeReturn on_sent(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    return all_may_pass(data, info) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

// webrtcbin 1.22 compares no certificate with a=fingerprint. dtlsdec notifies while OpenSSL verifies the
// certificate, and so before there are keys.
static void on_certificate(GObject *dtlsdec, GParamSpec *property, gpointer data)
{
    peer *self = data;
    char *pem = NULL;
    g_object_get(dtlsdec, "peer-pem", &pem, NULL);
    bool is_trusted = pem && self->calls.trusts(self->context.value, pem);
    g_free(pem);
    g_atomic_int_set(is_trusted ? &self->is_trusted : &self->is_refused, 1);
}

// Whether a packet of SRTCP contains only a receiver report without a block: its header of 8 bytes is not encrypted, and
// any further block makes it longer. Browsers send one a second for each slot without video, and each would wake
// a thread.
static bool is_empty_report(GstPadProbeInfo *info)
{
    static const guint8 empty[] = {0x80, 201, 0, 1};
    enum { SHORTEST_COMPOUND = 30 };
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) return false;
    GstBuffer *packet = GST_PAD_PROBE_INFO_BUFFER(info);
    return gst_buffer_get_size(packet) < SHORTEST_COMPOUND
        && gst_buffer_memcmp(packet, 0, empty, sizeof empty) == 0;
}

static GstPadProbeReturn on_packet(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    peer *self = data;
    size_t count = 0;
    size_t bytes = 0;
    bool ends_frame = false;
    if (!all_may_pass(self, info)) return GST_PAD_PROBE_DROP;
    measure(info, &count, &bytes, &ends_frame);
    if (!self->calls.heard(self->context.value, count, bytes) || is_empty_report(info)) {
        return GST_PAD_PROBE_DROP;
    }
    // webrtcbin has a queue for what arrives before the keys. After the handshake, media would only wake its thread.
    GstPad *receiver = g_atomic_pointer_get(&self->receiver);
    bool is_list = info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST;
    if (!g_atomic_int_get(&self->is_connected)) return GST_PAD_PROBE_OK;
    if (!receiver || is_list || !is_media(GST_PAD_PROBE_INFO_BUFFER(info))) return GST_PAD_PROBE_OK;
    gst_pad_chain(receiver, g_steal_pointer(&info->data));
    return GST_PAD_PROBE_HANDLED;
}

// The bytes of a packet beside its payload: the headers of RTP with an extension, SRTP, UDP and IP.
enum { PACKET_OVERHEAD = 60 };

// The rtpsession tells what the far end said of each packet.
static GstPadProbeReturn on_feedback(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    peer *self = data;
    const GstStructure *told = gst_event_get_structure(GST_PAD_PROBE_INFO_EVENT(info));
    if (!told || !gst_structure_has_name(told, "RTPTWCCPackets")) return GST_PAD_PROBE_OK;
    const GValue *value = gst_structure_get_value(told, "packets");
    if (!value || strcmp(G_VALUE_TYPE_NAME(value), "GValueArray") != 0) return GST_PAD_PROBE_DROP;
    const GValueArray *packets = g_value_get_boxed(value);
    greenroom_peer_feedback feedback = {.delay = INT64_MIN};
    for (guint index = 0; packets && index < packets->n_values; index++) {
        const GstStructure *packet = g_value_get_boxed(&packets->values[index]);
        guint size = 0;
        guint64 sent = GST_CLOCK_TIME_NONE;
        guint64 received = GST_CLOCK_TIME_NONE;
        gboolean is_lost = FALSE;
        if (!packet
            || !gst_structure_get(
                packet, "size", G_TYPE_UINT, &size, "local-ts", G_TYPE_UINT64, &sent, "remote-ts",
                G_TYPE_UINT64, &received, "lost", G_TYPE_BOOLEAN, &is_lost, NULL)) {
            continue;
        }
        feedback.packets++;
        if (is_lost) feedback.lost++;
        if (is_lost || sent == GST_CLOCK_TIME_NONE || received == GST_CLOCK_TIME_NONE) continue;
        feedback.bytes += size + PACKET_OVERHEAD;
        gint64 delay = (gint64)(received - sent);
        if (feedback.delay == INT64_MIN || delay < feedback.delay) feedback.delay = delay;
    }
    if (feedback.packets > 0) self->calls.fed_back(self->context.value, &feedback);
    // Drop the event, because each slot would get it.
    return GST_PAD_PROBE_DROP;
}

static void add_probe(
    GstElement *element, const char *name, GstPadProbeType type, GstPadProbeCallback function,
    peer *self)
{
    GstPad *pad = gst_element_get_static_pad(element, name);
    if (!pad) return;
    gst_pad_add_probe(pad, type, function, peer_ref(self), peer_unref);
    gst_object_unref(pad);
}

// The key of a webrtcbin's router.
static const char ROUTER[] = "greenroom-router";

static void skip_to(GstElement *webrtc, GstElement *funnel);

static void on_element(GstBin *bin, GstBin *parent, GstElement *element, gpointer data)
{
    GstElementFactory *factory = gst_element_get_factory(element);
    const char *name = factory ? GST_OBJECT_NAME(factory) : "";
    if (strcmp(name, "nicesrc") == 0) {
        add_probe(
            element, "src", GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_packet,
            data);
    } else if (strcmp(name, "dtlssrtpdec") == 0) {
        peer *self = data;
        GstPad *pad = gst_element_get_static_pad(element, "sink");
        if (!g_atomic_pointer_compare_and_exchange(&self->receiver, NULL, pad)) gst_clear_object(&pad);
    } else if (strcmp(name, "dtlsdec") == 0) {
        const char *pem = certificate_of_process()->pem;
        if (pem) g_object_set(element, "pem", pem, NULL);
        g_signal_connect_data(
            element, "notify::peer-pem", G_CALLBACK(on_certificate), peer_ref(data), peer_closure_free, 0);
    } else if (strcmp(name, "nicesink") == 0) {
        add_probe(
            element, "sink", GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_sent,
            data);
    } else if (strcmp(name, "rtpfunnel") == 0) {
        add_probe(element, "src", GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, on_feedback, data);
        skip_to(GST_ELEMENT(bin), element);
    } else if (strcmp(name, "rtprtxsend") == 0) {
        // An older packet is not worth a retransmission: without a time limit, a loss causes storms. With a lower
        // limit, a loss could not be repaired if the round trip takes 120 ms.
        g_object_set(element, "max-size-time", 500, "max-size-packets", 0, NULL);
    }
}

static void follow(GstElement *webrtc, const char *signal, GCallback function, peer *self)
{
    g_signal_connect_data(webrtc, signal, function, peer_ref(self), peer_closure_free, 0);
}

static void add_address(GObject *ice, const char *address)
{
    gboolean added = FALSE;
    g_signal_emit_by_name(ice, "add-local-ip-address", address, &added);
}

// The agent's own choice has addresses of a cable, which lead nowhere without its name, and a port for each.
static void add_addresses(GObject *ice)
{
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0) return;
    for (struct ifaddrs *one = all; one; one = one->ifa_next) {
        char text[INET6_ADDRSTRLEN];
        const void *bytes = NULL;
        if (!one->ifa_addr || !(one->ifa_flags & IFF_UP) || (one->ifa_flags & IFF_LOOPBACK)) continue;
        if (one->ifa_addr->sa_family == AF_INET) {
            bytes = &((struct sockaddr_in *)one->ifa_addr)->sin_addr;
            const guint8 *first = bytes;
            if (first[0] == 169 && first[1] == 254) continue;
        } else if (one->ifa_addr->sa_family == AF_INET6) {
            bytes = &((struct sockaddr_in6 *)one->ifa_addr)->sin6_addr;
            if (IN6_IS_ADDR_LINKLOCAL(bytes)) continue;
        }
        if (bytes && inet_ntop(one->ifa_addr->sa_family, bytes, text, sizeof text)) add_address(ice, text);
    }
    freeifaddrs(all);
}

static void add_servers(GstElement *webrtc, const greenroom_peer_terms *terms)
{
    if (terms->stun) g_object_set(webrtc, "stun-server", terms->stun, NULL);
    if (!terms->turn) return;
    char **servers = g_strsplit(terms->turn, "\n", -1);
    for (char **server = servers; *server; server++) {
        gboolean added = FALSE;
        g_signal_emit_by_name(webrtc, "add-turn-server", *server, &added);
    }
    g_strfreev(servers);
}

static void set_up_agent(GstElement *webrtc, const greenroom_peer_terms *terms)
{
    GObject *ice = NULL;
    GObject *agent = NULL;
    add_servers(webrtc, terms);
    g_object_get(webrtc, "ice-agent", &ice, NULL);
    if (!ice) return;
    if (terms->address) {
        add_address(ice, terms->address);
    } else {
        add_addresses(ice);
    }
    if (terms->last_port > 0) {
        g_object_set(
            ice, "min-rtp-port", terms->first_port, "max-rtp-port", terms->last_port, NULL);
    }
    g_object_get(ice, "agent", &agent, NULL);
    if (agent) {
        // UPnP would wait for a router's answer. ICE over TCP would cost each connection open files, and
        // candidates of TCP in offers are omitted anyway.
        g_object_set(agent, "upnp", FALSE, "ice-tcp", FALSE, NULL);
        g_object_unref(agent);
    }
    g_object_unref(ice);
}

// Each stream gets a jitter buffer with its own threads, whatever the answer says.
static void limit_streams(GstElement *webrtc)
{
    GstElement *rtpbin = gst_bin_get_by_name(GST_BIN(webrtc), "rtpbin");
    if (!rtpbin) return;
    g_object_set(rtpbin, "max-streams", MOST_STREAMS, NULL);
    gst_object_unref(rtpbin);
}

static void forget_offset(const GValue *value, gpointer data)
{
    GstElementFactory *factory = gst_element_get_factory(g_value_get_object(value));
    if (!factory || strcmp(GST_OBJECT_NAME(factory), "rtpjitterbuffer") != 0) return;
    g_object_set(g_value_get_object(value), "ts-offset", (gint64)0, NULL);
}

void greenroom_peer_ignore_reports(GstElement *webrtc)
{
    GstElement *rtpbin = gst_bin_get_by_name(GST_BIN(webrtc), "rtpbin");
    if (!rtpbin) return;
    // No offset is large enough to be useful.
    g_object_set(rtpbin, "min-ts-offset", (guint64)G_MAXINT64, NULL);
    GstIterator *elements = gst_bin_iterate_elements(GST_BIN(rtpbin));
    while (gst_iterator_foreach(elements, forget_offset, NULL) == GST_ITERATOR_RESYNC) {
        gst_iterator_resync(elements);
    }
    gst_iterator_free(elements);
    gst_object_unref(rtpbin);
}

static void send_only(GstElement *webrtc)
{
    GArray *all = NULL;
    g_signal_emit_by_name(webrtc, "get-transceivers", &all);
    if (!all) return;
    for (guint index = 0; index < all->len; index++) {
        GObject *transceiver = g_array_index(all, GObject *, index);
        g_object_set(transceiver, "direction", DIRECTION_SENDONLY, "do-nack", TRUE, NULL);
    }
    g_array_unref(all);
    // Streams of one msid wait for each other: after an outage the video would stay late.
    for (GList *pad = webrtc->sinkpads; pad; pad = pad->next) {
        g_object_set(pad->data, "msid", GST_OBJECT_NAME(pad->data), NULL);
    }
}

// Asks for media of a kind, in an offer.
static void add_receiver(GstElement *webrtc, GstCaps *caps, gboolean is_video)
{
    if (!caps) return;
    GObject *transceiver = NULL;
    g_signal_emit_by_name(webrtc, "add-transceiver", DIRECTION_RECVONLY, caps, &transceiver);
    if (!transceiver) return;
    if (is_video) g_object_set(transceiver, "do-nack", TRUE, NULL);
    g_object_unref(transceiver);
}

static void make_offer(GstElement *webrtc, peer *self)
{
    if (!self->sends) {
        add_receiver(webrtc, self->audio, FALSE);
        add_receiver(webrtc, self->video, TRUE);
    }
    GstPromise *promise =
        gst_promise_new_with_change_func(on_made, step_new(self, webrtc), step_free);
    g_signal_emit_by_name(webrtc, "create-offer", NULL, promise);
}

// A description from a text; NULL if that is no SDP.
static GstWebRTCSessionDescription *description_of(const char *text, int type)
{
    GstSDPMessage *sdp = NULL;
    if (gst_sdp_message_new_from_text(text, &sdp) == GST_SDP_OK) {
        return gst_webrtc_session_description_new(type, sdp);
    }
    if (sdp) gst_sdp_message_free(sdp);
    return NULL;
}

static void answer_offer(GstElement *webrtc, peer *self, const char *text)
{
    GstWebRTCSessionDescription *offer = description_of(text, DESCRIPTION_OFFER);
    if (!offer) return tell(self, NULL, "the offer is not SDP");
    GstPromise *promise =
        gst_promise_new_with_change_func(on_remote_set, step_new(self, webrtc), step_free);
    g_signal_emit_by_name(webrtc, "set-remote-description", offer, promise);
    gst_webrtc_session_description_free(offer);
}

void greenroom_peer_describe(
    GstElement *webrtc, const greenroom_peer_terms *terms, const greenroom_peer_calls *calls,
    greenroom_gst_context context)
{
    peer *self = g_new0(peer, 1);
    self->context = context;
    self->calls = *calls;
    self->references = 1;
    self->sends = terms->sends;
    if (terms->audio_caps) self->audio = gst_caps_from_string(terms->audio_caps);
    if (terms->video_caps) self->video = gst_caps_from_string(terms->video_caps);

    set_up_agent(webrtc, terms);
    follow(webrtc, "notify::ice-gathering-state", G_CALLBACK(on_gathering), self);
    follow(webrtc, "notify::connection-state", G_CALLBACK(on_state), self);
    follow(webrtc, "pad-added", G_CALLBACK(on_pad), self);
    follow(webrtc, "on-new-transceiver", G_CALLBACK(on_transceiver), self);
    follow(webrtc, "deep-element-added", G_CALLBACK(on_element), self);
    limit_streams(webrtc);
    if (terms->sends) send_only(webrtc);
    if (terms->offer) {
        answer_offer(webrtc, self, terms->offer);
    } else {
        make_offer(webrtc, self);
    }
    peer_unref(self);
}

char *greenroom_peer_take_answer(GstElement *webrtc, const char *text)
{
    GstWebRTCSessionDescription *answer = description_of(text, DESCRIPTION_ANSWER);
    if (!answer) return g_strdup("the answer is not SDP");
    GstPromise *promise = gst_promise_new();
    g_signal_emit_by_name(webrtc, "set-remote-description", answer, promise);
    char *why = fault_of(promise, "the answer is not usable");
    gst_promise_unref(promise);
    gst_webrtc_session_description_free(answer);
    return why;
}

void greenroom_peer_take_candidate(GstElement *webrtc, uint32_t line, const char *candidate)
{
    g_signal_emit_by_name(webrtc, "add-ice-candidate", (guint)line, candidate);
}

GstPad *greenroom_peer_add(GstElement *pipeline, const char *description)
{
    GstElement *bin = gst_parse_bin_from_description_full(
        description, TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, NULL);
    if (!bin) return NULL;
    gst_bin_add(GST_BIN(pipeline), bin);
    if (gst_element_sync_state_with_parent(bin)) return gst_element_get_static_pad(bin, "sink");
    gst_element_set_state(bin, GST_STATE_NULL);
    gst_bin_remove(GST_BIN(pipeline), bin);
    return NULL;
}

static GstPadProbeReturn on_media(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    callback *called = data;
    size_t count = 0;
    size_t bytes = 0;
    bool ends_frame = false;
    measure(info, &count, &bytes, &ends_frame);
    bool passes = ((bool (*)(void *, size_t, size_t, bool))called->function)(
        called->context.value, count, bytes, ends_frame);
    return passes ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

void greenroom_peer_filter(
    GstPad *pad, greenroom_gst_context context,
    bool (*passes)(void *value, size_t packets, size_t bytes, bool ends_frame))
{
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_media,
        callback_new(context, (void (*)(void))passes), callback_free);
}

static GstClockTime retimed(callback *called, GstBuffer *packet)
{
    guint8 bytes[4];
    if (gst_buffer_extract(packet, 4, bytes, 4) != 4) return GST_BUFFER_PTS(packet);
    return ((uint64_t (*)(void *, uint32_t, uint64_t))called->function)(
        called->context.value, GST_READ_UINT32_BE(bytes), GST_BUFFER_PTS(packet));
}

static GstPadProbeReturn on_time(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
        GstBufferList *list =
            gst_buffer_list_make_writable(GST_PAD_PROBE_INFO_BUFFER_LIST(info));
        for (guint index = 0; index < gst_buffer_list_length(list); index++) {
            GstClockTime pts = retimed(data, gst_buffer_list_get(list, index));
            GST_BUFFER_PTS(gst_buffer_list_get_writable(list, index)) = pts;
        }
        info->data = list;
    } else {
        GstBuffer *packet = GST_PAD_PROBE_INFO_BUFFER(info);
        GstClockTime pts = retimed(data, packet);
        if (pts != GST_BUFFER_PTS(packet)) {
            packet = gst_buffer_make_writable(packet);
            GST_BUFFER_PTS(packet) = pts;
            info->data = packet;
        }
    }
    return GST_PAD_PROBE_OK;
}

void greenroom_peer_retime(
    GstPad *pad, greenroom_gst_context context,
    uint64_t (*pts_of)(void *value, uint32_t timestamp, uint64_t pts))
{
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_time,
        callback_new(context, (void (*)(void))pts_of), callback_free);
}

// A NAL unit that decoders skip.
enum { FILLER = 12 };

static GstPadProbeReturn on_unit(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    callback *called = data;
    GstBuffer *packet = GST_PAD_PROBE_INFO_BUFFER(info);
    GstMapInfo map;
    if (!gst_buffer_map(packet, &map, GST_MAP_READ)) return GST_PAD_PROBE_OK;
    size_t header = ((size_t (*)(void *, const uint8_t *, size_t))called->function)(
        called->context.value, map.data, map.size);
    bool is_inside = header > 0 && header < map.size;
    gst_buffer_unmap(packet, &map);
    if (is_inside) {
        const guint8 filler = FILLER;
        packet = gst_buffer_make_writable(packet);
        gst_buffer_fill(packet, header, &filler, 1);
        info->data = packet;
    }
    return GST_PAD_PROBE_OK;
}

void greenroom_peer_fill(
    GstPad *pad, greenroom_gst_context context,
    size_t (*header_of)(void *value, const uint8_t *bytes, size_t count))
{
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER, on_unit, callback_new(context, (void (*)(void))header_of),
        callback_free);
}

bool greenroom_peer_link(GstPad *pad, GstPad *end)
{
    bool is_linked = gst_pad_link(pad, end) == GST_PAD_LINK_OK;
    gst_object_unref(end);
    return is_linked;
}

// MARK: Slots

// The way of a slot: a pad outside of the pipeline that is linked with the webrtcbin. Packets go through the viewer's
// elements on the thread that brings them: an appsrc would have a thread, and wake it for each frame. With a
// capsfilter before the webrtcbin, GStreamer would split the lists of packets.
typedef struct route {
    struct router *of;
    guint32 index;
    guint ssrc;
    // Layers of one video share a pad.
    GstPad *pad;
    GstCaps *caps;
    bool has_begun;
    // The packets of a frame whose last packet has not arrived; NULL if none.
    GstBufferList *frame;
    GstClockTime frame_pts;
} route;

typedef struct router {
    greenroom_gst_context context;
    void (*key_requested)(void *value, uint32_t slot);
    guint count;
    // The end of the elements that the webrtcbin has for each slot. They only pass packets, so only a slot's first
    // packets, with its caps, go through them. NULL without such an end.
    GstPad *end;
    // Guards the routes' frames, and is held while packets pass the elements.
    GMutex lock;
    route routes[GREENROOM_PEER_SLOTS];
} router;

// A longer frame leaves in several lists.
enum { LONGEST_LIST = 64 };

static void router_free(gpointer data)
{
    router *freed = data;
    for (guint index = 0; index < freed->count; index++) {
        route *now = &freed->routes[index];
        GstPad *end = gst_pad_get_peer(now->pad);
        if (end) {
            gst_pad_unlink(now->pad, end);
            gst_object_unref(end);
        }
        gst_pad_set_active(now->pad, FALSE);
        gst_object_unref(now->pad);
        gst_caps_unref(now->caps);
        if (now->frame) gst_buffer_list_unref(now->frame);
    }
    gst_clear_object(&freed->end);
    g_mutex_clear(&freed->lock);
    freed->context.release(freed->context.value);
    g_free(freed);
}

static gboolean on_slot_event(GstPad *pad, GstObject *parent, GstEvent *event)
{
    route *now = gst_pad_get_element_private(pad);
    if (gst_video_event_is_force_key_unit(event)) {
        router *self = now->of;
        guint ssrc = 0;
        gst_structure_get_uint(gst_event_get_structure(event), "ssrc", &ssrc);
        for (guint index = 0; index < self->count; index++) {
            route *other = &self->routes[index];
            if (other->pad == pad && other->ssrc == ssrc) now = other;
        }
        self->key_requested(self->context.value, now->index);
    }
    gst_event_unref(event);
    return TRUE;
}

static void begin(route *now)
{
    char *name = g_strdup_printf("slot%u", now->index);
    gst_pad_push_event(now->pad, gst_event_new_stream_start(name));
    g_free(name);
    gst_pad_push_event(now->pad, gst_event_new_caps(now->caps));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_pad_push_event(now->pad, gst_event_new_segment(&segment));
}

// Pushes the packets of a frame. The connection may have ended.
static void push_frame(route *now)
{
    GstPad *end = now->has_begun ? g_atomic_pointer_get(&now->of->end) : NULL;
    if (!now->has_begun) begin(now);
    bool is_sent = gst_pad_push_list(end ? end : now->pad, g_steal_pointer(&now->frame)) == GST_FLOW_OK;
    now->has_begun = now->has_begun || is_sent;
}

// A pad that can pass only packets of these caps: the webrtcbin asks it before it answers.
static GstPad *slot_pad(GstCaps *caps)
{
    GstPadTemplate *template = gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps);
    gst_object_ref_sink(template);
    GstPad *pad = gst_object_ref_sink(gst_pad_new_from_template(template, NULL));
    gst_object_unref(template);
    return pad;
}

// Link a pad with a new pad of the webrtcbin.
static bool link_slot(GstElement *webrtc, GstPad *pad)
{
    GstPad *end = gst_element_request_pad_simple(webrtc, "sink_%u");
    bool is_linked = end && gst_pad_link(pad, end) == GST_PAD_LINK_OK;
    if (end) gst_object_unref(end);
    return is_linked;
}

static void caps_free(gpointer data, GClosure *closure) { gst_caps_unref(data); }

// Retransmissions name the layer in another header extension than the layer's packets do. webrtcbin 1.22 says so to
// the element only when a connection is negotiated for the second time.
static void on_layers_element(GstBin *bin, GstBin *parent, GstElement *element, gpointer caps)
{
    GstElementFactory *factory = gst_element_get_factory(element);
    if (!factory || strcmp(GST_OBJECT_NAME(factory), "rtprtxsend") != 0) return;
    for (guint id = 1; id < 15; id++) {
        char *name = g_strdup_printf("extmap-%u", id);
        const char *uri = gst_structure_get_string(gst_caps_get_structure(caps, 0), name);
        g_free(name);
        if (!uri || !g_str_has_suffix(uri, "rtp-stream-id")) continue;
        GstRTPHeaderExtension *extension = gst_rtp_header_extension_create_from_uri(uri);
        if (!extension) continue;
        gst_rtp_header_extension_set_id(extension, id);
        g_signal_emit_by_name(element, "add-extension", extension);
        gst_object_unref(extension);
    }
}

bool greenroom_peer_route(
    GstElement *webrtc, const char *caps, uint32_t layers, greenroom_gst_context context,
    void (*key_requested)(void *value, uint32_t slot))
{
    router *made = g_new0(router, 1);
    g_mutex_init(&made->lock);
    made->context = context;
    made->key_requested = key_requested;
    GstCaps *all = gst_caps_from_string(caps);
    guint count = all ? gst_caps_get_size(all) : 0;
    bool is_linked = count > 0 && count <= GREENROOM_PEER_SLOTS;
    for (guint index = 0; is_linked && index < count; index++) {
        route *now = &made->routes[index];
        now->of = made;
        now->index = index;
        now->caps = gst_caps_copy_nth(all, index);
        gst_structure_get_uint(gst_caps_get_structure(now->caps, 0), "ssrc", &now->ssrc);
        made->count = index + 1;
        if (index > 0 && index + layers >= count) {
            now->pad = gst_object_ref(made->routes[0].pad);
            continue;
        }
        now->pad = slot_pad(now->caps);
        gst_pad_set_element_private(now->pad, now);
        gst_pad_set_event_function(now->pad, on_slot_event);
        gst_pad_set_active(now->pad, TRUE);
        is_linked = link_slot(webrtc, now->pad);
    }
    gst_clear_caps(&all);
    if (!is_linked) {
        router_free(made);
        return false;
    }
    if (layers > 0) {
        g_signal_connect_data(
            webrtc, "deep-element-added", G_CALLBACK(on_layers_element),
            gst_caps_ref(made->routes[0].caps), caps_free, 0);
    }
    g_object_set_data_full(G_OBJECT(webrtc), ROUTER, made, router_free);
    return true;
}

static void skip_to(GstElement *webrtc, GstElement *funnel)
{
    router *self = g_object_get_data(G_OBJECT(webrtc), ROUTER);
    if (self && !self->end) {
        g_atomic_pointer_set(&self->end, gst_element_get_static_pad(funnel, "src"));
    }
}

void greenroom_peer_push(
    GstElement *webrtc, uint32_t slot, const void *head, size_t head_count, const void *payload,
    size_t payload_count, uint64_t pts, bool is_last)
{
    router *self = g_object_get_data(G_OBJECT(webrtc), ROUTER);
    if (!self || slot >= self->count) return;
    GstBuffer *packet = gst_buffer_new_allocate(NULL, head_count + payload_count, NULL);
    if (!packet) return;
    gst_buffer_fill(packet, 0, head, head_count);
    gst_buffer_fill(packet, head_count, payload, payload_count);
    GST_BUFFER_PTS(packet) = pts;
    route *now = &self->routes[slot];
    g_mutex_lock(&self->lock);
    // The last packet of the frame before was lost.
    if (now->frame && now->frame_pts != pts) push_frame(now);
    if (!now->frame) now->frame = gst_buffer_list_new();
    now->frame_pts = pts;
    gst_buffer_list_add(now->frame, packet);
    if (is_last || gst_buffer_list_length(now->frame) >= LONGEST_LIST) push_frame(now);
    g_mutex_unlock(&self->lock);
}
