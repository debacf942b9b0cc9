/*
 * greenroom/plugin.hpp - Greenroom plugins in C++17
 *
 * A plugin is a class. It derives from one of these, and overrides one function:
 *
 *   Camera, Screen           fill(frame, time)    draws a frame
 *   Microphone, ScreenAudio  fill(block)          makes samples
 *   Filter                   process(frame)       edits a frame
 *   AudioFilter              process(block)       edits a block of audio
 *   Output                   on_video, on_audio   receives the session's media; on_track says which
 *   Composer                 fill(frame, time)    draws one video of what on_video takes
 *   Call                     on_start             joins participants, and opens their tracks
 *   VideoSource, ShareSource, AudioSource, ShareAudioSource
 *                            run()                sends, at its own pace, until a send or a wait
 *                                                 says that sending has stopped
 *
 * The rest is done in here: the lifecycle, offers, settings, the thread that sends, the entry.
 *
 *   struct Fog : greenroom::Camera {
 *     static greenroom::Description description() {
 *       return {"com.example.fog", "Fog", "1.0.0", "Grey that pulses", {}};
 *     }
 *     void fill(greenroom::Frame &frame, const greenroom::FrameTime &time) override {
 *       frame.fill(0, static_cast<std::uint8_t>(64 + time.index % 128));
 *       frame.fill(1, 128);
 *       frame.fill(2, 128);
 *     }
 *   };
 *   GREENROOM_PLUGINS(Fog)
 *
 * No exception leaves through the C border: one that a callback throws fails that step with its
 * text; one that a thread throws ends the source, as Host::give_up does. The calls of a plugin's
 * functions never overlap, but for run, which runs beside the others.
 *
 * Include it in one file of a library, and export the entry alone (see `greenroom new`): then two
 * plugins in one process share nothing. Plugins that want more use plugin.h.
 */
#ifndef GREENROOM_PLUGIN_HPP
#define GREENROOM_PLUGIN_HPP

#include <greenroom/call.h>
#include <greenroom/output.h>
#include <greenroom/send.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace greenroom {

namespace detail {
class Border;
class Descriptor;
}  // namespace detail

/* ------------------------------------------------------------------------------------
 * The description of a plugin
 * ---------------------------------------------------------------------------------- */

/** A setting in the session file. The host checks each value against it. */
class Parameter {
 public:
  static Parameter boolean(const std::string &name, const std::string &title, bool value) {
    Parameter made(GR_TYPE_BOOLEAN, name, title);
    made.integer_ = value ? 1 : 0;
    return made;
  }
  static Parameter whole(const std::string &name, const std::string &title, std::int64_t value,
                         std::int64_t minimum, std::int64_t maximum,
                         const std::string &unit = "") {
    Parameter made(GR_TYPE_INTEGER, name, title);
    made.integer_ = value;
    return made.bounded(static_cast<double>(minimum), static_cast<double>(maximum), unit);
  }
  static Parameter real(const std::string &name, const std::string &title, double value,
                        double minimum, double maximum, const std::string &unit = "") {
    Parameter made(GR_TYPE_NUMBER, name, title);
    made.number_ = value;
    return made.bounded(minimum, maximum, unit);
  }
  static Parameter string(const std::string &name, const std::string &title,
                          const std::string &value) {
    Parameter made(GR_TYPE_STRING, name, title);
    made.text_ = value;
    return made;
  }
  /** A text that names something outside of the plugin, such as an address, a device or a command. */
  static Parameter resource(const std::string &name, const std::string &title,
                            const std::string &value) {
    Parameter made = string(name, title, value);
    made.flags_ |= GR_PARAMETER_RESOURCE;
    return made;
  }
  /** A text that the host never prints; it can't be live. */
  static Parameter secret(const std::string &name, const std::string &title) {
    Parameter made = string(name, title, "");
    made.flags_ |= GR_PARAMETER_SECRET;
    return made;
  }
  /** A file or folder that the session file must name. */
  static Parameter path(const std::string &name, const std::string &title) {
    Parameter made(GR_TYPE_PATH, name, title);
    made.flags_ = GR_PARAMETER_REQUIRED;
    return made;
  }
  /** A file or folder that the session file may name. */
  static Parameter path(const std::string &name, const std::string &title,
                        const std::string &value) {
    Parameter made(GR_TYPE_PATH, name, title);
    made.text_ = value;
    return made;
  }
  /** One of some texts; the first is the default. */
  static Parameter choice(const std::string &name, const std::string &title,
                          std::vector<std::string> choices) {
    Parameter made(GR_TYPE_CHOICE, name, title);
    made.text_ = choices.empty() ? "" : choices.front();
    made.choices_ = std::move(choices);
    return made;
  }

  /** The same, but it may change while the plugin lives. */
  Parameter live() const {
    Parameter made(*this);
    made.flags_ |= GR_PARAMETER_LIVE;
    return made;
  }

 private:
  friend class detail::Descriptor;

  Parameter(std::uint32_t type, const std::string &name, const std::string &title)
      : type_(type), name_(name), title_(title) {}

  Parameter &bounded(double minimum, double maximum, const std::string &unit) {
    flags_ |= GR_PARAMETER_BOUNDED;
    minimum_ = minimum;
    maximum_ = maximum;
    unit_ = unit;
    return *this;
  }

  std::uint32_t type_;
  std::string name_;
  std::string title_;
  std::string unit_;
  std::uint32_t flags_ = 0;
  std::int64_t integer_ = 0;
  double number_ = 0;
  std::string text_;
  double minimum_ = 0;
  double maximum_ = 0;
  std::vector<std::string> choices_;
};

/** The description that people see before any code of the plugin runs. */
struct Description {
  std::string id;      /**< reverse domain; never changes */
  std::string name;    /**< as in session files: letters, digits, '-' */
  std::string version; /**< "1.2.3" */
  std::string summary; /**< one line */
  std::vector<Parameter> parameters;
  std::uint32_t needs = 0; /**< GR_NEED_... of its process, combined with | */
};

