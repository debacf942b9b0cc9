/*
 * Sources and filters that break down, and try to take others with them: the fault that the live
 * setting `fault` names, at frame or block `frames`, or in the callback that `where` names. With
 * `once` a source of images breaks down in its first life alone.
 */
#include "hostile.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { control_socket = 3, megabyte = 1 << 20 };

static void rest(void) {
  for (;;) pause();
}

static void do_nothing(instance *me) { (void)me; }

/* Ends. */

static volatile int *volatile nowhere = NULL;
static volatile int zero = 0;

static void segv(instance *me) {
  (void)me;
  *nowhere = 1;
}

static void bus(instance *me) {
  (void)me;
  raise(SIGBUS);
}

static void fpe(instance *me) {
  (void)me;
  raise(SIGFPE);
}

static void aborting(instance *me) {
  (void)me;
  fprintf(stderr, "the lens cap is on\n");
  abort();
}

/* To standard output, through C's buffer and past it. */
static void printing(instance *me) {
  (void)me;
  printf("the lens is clean\n");
  fflush(stdout);
  dprintf(STDOUT_FILENO, "and dry\n");
}

static void exiting(instance *me) {
  (void)me;
  exit(3);
}

static void quitting(instance *me) {
  (void)me;
  _exit(0);
}

/* Writes to a pipe that nobody reads, as a library does that sets its program's signals. */
static void break_pipe(instance *me) {
  int ends[2];
  signal(SIGPIPE, SIG_DFL);
  if (pipe(ends) != 0) return;
  close(ends[0]);
  const ssize_t count = write(ends[1], "x", 1);
  say(me, GR_LOG_INFO, "wrote %d, %d", (int)count, errno == EPIPE);
  close(ends[1]);
}

static int dig(volatile char *above, int depth) {
  volatile char here[4096];
  here[0] = (char)(above[0] + depth);
  return depth < 0 ? 0 : dig(here, depth + 1) + here[0];
}

static void overflow(instance *me) {
  (void)me;
  volatile char top[1] = {0};
  zero = dig(top, 0);
}

static void killing(instance *me) {
  (void)me;
  kill(getpid(), SIGKILL);
}

/* The calling thread takes the signal, and goes no further. Another thread of the process would take
 * kill's when it next runs, which a busy machine delays. */
static void stopping(instance *me) {
  (void)me;
  raise(SIGSTOP);
}

static void kill_host(instance *me) {
  say(me, GR_LOG_INFO, "tried kill-host %d", kill(getppid(), SIGKILL) == 0 ? 0 : errno);
}

/* Waste. */

static void leak(instance *me) {
  (void)me;
  for (;;) {
    char *memory = mmap(NULL, 4 * megabyte, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                        -1, 0);
    if (memory == MAP_FAILED) rest();
    memset(memory, 1, 4 * megabyte);
    const struct timespec interval = {0, 1000000};
    nanosleep(&interval, NULL);
  }
}

/* Page tables: 4 KB of them for each 2 MB that it reads of memory that is nowhere. 2 GB at the most, for the
   machine's sake. */
