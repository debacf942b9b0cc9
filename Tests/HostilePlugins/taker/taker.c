/* An output that digests the camera's frames, and that does to them what an output must not, or what
   must cost it alone. */
#include <errno.h>
#include <fcntl.h>
#include <greenroom/output.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct taker {
  gr_plugin functions;
  const gr_host *host;
  const gr_output_host *output;
  gr_instance instance;
  uint32_t format, width, height;
  const char *deed;
  uint64_t digest, frames, refused;
  struct {
    gr_output_frame frame;
    uint64_t digest;
  } kept[GR_MAX_KEPT];
  uint32_t kept_count;
  /* How often it was asked what it wants, and of which answers it has memory. */
  uint32_t turns, hoarded;
} taker;

static const uint64_t fnv_prime = 1099511628211u;

static uint64_t digest_of(const gr_video_frame *frame) {
  uint64_t digest = 14695981039346656037u;
  for (uint32_t plane = 0; plane < frame->plane_count; plane++) {
    const uint32_t below = plane > 0 ? 2 : 1;
    const uint32_t rows = (frame->height + below - 1) / below;
    uint32_t bytes = (frame->width + below - 1) / below;
    if (frame->plane_count == 2 && plane == 1) bytes *= 2;
    if (frame->plane_count == 1) bytes *= 4;
    for (uint32_t y = 0; y < rows; y++) {
      const uint8_t *row = frame->planes[plane].data + (size_t)y * frame->planes[plane].stride_bytes;
      for (uint32_t x = 0; x < bytes; x++) {
        /* Alpha is undefined. */
        if (frame->plane_count == 1 && x % 4 == 3) continue;
        digest = (digest ^ row[x]) * fnv_prime;
      }
    }
  }
  return digest;
}

/* Tries every way to change a frame but the one that ends the process; returns how many worked. */
static int change(const gr_video_frame *frame) {
  uint8_t *first = (uint8_t *)(uintptr_t)frame->planes[0].data;
  uint8_t *page = (uint8_t *)((uintptr_t)first & ~(uintptr_t)4095), byte = (uint8_t)~*first;
  int worked = 0;
  if (mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0) worked++;
  if (madvise(page, 4096, MADV_REMOVE) == 0) worked++;
  const struct iovec from = {&byte, 1}, to = {first, 1};
  if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) == 1) worked++;
  const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (memory >= 0) {
    if (pwrite(memory, &byte, 1, (off_t)(uintptr_t)first) == 1) worked++;
    close(memory);
  }
  /* The kernel writes for it: what a pipe has into the frame. */
  int ends[2];
  if (pipe(ends) == 0) {
    if (write(ends[1], &byte, 1) == 1 && read(ends[0], first, 1) == 1) worked++;
    close(ends[0]);
    close(ends[1]);
  }
  return worked;
}

static void keep(taker *me, const gr_output_frame *frame) {
  if (me->output->keep(me->instance, frame->id) != GR_STATUS_OK) {
    me->refused++;
    return;
  }
  me->kept[me->kept_count].frame = *frame;
  me->kept[me->kept_count++].digest = digest_of(&frame->frame);
}

static int hurries(const taker *me) {
  return strcmp(me->deed, "hurry") == 0 || strcmp(me->deed, "hoard") == 0;
}

/* Takes memory of its own until the host ends the process. */
static void leak(void) {
  for (uint32_t megabytes = 0; megabytes < 4096; megabytes += 4) {
    char *memory = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) memset(memory, 1, 4 << 20);
    usleep(1000);
  }
  for (;;) pause();
}

/* Maps the memory of a frame once more: it stays when the host ends it. */
static void hoard(const gr_video_frame *frame) {
  const uintptr_t page = (uintptr_t)frame->planes[0].data & ~(uintptr_t)4095;
  if (mremap((void *)page, 0, 4096, MREMAP_MAYMOVE) == MAP_FAILED) abort();
}

static gr_status track(void *self, const gr_track *track, gr_want *want) {
  taker *me = self;
  if (track->kind != GR_TRACK_CAMERA) return GR_STATUS_OK;
  me->turns++;
  want->is_wanted = 1;
  want->format = hurries(me) && me->turns % 2 == 0 ? GR_FORMAT_BGRA : me->format;
  want->capability.width = me->width;
  want->capability.height = me->height;
  want->pace = GR_PACE_COMPLETE;
  return GR_STATUS_OK;
}