/** A setting and its value, which the host has checked. */
class Setting {
 public:
  explicit Setting(const gr_setting &setting) : setting_(setting) {}

  std::string_view name() const { return setting_.name; }
  bool boolean() const { return setting_.value.integer != 0; }
  std::int64_t whole() const { return setting_.value.integer; }
  double real() const { return setting_.value.number; }
  /** Of strings, choices and paths. */
  std::string_view text() const {
    return setting_.value.string == nullptr ? std::string_view() : setting_.value.string;
  }

 private:
  const gr_setting &setting_;
};

/* ------------------------------------------------------------------------------------
 * The host
 * ---------------------------------------------------------------------------------- */

/** The reason why a callback fails: a status for programs, a text for people. */
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string &text, gr_status status = GR_STATUS_FAILED)
      : std::runtime_error(text), status_(status) {}

  gr_status status() const { return status_; }

 private:
  gr_status status_;
};

/** The host, as an instance sees it. [any] */
class Host {
 public:
  Host() = default;
  Host(const gr_host *host, gr_instance instance) : host_(host), instance_(instance) {}

  void log(std::uint32_t level, const std::string &text) const {
    host_->log(instance_, level, text.c_str());
  }
  /** Nanoseconds on the session clock. */
  std::int64_t now_ns() const { return host_->now_ns(instance_); }
  /** Waits on the session clock, in a thread of the plugin's. Another status than GR_STATUS_OK:
   *  sending has stopped. */
  [[nodiscard]] gr_status wait_until_ns(std::int64_t deadline_ns) const {
    return host_->wait_until_ns(instance_, deadline_ns);
  }
  /** The source can't continue. */
  void give_up(gr_status status, const std::string &text) const {
    host_->give_up(instance_, status, text.c_str());
  }
  /** Whether the source has nothing new to send, because its media has ended, is damaged or lost. The host
   *  repeats the last frame, or plays silence, counts neither as real, and does not treat the silence as
   *  a failure. GR_STATUS_UNSUPPORTED: not a source, or the host is older than minor 3. */
  gr_status set_held(bool is_held) const {
    const gr_hold *hold = holding();
    return hold == nullptr ? GR_STATUS_UNSUPPORTED : hold->held(instance_, is_held ? 1 : 0);
  }
  /** Counts frames, or blocks of audio, that the source received but cannot decode. The report counts them
   *  as refused. The function returns the same status as set_held. */
  gr_status count_damaged(std::uint32_t count = 1) const {
    const gr_hold *hold = holding();
    return hold == nullptr ? GR_STATUS_UNSUPPORTED : hold->damaged(instance_, count);
  }
  /** The text of this thread's last refusal: the rule, the call, the state and the cure. */
  std::string refusal_text() const {
    std::string text(host_->refusal_text(nullptr, 0) + 1, '\0');
    const auto length = host_->refusal_text(text.data(), text.size());
    text.resize(static_cast<std::size_t>(length) < text.size() ? static_cast<std::size_t>(length)
                                                               : text.size() - 1);
    return text;
  }
  void set_error(const char *text) const { host_->set_error(instance_, text); }
  /** For the senders of audio; nullptr from a host that is older than minor 3. */
  const gr_audio_queue *audio_queue() const {
    return static_cast<const gr_audio_queue *>(host_->get_extension(instance_, GR_EXT_AUDIO_QUEUE));
  }

 private:
  const gr_hold *holding() const {
    return static_cast<const gr_hold *>(host_->get_extension(instance_, GR_EXT_HOLD));
  }

  const gr_host *host_ = nullptr;
  gr_instance instance_ = 0;
};

namespace detail {

/** Calls a function, and makes a status of what it throws. */
template <class Call, class Report>
gr_status catching(Call &&call, Report &&report) noexcept {
  try {
    call();
    return GR_STATUS_OK;
  } catch (const Error &error) {
    report(error.status(), error.what());
    return error.status() == GR_STATUS_OK ? GR_STATUS_FAILED : error.status();
  } catch (const std::exception &error) {
    report(GR_STATUS_FAILED, error.what());
  } catch (...) {
    report(GR_STATUS_FAILED, "an exception that is no std::exception");
  }
  return GR_STATUS_FAILED;
}

}  // namespace detail

/** A thread of a plugin: joined when it goes. Its function returns when a wait or a send says that
 *  sending has stopped. An exception ends the source. */
class Thread {
 public:
  Thread() = default;
  template <class Body>
  Thread(Host host, Body body)
      : thread_([host, body = std::move(body)]() mutable noexcept {
          (void)detail::catching(body, [host](gr_status status, const char *text) {
            host.give_up(status, text);
          });
        }) {}
  Thread(Thread &&) = default;
  Thread &operator=(Thread &&other) {
    join();
    thread_ = std::move(other.thread_);
    return *this;
  }
  ~Thread() { join(); }

  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

/* ------------------------------------------------------------------------------------
 * Frames
 * ---------------------------------------------------------------------------------- */

/** The bytes of a row of pixels. */
class Row {
 public:
  Row(std::uint8_t *start, std::size_t size) : start_(start), size_(size) {}

  std::uint8_t *begin() const { return start_; }
  std::uint8_t *end() const { return start_ + size_; }
  std::size_t size() const { return size_; }
  std::uint8_t &operator[](std::size_t index) const { return start_[index]; }

 private:
  std::uint8_t *start_;
  std::size_t size_;
};

/** A frame in the host's memory, to fill or to edit. Rows may be padded. */
class Frame {
 public:
  explicit Frame(const gr_mutable_frame &frame) : frame_(frame) {}