static void fill_page_tables(instance *me) {
  (void)me;
  const size_t reach = 1024 * 1024, step = 2;
  char *memory = mmap(NULL, reach * megabyte, PROT_READ,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  madvise(memory, reach * megabyte, MADV_NOHUGEPAGE);
  const struct timespec interval = {0, 1000000};
  for (size_t at = 0; at < reach; at += step) {
    (void)*(volatile char *)(memory + at * megabyte);
    if (at % 1024 == 0) nanosleep(&interval, NULL);
  }
  rest();
}

/* Mappings of shared memory; calls `use` for each. */
static void each_shared_memory(void (*use)(uint8_t *from, size_t size)) {
  static char line[512];
  FILE *maps = fopen("/proc/self/maps", "r");
  if (maps == NULL) return;
  while (fgets(line, sizeof line, maps) != NULL) {
    uintptr_t from, to;
    if (strstr(line, "/memfd:") != NULL && strstr(line, " rw-s ") != NULL &&
        sscanf(line, "%lx-%lx", &from, &to) == 2)
      use((uint8_t *)from, to - from);
  }
  fclose(maps);
}

/* Touches what it is lent, and shared memory of its own: 2 GB at the most, for the machine's
   sake. */
static size_t touched = 0;

static void touch(uint8_t *from, size_t size) {
  for (size_t offset = 0; offset < size && touched < 2000u * megabyte; offset += 4096) {
    from[offset] = 1;
    touched += 4096;
  }
}

static void fill_frames(instance *me) {
  (void)me;
  each_shared_memory(touch);
  rest();
}

static void fill_shared(instance *me) {
  (void)me;
  const size_t size = 2000u * megabyte;
  uint8_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  /* The sandbox has none to give. */
  if (memory == MAP_FAILED) return;
  touch(memory, size);
  rest();
}

static void *ask_for_ever(void *self) {
  instance *me = self;
  while (me->host->wait_until_ns(me->handle, me->host->now_ns(me->handle) + 10000000) ==
         GR_STATUS_OK) {
  }
  return NULL;
}

/* More threads than there are channels, which all call the host, and end. */
static void crowd_in(instance *me) {
  enum { count = 100 };
  pthread_t threads[count];
  int made = 0;
  while (made < count && pthread_create(&threads[made], NULL, ask_for_ever, me) == 0) made++;
  say(me, GR_LOG_INFO, "threads %d", made);
  send_marks_and(me, do_nothing);
  for (int index = 0; index < made; index++) pthread_join(threads[index], NULL);
}

/* Children go by themselves after a while, for the machine's sake. */
static void fork_on(instance *me) {
  int made = 0, failed = 0;
  for (int n = 0; n < 300; n++) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      rest();
    }
    if (child > 0)
      made++;
    else
      failed = errno;
  }
  say(me, GR_LOG_INFO, "forks %d, then %d", made, failed);
}

static void *spin(void *self) {
  (void)self;
  for (;;) zero = zero;
  return NULL;
}

static void spin_on(instance *me) {
  pthread_t thread;
  for (int n = 0; n < 2; n++)
    if (pthread_create(&thread, NULL, spin, me) == 0) pthread_detach(thread);
}

/* Floods. */

static void flood_frames(instance *me) {
  gr_mutable_frame image = make_image(me, GR_FORMAT_I420, 16, 16, 0);
  for (;;) {
    const gr_video_frame frame = as_frame(me, &image);
    if (me->video->send(me->sender, &frame) == GR_STATUS_GONE) rest();
  }
}

static void flood_log(instance *me) {
  for (;;) me->host->log(me->handle, GR_LOG_INFO, "all is well");
}

static void flood_output(instance *me) {
  (void)me;
  char text[4096];
  memset(text, 'x', sizeof text);
  for (int n = 79; n < (int)sizeof text; n += 80) text[n] = '\n';
  for (;;)
    if (write(1, text, sizeof text) < 0) rest();
}

/* A line without an end. */
static void flood_line(instance *me) {
  (void)me;
  char text[4096];
  memset(text, 'x', sizeof text);
  for (;;)
    if (write(2, text, sizeof text) < 0) rest();
}

/* Vandalism. */

static uint64_t random_state = 88172645463325252ull;

static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  return random_state ^= random_state << 17;
}

/* Small and tempting numbers more often than others; the first pages more often than the rest. */
static void scrawl(uint8_t *from, size_t size) {
  static const uint64_t tempting[] = {0, 1, 2, 3, UINT64_MAX, INT64_MAX, 1ull << 32, 0x7fffffff};
  for (int n = 0; n < 4000; n++) {
    const uint64_t where = next_random();
    const size_t reach = where % 4 == 0 ? size : size < 65536 ? size : 65536;
    /* Channels lie 256 KiB apart, and begin with their turn. */
    const size_t channel = where % 4 == 1 ? (where >> 8) % (size / 262144 + 1) * 262144 : 0;
    const size_t offset = channel + (size_t)(where >> 16) % reach / 4 * 4;
    if (offset + 8 > size) continue;
    const uint64_t value =
        next_random() % 2 == 0 ? tempting[next_random() % 8] : next_random();
    memcpy(from + offset, &value, next_random() % 2 == 0 ? 4 : 8);
  }
}

static void *scribble_on(void *self) {
  (void)self;
  const struct timespec interval = {0, 200000};
  for (;;) {
    each_shared_memory(scrawl);
    nanosleep(&interval, NULL);
  }
  return NULL;
}

