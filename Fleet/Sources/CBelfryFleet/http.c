// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#include "CBelfryFleet.h"

#include <curl/curl.h>
#include <pthread.h>
#include <string.h>

_Static_assert(BELFRY_HTTP_REASON >= CURL_ERROR_SIZE, "libcurl writes longer reasons");

static void initialise(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

struct receiver {
    struct belfry_http_exchange *exchange;
    size_t headers;
};

static size_t receive_body(char *bytes, size_t one, size_t count, void *userdata) {
    struct belfry_http_exchange *exchange = ((struct receiver *)userdata)->exchange;
    (void)one;
    if (count > exchange->capacity - exchange->size) return 0;
    memcpy(exchange->answer + exchange->size, bytes, count);
    exchange->size += count;
    return count;
}

// libcurl stores each header, so they need a limit too.
static size_t receive_header(char *bytes, size_t one, size_t count, void *userdata) {
    struct receiver *receiver = userdata;
    (void)bytes;
    receiver->headers += one * count;
    return receiver->headers > receiver->exchange->capacity ? 0 : one * count;
}

long belfry_http_post(struct belfry_http_exchange *exchange, char reason[BELFRY_HTTP_REASON]) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise);
    reason[0] = '\0';
    exchange->size = 0;
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    struct curl_slist *all = curl_slist_append(headers, exchange->header);
    long status = -1;
    CURLcode code = CURLE_OUT_OF_MEMORY;
    if (curl && headers && all) {
        struct receiver receiver = {exchange, 0};
        curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
        curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
        curl_easy_setopt(curl, CURLOPT_URL, exchange->url);
        curl_easy_setopt(curl, CURLOPT_USERAGENT, "belfry-fleetd");
        curl_easy_setopt(curl, CURLOPT_HTTPHEADER, all);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, exchange->body);
        curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, exchange->limit_msec);
        curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive_body);
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, &receiver);
        curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, receive_header);
        curl_easy_setopt(curl, CURLOPT_HEADERDATA, &receiver);
        if (exchange->ca_file) curl_easy_setopt(curl, CURLOPT_CAINFO, exchange->ca_file);
        code = curl_easy_perform(curl);
        if (code == CURLE_OK) curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    }
    if (code != CURLE_OK && !reason[0]) strncpy(reason, curl_easy_strerror(code), BELFRY_HTTP_REASON - 1);
    reason[BELFRY_HTTP_REASON - 1] = '\0';
    curl_slist_free_all(all ? all : headers);
    curl_easy_cleanup(curl);
    return status;
}