  std::uint32_t width() const { return frame_.width; }
  std::uint32_t height() const { return frame_.height; }
  gr_pixel_format format() const { return frame_.format; }
  std::uint32_t plane_count() const { return frame_.plane_count; }
  /** The rows of a plane; chroma of 4:2:0 rounds up. */
  std::uint32_t rows(std::uint32_t plane = 0) const {
    return gr_plane_rows(frame_.format, plane, frame_.height);
  }
  /** A row of a plane; empty if there is none. */
  Row row(std::uint32_t y, std::uint32_t plane = 0) const {
    if (y >= rows(plane)) return Row(nullptr, 0);
    return Row(gr_row(&frame_, plane, y),
               static_cast<std::size_t>(gr_row_bytes(frame_.format, plane, frame_.width)));
  }
  /** Sets every byte of a plane's pixels. */
  void fill(std::uint32_t plane, std::uint8_t value) const {
    gr_fill_plane(&frame_, plane, value);
  }
  /** Rotation, colour, offer and time of a frame to edit. */
  const gr_frame_info &info() const { return frame_.info; }

 private:
  gr_mutable_frame frame_;
};

/** A frame of the host's pool. It goes back unsent unless it is committed. */
class Lease {
 public:
  Lease(const gr_video_functions *video, gr_sender sender, const gr_lease &lease)
      : video_(video), sender_(sender), id_(lease.id), frame_(lease.frame) {}
  Lease(Lease &&other) noexcept
      : video_(other.video_), sender_(other.sender_), id_(std::exchange(other.id_, 0)),
        frame_(other.frame_) {}
  Lease &operator=(Lease &&) = delete;
  ~Lease() {
    if (id_ != 0) video_->abandon(sender_, id_);
  }

  Frame &frame() { return frame_; }

  /** Sends the frame without a copy. The lease ends with any status. */
  gr_status commit(const gr_frame_info &info) && {
    return video_->commit(sender_, std::exchange(id_, 0), &info);
  }

 private:
  const gr_video_functions *video_;
  gr_sender sender_;
  std::uint64_t id_;
  Frame frame_;
};

/** Sends video. Nothing waits. [any] */
class VideoSender {
 public:
  VideoSender() = default;
  VideoSender(const gr_video_functions *video, gr_sender sender, std::uint32_t revision,
              const gr_capability &agreed)
      : video_(video), sender_(sender), revision_(revision), agreed_(agreed) {}

  /** The size and rate that were agreed on. */
  const gr_capability &agreed() const { return agreed_; }
  /** Of the offer that frames are sent for. */
  std::uint32_t revision() const { return revision_; }

  /** Sends a frame that is one buffer, without padding: Y, then U, then V. size_bytes: chroma of
   *  odd sizes rounds up, see gr_packed_size. pts_ns: when it shows, on the session clock. */
  [[nodiscard]] gr_status send_i420(const void *buffer, std::size_t size_bytes,
                                    std::uint32_t width, std::uint32_t height,
                                    std::int64_t pts_ns = GR_PTS_UNSTAMPED,
                                    gr_rotation rotation = 0) const {
    return send(GR_FORMAT_I420, buffer, size_bytes, width, height, pts_ns, rotation);
  }
  /** The same in any format. */
  [[nodiscard]] gr_status send(gr_pixel_format format, const void *buffer, std::size_t size_bytes,
                               std::uint32_t width, std::uint32_t height,
                               std::int64_t pts_ns = GR_PTS_UNSTAMPED,
                               gr_rotation rotation = 0) const {
    gr_video_frame frame;
    (void)gr_packed_frame(&frame, format, width, height, buffer, size_bytes);
    frame.info.rotation = rotation;
    frame.info.offer_revision = revision_;
    frame.info.pts_ns = pts_ns;
    return send(frame);
  }
  /** Sends a frame from planes in any places; gr_packed_frame begins one. */
  [[nodiscard]] gr_status send(const gr_video_frame &frame) const {
    return video_->send(sender_, &frame);
  }
  /** Leases a frame to fill; none if the host has no room: leave the frame out. */
  std::optional<Lease> acquire(gr_pixel_format format, std::uint32_t width,
                               std::uint32_t height) const {
    gr_lease lease = {};
    lease.struct_size = sizeof lease;
    if (video_->acquire(sender_, format, width, height, &lease) != GR_STATUS_OK)
      return std::nullopt;
    return std::optional<Lease>(std::in_place, video_, sender_, lease);
  }

 private:
  const gr_video_functions *video_ = nullptr;
  gr_sender sender_ = 0;
  std::uint32_t revision_ = 0;
  gr_capability agreed_ = {};
};

/** Sends audio. [any] */
class AudioSender {
 public:
  AudioSender() = default;
  AudioSender(const gr_audio_functions *audio, gr_sender sender,
              const gr_audio_queue *queue = nullptr)
      : audio_(audio), queue_(queue), sender_(sender) {}

  /** Sends samples, interleaved: frame_count of each channel, up to 100 ms. Waits until the queue
   *  has room, so the host paces a loop that only sends; not from a callback.
   *
   *  pts_ns: when the first one sounds, on the session clock; by default right after the last
   *  block. Another status than GR_STATUS_OK: sending has stopped, or the block breaks a rule. */
  [[nodiscard]] gr_status send(const std::int16_t *samples, std::uint32_t frame_count,
                               std::uint32_t sample_rate_hz, std::uint32_t channels,
                               std::int64_t pts_ns = GR_PTS_UNSTAMPED) const {
    gr_audio_block block = gr_block(samples, frame_count, sample_rate_hz, channels);
    block.pts_ns = pts_ns;
    return audio_->send(sender_, &block, -1);
  }
  /** Silences the queued audio within 5 ms, so that an interrupted speaker is silent at once. Returns the
   *  length of the silenced audio in nanoseconds; nothing if the host is older than minor 3, or the
   *  sender has ended. */
  std::optional<std::int64_t> clear() const { return ask(&gr_audio_queue::clear); }
  /** The time in nanoseconds until the last queued sample is heard; nothing as of clear. */
  std::optional<std::int64_t> queued_ns() const { return ask(&gr_audio_queue::queued); }

 private:
  std::optional<std::int64_t> ask(gr_status (*gr_audio_queue::*call)(gr_sender,
                                                                     std::int64_t *)) const {
    std::int64_t length_ns = 0;
    if (queue_ == nullptr || (queue_->*call)(sender_, &length_ns) != GR_STATUS_OK)
      return std::nullopt;
    return length_ns;
  }