static void scribble(instance *me) {
  pthread_t thread;
  random_state += (uint64_t)me->host->now_ns(me->handle);
  if (pthread_create(&thread, NULL, scribble_on, me) == 0) pthread_detach(thread);
}

/* Only the pixels: the largest mapping there is. */
static uint8_t *frames_memory = NULL;
static size_t frames_size = 0;

static void find_frames(uint8_t *from, size_t size) {
  if (size <= frames_size) return;
  frames_memory = from;
  frames_size = size;
}

static void *paint_on(void *self) {
  (void)self;
  for (;;)
    for (size_t offset = 0; offset < frames_size; offset += 4096)
      if (offset % (256 * megabyte) < 4 * megabyte) frames_memory[offset + next_random() % 4096] = (uint8_t)next_random();
  return NULL;
}

static void spoil_frames(instance *me) {
  pthread_t thread;
  each_shared_memory(find_frames);
  if (frames_memory != NULL && pthread_create(&thread, NULL, paint_on, me) == 0)
    pthread_detach(thread);
}

static void unmap(uint8_t *from, size_t size) { munmap(from, size); }

static void unmap_all(instance *me) {
  (void)me;
  each_shared_memory(unmap);
}

static void free_lease(instance *me) {
  gr_lease lease = {.struct_size = sizeof lease};
  if (me->video->acquire(me->sender, GR_FORMAT_I420, 64, 48, &lease) == GR_STATUS_OK)
    free(lease.frame.planes[0].data);
}

static void close_all(instance *me) {
  (void)me;
  for (int descriptor = 0; descriptor < 1024; descriptor++) close(descriptor);
}

static void close_socket(instance *me) {
  (void)me;
  close(control_socket);
}

static void shut_socket(instance *me) {
  (void)me;
  shutdown(control_socket, SHUT_RDWR);
}

static void send_garbage(instance *me) {
  (void)me;
  uint8_t bytes[300];
  for (size_t n = 0; n < sizeof bytes; n++) bytes[n] = (uint8_t)next_random();
  for (int n = 1; n < 300; n++) send(control_socket, bytes, (size_t)n, MSG_NOSIGNAL);
}

static void send_words(uint32_t kind, uint32_t value) {
  const uint32_t words[2] = {kind, value};
  send(control_socket, words, sizeof words, MSG_NOSIGNAL);
}

/* Well-formed messages that make no sense: each kind, with each number that may tempt. */
static void send_nonsense(instance *me) {
  (void)me;
  for (uint32_t kind = 0; kind < 12; kind++)
    for (uint32_t value = 0; value < 70; value++) send_words(kind, value);
}

/* Opens the same channels again and again. */
static void open_channels(instance *me) {
  (void)me;
  for (int n = 0; n < 100000; n++) send_words(2, 2 + (uint32_t)n % 62);
}

static bool send_descriptor(int socket, int flags) {
  const uint32_t words[2] = {3, 0};
  struct iovec part = {(void *)words, sizeof words};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr header;
  } control = {0};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  control.header.cmsg_level = SOL_SOCKET;
  control.header.cmsg_type = SCM_RIGHTS;
  control.header.cmsg_len = CMSG_LEN(sizeof(int));
  const int given = 1;
  memcpy(CMSG_DATA(&control.header), &given, sizeof given);
  return sendmsg(socket, &message, MSG_NOSIGNAL | flags) >= 0;
}

/* Descriptors that the host did not ask for. */
static void send_descriptors(instance *me) {
  (void)me;
  for (int n = 0; n < 5000; n++) send_descriptor(control_socket, 0);
}

/* As many descriptors on their way as the kernel lets a user have, never received. */
static void hoard_descriptors(instance *me) {
  int sent = 0, pair[2];
  while (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0) {
    const int before = sent;
    while (send_descriptor(pair[0], MSG_DONTWAIT)) sent++;
    if (sent == before) break;
  }
  say(me, GR_LOG_INFO, "hoards %d", sent);
}

static void *take_processor(void *none) {
  /* So that the tests beside this one have their turn. */
  setpriority(PRIO_PROCESS, 0, 5);
  for (;;) (void)*(volatile void **)&none;
  return NULL;
}

/* Far more threads than processors, while frames continue. */
static void take_processors(instance *me) {
  (void)me;
  pthread_t thread;
  for (int n = 0; n < 60; n++)
    if (pthread_create(&thread, NULL, take_processor, NULL) == 0) pthread_detach(thread);
}

