#include "BareCurl.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

/// One transfer after another.
struct slot {
  CURL *easy;
  char *body;
  size_t used, room;
};

static size_t take(char *bytes, size_t size, size_t count, void *user) {
  struct slot *slot = user;
  size_t length = size * count;
  if (slot->used + length > slot->room) {
    slot->room = (slot->used + length) * 2;
    slot->body = realloc(slot->body, slot->room);
  }
  memcpy(slot->body + slot->used, bytes, length);
  slot->used += length;
  return length;
}

static size_t head(char *bytes, size_t size, size_t count, void *user) {
  (void)bytes;
  (void)user;
  return size * count;
}

const char *bare_curl_version(void) { return curl_version_info(CURLVERSION_NOW)->version; }

int bare_curl_reuses_handles(void) {
  unsigned int version = curl_version_info(CURLVERSION_NOW)->version_num;
  return version < 0x075300 || version > 0x080001;
}

static CURL *make_handle(const char *url, const char *authorities, struct slot *slot) {
  CURL *easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, slot);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, slot);
  if (authorities) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, authorities);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  }
  return easy;
}

struct bare_curl {
  CURLM *multi;
  char *url;
  struct slot slot;
};

struct bare_curl *bare_curl_open(const char *url) {
  struct bare_curl *curl = calloc(1, sizeof *curl);
  curl->multi = curl_multi_init();
  curl->url = strdup(url);
  return curl;
}

long bare_curl_fetch(struct bare_curl *curl) {
  struct slot *slot = &curl->slot;
  slot->used = 0;
  if (!slot->easy) slot->easy = make_handle(curl->url, NULL, slot);
  curl_multi_add_handle(curl->multi, slot->easy);
  long received = -1;
  for (;;) {
    int running = 0, left = 0;
    if (curl_multi_perform(curl->multi, &running) != CURLM_OK) break;
    CURLMsg *message = curl_multi_info_read(curl->multi, &left);
    if (message) {
      if (message->data.result == CURLE_OK) received = (long)slot->used;
      break;
    }
    curl_multi_poll(curl->multi, NULL, 0, 1000, NULL);
  }
  curl_multi_remove_handle(curl->multi, slot->easy);
  if (!bare_curl_reuses_handles()) {
    curl_easy_cleanup(slot->easy);
    slot->easy = NULL;
  }
  return received;
}

void bare_curl_close(struct bare_curl *curl) {
  if (curl->slot.easy) curl_easy_cleanup(curl->slot.easy);
  curl_multi_cleanup(curl->multi);
  free(curl->slot.body);
  free(curl->url);
  free(curl);
}

long bare_curl_get(const char *url, long total, int width) {
  return bare_curl_get_tls(url, NULL, total, width);
}

long bare_curl_get_tls(const char *url, const char *authorities, long total, int width) {
  CURLM *multi = curl_multi_init();
  struct slot *slots = calloc((size_t)width, sizeof *slots);
  int reuses = bare_curl_reuses_handles();
  long received = 0, started = 0, finished = 0;
  for (int i = 0; i < width && started < total; i++, started++) {
    slots[i].easy = make_handle(url, authorities, &slots[i]);
    curl_multi_add_handle(multi, slots[i].easy);
  }
  while (finished < total) {
    int running = 0, left = 0;
    if (curl_multi_perform(multi, &running) != CURLM_OK) {
      received = -1;
      break;
    }
    CURLMsg *message;
    int progressed = 0;
    while ((message = curl_multi_info_read(multi, &left))) {
      struct slot *slot = NULL;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&slot);
      if (message->data.result != CURLE_OK) {
        received = -1;
        goto end;
      }
      received += (long)slot->used;
      slot->used = 0;
      finished++;
      progressed = 1;
      curl_multi_remove_handle(multi, slot->easy);
      if (!reuses) {
        curl_easy_cleanup(slot->easy);
        slot->easy = NULL;
      }
      if (started < total) {
        if (!reuses) slot->easy = make_handle(url, authorities, slot);
        curl_multi_add_handle(multi, slot->easy);
        started++;
      }
    }
    if (!progressed) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
end:
  for (int i = 0; i < width; i++) {
    if (slots[i].easy) {
      curl_multi_remove_handle(multi, slots[i].easy);
      curl_easy_cleanup(slots[i].easy);
    }
    free(slots[i].body);
  }
  curl_multi_cleanup(multi);
  free(slots);
  return received;
}