  const gr_audio_functions *audio_ = nullptr;
  const gr_audio_queue *queue_ = nullptr;
  gr_sender sender_ = 0;
};

/* ------------------------------------------------------------------------------------
 * Plugins
 * ---------------------------------------------------------------------------------- */

/** A plugin of any kind. Its functions run on the control thread, one at a time. */
class Plugin {
 public:
  Plugin() = default;
  Plugin(const Plugin &) = delete;
  Plugin &operator=(const Plugin &) = delete;
  virtual ~Plugin() = default;

  /** Takes a setting over: at first each one, then live ones that change. */
  virtual void set(const Setting &setting) { (void)setting; }
  /** Open files and devices here; throw if that fails. */
  virtual void on_initialize() {}
  /** Sending starts; throw if there is nothing to send. */
  virtual void on_start() {}
  /** Sending has stopped, and so has the plugin's thread. */
  virtual void on_stop() {}
  /** The sender has ended. */
  virtual void on_uninitialize() {}

 protected:
  /** Not before the constructor has returned. [any] */
  const Host &host() const { return host_; }

  /** Held while set, fill, process and the functions of Taker run: they never overlap. */
  std::mutex content_;

 private:
  friend class detail::Border;

  virtual void initialize(const gr_initialize &in) {
    (void)in;
    on_initialize();
  }
  virtual gr_status change(const gr_offer &offer, gr_answer &answer) {
    (void)offer, (void)answer;
    return GR_STATUS_UNSUPPORTED;
  }
  virtual void start() { on_start(); }
  virtual void stop() { on_stop(); }
  virtual void edit(gr_mutable_frame &frame) { (void)frame; }
  virtual void edit(gr_audio_edit &block) { (void)block; }
  void apply(const Setting &setting) {
    const std::lock_guard<std::mutex> lock(content_);
    set(setting);
  }

  Host host_;
  const gr_descriptor *descriptor_ = nullptr;
  char failure_[200] = {}; /**< the text of the last edit or frame that failed */
  gr_plugin functions_ = {};
};

/** A source whose function run sends on a separate thread. */
class Source : public Plugin {
 protected:
  /** Sends until a send or Host::wait_until_ns says that sending has stopped. Runs beside the other
   *  functions. An exception ends the source. [the source's thread] */
  virtual void run() = 0;

 private:
  void start() override {
    on_start();
    try {
      thread_ = Thread(host(), [this] { run(); });
    } catch (const std::system_error &) {
      on_stop();
      throw Error("no thread could be made; raise the limit on threads");
    }
  }
  void stop() override {
    thread_.join();
    on_stop();
  }

  Thread thread_;
};

/** A source of video with its own run. */
template <std::uint32_t Kind>
class BasicVideoSource : public Source {
 public:
  static constexpr std::uint32_t kind = Kind;

  /** Answers an offer: the first one, and each new one. The answer accepts the suggestion; write
   *  another row, or GR_ANSWER_FIXED for a size and rate that the source can't choose. */
  virtual void negotiate(const gr_offer &offer, gr_answer &answer) { (void)offer, (void)answer; }

 protected:
  /** The sender, with what was agreed on last: ask again for each frame. [any] */
  VideoSender sender() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return sender_;
  }

 private:
  void initialize(const gr_initialize &in) override {
    if (in.video == nullptr || in.offer == nullptr || in.answer == nullptr)
      throw Error("the host handed over no sender", GR_STATUS_BAD_ARGUMENT);
    video_ = in.video;
    id_ = in.sender;
    (void)change(*in.offer, *in.answer);
    on_initialize();
  }
  gr_status change(const gr_offer &offer, gr_answer &answer) override {
    negotiate(offer, answer);
    const gr_capability &agreed = answer.capability;
    if (agreed.width == 0 || agreed.height == 0 || agreed.fps_numerator == 0 ||
        agreed.fps_denominator == 0)
      throw Error("the session offers no size, and the answer names none", GR_STATUS_UNSUPPORTED);
    const std::lock_guard<std::mutex> lock(mutex_);
    sender_ = VideoSender(video_, id_, offer.revision, agreed);
    return GR_STATUS_OK;
  }

  const gr_video_functions *video_ = nullptr;
  gr_sender id_ = 0;
  mutable std::mutex mutex_;  // of the next
  VideoSender sender_;
};

using VideoSource = BasicVideoSource<GR_KIND_VIDEO_SOURCE>;
using ShareSource = BasicVideoSource<GR_KIND_SHARE_SOURCE>;

/** A source of audio with its own run. */
template <std::uint32_t Kind>
class BasicAudioSource : public Source {
 public:
  static constexpr std::uint32_t kind = Kind;

 protected:
  /** [any] */
  const AudioSender &sender() const { return sender_; }

 private:
  void initialize(const gr_initialize &in) override {
    if (in.audio == nullptr)
      throw Error("the host handed over no sender", GR_STATUS_BAD_ARGUMENT);
    sender_ = AudioSender(in.audio, in.sender, this->host().audio_queue());
    on_initialize();
  }

  AudioSender sender_;
};

using AudioSource = BasicAudioSource<GR_KIND_VIRTUAL_MIC>;
using ShareAudioSource = BasicAudioSource<GR_KIND_SHARE_AUDIO_SOURCE>;

/** The time for which a frame is drawn. */
struct FrameTime {
  std::int64_t index;  /**< since the start; missing ones were left out */
  double seconds;      /**< since the start */
  std::int64_t pts_ns; /**< on the session clock */
};

/** A source of video that draws frames when they are due. */
template <std::uint32_t Kind>
class BasicCamera : public BasicVideoSource<Kind> {
 public:
  /** I420, unless a plugin says otherwise; never MJPEG. */
  virtual gr_pixel_format format() const { return GR_FORMAT_I420; }
  /** Draws a frame, whose content is undefined, for its time and in its size, which may change from
   *  frame to frame. Never overlaps set. [the source's thread] */
  virtual void fill(Frame &frame, const FrameTime &time) = 0;

