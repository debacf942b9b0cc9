#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/abstract.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/CMicroHTTPD.h"

enum { MOST_FIELDS = 101, MOST_CERTIFICATES = 16, BLOCK = 16384, BACKLOG = 128 };

struct greenroom_mhd_certificate {
    gnutls_pcert_st chain[MOST_CERTIFICATES];
    unsigned count;
    gnutls_privkey_t key;
    // The previous certificate, which a handshake may still use.
    greenroom_mhd_certificate *earlier;
};

struct greenroom_mhd_server {
    struct MHD_Daemon *daemon;
    greenroom_mhd_calls calls;
    uint64_t connections;
    // Guards the rest, and all requests.
    pthread_mutex_t lock;
    greenroom_mhd_certificate *certificate;
    greenroom_mhd_request *requests;
    bool is_stopping;
    // The server's thread, its owner, and each request.
    unsigned references;
};

struct greenroom_mhd_request {
    greenroom_mhd_server *server;
    greenroom_mhd_request *previous;
    greenroom_mhd_request *next;
    struct MHD_Connection *connection;
    uint64_t id;
    char *target;
    void *value;
    char *body;
    size_t body_size;
    bool has_begun;
    bool was_asked;
    // The server's lock guards the rest.
    unsigned references;
    struct MHD_Response *response;
    unsigned status;
    bool is_suspended;
    // The connection has ended, or it has no further use for the request.
    bool is_over;
    // The answer's bytes; a stream keeps the last parts alone.
    char *bytes;
    size_t size;
    size_t sent;
    bool is_stream;
    bool has_ended;
};

// The server of this thread, because GnuTLS does not pass it to the callback that selects a certificate.
static _Thread_local greenroom_mhd_server *served;