/* Burglary: what is tried, and 0 or the number of the error. */

static void try(instance *me, const char *what, long result) {
  say(me, GR_LOG_INFO, "tried %s %d", what, result >= 0 ? 0 : errno);
}

static void break_in(instance *me) {
  try(me, "read-shadow", open("/etc/shadow", O_RDONLY));
  try(me, "write-tmp", open("/tmp/greenroom-was-here", O_WRONLY | O_CREAT, 0600));
  try(me, "write-home", open("/root/greenroom-was-here", O_WRONLY | O_CREAT, 0600));
  try(me, "write-here", open("greenroom-was-here", O_WRONLY | O_CREAT, 0600));
  try(me, "mkdir", mkdir("/tmp/greenroom-was-here.d", 0700));
  const int internet = socket(AF_INET, SOCK_STREAM, 0);
  try(me, "socket", internet);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(22),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
  try(me, "connect", connect(internet, (struct sockaddr *)&address, sizeof address));
  const pid_t child = fork();
  if (child == 0) _exit(0);
  try(me, "fork", child);
  if (child > 0) waitpid(child, NULL, 0);
  char *const arguments[] = {"true", NULL};
  char *const none[] = {NULL};
  try(me, "exec", execve("/bin/true", arguments, none));
}

static void hang(instance *me) {
  (void)me;
  rest();
}

static void *die(void *self) {
  (void)self;
  const struct timespec interval = {0, 3000000};
  nanosleep(&interval, NULL);
  *nowhere = 1;
  return NULL;
}

/* Dies on another thread while it calls the host on four. */
static void *send_on(void *self) {
  instance *me = self;
  gr_mutable_frame image = make_image(me, GR_FORMAT_I420, 64, 48, 0);
  for (;;) {
    const gr_video_frame frame = as_frame(me, &image);
    me->video->send(me->sender, &frame);
    me->host->now_ns(me->handle);
  }
  return NULL;
}

static void die_calling(instance *me) {
  pthread_t thread;
  for (int n = 0; n < 4; n++)
    if (pthread_create(&thread, NULL, send_on, me) == 0) pthread_detach(thread);
  if (pthread_create(&thread, NULL, die, me) == 0) pthread_detach(thread);
}

typedef struct fault {
  const char *name;
  void (*commit)(instance *me);
} fault;

static const fault faults[] = {
    {"none", do_nothing},
    {"segv", segv},
    {"bus", bus},
    {"fpe", fpe},
    {"abort", aborting},
    {"print", printing},
    {"exit", exiting},
    {"quit", quitting},
    {"break-pipe", break_pipe},
    {"overflow", overflow},
    {"kill", killing},
    {"stop", stopping},
    {"hang", hang},
    {"kill-host", kill_host},
    {"leak", leak},
    {"page-tables", fill_page_tables},
    {"fill-frames", fill_frames},
    {"fill-shared", fill_shared},
    {"crowd", crowd_in},
    {"fork", fork_on},
    {"spin", spin_on},
    {"flood-frames", flood_frames},
    {"flood-log", flood_log},
    {"flood-output", flood_output},
    {"flood-line", flood_line},
    {"scribble", scribble},
    {"spoil-frames", spoil_frames},
    {"unmap", unmap_all},
    {"free-lease", free_lease},
    {"close-all", close_all},
    {"close-socket", close_socket},
    {"shut-socket", shut_socket},
    {"garbage", send_garbage},
    {"nonsense", send_nonsense},
    {"open-channels", open_channels},
    {"descriptors", send_descriptors},
    {"hoard-descriptors", hoard_descriptors},
    {"take-processors", take_processors},
    {"break-in", break_in},
    {"die-calling", die_calling},
};

/* When. */

int fault_named(const char *name) {
  const int count = sizeof faults / sizeof *faults;
  for (int index = 0; index < count; index++)
    if (strcmp(faults[index].name, name) == 0) return index;
  return -1;
}

static bool is_in_later_life(const instance *me) {
  return setting_integer(me, "once") == 1 && me->revision > 1;
}