 private:
  void run() override {
    const Host &host = this->host();
    const std::int64_t start_ns = host.now_ns();
    std::int64_t first_ns = start_ns, first = 0;  // the frame that the present rate counts from
    gr_capability rate = this->sender().agreed();
    for (std::int64_t n = 0;; n++) {
      const VideoSender sender = this->sender();
      const gr_capability now = sender.agreed();
      if (now.fps_numerator != rate.fps_numerator || now.fps_denominator != rate.fps_denominator) {
        first_ns += gr_frame_due_ns(n - first, &rate);
        first = n;
      }
      rate = now;
      // Late by a whole frame: leave that one out.
      while (first_ns + gr_frame_due_ns(n - first + 1, &rate) <= host.now_ns()) n++;
      const std::int64_t due_ns = first_ns + gr_frame_due_ns(n - first, &rate);
      if (host.wait_until_ns(due_ns) != GR_STATUS_OK) return;
      std::optional<Lease> lease = sender.acquire(format(), rate.width, rate.height);
      if (!lease) continue;  // the host has no room
      {
        const std::lock_guard<std::mutex> lock(this->content_);
        fill(lease->frame(), {n, static_cast<double>(due_ns - start_ns) / 1e9, due_ns});
      }
      gr_video_frame sent;
      (void)gr_packed_frame(&sent, format(), rate.width, rate.height, nullptr, 0);
      sent.info.offer_revision = sender.revision();
      sent.info.pts_ns = due_ns;
      (void)std::move(*lease).commit(sent.info);  // the host counts what it refuses
    }
  }
};

using Camera = BasicCamera<GR_KIND_VIDEO_SOURCE>;
using Screen = BasicCamera<GR_KIND_SHARE_SOURCE>;

/** 10 ms of audio to make. */
struct Block {
  std::int16_t *samples;    /**< frame_count * channels of them, interleaved; silent at first */
  std::uint32_t frame_count;
  std::uint32_t channels;
  std::uint32_t sample_rate_hz;
  std::int64_t index;       /**< of the first sample since the start, per channel */
};

/** A source of audio that makes samples when they are due. */
template <std::uint32_t Kind>
class BasicMicrophone : public BasicAudioSource<Kind> {
 public:
  /** 8000 to 192000; read when sending starts. */
  virtual std::uint32_t sample_rate_hz() const { return 48000; }
  /** 1 or 2; read when sending starts. */
  virtual std::uint32_t channels() const { return 1; }
  /** Makes the samples of a block. Never overlaps set. [the source's thread] */
  virtual void fill(const Block &block) = 0;

 private:
  void run() override {
    const Host &host = this->host();
    const std::uint32_t rate_hz = sample_rate_hz(), lanes = channels();
    if (rate_hz == 0 || lanes == 0)
      throw Error("sample_rate_hz is 8000 to 192000, and channels are 1 or 2",
                  GR_STATUS_BAD_ARGUMENT);
    const gr_capability rate = {0, 0, rate_hz, 1};
    std::vector<std::int16_t> samples;
    std::int64_t start_ns = host.now_ns(), index = 0;
    for (std::int64_t number = 1;; number++) {
      // A rate without a whole 10 ms block alternates between two lengths.
      const auto count = static_cast<std::uint32_t>(number * rate_hz / 100 - index);
      std::int64_t due_ns = start_ns + gr_frame_due_ns(index, &rate);
      const std::int64_t late_ns = host.now_ns() - due_ns;
      if (late_ns > GR_AUDIO_QUEUE_MS * INT64_C(1000000)) {  // what would come too late is left out
        start_ns += late_ns;
        due_ns += late_ns;
      }
      if (host.wait_until_ns(due_ns) != GR_STATUS_OK) return;
      samples.assign(static_cast<std::size_t>(count) * lanes, 0);
      {
        const std::lock_guard<std::mutex> lock(this->content_);
        fill({samples.data(), count, lanes, rate_hz, index});
      }
      const gr_status status = this->sender().send(samples.data(), count, rate_hz, lanes, due_ns);
      if (status == GR_STATUS_STOPPED || status == GR_STATUS_GONE) return;
      if (status != GR_STATUS_OK) throw Error(host.refusal_text(), status);
      index += count;
    }
  }
};

using Microphone = BasicMicrophone<GR_KIND_VIRTUAL_MIC>;
using ScreenAudio = BasicMicrophone<GR_KIND_SHARE_AUDIO_SOURCE>;

/** Edits the frames of a camera or a share in place. */
class Filter : public Plugin {
 public:
  static constexpr std::uint32_t kind = GR_KIND_PRE_PROCESSOR;

  /** Edits a frame: I420, upright, in the agreed size. An exception leaves it out of the edited
   *  ones: the host delivers it, and counts it. Never overlaps set. [media] */
  virtual void process(Frame &frame) = 0;

  /** Frames have another size or rate from now on. An exception leaves them as they are, as does
   *  a filter that does not override it: the host scales them. [control] */
  virtual void on_property_change(const gr_capability &frames) {
    (void)frames;
    throw Error("this plugin accepts frames of one size", GR_STATUS_UNSUPPORTED);
  }

 private:
  friend class detail::Border;

  void edit(gr_mutable_frame &frame) override {
    const std::lock_guard<std::mutex> lock(content_);
    Frame edited(frame);
    process(edited);
  }
};

/** The declaration of an AudioFilter. */
struct AudioEditing {
  std::uint32_t channels = 2;     /**< of its blocks: 1 or 2 */
  std::uint32_t delay_frames = 0; /**< how much later a sample leaves than it came */
  bool takes_reference = false;   /**< whether blocks come with the session's incoming audio */
};

/** 10 ms of audio to edit, at 48 kHz. */
struct AudioBlock {
  std::int16_t *samples;         /**< frame_count * channels of them, interleaved */
  std::uint32_t frame_count;
  std::uint32_t channels;
  std::int64_t pts_ns;           /**< when the first sample is due, on the session clock */
  const std::int16_t *reference; /**< as many samples of incoming audio, or nullptr */
};

