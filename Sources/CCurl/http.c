#include "include/CCurl.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_REDIRECTS = 5, CONNECT_MILLISECONDS = 10000 };

typedef struct reading {
    greenroom_http_answer *answer;
    char *location;
    size_t length;
} reading;

static void set_up(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

static size_t on_body(char *bytes, size_t size, size_t count, void *data)
{
    reading *now = data;
    size_t more = size * count;
    if (more > GREENROOM_HTTP_LONGEST - now->length) return 0;
    char *body = realloc(now->answer->body, now->length + more + 1);
    if (!body) return 0;
    memcpy(body + now->length, bytes, more);
    now->length += more;
    body[now->length] = 0;
    now->answer->body = body;
    return more;
}

// The value of a header without blanks around it; NULL for another header.
static char *value_of(const char *name, const char *line, size_t length)
{
    size_t begin = strlen(name);
    if (length <= begin || strncasecmp(line, name, begin) != 0 || line[begin] != ':') return NULL;
    begin++;
    while (begin < length && (line[begin] == ' ' || line[begin] == '\t')) begin++;
    while (length > begin && strchr(" \t\r\n", line[length - 1])) length--;
    return strndup(line + begin, length - begin);
}

static void replace(char **target, char *value)
{
    if (!value) return;
    free(*target);
    *target = value;
}

static size_t on_header(char *line, size_t size, size_t count, void *data)
{
    reading *now = data;
    size_t length = size * count;
    // Ignore the headers of a redirect.
    if (length > 5 && strncmp(line, "HTTP/", 5) == 0) {
        free(now->location);
        now->location = NULL;
        free(now->answer->type);
        now->answer->type = NULL;
        now->answer->retry_after = 0;
    }
    replace(&now->location, value_of("Location", line, length));
    replace(&now->answer->type, value_of("Content-Type", line, length));
    char *after = value_of("Retry-After", line, length);
    if (after) now->answer->retry_after = strtol(after, NULL, 10);
    free(after);
    return length;
}

// A location as a whole URL.
static char *resolve(CURL *curl, const char *location)
{
    char *base = NULL;
    char *whole = NULL;
    char *result = NULL;
    CURLU *url = curl_url();
    if (url && curl_easy_getinfo(curl, CURLINFO_EFFECTIVE_URL, &base) == CURLE_OK && base
        && curl_url_set(url, CURLUPART_URL, base, 0) == CURLUE_OK
        && curl_url_set(url, CURLUPART_URL, location, 0) == CURLUE_OK
        && curl_url_get(url, CURLUPART_URL, &whole, 0) == CURLUE_OK) {
        result = strdup(whole);
    }
    curl_free(whole);
    if (url) curl_url_cleanup(url);
    return result;
}

static struct curl_slist *add(struct curl_slist *list, const char *name, const char *value)
{
    size_t size = strlen(name) + strlen(value) + 3;
    char *line = malloc(size);
    if (!line) return list;
    strcpy(line, name);
    strcat(line, ": ");
    strcat(line, value);
    struct curl_slist *longer = curl_slist_append(list, line);
    free(line);
    return longer ? longer : list;
}

void greenroom_http(const greenroom_http_request *request, greenroom_http_answer *answer)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
    memset(answer, 0, sizeof *answer);
    CURL *curl = curl_easy_init();
    if (!curl) {
        strcpy(answer->problem, "out of memory");
        return;
    }
    reading now = {.answer = answer};
    struct curl_slist *headers = NULL;
    if (request->type) headers = add(headers, "Content-Type", request->type);
    curl_easy_setopt(curl, CURLOPT_URL, request->url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    bool is_secret = strncasecmp(request->url, "https:", 6) == 0;
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, is_secret ? "https" : "http,https");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(curl, CURLOPT_MAXREDIRS, (long)MOST_REDIRECTS);
    curl_easy_setopt(curl, CURLOPT_POSTREDIR, (long)CURL_REDIR_POST_ALL);
    // The timeout covers looking up the name, too.
    curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, request->milliseconds);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MILLISECONDS);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "greenroom");
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, answer->problem);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &now);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &now);
    if (request->token) {
        curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
        curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, request->token);
        // Keep the token across hosts, because servers that share their load redirect to others that need it.
        curl_easy_setopt(curl, CURLOPT_UNRESTRICTED_AUTH, 1L);
    }
    if (request->body) {
        curl_easy_setopt(curl, CURLOPT_POST, 1L);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)strlen(request->body));
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
    }
    if (!request->body || strcmp(request->method, "POST") != 0) {
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
    }
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    CURLcode code = curl_easy_perform(curl);
    if (code == CURLE_OK) {
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer->status);
        if (now.location) answer->location = resolve(curl, now.location);
    } else if (!answer->problem[0]) {
        strncpy(answer->problem, curl_easy_strerror(code), sizeof answer->problem - 1);
    }
    free(now.location);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
}

void greenroom_http_free(greenroom_http_answer *answer)
{
    free(answer->body);
    free(answer->type);
    free(answer->location);
    answer->body = NULL;
    answer->type = NULL;
    answer->location = NULL;
}