/* Commits the fault for which the time has come, once. */
static void reach_frame(instance *me) {
  const int index = atomic_load(&me->fault);
  if (!setting_is(me, "where", "nowhere") || index == me->committed || is_in_later_life(me)) return;
  if (me->count < (uint64_t)setting_integer(me, "frames")) return;
  me->committed = index;
  faults[index].commit(me);
}

static void reach(instance *me, const char *place) {
  if (setting_is(me, "where", place) && !is_in_later_life(me))
    faults[atomic_load(&me->fault)].commit(me);
}

static gr_status create(instance *me) {
  if (fault_named(setting_text(me, "fault")) < 0) return GR_STATUS_BAD_SETTING;
  reach(me, "create");
  return GR_STATUS_OK;
}

static gr_status initialize(instance *me, const gr_initialize *in) {
  (void)in;
  reach(me, "initialize");
  return GR_STATUS_OK;
}

static gr_status change(instance *me, const gr_offer *offer, gr_answer *answer) {
  reach(me, "property-change");
  return follow_offer(me, offer, answer);
}

static gr_status start(instance *me) {
  reach(me, "start-send");
  return me->behaviour->kind == GR_KIND_PRE_PROCESSOR ? GR_STATUS_OK : start_thread(me);
}

static void stop(instance *me) {
  reach(me, "stop-send");
  if (me->behaviour->kind != GR_KIND_PRE_PROCESSOR) join_thread(me);
}

static void uninitialize(instance *me) { reach(me, "uninitialize"); }

static void destroy(instance *me) { reach(me, "destroy"); }

static void send_frames(instance *me) { send_marks_and(me, reach_frame); }

/* A tone of 440 Hz in blocks of 20 ms. */
static void send_blocks(instance *me) {
  enum { rate = 48000, frames = rate / 50 };
  int16_t samples[frames];
  gr_status status;
  do {
    fill_tone(samples, rate, 1, frames, me->count * frames);
    const gr_audio_block block = as_block(samples, rate, 1, frames);
    status = me->audio->send(me->sender, &block, -1);
    me->count++;
    reach_frame(me);
  } while (status == GR_STATUS_OK);
}

static gr_status process(instance *me, gr_mutable_frame *frame) {
  me->count++;
  reach_frame(me);
  return invert(me, frame);
}

/* Frames of any format in memory that is written to all the time. */
static void send_spoiled(instance *me) {
  spoil_frames(me);
  send_video_well(me);
}

/* A white square at the bottom, in a place that the setting `tag` says. */
static gr_status stamp(instance *me, gr_mutable_frame *frame) {
  enum { side = 8 };
  me->count++;
  reach_frame(me);
  const size_t left = (size_t)atomic_load(&me->tag) * side;
  for (uint32_t row = frame->height - side; left + side <= frame->width && row < frame->height; row++)
    memset(frame->planes[0].data + (size_t)row * frame->planes[0].stride_bytes + left, 235, side);
  return GR_STATUS_OK;
}

#define LIFE                                                                                     \
  .create = create, .initialize = initialize, .start = start, .stop = stop,                      \
  .uninitialize = uninitialize, .destroy = destroy

const behaviour faulty[] = {
    {.name = "Faulty", .kind = GR_KIND_VIDEO_SOURCE, .summary = "Breaks down as `fault` says",
     LIFE, .change = change, .run = send_frames},
    {.name = "FaultyShare", .kind = GR_KIND_SHARE_SOURCE, .summary = "The same as a share", LIFE,
     .change = change, .run = send_frames},
    {.name = "FaultyMic", .kind = GR_KIND_VIRTUAL_MIC, .summary = "The same as a microphone",
     LIFE, .run = send_blocks},
    {.name = "FaultyShareAudio", .kind = GR_KIND_SHARE_AUDIO_SOURCE,
     .summary = "The same as a share's sound", LIFE, .run = send_blocks},
    {.name = "FaultyFilter", .kind = GR_KIND_PRE_PROCESSOR,
     .summary = "Inverts luma until it breaks down", LIFE, .process = process},
    {.name = "FaultyStamp", .kind = GR_KIND_PRE_PROCESSOR,
     .summary = "Stamps frames until it breaks down", LIFE, .process = stamp},
    {.name = "Spoiled", .kind = GR_KIND_VIDEO_SOURCE,
     .summary = "Spoils its frames while they are read", .initialize = answer_as_set,
     .run = send_spoiled},
    {0},
};