/** Edits the audio of a microphone, a share or a call's participants in place. */
class AudioFilter : public Plugin {
 public:
  static constexpr std::uint32_t kind = GR_KIND_AUDIO_PRE_PROCESSOR;

  /** Read once, after the first settings. [control] */
  virtual AudioEditing editing() const { return {}; }

  /** Edits a block; blocks come in order. After an exception the host plays it as it was, and counts
   *  it. Never overlaps set. [media] */
  virtual void process(const AudioBlock &block) = 0;

 private:
  friend class detail::Border;

  void edit(gr_audio_edit &block) override {
    const std::lock_guard<std::mutex> lock(content_);
    process({block.samples, block.frame_count, block.channels, block.pts_ns, block.reference});
  }

  gr_audio_pre_processor table_ = {};
};

/* ------------------------------------------------------------------------------------
 * Plugins that receive media
 * ---------------------------------------------------------------------------------- */

/** The base of outputs, composers and calls, which receive tracks. The functions never overlap each other, nor
 *  set and fill. */
class Taker {
 public:
  virtual ~Taker() = default;

  /** Answers what the plugin wants of a track: want has the last answer, at first nothing. Throw to
   *  refuse the track. [control] */
  virtual void on_track(const gr_track &track, gr_want &want) { (void)track, (void)want; }
  /** Takes a frame, which is valid until the return. An exception counts as a lost frame. [media] */
  virtual void on_video(const gr_output_frame &frame) { (void)frame; }
  /** Takes a block of audio, as on_video takes a frame. [media] */
  virtual void on_audio(const gr_output_block &block) { (void)block; }
  /** A participant's track has ended. [control] */
  virtual void on_track_ended(std::uint32_t track) { (void)track; }

 protected:
  /** Sets a value in the session's report. [any] */
  void report(const char *name, double value) const {
    if (requests_ != nullptr) accept(requests_->report(instance_, name, value));
  }
  /** Sets the state, GR_OUTPUT_..., with a text for people, or nullptr. [any] */
  void set_state(std::uint32_t state, const char *text = nullptr) const {
    if (requests_ != nullptr) accept(requests_->state(instance_, state, text));
  }
  /** Sets the most that the plugin can use of a video track; nullptr lifts the ceiling. [any] */
  void set_ceiling(std::uint32_t track, const gr_capability *ceiling, const char *why) const {
    if (requests_ != nullptr) accept(requests_->set_ceiling(instance_, track, ceiling, why));
  }
  /** Has on_track called again for each track. [any] */
  void wants_changed() const {
    if (requests_ != nullptr) accept(requests_->wants_changed(instance_));
  }
  /** Keeps the frame of the running on_video until release; false if too many are kept. [media] */
  bool keep(const gr_output_frame &frame) const {
    return requests_ != nullptr && requests_->keep(instance_, frame.id) == GR_STATUS_OK;
  }
  void release(std::uint64_t frame) const {
    if (requests_ != nullptr) accept(requests_->release(instance_, frame));
  }

 private:
  friend class detail::Border;

  /** Logs the reason of a refusal. */
  void accept(gr_status status) const {
    if (status != GR_STATUS_OK) host_.log(GR_LOG_WARNING, host_.refusal_text());
  }

  Host host_;
  gr_instance instance_ = 0;
  const gr_output_host *requests_ = nullptr;
};

/** Takes the session's media: a recording, a stream, a loudspeaker, a device. */
class Output : public Plugin, public Taker {
 public:
  static constexpr std::uint32_t kind = GR_KIND_OUTPUT;
};

/** Draws one video of the session's tracks, as a camera does. */
class Composer : public BasicCamera<GR_KIND_COMPOSER>, public Taker {};

/** A call: receives media as an output does, and brings participants with tracks. */
class Call : public Plugin, public Taker {
 public:
  static constexpr std::uint32_t kind = GR_KIND_CALL;

  /** The session's need for an open track from now on. [control] */
  virtual void on_demand(const gr_demand &demand) { (void)demand; }

 protected:
  /** A participant has joined. Throws if the host refuses the name. [any & sending] */
  std::uint32_t join(const std::string &name) const {
    std::uint32_t participant = 0;
    check(people().joined(instance_, name.c_str(), &participant));
    return participant;
  }
  /** A participant has left, and their tracks are closed. [any & sending] */
  void leave(std::uint32_t participant) const { check(people().left(instance_, participant)); }
  /** A track that is open. */
  struct OpenTrack {
    gr_sender id = 0; /**< as in gr_demand */
    VideoSender video;
    AudioSender audio;
  };
  /** Opens a participant's camera or share of up to a size and rate. [any & sending] */
  OpenTrack open_video(std::uint32_t participant, std::uint32_t track_kind,
                       const gr_capability &capability) const {
    const gr_open_track opened = open(participant, track_kind, capability);
    return {opened.sender,
            VideoSender(opened.video, opened.sender, GR_TRACK_REVISION, capability), {}};
  }
  /** Opens a participant's microphone or the audio of their share. [any & sending] */
  OpenTrack open_audio(std::uint32_t participant, std::uint32_t track_kind) const {
    const gr_open_track opened = open(participant, track_kind, {});
    return {opened.sender, {}, AudioSender(opened.audio, opened.sender, Plugin::host().audio_queue())};
  }
  void close(const OpenTrack &track) const { check(people().close_track(instance_, track.id)); }
  void set_muted(const OpenTrack &track, bool is_muted) const {
    check(people().set_muted(instance_, track.id, is_muted ? 1 : 0));
  }

 private:
  friend class detail::Border;

  const gr_call_host &people() const {
    if (people_ == nullptr) throw Error("the host knows no calls", GR_STATUS_UNSUPPORTED);
    return *people_;
  }
  gr_open_track open(std::uint32_t participant, std::uint32_t track_kind,
                     const gr_capability &capability) const {
    gr_open_track track = {};
    track.struct_size = sizeof track;
    track.participant = participant;
    track.kind = track_kind;
    track.capability = capability;
    check(people().open_track(instance_, &track));
    return track;
  }
  void check(gr_status status) const {
    if (status != GR_STATUS_OK) throw Error(host().refusal_text(), status);
  }