static void server_unref(greenroom_mhd_server *server)
{
    pthread_mutex_lock(&server->lock);
    bool is_last = --server->references == 0;
    pthread_mutex_unlock(&server->lock);
    if (!is_last) return;
    if (server->certificate) greenroom_mhd_certificate_free(server->certificate);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

// MARK: Sockets

int greenroom_mhd_listen(const char *address, uint16_t port)
{
    struct sockaddr_in ip4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 ip6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    bool is_wide = inet_pton(AF_INET6, address, &ip6.sin6_addr) == 1;
    if (!is_wide && inet_pton(AF_INET, address, &ip4.sin_addr) != 1) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    int made = socket(
        is_wide ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0) return -1;
    int yes = 1;
    const struct sockaddr *bound =
        is_wide ? (const struct sockaddr *)&ip6 : (const struct sockaddr *)&ip4;
    if (setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0
        && bind(made, bound, is_wide ? sizeof ip6 : sizeof ip4) == 0 && listen(made, BACKLOG) == 0) {
        return made;
    }
    int code = errno;
    close(made);
    errno = code;
    return -1;
}

uint16_t greenroom_mhd_port(int file)
{
    struct sockaddr_storage bound = {0};
    socklen_t size = sizeof bound;
    if (getsockname(file, (struct sockaddr *)&bound, &size) != 0) return 0;
    return ntohs(
        bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                    : ((struct sockaddr_in *)&bound)->sin_port);
}

// MARK: Requests

static greenroom_mhd_request *request_new(
    greenroom_mhd_server *server, struct MHD_Connection *connection, const char *target)
{
    greenroom_mhd_request *made = calloc(1, sizeof *made);
    char *copy = strdup(target);
    if (!made || !copy) {
        free(made);
        free(copy);
        return NULL;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    made->server = server;
    made->connection = connection;
    made->id = info ? (uint64_t)(uintptr_t)info->socket_context : 0;
    made->target = copy;
    made->references = 1;
    pthread_mutex_lock(&server->lock);
    server->references++;
    made->next = server->requests;
    if (made->next) made->next->previous = made;
    server->requests = made;
    pthread_mutex_unlock(&server->lock);
    return made;
}

void greenroom_mhd_request_free(greenroom_mhd_request *request)
{
    greenroom_mhd_server *server = request->server;
    pthread_mutex_lock(&server->lock);
    bool is_last = --request->references == 0;
    if (is_last) {
        if (request->previous) request->previous->next = request->next;
        else server->requests = request->next;
        if (request->next) request->next->previous = request->previous;
    }
    pthread_mutex_unlock(&server->lock);
    if (!is_last) return;
    if (request->value) server->calls.release(request->value);
    if (request->response) MHD_destroy_response(request->response);
    free(request->target);
    free(request->body);
    free(request->bytes);
    free(request);
    server_unref(server);
}

uint64_t greenroom_mhd_connection(const greenroom_mhd_request *request) { return request->id; }

void greenroom_mhd_set_value(greenroom_mhd_request *request, void *value)
{
    request->value = value;
}

void *greenroom_mhd_value(const greenroom_mhd_request *request) { return request->value; }

const void *greenroom_mhd_body(const greenroom_mhd_request *request, size_t *count)
{
    *count = request->body_size;
    return request->body;
}

// Wake the server's thread for a request. The lock is held.
static void resume(greenroom_mhd_request *request)
{
    if (!request->is_suspended) return;
    request->is_suspended = false;
    MHD_resume_connection(request->connection);
}

static bool append(char **bytes, size_t *size, const void *more, size_t count)
{
    if (count == 0) return true;
    char *grown = realloc(*bytes, *size + count);
    if (!grown) return false;
    memcpy(grown + *size, more, count);
    *bytes = grown;
    *size += count;
    return true;
}

// Fill a block of the answer. [the server's thread]
static ssize_t on_block(void *data, uint64_t position, char *block, size_t most)
{
    greenroom_mhd_request *request = data;
    greenroom_mhd_server *server = request->server;
    if (!server->calls.stepped(server->calls.context, request->id, GREENROOM_MHD_ANSWER)) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    pthread_mutex_lock(&server->lock);
    size_t left = request->size - request->sent;
    size_t count = left < most ? left : most;
    ssize_t result = (ssize_t)count;
    bool is_drained = false;
    if (count > 0) {
        memcpy(block, request->bytes + request->sent, count);
        request->sent += count;
    } else if (request->has_ended || server->is_stopping) {
        result = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        // Until there is more.
        request->size = request->sent = 0;
        request->is_suspended = is_drained = true;
        MHD_suspend_connection(request->connection);
    }
    pthread_mutex_unlock(&server->lock);
    if (is_drained) {
        server->calls.stepped(server->calls.context, request->id, GREENROOM_MHD_WAIT);
        if (request->value) server->calls.drained(request->value);
    }
    return result;
}

void greenroom_mhd_answer(
    greenroom_mhd_request *request, unsigned status, const greenroom_mhd_field *fields, size_t count,
    const void *bytes, size_t size, bool is_stream)
{
    struct MHD_Response *made = size > 0 || is_stream
        ? MHD_create_response_from_callback(
              is_stream ? MHD_SIZE_UNKNOWN : size, BLOCK, on_block, request, NULL)
        : MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT);
    for (size_t index = 0; made && index < count; index++) {
        MHD_add_response_header(made, fields[index].name, fields[index].value);
    }
    pthread_mutex_lock(&request->server->lock);
    bool is_kept = made && append(&request->bytes, &request->size, bytes, size);
    request->status = status;
    request->is_stream = is_stream;
    request->has_ended = !is_stream;
    // Without memory, end the connection.
    request->response = is_kept ? made : NULL;
    resume(request);
    pthread_mutex_unlock(&request->server->lock);
    if (made && !is_kept) MHD_destroy_response(made);
}

bool greenroom_mhd_send(greenroom_mhd_request *request, const void *bytes, size_t size)
{
    pthread_mutex_lock(&request->server->lock);
    bool is_kept = !request->is_over && append(&request->bytes, &request->size, bytes, size);
    if (is_kept) resume(request);
    pthread_mutex_unlock(&request->server->lock);
    return is_kept;
}

void greenroom_mhd_end(greenroom_mhd_request *request)
{
    pthread_mutex_lock(&request->server->lock);
    request->has_ended = true;
    if (!request->is_over) resume(request);
    pthread_mutex_unlock(&request->server->lock);
}

// MARK: The server's thread

// The first line of a request is read.
static void *on_target(void *data, const char *target, struct MHD_Connection *connection)
{
    greenroom_mhd_request *request = request_new(data, connection, target);
    if (request) {
        greenroom_mhd_server *server = request->server;
        server->calls.stepped(server->calls.context, request->id, GREENROOM_MHD_HEAD);
    }
    return request;
}

// The room decodes %-signs itself.
static size_t on_unescape(void *data, struct MHD_Connection *connection, char *text)
{
    return strlen(text);
}

typedef struct fields {
    greenroom_mhd_field all[MOST_FIELDS];
    size_t count;
} fields;

static enum MHD_Result on_field(
    void *data, enum MHD_ValueKind kind, const char *name, const char *value)
{
    fields *found = data;
    if (found->count == MOST_FIELDS) return MHD_NO;
    found->all[found->count++] = (greenroom_mhd_field){name, value ? value : ""};
    return MHD_YES;
}

// Send the queued answer. Only the connection of the request remains.
static enum MHD_Result queue(greenroom_mhd_request *request)
{
    return request->response
        ? MHD_queue_response(request->connection, request->status, request->response)
        : MHD_NO;
}

static enum MHD_Result begin(
    greenroom_mhd_request *request, const char *method, const char *version)
{
    greenroom_mhd_server *server = request->server;
    fields found = {.count = 0};
    request->has_begun = true;
    MHD_get_connection_values(request->connection, MHD_HEADER_KIND, on_field, &found);
    if (!server->calls.stepped(server->calls.context, request->id, GREENROOM_MHD_BODY)) return MHD_NO;
    bool is_wanted = server->calls.began(
        server->calls.context, request, method, request->target, version, found.all, found.count);
    return is_wanted ? MHD_YES : queue(request);
}

static enum MHD_Result on_request(
    void *data, struct MHD_Connection *connection, const char *path, const char *method,
    const char *version, const char *bytes, size_t *count, void **context)
{
    greenroom_mhd_server *server = data;
    greenroom_mhd_request *request = *context;
    if (!request) return MHD_NO;
    if (!request->has_begun) return begin(request, method, version);
    if (*count > 0) {
        if (!append(&request->body, &request->body_size, bytes, *count)) return MHD_NO;
        *count = 0;
        return MHD_YES;
    }
    if (request->was_asked) return queue(request);
    request->was_asked = true;
    pthread_mutex_lock(&server->lock);
    bool is_open = !server->is_stopping;
    if (is_open) {
        request->references++;
        request->is_suspended = true;
        MHD_suspend_connection(connection);
    }
    pthread_mutex_unlock(&server->lock);
    if (!is_open) return MHD_NO;
    server->calls.asked(server->calls.context, request);
    return MHD_YES;
}

static void on_completed(
    void *data, struct MHD_Connection *connection, void **context,
    enum MHD_RequestTerminationCode code)
{
    greenroom_mhd_server *server = data;
    greenroom_mhd_request *request = *context;
    if (!request) return;
    *context = NULL;
    pthread_mutex_lock(&server->lock);
    request->is_over = true;
    pthread_mutex_unlock(&server->lock);
    server->calls.stepped(server->calls.context, request->id, GREENROOM_MHD_IDLE);
    if (request->value) server->calls.drained(request->value);
    greenroom_mhd_request_free(request);
}

static void on_connection(
    void *data, struct MHD_Connection *connection, void **context,
    enum MHD_ConnectionNotificationCode code)
{
    greenroom_mhd_server *server = data;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        return server->calls.closed(server->calls.context, (uint64_t)(uintptr_t)*context);
    }
    served = server;
    const union MHD_ConnectionInfo *file =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    const union MHD_ConnectionInfo *address =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    uint64_t id = ++server->connections;
    *context = (void *)(uintptr_t)id;
    if (!file || !address) return;
    server->calls.opened(server->calls.context, id, file->connect_fd, address->client_addr);
}

