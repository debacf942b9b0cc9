// libmicrohttpd for WebRoom: an HTTP server whose requests are answered later, on any thread, and streams of
// events. The library's own functions have variable arguments, which Swift does not import.

#ifndef GREENROOM_CMICROHTTPD_H
#define GREENROOM_CMICROHTTPD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

typedef struct greenroom_mhd_server greenroom_mhd_server;
typedef struct greenroom_mhd_request greenroom_mhd_request;
typedef struct greenroom_mhd_certificate greenroom_mhd_certificate;

// A header.
typedef struct greenroom_mhd_field {
    const char *_Nonnull name;
    const char *_Nonnull value;
} greenroom_mhd_field;

// The steps of a request. A connection has a time for each.
typedef enum greenroom_mhd_step {
    // Its first line is there.
    GREENROOM_MHD_HEAD,
    // The head is read, the body follows.
    GREENROOM_MHD_BODY,
    // Some of the answer is about to be sent: `sent` says how much was before.
    GREENROOM_MHD_ANSWER,
    // All of the answer is sent, or a stream waits for more.
    GREENROOM_MHD_WAIT,
    // The answer is sent, and another request may follow.
    GREENROOM_MHD_IDLE
} greenroom_mhd_step;

// Called on the server's thread, except `release`.
typedef struct greenroom_mhd_calls {
    void *_Nonnull context;
    // A connection is there; the socket is open until `closed`.
    void (*_Nonnull opened)(
        void *_Nonnull context, uint64_t connection, int socket,
        const struct sockaddr *_Nonnull address);
    void (*_Nonnull closed)(void *_Nonnull context, uint64_t connection);
    // A step begins. Returns whether it may; else the connection ends.
    bool (*_Nonnull stepped)(
        void *_Nonnull context, uint64_t connection, greenroom_mhd_step step);
    // A head is read. Returns whether its body is wanted; else the request is answered already. The fields
    // are valid during the call.
    bool (*_Nonnull began)(
        void *_Nonnull context, greenroom_mhd_request *_Nonnull request,
        const char *_Nonnull method, const char *_Nonnull target, const char *_Nonnull version,
        const greenroom_mhd_field *_Nonnull fields, size_t count);
    // The request is read. It waits for greenroom_mhd_answer, and has to be freed then.
    void (*_Nonnull asked)(void *_Nonnull context, greenroom_mhd_request *_Nonnull request);
    // The stream has sent all its parts, or the request is over.
    void (*_Nonnull drained)(void *_Nonnull value);
    // Gives a request's value back. Called on any thread.
    void (*_Nonnull release)(void *_Nonnull value);
} greenroom_mhd_calls;

// Listen at an IP address. Returns a socket, or -1 with errno.
int greenroom_mhd_listen(const char *_Nonnull address, uint16_t port);

// The port of a socket that listens; 0 for none.
uint16_t greenroom_mhd_port(int socket);

// Serve at a socket that listens, which belongs to the server. NULL: it can't start.
//
// `most` is the number of connections together; `head` is the memory of one in bytes, in which its head has
// to fit. The certificate is NULL for HTTP without TLS; else it belongs to the server.
greenroom_mhd_server *_Nullable greenroom_mhd_start(
    int socket, unsigned most, size_t head, greenroom_mhd_certificate *_Nullable certificate,
    const greenroom_mhd_calls *_Nonnull calls);

// End all connections, and wait for the server's thread. Requests that wait may still be answered in vain.
void greenroom_mhd_stop(greenroom_mhd_server *_Nonnull server);

// MARK: Certificates

// Read a certificate with its chain and its key, both in PEM. NULL: `why` is set to a text that lives for
// ever.
greenroom_mhd_certificate *_Nullable greenroom_mhd_certificate_read(
    const void *_Nonnull chain, size_t chain_size, const void *_Nonnull key, size_t key_size,
    const char *_Nullable *_Nonnull why);

void greenroom_mhd_certificate_free(greenroom_mhd_certificate *_Nonnull certificate);

// Use another certificate from the next connection on; it belongs to the server.
void greenroom_mhd_renew(
    greenroom_mhd_server *_Nonnull server, greenroom_mhd_certificate *_Nonnull certificate);

// MARK: Requests [any thread]

uint64_t greenroom_mhd_connection(const greenroom_mhd_request *_Nonnull request);

// The caller's object for the request; `release` gives it back.
void greenroom_mhd_set_value(greenroom_mhd_request *_Nonnull request, void *_Nonnull value);
void *_Nullable greenroom_mhd_value(const greenroom_mhd_request *_Nonnull request);

// The body, while the request waits for its answer.
const void *_Nullable greenroom_mhd_body(
    const greenroom_mhd_request *_Nonnull request, size_t *_Nonnull count);

// Answer with bytes, which are copied; a stream has more of them later. Once a request.
void greenroom_mhd_answer(
    greenroom_mhd_request *_Nonnull request, unsigned status,
    const greenroom_mhd_field *_Nonnull fields, size_t count, const void *_Nullable bytes,
    size_t size, bool is_stream);

// Send more of a stream. Returns false if the request is over.
bool greenroom_mhd_send(
    greenroom_mhd_request *_Nonnull request, const void *_Nonnull bytes, size_t size);

// End a stream.
void greenroom_mhd_end(greenroom_mhd_request *_Nonnull request);

void greenroom_mhd_request_free(greenroom_mhd_request *_Nonnull request);

#endif