  gr_instance instance_ = 0;
  const gr_call_host *people_ = nullptr;
};

/* ------------------------------------------------------------------------------------
 * The C border
 * ---------------------------------------------------------------------------------- */

namespace detail {

/** Makes the C functions of an instance, out of which no exception leaves. */
class Border {
 public:
  static const gr_plugin *make(std::unique_ptr<Plugin> plugin, const gr_descriptor *descriptor,
                               const gr_create &in) {
    plugin->host_ = Host(in.host, in.instance);
    plugin->descriptor_ = descriptor;
    if (auto *taker = dynamic_cast<Taker *>(plugin.get())) {
      taker->host_ = plugin->host_;
      taker->instance_ = in.instance;
      taker->requests_ = static_cast<const gr_output_host *>(
          in.host->get_extension(in.instance, GR_EXT_OUTPUT_HOST));
    }
    if (auto *call = dynamic_cast<Call *>(plugin.get())) {
      call->instance_ = in.instance;
      call->people_ = static_cast<const gr_call_host *>(
          in.host->get_extension(in.instance, GR_EXT_CALL_HOST));
    }
    for (std::uint32_t i = 0; i < in.setting_count; i++) plugin->apply(Setting(in.settings[i]));
    gr_plugin &made = plugin->functions_;
    made.struct_size = sizeof made;
    made.destroy = [](void *self) noexcept { delete at(self); };
    made.initialize = [](void *self, const gr_initialize *with) noexcept {
      return answering(self, [with](Plugin &of) { of.initialize(*with); });
    };
    made.property_change = [](void *self, const gr_offer *offer, gr_answer *answer) noexcept {
      gr_status status = GR_STATUS_OK;
      const gr_status caught = answering(
          self, [&](Plugin &of) { status = of.change(*offer, *answer); });
      return caught == GR_STATUS_OK ? status : caught;
    };
    made.start_send = [](void *self) noexcept {
      return answering(self, [](Plugin &of) { of.start(); });
    };
    made.stop_send = [](void *self) noexcept {
      (void)answering(self, [](Plugin &of) { of.stop(); });
    };
    made.uninitialize = [](void *self) noexcept {
      (void)answering(self, [](Plugin &of) { of.on_uninitialize(); });
    };
    made.get_extension = extension;
    if (auto *filter = dynamic_cast<AudioFilter *>(plugin.get())) {
      const AudioEditing said = filter->editing();
      filter->table_ = {sizeof filter->table_, said.channels, said.delay_frames,
                        said.takes_reference ? GR_AUDIO_EDIT_REFERENCE : 0u,
                        [](void *of, gr_audio_edit *block) noexcept {
                          return edits(of, [block](Plugin &editor) { editor.edit(*block); });
                        }};
    }
    made.self = plugin.release();
    return &made;
  }

 private:
  static Plugin *at(void *self) noexcept { return static_cast<Plugin *>(self); }

  template <class Call>
  static gr_status answering(void *self, Call call) noexcept {
    Plugin &plugin = *at(self);
    return catching([&] { call(plugin); },
                    [&](gr_status, const char *text) { plugin.host_.set_error(text); });
  }

  /** Calls an edit, or passes media. Not a control callback, so there is no set_error: the log has the reason, once
   *  in a row. [media] */
  template <class Call>
  static gr_status edits(void *self, Call call) noexcept {
    Plugin &plugin = *at(self);
    return catching([&] { call(plugin); },
                    [&](gr_status, const char *text) {
                      if (std::strncmp(plugin.failure_, text, sizeof plugin.failure_ - 1) == 0)
                        return;
                      std::strncpy(plugin.failure_, text, sizeof plugin.failure_ - 1);
                      plugin.host_.log(GR_LOG_WARNING, text);
                    });
  }

  /** Calls a function of a plugin that receives media. */
  template <class Function>
  static void locked(Plugin &plugin, Function function) {
    const std::lock_guard<std::mutex> lock(plugin.content_);
    if (auto *taker = dynamic_cast<Taker *>(&plugin)) function(*taker);
  }

  static void change(Plugin &plugin, const gr_setting &setting) {
    const gr_descriptor &descriptor = *plugin.descriptor_;
    for (std::uint32_t i = 0; i < descriptor.parameter_count; i++) {
      const gr_parameter &known = descriptor.parameters[i];
      if (std::strcmp(known.name, setting.name) == 0 && (known.flags & GR_PARAMETER_LIVE) != 0)
        return plugin.apply(Setting(setting));
    }
    throw Error("no setting of this name may change while the plugin lives", GR_STATUS_BAD_SETTING);
  }

