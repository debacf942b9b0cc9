#include "portal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#define PORTAL "org.freedesktop.portal.Desktop"
#define OBJECT "/org/freedesktop/portal/desktop"
#define SCREEN_CAST "org.freedesktop.portal.ScreenCast"
#define CAMERA "org.freedesktop.portal.Camera"

struct greenroom_portal {
    sd_bus *bus;
    int descriptor;
    _Atomic int is_interrupted;
    unsigned requests;
    char request[256]; // the path whose response is awaited
    char session[256];
    sd_bus_message *response;
    int has_ended;
};

static void fail(greenroom_portal_reason *reason, const char *what, int error) {
    snprintf(reason->text, sizeof reason->text, "%s: %s", what, strerror(error < 0 ? -error : error));
}

// MARK: Messages

static int responded(sd_bus_message *message, void *data, sd_bus_error *error) {
    greenroom_portal *portal = data;
    (void)error;
    const char *path = sd_bus_message_get_path(message);
    if (path && !strcmp(path, portal->request) && !portal->response)
        portal->response = sd_bus_message_ref(message);
    return 0;
}

static int closed(sd_bus_message *message, void *data, sd_bus_error *error) {
    greenroom_portal *portal = data;
    (void)error;
    const char *path = sd_bus_message_get_path(message);
    if (path && portal->session[0] && !strcmp(path, portal->session)) portal->has_ended = 1;
    return 0;
}

greenroom_portal *greenroom_portal_open(int descriptor, greenroom_portal_reason *reason) {
    greenroom_portal *portal = calloc(1, sizeof *portal);
    int result = portal ? sd_bus_new(&portal->bus) : -ENOMEM;
    if (result >= 0) result = sd_bus_set_fd(portal->bus, descriptor, descriptor);
    if (result < 0) {
        close(descriptor);
        if (portal) sd_bus_unref(portal->bus);
        free(portal);
        fail(reason, "D-Bus", result);
        return NULL;
    }
    portal->descriptor = descriptor;
    result = sd_bus_set_bus_client(portal->bus, 1);
    if (result >= 0) result = sd_bus_negotiate_fds(portal->bus, 1);
    if (result >= 0) result = sd_bus_start(portal->bus);
    if (result >= 0)
        result = sd_bus_match_signal(
            portal->bus, NULL, PORTAL, NULL, "org.freedesktop.portal.Request", "Response",
            responded, portal);
    if (result >= 0)
        result = sd_bus_match_signal(
            portal->bus, NULL, PORTAL, NULL, "org.freedesktop.portal.Session", "Closed", closed,
            portal);
    if (result >= 0) return portal;
    fail(reason, "the session bus", result);
    greenroom_portal_close(portal);
    return NULL;
}

void greenroom_portal_close(greenroom_portal *portal) {
    if (portal->session[0]) {
        sd_bus_message *message = NULL;
        if (sd_bus_message_new_method_call(
                portal->bus, &message, PORTAL, portal->session, "org.freedesktop.portal.Session",
                "Close")
            >= 0)
            sd_bus_send(portal->bus, message, NULL);
        sd_bus_message_unref(message);
        sd_bus_flush(portal->bus);
    }
    sd_bus_message_unref(portal->response);
    sd_bus_close_unref(portal->bus);
    free(portal);
}

void greenroom_portal_interrupt(greenroom_portal *portal) {
    atomic_store(&portal->is_interrupted, 1);
    shutdown(portal->descriptor, SHUT_RDWR);
}

int greenroom_portal_has_ended(greenroom_portal *portal) {
    int result;
    while ((result = sd_bus_process(portal->bus, NULL)) > 0) {}
    return result < 0 || portal->has_ended;
}

// MARK: Requests

// Begins a call whose result comes as a signal; its path is known before.
static int begin(
    greenroom_portal *portal, const char *interface, const char *method, sd_bus_message **message) {
    const char *name = NULL;
    int result = sd_bus_get_unique_name(portal->bus, &name);
    if (result < 0) return result;
    char sender[128];
    snprintf(sender, sizeof sender, "%s", name + 1);
    for (char *each = sender; *each; each++)
        if (*each == '.') *each = '_';
    portal->requests++;
    snprintf(
        portal->request, sizeof portal->request, OBJECT "/request/%s/greenroom%u", sender,
        portal->requests);
    sd_bus_message_unref(portal->response);
    portal->response = NULL;
    return sd_bus_message_new_method_call(
        portal->bus, message, PORTAL, OBJECT, interface, method);
}

static int add_text(sd_bus_message *message, const char *key, const char *text) {
    return sd_bus_message_append(message, "{sv}", key, "s", text);
}