// MARK: Certificates

static int on_certificate(
    gnutls_session_t session, const gnutls_datum_t *names, int name_count,
    const gnutls_pk_algorithm_t *algorithms, int algorithm_count, gnutls_pcert_st **chain,
    unsigned *count, gnutls_privkey_t *key)
{
    if (!served) return -1;
    pthread_mutex_lock(&served->lock);
    greenroom_mhd_certificate *used = served->certificate;
    pthread_mutex_unlock(&served->lock);
    *chain = used->chain;
    *count = used->count;
    *key = used->key;
    return 0;
}

// Whether a private key belongs to a public key.
static bool is_key_of(gnutls_privkey_t key, gnutls_pubkey_t other)
{
    unsigned char mine[64], theirs[64];
    size_t size = sizeof mine, other_size = sizeof theirs;
    gnutls_pubkey_t own = NULL;
    if (gnutls_pubkey_init(&own) < 0) return false;
    bool is_same = gnutls_pubkey_import_privkey(own, key, 0, 0) >= 0
        && gnutls_pubkey_get_key_id(own, GNUTLS_KEYID_USE_SHA256, mine, &size) >= 0
        && gnutls_pubkey_get_key_id(other, GNUTLS_KEYID_USE_SHA256, theirs, &other_size) >= 0
        && size == other_size && memcmp(mine, theirs, size) == 0;
    gnutls_pubkey_deinit(own);
    return is_same;
}