  static const void *extension(void *self, const char *id) noexcept {
    static const gr_live_parameters live = {
        sizeof live, 0, [](void *of, const gr_setting *setting) noexcept {
          return answering(of, [setting](Plugin &plugin) { change(plugin, *setting); });
        }};
    static const gr_pre_processor editing = {
        sizeof editing, 0, [](void *of, gr_mutable_frame *frame) noexcept {
          return edits(of, [frame](Plugin &plugin) { plugin.edit(*frame); });
        }};
    static const gr_pre_processor_property_change changing = {
        sizeof changing, 0, [](void *of, const gr_offer *offer) noexcept {
          return answering(of, [offer](Plugin &plugin) {
            auto &filter = static_cast<Filter &>(plugin);
            const std::lock_guard<std::mutex> lock(filter.content_);
            filter.on_property_change(offer->suggested);
          });
        }};
    static const gr_output taking = {
        sizeof taking, 0,
        [](void *of, const gr_track *track, gr_want *want) noexcept {
          return answering(of, [&](Plugin &plugin) {
            locked(plugin, [&](Taker &taker) { taker.on_track(*track, *want); });
          });
        },
        [](void *of, const gr_output_frame *frame) noexcept {
          return edits(of, [frame](Plugin &plugin) {
            locked(plugin, [frame](Taker &taker) { taker.on_video(*frame); });
          });
        },
        [](void *of, const gr_output_block *block) noexcept {
          return edits(of, [block](Plugin &plugin) {
            locked(plugin, [block](Taker &taker) { taker.on_audio(*block); });
          });
        },
        [](void *of, std::uint32_t track) noexcept {
          (void)answering(of, [track](Plugin &plugin) {
            locked(plugin, [track](Taker &taker) { taker.on_track_ended(track); });
          });
        }};
    static const gr_call demanding = {
        sizeof demanding, 0, [](void *of, const gr_demand *demand) noexcept {
          (void)answering(of, [demand](Plugin &plugin) {
            const std::lock_guard<std::mutex> lock(plugin.content_);
            static_cast<Call &>(plugin).on_demand(*demand);
          });
        }};
    if (std::strcmp(id, GR_EXT_LIVE_PARAMETERS) == 0) return &live;
    if (std::strcmp(id, GR_EXT_OUTPUT) == 0)
      return dynamic_cast<Taker *>(at(self)) != nullptr ? &taking : nullptr;
    if (std::strcmp(id, GR_EXT_CALL) == 0)
      return dynamic_cast<Call *>(at(self)) != nullptr ? &demanding : nullptr;
    if (auto *filter = dynamic_cast<AudioFilter *>(at(self)))
      return std::strcmp(id, GR_EXT_AUDIO_PRE_PROCESSOR) == 0 ? &filter->table_ : nullptr;
    if (dynamic_cast<Filter *>(at(self)) == nullptr) return nullptr;
    if (std::strcmp(id, GR_EXT_PRE_PROCESSOR) == 0) return &editing;
    return std::strcmp(id, GR_EXT_PRE_PROCESSOR_PROPERTY_CHANGE) == 0 ? &changing : nullptr;
  }
};

/** A plugin's description in C; it stays for as long as the process lives. */
class Descriptor {
 public:
  template <class Type>
  static const gr_descriptor *of() {
    // Never freed: threads of the host may read it while the process ends.
    static const Descriptor &only = *new Descriptor(Type::description(), Type::kind);
    return &only.descriptor_;
  }

 private:
  Descriptor(Description description, std::uint32_t kind) : said_(std::move(description)) {
    for (const Parameter &said : said_.parameters) {
      std::vector<const char *> &names = choices_.emplace_back();
      for (const std::string &choice : said.choices_) names.push_back(choice.c_str());
      gr_parameter made = {};
      made.struct_size = sizeof made;
      made.type = said.type_;
      made.flags = said.flags_;
      made.choice_count = static_cast<std::uint32_t>(names.size());
      made.name = said.name_.c_str();
      made.title = said.title_.c_str();
      made.unit = said.unit_.empty() ? nullptr : said.unit_.c_str();
      made.choices = names.empty() ? nullptr : names.data();
      made.default_value.type = said.type_;
      made.default_value.integer = said.integer_;
      made.default_value.number = said.number_;
      const bool has_text = said.type_ >= GR_TYPE_STRING && !(said.flags_ & GR_PARAMETER_REQUIRED);
      made.default_value.string = has_text ? said.text_.c_str() : nullptr;
      made.minimum = said.minimum_;
      made.maximum = said.maximum_;
      parameters_.push_back(made);
    }
    descriptor_.struct_size = sizeof descriptor_;
    descriptor_.kind = kind;
    descriptor_.id = said_.id.c_str();
    descriptor_.name = said_.name.c_str();
    descriptor_.version = said_.version.c_str();
    descriptor_.summary = said_.summary.c_str();
    descriptor_.parameters = parameters_.empty() ? nullptr : parameters_.data();
    descriptor_.parameter_count = static_cast<std::uint32_t>(parameters_.size());
    descriptor_.needs = said_.needs;
  }

  Description said_;
  std::vector<std::vector<const char *>> choices_;
  std::vector<gr_parameter> parameters_;
  gr_descriptor descriptor_ = {};
};

/** The entry of a library with some plugins. */
template <class... Plugins>
class Library {
 public:
  static const gr_entry *entry() noexcept {
    static const gr_entry only = {
        sizeof only, GR_ABI_MAJOR, GR_ABI_MINOR, sizeof...(Plugins), 0, descriptor, create};
    return &only;
  }

 private:
  static const gr_descriptor *descriptor(std::uint32_t index) noexcept {
    const gr_descriptor *found = nullptr;
    if (index < sizeof...(Plugins))
      (void)catching([&] { found = all()[index].descriptor(); }, [](gr_status, const char *) {});
    return found;
  }

  static gr_status create(std::uint32_t index, const gr_create *in,
                          const gr_plugin **plugin) noexcept {
    if (index >= sizeof...(Plugins)) return GR_STATUS_BAD_ARGUMENT;
    const Entry entry = all()[index];
    return catching([&] { *plugin = Border::make(entry.make(), entry.descriptor(), *in); },
                    [in](gr_status, const char *text) {
                      in->host->set_error(in->instance, text);
                    });
  }

  struct Entry {
    const gr_descriptor *(*descriptor)();
    std::unique_ptr<Plugin> (*make)();
  };

  template <class Type>
  static std::unique_ptr<Plugin> make() {
    return std::make_unique<Type>();
  }

  static std::array<Entry, sizeof...(Plugins)> all() {
    return {Entry{&Descriptor::of<Plugins>, &make<Plugins>}...};
  }
};

}  // namespace detail

}  // namespace greenroom

/** Exports plugins: the entry of the library. */
#define GREENROOM_PLUGINS(...)                                                                    \
  extern "C" GR_EXPORT const gr_entry *greenroom_plugin_entry(void);                              \
  extern "C" const gr_entry *greenroom_plugin_entry(void) {                                       \
    return greenroom::detail::Library<__VA_ARGS__>::entry();                                              \
  }

#endif