static int add_number(sd_bus_message *message, const char *key, uint32_t number) {
    return sd_bus_message_append(message, "{sv}", key, "u", number);
}

static int add_token(greenroom_portal *portal, sd_bus_message *message, const char *key) {
    char token[32];
    snprintf(token, sizeof token, "greenroom%u", portal->requests);
    return add_text(message, key, token);
}

// Sends a request and waits for the user. Returns 0 for yes, 1 for no, or a negative errno.
static int finish(
    greenroom_portal *portal, sd_bus_message *message, greenroom_portal_reason *reason) {
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *reply = NULL;
    int result = sd_bus_call(portal->bus, message, 5000000, &error, &reply);
    if (result < 0) {
        snprintf(
            reason->text, sizeof reason->text, "%s",
            error.message ? error.message : strerror(-result));
        sd_bus_error_free(&error);
        return result;
    }
    // Older portals answer with another path.
    const char *path = NULL;
    if (sd_bus_message_read(reply, "o", &path) >= 0 && path)
        snprintf(portal->request, sizeof portal->request, "%s", path);
    sd_bus_message_unref(reply);
    while (!portal->response) {
        if (atomic_load(&portal->is_interrupted)) return -ECANCELED;
        result = sd_bus_process(portal->bus, NULL);
        if (result == 0) result = sd_bus_wait(portal->bus, 500000);
        if (result < 0) {
            fail(reason, "the session bus", result);
            return result;
        }
    }
    uint32_t answer = 2;
    result = sd_bus_message_read(portal->response, "u", &answer);
    if (result < 0 || answer > 1) {
        snprintf(reason->text, sizeof reason->text, "the portal ended the request");
        return -EIO;
    }
    return (int)answer;
}

// Enters the value of a key of the response; returns 1 if there is one. Exit twice afterwards.
static int enter(sd_bus_message *message, const char *key, const char *signature) {
    sd_bus_message_rewind(message, 1);
    if (sd_bus_message_skip(message, "u") < 0) return 0;
    if (sd_bus_message_enter_container(message, 'a', "{sv}") <= 0) return 0;
    while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
        const char *name = NULL;
        if (sd_bus_message_read(message, "s", &name) < 0) return 0;
        if (!strcmp(name, key)) return sd_bus_message_enter_container(message, 'v', signature) > 0;
        if (sd_bus_message_skip(message, "v") < 0) return 0;
        if (sd_bus_message_exit_container(message) < 0) return 0;
    }
    return 0;
}

static void read_text(sd_bus_message *message, const char *key, char *text, size_t capacity) {
    const char *value = NULL;
    text[0] = 0;
    if ((enter(message, key, "s") && sd_bus_message_read(message, "s", &value) >= 0)
        || (enter(message, key, "o") && sd_bus_message_read(message, "o", &value) >= 0))
        if (value && strlen(value) < capacity) strcpy(text, value);
}

// MARK: The steps

static int create_session(greenroom_portal *portal, greenroom_portal_reason *reason) {
    sd_bus_message *message = NULL;
    int result = begin(portal, SCREEN_CAST, "CreateSession", &message);
    if (result >= 0) result = sd_bus_message_open_container(message, 'a', "{sv}");
    if (result >= 0) result = add_token(portal, message, "handle_token");
    if (result >= 0) result = add_token(portal, message, "session_handle_token");
    if (result >= 0) result = sd_bus_message_close_container(message);
    if (result >= 0) result = finish(portal, message, reason);
    sd_bus_message_unref(message);
    if (result != 0) return result;
    read_text(portal->response, "session_handle", portal->session, sizeof portal->session);
    return portal->session[0] ? 0 : -EPROTO;
}

static int select_sources(
    greenroom_portal *portal, int shows_cursor, const char *token,
    greenroom_portal_reason *reason) {
    sd_bus_message *message = NULL;
    int result = begin(portal, SCREEN_CAST, "SelectSources", &message);
    if (result >= 0) result = sd_bus_message_append(message, "o", portal->session);
    if (result >= 0) result = sd_bus_message_open_container(message, 'a', "{sv}");
    if (result >= 0) result = add_token(portal, message, "handle_token");
    // A monitor or a window; the cursor hidden or in the pixels; asked again only if the user wants it.
    if (result >= 0) result = add_number(message, "types", 1 | 2);
    if (result >= 0) result = add_number(message, "cursor_mode", shows_cursor ? 2 : 1);
    if (result >= 0) result = add_number(message, "persist_mode", 2);
    if (result >= 0 && token[0]) result = add_text(message, "restore_token", token);
    if (result >= 0) result = sd_bus_message_close_container(message);
    if (result >= 0) result = finish(portal, message, reason);
    sd_bus_message_unref(message);
    return result;
}