static gr_status video(void *self, const gr_output_frame *frame) {
  taker *me = self;
  me->frames++;
  if (hurries(me)) {
    if (me->hoarded != me->turns && strcmp(me->deed, "hoard") == 0) hoard(&frame->frame);
    me->hoarded = me->turns;
    me->output->report(me->instance, "turns", me->turns);
    me->output->wants_changed(me->instance);
    return GR_STATUS_OK;
  }
  me->digest = (me->digest ^ digest_of(&frame->frame)) * fnv_prime;
  if (strcmp(me->deed, "change") == 0)
    me->output->report(me->instance, "changed", change(&frame->frame));
  if (strcmp(me->deed, "write") == 0 && me->frames == 5)
    *(uint8_t *)(uintptr_t)frame->frame.planes[0].data = 1;
  if (strcmp(me->deed, "keep") == 0 || strcmp(me->deed, "crash") == 0) keep(me, frame);
  if (strcmp(me->deed, "crash") == 0 && me->frames == 12) abort();
  if (strcmp(me->deed, "stall") == 0 && me->frames == 5) sleep(3600);
  if (strcmp(me->deed, "leak") == 0 && me->frames == 5) leak();
  me->output->report(me->instance, "frames", (double)me->frames);
  /* What a double holds of it. */
  me->output->report(me->instance, "digest", (double)(me->digest >> 12));
  return GR_STATUS_OK;
}

static gr_status audio(void *self, const gr_output_block *block) {
  (void)self, (void)block;
  return GR_STATUS_OK;
}

static gr_status initialize(void *self, const gr_initialize *in) {
  (void)self, (void)in;
  return GR_STATUS_OK;
}

static gr_status start_send(void *self) {
  (void)self;
  return GR_STATUS_OK;
}

static void stop_send(void *self) {
  taker *me = self;
  uint32_t different = 0;
  for (uint32_t index = 0; index < me->kept_count; index++)
    if (digest_of(&me->kept[index].frame.frame) != me->kept[index].digest) different++;
  me->output->report(me->instance, "kept", me->kept_count);
  me->output->report(me->instance, "kept-different", different);
  me->output->report(me->instance, "keeps-refused", (double)me->refused);
}

static void uninitialize(void *self) { (void)self; }

static const void *get_extension(void *self, const char *id) {
  static const gr_output output = {
      .struct_size = sizeof output, .track = track, .video = video, .audio = audio};
  (void)self;
  return strcmp(id, GR_EXT_OUTPUT) == 0 ? &output : NULL;
}

static const char *const deeds[] = {"none",  "write", "change", "keep", "crash",
                                    "stall", "hurry", "hoard",  "leak", NULL};

static const gr_parameter parameters[] = {
#define NUMBER(label, value, least, most)                                                       \
  {.struct_size = sizeof(gr_parameter), .type = GR_TYPE_INTEGER, .name = label, .title = label, \
   .flags = GR_PARAMETER_BOUNDED, .minimum = least, .maximum = most,                            \
   .default_value = {.type = GR_TYPE_INTEGER, .integer = value}}
    NUMBER("format", GR_FORMAT_RGBA, 1, 13),
    NUMBER("width", 0, 0, 8192),
    NUMBER("height", 0, 0, 8192),
    NUMBER("deed", 0, 0, sizeof deeds / sizeof deeds[0] - 2),
};

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  (void)index;
  taker *me = calloc(1, sizeof *me);
  if (me == NULL) return GR_STATUS_FAILED;
  me->functions = (gr_plugin){.struct_size = sizeof me->functions, .self = me, .destroy = free,
                              .initialize = initialize, .start_send = start_send,
                              .stop_send = stop_send, .uninitialize = uninitialize,
                              .get_extension = get_extension};
  me->format = (uint32_t)in->settings[0].value.integer;
  me->width = (uint32_t)in->settings[1].value.integer;
  me->height = (uint32_t)in->settings[2].value.integer;
  me->deed = deeds[in->settings[3].value.integer];
  me->host = in->host;
  me->instance = in->instance;
  me->output = in->host->get_extension(in->instance, GR_EXT_OUTPUT_HOST);
  *plugin = &me->functions;
  return me->output == NULL ? GR_STATUS_FAILED : GR_STATUS_OK;
}

static const gr_descriptor *descriptor(uint32_t index) {
  static const gr_descriptor only = {
      .struct_size = sizeof only, .kind = GR_KIND_OUTPUT, .id = "test.taker", .name = "Taker",
      .version = "1.0.0", .summary = "Digests frames, and does what it must not",
      .parameters = parameters, .parameter_count = sizeof parameters / sizeof parameters[0]};
  return index == 0 ? &only : NULL;
}

GR_EXPORT const gr_entry *greenroom_plugin_entry(void) {
  static const gr_entry entry = {.struct_size = sizeof entry, .abi_major = GR_ABI_MAJOR,
                                 .abi_minor = GR_ABI_MINOR, .plugin_count = 1,
                                 .descriptor = descriptor, .create = create};
  return &entry;
}
