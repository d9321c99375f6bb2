#define _GNU_SOURCE
#include "CMachine.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int dial(int port) {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (descriptor >= 0 && connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0 &&
      setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) == 0) {
    return descriptor;
  }
  if (descriptor >= 0) close(descriptor);
  return -1;
}

static int send_all(int descriptor, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL);
    if (sent <= 0) return -1;
    bytes += sent, count -= (size_t)sent;
  }
  return 0;
}

static int shake_hands(int descriptor) {
  const char *request = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
  char head[4096];
  size_t used = 0;
  if (send_all(descriptor, (const uint8_t *)request, strlen(request)) != 0) return -1;
  // The server says nothing behind its head before it is asked.
  while (used < sizeof head - 1) {
    ssize_t count = recv(descriptor, head + used, sizeof head - 1 - used, 0);
    if (count <= 0) return -1;
    used += (size_t)count, head[used] = 0;
    if (strstr(head, "\r\n\r\n")) return strncmp(head, "HTTP/1.1 101", 12) == 0 ? 0 : -1;
  }
  return -1;
}

/// Appends a masked frame with a key of its own; gives its length.
static size_t put_frame(uint8_t *to, int opcode, const uint8_t *payload, size_t size, uint64_t *seed) {
  size_t length = 2;
  to[0] = (uint8_t)(0x80 | opcode);
  if (size < 126) {
    to[1] = (uint8_t)(0x80 | size);
  } else if (size < 65536) {
    to[1] = 0x80 | 126, to[2] = (uint8_t)(size >> 8), to[3] = (uint8_t)size, length = 4;
  } else {
    to[1] = 0x80 | 127, length = 10;
    for (int i = 0; i < 8; i++) to[2 + i] = (uint8_t)((uint64_t)size >> (56 - 8 * i));
  }
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  uint32_t key = (uint32_t)(*seed >> 32);
  memcpy(to + length, &key, 4);
  length += 4;
  uint64_t word = (uint64_t)key << 32 | key;
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t part;
    memcpy(&part, payload + i, 8);
    part ^= word;
    memcpy(to + length + i, &part, 8);
  }
  for (; i < size; i++) to[length + i] = payload[i] ^ ((const uint8_t *)&key)[i & 3];
  return length + size;
}

double machine_socket_echo(int port, int opcode, long size, int in_flight, int count) {
  int descriptor = dial(port);
  if (descriptor < 0) return -1;
  size_t room = ((size_t)size + 14) * (size_t)in_flight, space = 256 << 10;
  uint8_t *payload = malloc((size_t)size + 1), *outgoing = malloc(room), *incoming = malloc(space);
  uint8_t *message = malloc((size_t)size + 1);
  double seconds = -1, start = 0;
  uint64_t seed = 7;
  if (payload == NULL || outgoing == NULL || incoming == NULL || message == NULL || shake_hands(descriptor) != 0) {
    goto end;
  }
  memset(payload, 'x', (size_t)size);
  start = now();
  size_t length = 0, used = 0, left = 0, filled = 0;
  int sent = 0, received = 0;
  for (; sent < in_flight && sent < count; sent++) {
    length += put_frame(outgoing + length, opcode, payload, (size_t)size, &seed);
  }
  if (send_all(descriptor, outgoing, length) != 0) goto end;
  while (received < count) {
    ssize_t got = recv(descriptor, incoming + used, space - used, 0);
    if (got <= 0) goto end;
    used += (size_t)got;
    size_t at = 0;
    length = 0;
    while (1) {
      if (left == 0 && filled == 0) {
        // The head of a frame of the server: no mask, one frame a message.
        if (used - at < 2) break;
        size_t head = 2, announced = incoming[at + 1] & 0x7F;
        if (announced == 126) head = 4;
        if (announced == 127) head = 10;
        if (used - at < head) break;
        if (announced > 125) {
          announced = 0;
          for (size_t i = 2; i < head; i++) announced = announced << 8 | incoming[at + i];
        }
        if (announced != (size_t)size || (incoming[at] & 0x0F) != opcode) goto end;
        at += head, left = announced;
      }
      size_t part = left < used - at ? left : used - at;
      memcpy(message + filled, incoming + at, part);
      at += part, filled += part, left -= part;
      if (left > 0) break;
      filled = 0;
      received++;
      if (sent < count) {
        length += put_frame(outgoing + length, opcode, payload, (size_t)size, &seed);
        sent++;
      }
      if (at == used) break;
    }
    memmove(incoming, incoming + at, used - at);
    used -= at;
    if (length > 0 && send_all(descriptor, outgoing, length) != 0) goto end;
  }
  if (size == 0 || message[size - 1] == 'x') seconds = now() - start;
end:
  free(payload), free(outgoing), free(incoming), free(message);
  close(descriptor);
  return seconds;
}

// MARK: Streams of bytes

double machine_stream_echo(int port, long size, int count) {
  int descriptor = dial(port);
  uint8_t buffer[65536];
  if (descriptor < 0 || size > (long)sizeof buffer || send_all(descriptor, (const uint8_t *)"e", 1) != 0) return -1;
  memset(buffer, 'x', (size_t)size);
  double start = now();
  for (int i = 0; i < count; i++) {
    if (send_all(descriptor, buffer, (size_t)size) != 0) return -1;
    for (long got = 0; got < size;) {
      ssize_t part = recv(descriptor, buffer, (size_t)(size - got), 0);
      if (part <= 0) return -1;
      got += part;
    }
  }
  close(descriptor);
  return now() - start;
}

double machine_stream_read(int port, long bytes) {
  int descriptor = dial(port);
  uint8_t request[9] = {'d'}, *buffer = malloc(256 << 10);
  for (int i = 0; i < 8; i++) request[1 + i] = (uint8_t)((uint64_t)bytes >> (56 - 8 * i));
  double start = now(), seconds = -1;
  if (descriptor >= 0 && buffer != NULL && send_all(descriptor, request, sizeof request) == 0) {
    while (bytes > 0) {
      ssize_t part = recv(descriptor, buffer, 256 << 10, 0);
      if (part <= 0) break;
      bytes -= part;
    }
    if (bytes == 0) seconds = now() - start;
  }
  free(buffer);
  if (descriptor >= 0) close(descriptor);
  return seconds;
}

/// Serves one client: `e` sends everything back, `d` and a number of eight bytes sends as many.
static void *serve(void *argument) {
  int descriptor = (int)(intptr_t)argument;
  uint8_t *buffer = calloc(1, 256 << 10), kind = 0;
  if (buffer != NULL && recv(descriptor, &kind, 1, 0) == 1) {
    if (kind == 'e') {
      ssize_t count;
      while ((count = recv(descriptor, buffer, 256 << 10, 0)) > 0) {
        if (send_all(descriptor, buffer, (size_t)count) != 0) break;
      }
    } else if (kind == 'd' && recv(descriptor, buffer, 8, MSG_WAITALL) == 8) {
      uint64_t left = 0;
      for (int i = 0; i < 8; i++) left = left << 8 | buffer[i];
      while (left > 0) {
        size_t part = left < 256 << 10 ? (size_t)left : 256 << 10;
        if (send_all(descriptor, buffer, part) != 0) break;
        left -= part;
      }
    }
  }
  free(buffer);
  close(descriptor);
  return NULL;
}

void machine_serve_streams(void) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t length = sizeof address;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
      listen(listener, 64) != 0 || getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
    return;
  }
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  while (1) {
    int descriptor = accept(listener, NULL, NULL);
    if (descriptor < 0) return;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)descriptor) != 0) return;
    pthread_detach(thread);
  }
}