static int start(
    greenroom_portal *portal, greenroom_portal_stream *stream, greenroom_portal_reason *reason) {
    sd_bus_message *message = NULL;
    int result = begin(portal, SCREEN_CAST, "Start", &message);
    if (result >= 0) result = sd_bus_message_append(message, "os", portal->session, "");
    if (result >= 0) result = sd_bus_message_open_container(message, 'a', "{sv}");
    if (result >= 0) result = add_token(portal, message, "handle_token");
    if (result >= 0) result = sd_bus_message_close_container(message);
    if (result >= 0) result = finish(portal, message, reason);
    sd_bus_message_unref(message);
    if (result != 0) return result;
    read_text(portal->response, "restore_token", stream->token, sizeof stream->token);
    // The first stream, because the request asks for one.
    if (!enter(portal->response, "streams", "a(ua{sv})")
        || sd_bus_message_enter_container(portal->response, 'a', "(ua{sv})") <= 0
        || sd_bus_message_enter_container(portal->response, 'r', "ua{sv}") <= 0
        || sd_bus_message_read(portal->response, "u", &stream->node) < 0) {
        snprintf(reason->text, sizeof reason->text, "the portal shares no stream");
        return -EPROTO;
    }
    return 0;
}

static int open_remote(
    greenroom_portal *portal, const char *interface, int *remote, greenroom_portal_reason *reason) {
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *message = NULL, *reply = NULL;
    int descriptor = -1;
    int result = sd_bus_message_new_method_call(
        portal->bus, &message, PORTAL, OBJECT, interface, "OpenPipeWireRemote");
    // Cameras have no session.
    if (result >= 0 && portal->session[0])
        result = sd_bus_message_append(message, "o", portal->session);
    if (result >= 0) result = sd_bus_message_append(message, "a{sv}", 0);
    if (result >= 0) result = sd_bus_call(portal->bus, message, 5000000, &error, &reply);
    sd_bus_message_unref(message);
    if (result >= 0) result = sd_bus_message_read(reply, "h", &descriptor);
    if (result >= 0) {
        // The message closes its own descriptor.
        descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
        result = descriptor < 0 ? -errno : 0;
    }
    if (result < 0)
        snprintf(
            reason->text, sizeof reason->text, "%s",
            error.message ? error.message : strerror(-result));
    *remote = descriptor;
    sd_bus_error_free(&error);
    sd_bus_message_unref(reply);
    return result;
}

int greenroom_portal_ask(
    greenroom_portal *portal, int shows_cursor, const char *token,
    greenroom_portal_stream *stream, greenroom_portal_reason *reason) {
    memset(stream, 0, sizeof *stream);
    stream->descriptor = -1;
    reason->text[0] = 0;
    int result = create_session(portal, reason);
    if (result == 0) result = select_sources(portal, shows_cursor, token, reason);
    if (result == 0) result = start(portal, stream, reason);
    if (result == 0) result = open_remote(portal, SCREEN_CAST, &stream->descriptor, reason);
    if (result < 0 && !reason->text[0]) fail(reason, "the portal", result);
    return result == 0 ? GREENROOM_PORTAL_SHARED
        : result > 0   ? GREENROOM_PORTAL_REFUSED
                       : GREENROOM_PORTAL_FAILED;
}

static int access_camera(greenroom_portal *portal, greenroom_portal_reason *reason) {
    sd_bus_message *message = NULL;
    int result = begin(portal, CAMERA, "AccessCamera", &message);
    if (result >= 0) result = sd_bus_message_open_container(message, 'a', "{sv}");
    if (result >= 0) result = add_token(portal, message, "handle_token");
    if (result >= 0) result = sd_bus_message_close_container(message);
    if (result >= 0) result = finish(portal, message, reason);
    sd_bus_message_unref(message);
    return result;
}

int greenroom_portal_ask_camera(
    greenroom_portal *portal, int *descriptor, greenroom_portal_reason *reason) {
    *descriptor = -1;
    reason->text[0] = 0;
    int result = access_camera(portal, reason);
    if (result == 0) result = open_remote(portal, CAMERA, descriptor, reason);
    if (result < 0 && !reason->text[0]) fail(reason, "the portal", result);
    return result == 0 ? GREENROOM_PORTAL_SHARED
        : result > 0   ? GREENROOM_PORTAL_REFUSED
                       : GREENROOM_PORTAL_FAILED;
}
