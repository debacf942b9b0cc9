/* Plugins with invalid answers, failures, ends and log lines. */
#include "hostile.h"
#include <stdlib.h>
#include <string.h>

/* Answers: the settings `answer`, `width`, `height` and `fps`, regardless of the offer. */
gr_status answer_as_set(instance *me, const gr_initialize *in) {
  if (setting_is(me, "answer", "accept")) return GR_STATUS_OK;
  in->answer->kind = setting_is(me, "answer", "fixed")     ? GR_ANSWER_FIXED
                     : setting_is(me, "answer", "counter") ? GR_ANSWER_COUNTER
                                                           : 77;
  in->answer->capability = (gr_capability){
      .width = (uint32_t)setting_integer(me, "width"),
      .height = (uint32_t)setting_integer(me, "height"),
      .fps_numerator = (uint32_t)setting_integer(me, "fps"), .fps_denominator = 1};
  return GR_STATUS_OK;
}

/* AnswersNothing: overwrites its answer with zeroes. */
static gr_status answer_zero(instance *me, const gr_initialize *in) {
  (void)me;
  memset(in->answer, 0, sizeof *in->answer);
  return GR_STATUS_OK;
}

/* Fails: in the callback that `where` names, with the settings `status`, and `text` as its
   reason; without a reason if that is empty. */
static gr_status fail_in(instance *me, const char *place) {
  if (!setting_is(me, "where", place)) return GR_STATUS_OK;
  const char *text = setting_text(me, "text");
  if (*text != '\0') me->host->set_error(me->handle, text);
  return (gr_status)setting_integer(me, "status");
}

static gr_status fail_in_create(instance *me) { return fail_in(me, "create"); }

static gr_status fail_in_initialize(instance *me, const gr_initialize *in) {
  (void)in;
  return fail_in(me, "initialize");
}

static gr_status fail_in_start(instance *me) {
  const gr_status status = fail_in(me, "start-send");
  return status != GR_STATUS_OK ? status : start_thread(me);
}

/* GivesUp: after as many frames as the setting says, and from more than one thread. */
static void *give_up_again(void *self) {
  instance *me = self;
  me->host->give_up(me->handle, GR_STATUS_UNAVAILABLE, "the camera was unplugged, again");
  return NULL;
}

static void send_then_give_up(instance *me) {
  const int64_t frames = setting_integer(me, "frames");
  gr_mutable_frame image = make_image(me, GR_FORMAT_I420, 320, 180, 0);
  const int64_t start = me->host->now_ns(me->handle);
  for (int64_t n = 0; n < frames; n++) {
    if (me->host->wait_until_ns(me->handle, start + n * NANOSECONDS / 30) != GR_STATUS_OK) break;
    const gr_video_frame frame = as_frame(me, &image);
    me->video->send(me->sender, &frame);
  }
  free_image(&image);
  me->host->give_up(me->handle, GR_STATUS_UNAVAILABLE, "the camera was unplugged");
  pthread_t thread;
  if (pthread_create(&thread, NULL, give_up_again, me) == 0) pthread_join(thread, NULL);
}

/* Chatter: log lines as in the setting `chatter`. */
static void chatter(instance *me) {
  if (setting_is(me, "chatter", "flood"))
    for (int n = 0; n < 10000; n++) say(me, GR_LOG_INFO, "line %d", n);
  if (setting_is(me, "chatter", "long")) {
    const size_t length = 1000000;
    char *text = malloc(length + 1);
    memset(text, 'x', length);
    text[length] = '\0';
    me->host->log(me->handle, GR_LOG_INFO, text);
    me->host->set_error(me->handle, text);
    free(text);
  }
  if (setting_is(me, "chatter", "not-utf8"))
    me->host->log(me->handle, GR_LOG_INFO, "begin \xff\xfe\xc3 end");
  if (setting_is(me, "chatter", "lines"))
    me->host->log(me->handle, GR_LOG_INFO,
                  "first\nstatus forged 0 line\r\n\033[31mred\033[0m \a\b and a tab\t.");
  if (setting_is(me, "chatter", "level")) {
    me->host->log(me->handle, 0, "level zero");
    me->host->log(me->handle, 77, "level 77");
    me->host->log(me->handle, GR_LOG_ERROR, nothing);
    me->host->set_error(me->handle, nothing);
  }
  say(me, GR_LOG_INFO, "that was all");
  send_video_well(me);
}

/* AsksForTheUnknown */
static void ask(instance *me) {
  const void *extension = me->host->get_extension(me->handle, "org.example.unheard-of/1");
  say(me, GR_LOG_INFO, "extension %s", extension == NULL ? "none" : "some");
  char text[8] = "unset";
  const uint64_t length = me->host->refusal_text(text, sizeof text);
  say(me, GR_LOG_INFO, "no refusal yet: length %llu, text \"%s\"", (unsigned long long)length,
      text);
  me->video->abandon(me->sender, 0);
  const uint64_t whole = me->host->refusal_text(NULL, 0);
  me->host->refusal_text(text, sizeof text);
  say(me, GR_LOG_INFO, "cut refusal: %s, text \"%s\"", whole > 7 ? "longer" : "short", text);
  say(me, GR_LOG_INFO, "now of no instance: %lld", (long long)me->host->now_ns(0));
  report(me, "wait-of-no-instance", me->host->wait_until_ns(me->handle + 1000, 0));
  send_video_well(me);
}

#define CAMERA .kind = GR_KIND_VIDEO_SOURCE

const behaviour bad_answers[] = {
    {.name = "Answers", CAMERA, .summary = "Answers what its settings say", .initialize = answer_as_set},
    {.name = "ShareAnswers", .kind = GR_KIND_SHARE_SOURCE,
     .summary = "Answers what its settings say, as a share", .initialize = answer_as_set},
    {.name = "AnswersNothing", CAMERA, .summary = "Wipes its answer", .initialize = answer_zero},
    {.name = "Fails", CAMERA, .summary = "Fails in the callback that `where` names",
     .create = fail_in_create, .initialize = fail_in_initialize, .start = fail_in_start},
    {.name = "GivesUp", CAMERA, .summary = "Gives up after `frames` frames",
     .run = send_then_give_up},
    {.name = "Chatter", CAMERA, .summary = "OfferLog too much, or nonsense", .run = chatter},
    {.name = "AsksForTheUnknown", CAMERA, .summary = "Asks for what the host does not have",
     .run = ask},
    {0},
};