greenroom_mhd_certificate *greenroom_mhd_certificate_read(
    const void *chain, size_t chain_size, const void *key, size_t key_size, const char **why)
{
    greenroom_mhd_certificate *made = calloc(1, sizeof *made);
    *why = "out of memory";
    if (!made) return NULL;
    gnutls_datum_t chain_text = {(void *)chain, (unsigned)chain_size};
    gnutls_datum_t key_text = {(void *)key, (unsigned)key_size};
    unsigned count = MOST_CERTIFICATES;
    int code = gnutls_pcert_list_import_x509_raw(
        made->chain, &count, &chain_text, GNUTLS_X509_FMT_PEM, 0);
    if (code >= 0) made->count = count;
    *why = "the certificate is not in PEM format";
    if (code >= 0 && count > 0 && gnutls_privkey_init(&made->key) >= 0) {
        code = gnutls_privkey_import_x509_raw(made->key, &key_text, GNUTLS_X509_FMT_PEM, NULL, 0);
        if (code < 0) {
            *why = "the key is not in PEM format without a password";
        } else if (!is_key_of(made->key, made->chain[0].pubkey)) {
            *why = "the key does not belong to the certificate";
        } else {
            return made;
        }
    }
    greenroom_mhd_certificate_free(made);
    return NULL;
}

void greenroom_mhd_certificate_free(greenroom_mhd_certificate *certificate)
{
    while (certificate) {
        greenroom_mhd_certificate *earlier = certificate->earlier;
        for (unsigned index = 0; index < certificate->count; index++) {
            gnutls_pcert_deinit(&certificate->chain[index]);
        }
        if (certificate->key) gnutls_privkey_deinit(certificate->key);
        free(certificate);
        certificate = earlier;
    }
}

void greenroom_mhd_renew(greenroom_mhd_server *server, greenroom_mhd_certificate *certificate)
{
    pthread_mutex_lock(&server->lock);
    certificate->earlier = server->certificate;
    server->certificate = certificate;
    pthread_mutex_unlock(&server->lock);
}

// MARK: Start and stop

greenroom_mhd_server *greenroom_mhd_start(
    int file, unsigned most, size_t head, greenroom_mhd_certificate *certificate,
    const greenroom_mhd_calls *calls)
{
    greenroom_mhd_server *made = calloc(1, sizeof *made);
    if (!made || pthread_mutex_init(&made->lock, NULL) != 0) {
        free(made);
        if (certificate) greenroom_mhd_certificate_free(certificate);
        close(file);
        return NULL;
    }
    made->calls = *calls;
    made->certificate = certificate;
    made->references = 1;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    struct MHD_OptionItem secure[] = {
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)on_certificate},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    made->daemon = MHD_start_daemon(
        certificate ? flags | MHD_USE_TLS : flags, 0, NULL, NULL, on_request, made,
        MHD_OPTION_LISTEN_SOCKET, file, MHD_OPTION_CONNECTION_LIMIT, most,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, head, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, made, MHD_OPTION_NOTIFY_COMPLETED, on_completed,
        made, MHD_OPTION_URI_LOG_CALLBACK, on_target, made, MHD_OPTION_UNESCAPE_CALLBACK, on_unescape,
        made, MHD_OPTION_ARRAY, certificate ? secure : none, MHD_OPTION_END);
    if (made->daemon) return made;
    close(file);
    server_unref(made);
    return NULL;
}

void greenroom_mhd_stop(greenroom_mhd_server *server)
{
    pthread_mutex_lock(&server->lock);
    server->is_stopping = true;
    for (greenroom_mhd_request *one = server->requests; one; one = one->next) resume(one);
    pthread_mutex_unlock(&server->lock);
    MHD_stop_daemon(server->daemon);
    server_unref(server);
}
