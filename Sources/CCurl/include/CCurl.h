// Requests of HTTP, by libcurl: its functions take any number of arguments, which Swift can't call.

#ifndef GREENROOM_CCURL_H
#define GREENROOM_CCURL_H

#include <stdbool.h>
#include <stdint.h>

// The longest body of an answer that is kept, in bytes.
enum { GREENROOM_HTTP_LONGEST = 256 * 1024 };

typedef struct greenroom_http_request {
    const char *_Nonnull method;
    // http or https.
    const char *_Nonnull url;
    // The token for `Authorization: Bearer`, kept after a redirect; NULL: none.
    const char *_Nullable token;
    // The type of the body; NULL: no body.
    const char *_Nullable type;
    const char *_Nullable body;
    long milliseconds;
} greenroom_http_request;

typedef struct greenroom_http_answer {
    // The HTTP status; 0 if no answer came, and then `problem` has the reason.
    long status;
    // Text, NULL if there is none.
    char *_Nullable body;
    char *_Nullable type;
    // The header Location, as a whole URL.
    char *_Nullable location;
    // Seconds of the header Retry-After; 0: none.
    long retry_after;
    char problem[256];
} greenroom_http_answer;

// Send a request and wait for the answer. Redirects are followed with the same method and body, from
// https to https alone. Free the answer.
void greenroom_http(
    const greenroom_http_request *_Nonnull request, greenroom_http_answer *_Nonnull answer);

void greenroom_http_free(greenroom_http_answer *_Nonnull answer);

#endif
