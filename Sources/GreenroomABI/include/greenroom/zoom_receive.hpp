/*
 * greenroom/zoom_receive.hpp - the receiving half of zoom_style.hpp
 *
 * zoom_style.hpp includes it. An app that joins a session and receives its media becomes an output. The
 * app's code that joins runs on a separate thread, so it may block, for example in a main loop:
 *
 *   #include <greenroom/zoom_style.hpp>
 *   ... class Listener : public ZOOMVIDEOSDK::IZoomVideoSDKDelegate { ... };
 *   ... void join() { ... video_sdk->joinSession(context); }
 *   GREENROOM_ZOOM_APP(join(), "com.example.recorder", "Recorder")
 *
 * The participants of the session's call are the users. The session's own camera and share belong to
 * IZoomVideoSDKSession::getMyself. Mixed audio is the sum of the participants' audio. All audio is 16-bit,
 * mono, 32000 Hz, in blocks of 10 ms.
 *
 * A user's video has the size of the largest subscription, in the shape of the track, and is never
 * enlarged. The callbacks of an app never overlap, and no callback of a listener runs once unSubscribe has
 * returned. Objects of the SDKs, such as users and pipes, are never freed.
 *
 * A process has one app at a time. The sources of its session context are other plugins: declare each with
 * GREENROOM_ZOOM_SOURCE.
 */
#ifndef GREENROOM_ZOOM_RECEIVE_HPP
#define GREENROOM_ZOOM_RECEIVE_HPP

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <set>

/** Text of the SDKs. */
typedef char zchar_t;

/** A block of audio, valid until the callback returns. A reference keeps it for longer. */
class AudioRawData {
 public:
  virtual ~AudioRawData() = default;
  virtual bool CanAddRef() = 0;
  virtual bool AddRef() = 0;
  /** Returns how many references are left. */
  virtual int Release() = 0;
  /** 16-bit, interleaved. */
  virtual char *GetBuffer() = 0;
  /** In bytes. */
  virtual unsigned int GetBufferLen() = 0;
  virtual unsigned int GetSampleRate() = 0;
  virtual unsigned int GetChannelNum() = 0;
  /** Milliseconds on the session's clock. */
  virtual unsigned long long GetTimeStamp() = 0;
};

/** A frame without padding, valid until the callback returns. A reference keeps it for longer. */
class YUVRawDataI420 {
 public:
  virtual ~YUVRawDataI420() = default;
  virtual bool CanAddRef() = 0;
  virtual bool AddRef() = 0;
  /** Returns how many references are left. */
  virtual int Release() = 0;
  virtual char *GetYBuffer() = 0;
  virtual char *GetUBuffer() = 0;
  virtual char *GetVBuffer() = 0;
  /** Always null. */
  virtual char *GetAlphaBuffer() = 0;
  /** Y, then U, then V. */
  virtual char *GetBuffer() = 0;
  /** In bytes. */
  virtual unsigned int GetBufferLen() = 0;
  virtual unsigned int GetStreamWidth() = 0;
  virtual unsigned int GetStreamHeight() = 0;
  /** Always 0: the host turns frames upright. */
  virtual unsigned int GetRotation() = 0;
  /** The id of the track. */
  virtual unsigned int GetSourceID() = 0;
  virtual bool IsLimitedI420() = 0;
  /** Milliseconds on the session's clock. */
  virtual unsigned long long GetTimeStamp() = 0;
};

/* ------------------------------------------------------------------------------------
 * The room: shared by both SDKs
 * ---------------------------------------------------------------------------------- */

namespace greenroom {
namespace zoom {

/** Data with a count of its references. */
template <class Data>
class Counted : public Data {
 public:
  bool CanAddRef() override { return true; }
  bool AddRef() override {
    references_.fetch_add(1);
    return true;
  }
  int Release() override {
    const int left = references_.fetch_sub(1) - 1;
    if (left == 0) delete this;
    return left;
  }

 private:
  std::atomic<int> references_{1};
};

class ReceivedAudio final : public Counted<AudioRawData> {
 public:
  explicit ReceivedAudio(const gr_audio_block &block)
      : samples_(block.samples, block.samples + block.frame_count * block.channels),
        rate_(block.sample_rate_hz), channels_(block.channels), time_ns_(block.pts_ns) {}

  char *GetBuffer() override { return reinterpret_cast<char *>(samples_.data()); }
  unsigned int GetBufferLen() override { return static_cast<unsigned int>(samples_.size() * 2); }
  unsigned int GetSampleRate() override { return rate_; }
  unsigned int GetChannelNum() override { return channels_; }
  unsigned long long GetTimeStamp() override {
    return static_cast<unsigned long long>(time_ns_ / 1000000);
  }

 private:
  std::vector<std::int16_t> samples_;
  unsigned int rate_, channels_;
  std::int64_t time_ns_;
};

class ReceivedFrame final : public Counted<YUVRawDataI420> {
 public:
  ReceivedFrame(const gr_video_frame &frame, std::uint32_t track)
      : width_(frame.width), height_(frame.height), track_(track),
        is_limited_(frame.info.range == GR_RANGE_LIMITED), time_ns_(frame.info.pts_ns) {
    bytes_.reserve(static_cast<std::size_t>(
        gr_packed_size(GR_FORMAT_I420, frame.width, frame.height)));
    for (std::uint32_t plane = 0; plane < 3; plane++) {
      planes_[plane] = bytes_.size();
      const auto size = gr_row_bytes(GR_FORMAT_I420, plane, frame.width);
      const auto rows = gr_plane_rows(GR_FORMAT_I420, plane, frame.height);
      const gr_plane &from = frame.planes[plane];
      for (std::uint32_t row = 0; row < rows; row++) {
        const auto *start = from.data + static_cast<std::size_t>(row) * from.stride_bytes;
        bytes_.insert(bytes_.end(), start, start + size);
      }
    }
  }

  char *GetYBuffer() override { return bytes_.data() + planes_[0]; }
  char *GetUBuffer() override { return bytes_.data() + planes_[1]; }
  char *GetVBuffer() override { return bytes_.data() + planes_[2]; }
  char *GetAlphaBuffer() override { return nullptr; }
  char *GetBuffer() override { return bytes_.data(); }
  unsigned int GetBufferLen() override { return static_cast<unsigned int>(bytes_.size()); }
  unsigned int GetStreamWidth() override { return width_; }
  unsigned int GetStreamHeight() override { return height_; }
  unsigned int GetRotation() override { return 0; }
  unsigned int GetSourceID() override { return track_; }
  bool IsLimitedI420() override { return is_limited_; }
  unsigned long long GetTimeStamp() override {
    return static_cast<unsigned long long>(time_ns_ / 1000000);
  }

 private:
  std::vector<char> bytes_;
  std::size_t planes_[3] = {};
  unsigned int width_, height_, track_;
  bool is_limited_;
  std::int64_t time_ns_;
};

/** Takes a track's frames. */
struct Viewer {
  const void *listener;
  unsigned int lines;
  std::function<void(YUVRawDataI420 *)> frame;
  std::function<void(bool)> status;
};

/** A video track of a person, and its viewers. */
struct Pipe {
  std::uint32_t track = 0; /**< 0: there is none */
  bool is_on = false;
  std::vector<Viewer> viewers;
};

/** A participant of the call; the number 0 is the session itself. */
struct Person {
  std::uint32_t number = 0;
  std::string name, id;
  bool is_here = false, is_leaving = false, has_left = false;
  Pipe camera, share;
  /** The ids of audio tracks; 0: there is none. Somebody's mix-minus is there for as long as they are. */
  std::uint32_t microphone = 0, share_audio = 0, presence = 0;
};

/** An SDK's object that gets a room's events, one at a time. */
class RoomListener {
 public:
  virtual ~RoomListener() = default;
  /** Whether it receives audio. */
  virtual bool hears() const = 0;
  virtual void began() = 0;
  virtual void ended() = 0;
  virtual void joined(Person &) {}
  virtual void left(Person &) {}
  virtual void camera_changed(Person &) {}
  virtual void microphone_changed(Person &) {}
  virtual void share_changed(Person &) {}
  virtual void mixed(AudioRawData *) {}
  virtual void one_way(AudioRawData *, Person &) {}
  virtual void shared(AudioRawData *, Person &) {}
};

/** The people of a session, and what an app receives of them. It is never freed, since threads of the app
    may use it. */
class Room {
 public:
  /** The room of the app that runs, or null. */
  static Room *current() { return newest().load(); }
  /** Makes a room the current one; false if there is another. */
  static bool claim(Room *room) {
    Room *none = nullptr;
    return newest().compare_exchange_strong(none, room);
  }
  static void release_current() { newest().store(nullptr); }

  Room(Host host, std::function<void()> wants_changed)
      : host_(host), wants_changed_(std::move(wants_changed)) {
    people_[0].is_here = true;
  }

  /** Logs once why a call has no effect. */
  void explain(const std::string &text) {
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    if (explained_.insert(text).second) host_.log(GR_LOG_INFO, text);
  }

  /** Held while an event is delivered. The app's own calls take it, too, so a listener can go as soon as
      its unSubscribe has returned. */
  std::recursive_mutex mutex;

  /** Waits until the app has joined, or its code has returned. */
  void wait_for_app() {
    std::unique_lock<std::mutex> lock(start_mutex_);
    start_.wait(lock, [this] { return is_ready_; });
  }
  void app_is_ready() {
    const std::lock_guard<std::mutex> lock(start_mutex_);
    is_ready_ = true;
    start_.notify_all();
  }

  bool is_joined() const { return is_joined_; }
  Person &myself() { return people_[0]; }
  /** Everybody else who is here. */
  std::vector<Person *> others() {
    std::vector<Person *> found;
    for (auto &[number, person] : people_)
      if (number != 0 && person.is_here) found.push_back(&person);
    return found;
  }
  /** Null for somebody who is not here. */
  Person *find(std::uint32_t number) {
    const auto found = people_.find(number);
    return found == people_.end() || !found->second.is_here ? nullptr : &found->second;
  }

  /** The app has joined: it gets events from the session's start on. */
  void join(RoomListener *listener) {
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    listener_ = listener;
    is_joined_ = true;
    if (is_running_) begin();
    app_is_ready();
  }
  void leave() {
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    if (!std::exchange(is_joined_, false)) return;
    for (auto &entry : people_)
      for (Pipe *pipe : {&entry.second.camera, &entry.second.share}) pipe->viewers.clear();
    if (is_running_) listener_->ended();
    changed();
  }
  /** Has the host ask again which tracks the app takes. */
  void changed() {
    if (wants_changed_) wants_changed_();
  }

  bool subscribe(Pipe &pipe, Viewer viewer) {
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    if (viewer.listener == nullptr || !is_joined_) return false;
    remove(pipe, viewer.listener);
    pipe.viewers.push_back(std::move(viewer));
    if (pipe.is_on) pipe.viewers.back().status(true);
    changed();
    return true;
  }
  void unsubscribe(Pipe &pipe, const void *listener) {
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    remove(pipe, listener);
    changed();
  }

  /* Events of the session. */

  void start() {
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    is_running_ = true;
    if (is_joined_) begin();
  }
  void stop() {
    leave();
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    is_running_ = false;
  }
  /** The output is gone. */
  void detach() {
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    wants_changed_ = nullptr;
  }

  void track(const gr_track &track, gr_want &want) {
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    want.is_wanted = 0;
    answer(track, want);
    if (want.is_wanted != 0)
      wanted_.insert(track.id);
    else
      wanted_.erase(track.id);
  }

  void video(const gr_output_frame &frame) {
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    Pipe *pipe = pipe_of(frame.track);
    if (pipe == nullptr) return;
    const bool is_on = frame.content == GR_CONTENT_NEW || frame.content == GR_CONTENT_REPEATED;
    set(*pipe, is_on);
    if (!is_on || pipe->viewers.empty()) return;
    auto *data = new ReceivedFrame(frame.frame, frame.track);
    each(*pipe, [data](Viewer &viewer) { viewer.frame(data); });
    data->Release();
  }

  void audio(const gr_output_block &block) {
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    if (!is_live()) return;
    if (block.track == incoming_)
      return give(block, [this](AudioRawData *data) { listener_->mixed(data); });
    for (auto &entry : people_) {
      Person &person = entry.second;
      if (!person.is_here) continue;
      if (block.track == person.microphone)
        return give(block, [&](AudioRawData *data) { listener_->one_way(data, person); });
      if (block.track == person.share_audio)
        return give(block, [&](AudioRawData *data) { listener_->shared(data, person); });
    }
  }

  void gone(std::uint32_t track) {
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    wanted_.erase(track);
    for (auto &entry : people_) {
      Person &person = entry.second;
      if (track == person.camera.track) end(person.camera, person, &RoomListener::camera_changed);
      if (track == person.share.track) end(person.share, person, &RoomListener::share_changed);
      if (track == person.share_audio) person.share_audio = 0;
      if (track == person.presence) person.is_leaving = true;
      if (track == person.microphone) {
        person.microphone = 0;
        tell(&RoomListener::microphone_changed, person);
      }
      if (person.is_here && person.is_leaving) leave_if_done(person);
    }
  }

 private:
  using Event = void (RoomListener::*)(Person &);

  static std::atomic<Room *> &newest() {
    static std::atomic<Room *> room{nullptr};
    return room;
  }

  bool is_live() const { return is_joined_ && is_running_; }

  void answer(const gr_track &track, gr_want &want) {
    if (track.kind == GR_TRACK_INCOMING) {
      incoming_ = track.id;
      return hear(want);
    }
    if (track.kind > GR_TRACK_SHARE_AUDIO && track.kind != GR_TRACK_MIX_MINUS) return;
    Person &person = people_[track.participant];
    // Their last tracks may close later.
    if (person.has_left) return;
    if (!person.is_here) {
      person.number = track.participant;
      person.name = track.participant_name == nullptr ? "" : track.participant_name;
      person.id = std::to_string(track.participant);
      person.is_here = true;
      if (is_live()) listener_->joined(person);
    }
    switch (track.kind) {
      case GR_TRACK_CAMERA:
        note(person.camera.track, track, person, &RoomListener::camera_changed);
        return see(person.camera, track, want);
      case GR_TRACK_SHARE:
        note(person.share.track, track, person, &RoomListener::share_changed);
        return see(person.share, track, want);
      case GR_TRACK_MICROPHONE:
        note(person.microphone, track, person, &RoomListener::microphone_changed);
        return track.participant == 0 ? void() : hear(want);
      case GR_TRACK_SHARE_AUDIO:
        person.share_audio = track.id;
        return track.participant == 0 ? void() : hear(want);
      default: break;
    }
    // After its end they have left.
    person.presence = track.id;
    want.is_wanted = 1;
    want.sample_rate_hz = 8000;
    want.channels = 1;
    want.block_frames = 800;
  }

  void tell(Event event, Person &person) {
    if (is_live()) (listener_->*event)(person);
  }

  /** Delivers the events that the app missed. */
  void begin() {
    listener_->began();
    tell(&RoomListener::microphone_changed, myself());
    for (auto &entry : people_) {
      Person &person = entry.second;
      if (!person.is_here) continue;
      if (person.number != 0) tell(&RoomListener::joined, person);
      if (person.camera.track != 0) tell(&RoomListener::camera_changed, person);
      if (person.share.track != 0) tell(&RoomListener::share_changed, person);
      if (person.microphone != 0 && person.number != 0) tell(&RoomListener::microphone_changed, person);
    }
    changed();
  }

  void note(std::uint32_t &id, const gr_track &track, Person &person, Event event) {
    if (std::exchange(id, track.id) != track.id) tell(event, person);
  }

  void end(Pipe &pipe, Person &person, Event event) {
    set(pipe, false);
    pipe.track = 0;
    tell(event, person);
  }

  /** Somebody whose mix-minus has ended leaves with the last block and frame that the app takes of them. */
  void leave_if_done(Person &person) {
    for (const std::uint32_t track : {person.microphone, person.share_audio})
      if (wanted_.count(track) != 0) return;
    for (const Pipe *pipe : {&person.camera, &person.share})
      if (!pipe->viewers.empty() && wanted_.count(pipe->track) != 0) return;
    if (person.camera.track != 0) end(person.camera, person, &RoomListener::camera_changed);
    if (person.share.track != 0) end(person.share, person, &RoomListener::share_changed);
    tell(&RoomListener::left, person);
    person.is_here = false;
    person.has_left = true;
  }

  void hear(gr_want &want) const {
    if (!is_joined_ || !listener_->hears()) return;
    want.is_wanted = 1;
    want.sample_rate_hz = 32000;
    want.channels = 1;
    want.block_frames = 320;
  }

  void see(const Pipe &pipe, const gr_track &track, gr_want &want) const {
    unsigned int lines = 0;
    for (const Viewer &viewer : pipe.viewers) lines = std::max(lines, viewer.lines);
    if (lines == 0) return;
    want.is_wanted = 1;
    want.format = GR_FORMAT_I420;
    want.capability = {};
    const auto &most = track.capability;
    if (most.height == 0) {
      want.capability.width = lines * 16 / 9;
      want.capability.height = lines;
    } else if (most.height > lines) {
      const auto width = static_cast<std::uint64_t>(most.width) * lines / most.height;
      want.capability.width = std::max(static_cast<std::uint32_t>(width / 2 * 2), 2u);
      want.capability.height = lines;
    }
  }

  Pipe *pipe_of(std::uint32_t track) {
    for (auto &entry : people_)
      for (Pipe *pipe : {&entry.second.camera, &entry.second.share})
        if (pipe->track == track) return pipe;
    return nullptr;
  }

  void set(Pipe &pipe, bool is_on) {
    if (std::exchange(pipe.is_on, is_on) == is_on) return;
    each(pipe, [is_on](Viewer &viewer) { viewer.status(is_on); });
  }

  /** Calls each viewer that is still there when its turn comes. */
  template <class Call>
  void each(Pipe &pipe, Call call) {
    const auto viewers = pipe.viewers;
    for (Viewer viewer : viewers)
      if (std::any_of(pipe.viewers.begin(), pipe.viewers.end(), [&](const Viewer &other) {
            return other.listener == viewer.listener;
          }))
        call(viewer);
  }

  template <class Call>
  static void give(const gr_output_block &block, Call call) {
    auto *data = new ReceivedAudio(block.block);
    call(data);
    data->Release();
  }

  static void remove(Pipe &pipe, const void *listener) {
    pipe.viewers.erase(
        std::remove_if(pipe.viewers.begin(), pipe.viewers.end(),
                       [=](const Viewer &viewer) { return viewer.listener == listener; }),
        pipe.viewers.end());
  }

  std::mutex start_mutex_;
  std::condition_variable start_;
  bool is_ready_ = false;

  Host host_;
  std::set<std::string> explained_;
  std::function<void()> wants_changed_;
  std::map<std::uint32_t, Person> people_;
  std::set<std::uint32_t> wanted_;
  RoomListener *listener_ = nullptr;
  bool is_joined_ = false, is_running_ = false;
  std::uint32_t incoming_ = 0;
};

/** The fix for a source that an app gives to an SDK. */
inline std::string source_advice(const std::string &place) {
  return "declare the source with GREENROOM_ZOOM_SOURCE, and name that plugin under '" + place +
         "' in the session file";
}

/** A list of either SDK. */
template <class List, class Item>
class Items final : public List {
 public:
  explicit Items(std::vector<Item> items) : items_(std::move(items)) {}
  int GetCount() const override { return static_cast<int>(items_.size()); }
  Item GetItem(int index) override {
    return index < 0 || index >= GetCount() ? Item() : items_[static_cast<std::size_t>(index)];
  }

 private:
  std::vector<Item> items_;
};

/** An app that receives, as an output. Start calls the code that joins. */
template <class Start>
class Receiver : public Output {
 public:
  void on_initialize() override {
    auto room = std::make_unique<Room>(host(), [this] { wants_changed(); });
    // Two outputs may initialize at the same time.
    if (!Room::claim(room.get()))
      throw Error("a process has one app of Zoom's SDKs at a time: set isolation: process",
                  GR_STATUS_UNAVAILABLE);
    room_ = room.release();
    std::thread([room = room_, host = host()] {
      (void)detail::catching([] { Start::start(); }, [host](gr_status status, const char *text) {
        host.give_up(status, text);
      });
      room->app_is_ready();
    }).detach();
    room_->wait_for_app();
    if (!room_->is_joined())
      host().log(GR_LOG_WARNING, "the app has not joined a session yet: it receives nothing until it does");
  }
  void on_start() override { room_->start(); }
  void on_stop() override { room_->stop(); }
  void on_uninitialize() override { detach(); }
  ~Receiver() override { detach(); }

  void on_track(const gr_track &track, gr_want &want) override { room_->track(track, want); }
  void on_video(const gr_output_frame &frame) override { room_->video(frame); }
  void on_audio(const gr_output_block &block) override { room_->audio(block); }
  void on_track_ended(std::uint32_t track) override { room_->gone(track); }

 private:
  void detach() {
    if (room_ == nullptr) return;
    room_->detach();
    Room::release_current();
    room_ = nullptr;
  }

  Room *room_ = nullptr;
};

}  // namespace zoom
}  // namespace greenroom

/* ------------------------------------------------------------------------------------
 * The Video SDK
 * ---------------------------------------------------------------------------------- */

namespace ZOOMVIDEOSDK {

using ::AudioRawData;
using ::YUVRawDataI420;

/** Lines of a frame. */
enum ZoomVideoSDKResolution {
  ZoomVideoSDKResolution_90P = 0,
  ZoomVideoSDKResolution_180P,
  ZoomVideoSDKResolution_360P,
  ZoomVideoSDKResolution_720P,
  ZoomVideoSDKResolution_1080P,
  ZoomVideoSDKResolution_NoUse = 100,
  ZoomVideoSDKResolution_Auto = 100
};

/** Whether a user's video is sent. */
enum RawDataStatus { RawData_On, RawData_Off };

/** Has no effect: data is copied. */
enum ZoomVideoSDKRawDataMemoryMode {
  ZoomVideoSDKRawDataMemoryModeStack,
  ZoomVideoSDKRawDataMemoryModeHeap
};

/** The connection of a user's audio. */
enum ZoomVideoSDKAudioType {
  ZoomVideoSDKAudioType_VOIP,
  ZoomVideoSDKAudioType_TELEPHONY,
  ZoomVideoSDKAudioType_None
};

/** The state of a user's share. */
enum ZoomVideoSDKShareStatus {
  ZoomVideoSDKShareStatus_None,
  ZoomVideoSDKShareStatus_Start,
  ZoomVideoSDKShareStatus_Pause,
  ZoomVideoSDKShareStatus_Resume,
  ZoomVideoSDKShareStatus_Stop
};

/** The content of a share. */
enum ZoomVideoSDKShareType { ZoomVideoSDKShareType_None, ZoomVideoSDKShareType_Normal };

/** A user's camera. */
struct ZoomVideoSDKVideoStatus {
  bool isHasVideoDevice = false;
  bool isOn = false;
};

/** A user's audio. */
struct ZoomVideoSDKAudioStatus {
  ZoomVideoSDKAudioType audioType = ZoomVideoSDKAudioType_None;
  bool isMuted = true;
  bool isTalking = false;
};

/** Gets a pipe's frames. [media] */
class IZoomVideoSDKRawDataPipeDelegate {
 public:
  virtual ~IZoomVideoSDKRawDataPipeDelegate() = default;
  virtual void onRawDataFrameReceived(YUVRawDataI420 *data) = 0;
  virtual void onRawDataStatusChanged(RawDataStatus status) = 0;
};

/** Sends a user's video or share to its listeners. [any] */
class IZoomVideoSDKRawDataPipe {
 public:
  IZoomVideoSDKRawDataPipe(greenroom::zoom::Room &room, greenroom::zoom::Pipe &pipe)
      : room_(room), pipe_(pipe) {}

  ZoomVideoSDKErrors subscribe(ZoomVideoSDKResolution resolution,
                               IZoomVideoSDKRawDataPipeDelegate *listener) {
    static const unsigned int lines[] = {90, 180, 360, 720, 1080};
    const auto index = static_cast<std::size_t>(resolution);
    const bool is_added = room_.subscribe(
        pipe_, {listener, index < 5 ? lines[index] : 1080u,
                [=](YUVRawDataI420 *data) { listener->onRawDataFrameReceived(data); },
                [=](bool is_on) {
                  listener->onRawDataStatusChanged(is_on ? RawData_On : RawData_Off);
                }});
    return is_added ? ZoomVideoSDKErrors_Success : ZoomVideoSDKErrors_Wrong_Usage;
  }
  ZoomVideoSDKErrors unSubscribe(IZoomVideoSDKRawDataPipeDelegate *listener) {
    room_.unsubscribe(pipe_, listener);
    return ZoomVideoSDKErrors_Success;
  }
  ZoomVideoSDKVideoStatus getVideoStatus() {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    return {pipe_.track != 0, pipe_.track != 0};
  }
  ZoomVideoSDKShareStatus getShareStatus() {
    return getVideoStatus().isOn ? ZoomVideoSDKShareStatus_Start : ZoomVideoSDKShareStatus_None;
  }

 private:
  greenroom::zoom::Room &room_;
  greenroom::zoom::Pipe &pipe_;
};

/** A participant. [any] */
class IZoomVideoSDKUser {
 public:
  IZoomVideoSDKUser(greenroom::zoom::Room &room, greenroom::zoom::Person &person)
      : room_(room), person_(person), video_(room, person.camera), share_(room, person.share) {}

  const zchar_t *getUserName() { return person_.name.c_str(); }
  const zchar_t *getUserID() { return person_.id.c_str(); }
  const zchar_t *getCustomIdentity() { return ""; }
  bool isHost() { return person_.number == 0; }
  bool isManager() { return false; }
  IZoomVideoSDKRawDataPipe *GetVideoPipe() { return &video_; }
  IZoomVideoSDKRawDataPipe *GetSharePipe() { return &share_; }
  IVideoSDKVector<IZoomVideoSDKRawDataPipe *> *getMultiCameraStreamList() { return &none_; }
  ZoomVideoSDKVideoStatus getVideoStatus() { return video_.getVideoStatus(); }
  ZoomVideoSDKShareStatus getShareStatus() { return share_.getShareStatus(); }
  ZoomVideoSDKAudioStatus getAudioStatus() {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    if (person_.microphone == 0) return {};
    return {ZoomVideoSDKAudioType_VOIP, false, false};
  }

 private:
  greenroom::zoom::Room &room_;
  greenroom::zoom::Person &person_;
  IZoomVideoSDKRawDataPipe video_, share_;
  greenroom::zoom::Items<IVideoSDKVector<IZoomVideoSDKRawDataPipe *>, IZoomVideoSDKRawDataPipe *> none_{{}};
};

/** A user's share. */
class IZoomVideoSDKShareAction {
 public:
  explicit IZoomVideoSDKShareAction(IZoomVideoSDKUser &user) : user_(user) {}

  ZoomVideoSDKShareStatus getShareStatus() { return user_.getShareStatus(); }
  ZoomVideoSDKShareType getShareType() { return ZoomVideoSDKShareType_Normal; }
  IZoomVideoSDKRawDataPipe *getSharePipe() { return user_.GetSharePipe(); }

 private:
  IZoomVideoSDKUser &user_;
};

/** Plays audio. [media] */
class IZoomVideoSDKVirtualAudioSpeaker {
 public:
  virtual ~IZoomVideoSDKVirtualAudioSpeaker() = default;
  virtual void onVirtualSpeakerMixedAudioReceived(AudioRawData *data_) = 0;
  virtual void onVirtualSpeakerOneWayAudioReceived(AudioRawData *data_, IZoomVideoSDKUser *pUser) = 0;
  virtual void onVirtualSpeakerSharedAudioReceived(AudioRawData *data_) = 0;
};

/** A list of users. */
using Users = greenroom::zoom::Items<IVideoSDKVector<IZoomVideoSDKUser *>, IZoomVideoSDKUser *>;

/** Roles and names of users, which the session's call decides. */
class IZoomVideoSDKUserHelper {
 public:
  bool changeName(const zchar_t *, IZoomVideoSDKUser *) { return false; }
  bool makeHost(IZoomVideoSDKUser *) { return false; }
  bool makeManager(IZoomVideoSDKUser *) { return false; }
  bool revokeManager(IZoomVideoSDKUser *) { return false; }
  bool removeUser(IZoomVideoSDKUser *) { return false; }
};

/** The audio of the session. [any] */
class IZoomVideoSDKAudioHelper {
 public:
  explicit IZoomVideoSDKAudioHelper(greenroom::zoom::Room &room) : room_(room) {}

  /** Delegates get raw audio from now on. */
  ZoomVideoSDKErrors subscribe() { return set(true); }
  ZoomVideoSDKErrors unSubscribe() { return set(false); }
  bool is_subscribed() const { return is_subscribed_; }

  /** No effect: the session file says what sounds. */
  ZoomVideoSDKErrors startAudio() { return ZoomVideoSDKErrors_Success; }
  ZoomVideoSDKErrors stopAudio() { return ZoomVideoSDKErrors_Success; }
  /** A session mutes its own microphone with a command. */
  ZoomVideoSDKErrors muteAudio(IZoomVideoSDKUser *) { return ZoomVideoSDKErrors_Dont_Support_Feature; }
  ZoomVideoSDKErrors unMuteAudio(IZoomVideoSDKUser *) { return ZoomVideoSDKErrors_Dont_Support_Feature; }

 private:
  ZoomVideoSDKErrors set(bool is_subscribed) {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    if (std::exchange(is_subscribed_, is_subscribed) != is_subscribed) room_.changed();
    return ZoomVideoSDKErrors_Success;
  }

  greenroom::zoom::Room &room_;
  bool is_subscribed_ = false;
};

/** The camera of the session; no effect: the session file has it. */
class IZoomVideoSDKVideoHelper {
 public:
  ZoomVideoSDKErrors startVideo() { return ZoomVideoSDKErrors_Success; }
  ZoomVideoSDKErrors stopVideo() { return ZoomVideoSDKErrors_Success; }
};

/** The share of the session, which is another plugin. */
class IZoomVideoSDKShareHelper {
 public:
  explicit IZoomVideoSDKShareHelper(greenroom::zoom::Room &room) : room_(room) {}

  ZoomVideoSDKErrors startSharingExternalSource(IZoomVideoSDKShareSource *) {
    room_.explain("startSharingExternalSource has no effect: " + greenroom::zoom::source_advice("share"));
    return ZoomVideoSDKErrors_Dont_Support_Feature;
  }
  ZoomVideoSDKErrors stopShare() { return ZoomVideoSDKErrors_Dont_Support_Feature; }

 private:
  greenroom::zoom::Room &room_;
};

/* The types of events that a session does not have. */
class IZoomVideoSDKLiveStreamHelper;
class IZoomVideoSDKChatHelper;
class IZoomVideoSDKChatMessage;
class IZoomVideoSDKPasswordHandler;
class IZoomVideoSDKCameraControlRequestHandler;
class IZoomVideoSDKRemoteControlRequestHandler;
class IZoomVideoSDKRecordingConsentHandler;
class IZoomVideoSDKProxySettingHandler;
class IZoomVideoSDKSSLCertificateInfo;
class ILiveTranscriptionMessageInfo;
class ILiveTranscriptionLanguage;
class IZoomVideoSDKSendFile;
class IZoomVideoSDKReceiveFile;
class IZoomVideoSDKAnnotationHelper;
struct FileTransferStatus;
enum ZoomVideoSDKLiveStreamStatus : int;
enum ZoomVideoSDKCameraControlRequestType : int;
enum ZoomVideoSDKChatMessageDeleteType : int;
enum ZoomVideoSDKChatPrivilegeType : int;
enum ZoomVideoSDKMultiCameraStreamStatus : int;
enum ZoomVideoSDKAudioDeviceType : int;
enum ZoomVideoSDKAudioDeviceStatus : int;
enum ZoomVideoSDK_TESTMIC_STATUS : int;
enum ZoomVideoSDKLiveTranscriptionStatus : int;
enum ZoomVideoSDKLiveTranscriptionOperationType : int;
enum ZoomVideoSDKNetworkStatus : int;
enum ZoomVideoSDKCRCCallStatus : int;
enum ZoomVideoSDKSubscribeFailReason : int;
enum PhoneStatus : int;
enum PhoneFailedReason : int;
enum RecordingStatus : int;

/** Gets the events of a session. */
class IZoomVideoSDKDelegate {
 public:
  virtual ~IZoomVideoSDKDelegate() = default;
  using Audience = IVideoSDKVector<IZoomVideoSDKUser *>;

  /* [control] */
  virtual void onSessionJoin() {}
  /** The app or the session has ended. */
  virtual void onSessionLeave() {}
  virtual void onUserJoin(IZoomVideoSDKUserHelper *, Audience *) {}
  virtual void onUserLeave(IZoomVideoSDKUserHelper *, Audience *) {}
  virtual void onUserVideoStatusChanged(IZoomVideoSDKVideoHelper *, Audience *) {}
  virtual void onUserAudioStatusChanged(IZoomVideoSDKAudioHelper *, Audience *) {}
  /** The SDK's versions differ in the last arguments. */
  virtual void onUserShareStatusChanged(IZoomVideoSDKShareHelper *, IZoomVideoSDKUser *,
                                        IZoomVideoSDKShareAction *) {}
  virtual void onUserShareStatusChanged(IZoomVideoSDKShareHelper *, IZoomVideoSDKUser *,
                                        ZoomVideoSDKShareStatus, ZoomVideoSDKShareType) {}
  virtual void onUserShareStatusChanged(IZoomVideoSDKShareHelper *, IZoomVideoSDKUser *,
                                        ZoomVideoSDKShareStatus) {}
  /* [media] */
  virtual void onMixedAudioRawDataReceived(AudioRawData *) {}
  virtual void onOneWayAudioRawDataReceived(AudioRawData *, IZoomVideoSDKUser *) {}
  virtual void onSharedAudioRawDataReceived(AudioRawData *) {}

  /* Never called. */
  virtual void onError(ZoomVideoSDKErrors, int) {}
  virtual void onUserRecordingConsent(IZoomVideoSDKUser *) {}
  virtual void onLiveStreamStatusChanged(IZoomVideoSDKLiveStreamHelper *, ZoomVideoSDKLiveStreamStatus) {}
  virtual void onChatNewMessageNotify(IZoomVideoSDKChatHelper *, IZoomVideoSDKChatMessage *) {}
  virtual void onChatMsgDeleteNotification(IZoomVideoSDKChatHelper *, const zchar_t *,
                                           ZoomVideoSDKChatMessageDeleteType) {}
  virtual void onChatPrivilegeChanged(IZoomVideoSDKChatHelper *, ZoomVideoSDKChatPrivilegeType) {}
  virtual void onUserHostChanged(IZoomVideoSDKUserHelper *, IZoomVideoSDKUser *) {}
  virtual void onUserActiveAudioChanged(IZoomVideoSDKAudioHelper *, Audience *) {}
  virtual void onUserManagerChanged(IZoomVideoSDKUser *) {}
  virtual void onUserNameChanged(IZoomVideoSDKUser *) {}
  virtual void onSessionNeedPassword(IZoomVideoSDKPasswordHandler *) {}
  virtual void onSessionPasswordWrong(IZoomVideoSDKPasswordHandler *) {}
  virtual void onCameraControlRequestResult(IZoomVideoSDKUser *, bool) {}
  virtual void onCameraControlRequestReceived(IZoomVideoSDKUser *, ZoomVideoSDKCameraControlRequestType,
                                              IZoomVideoSDKCameraControlRequestHandler *) {}
  virtual void onCommandReceived(IZoomVideoSDKUser *, const zchar_t *) {}
  virtual void onCommandChannelConnectResult(bool) {}
  virtual void onInviteByPhoneStatus(PhoneStatus, PhoneFailedReason) {}
  virtual void onCalloutJoinSuccess(IZoomVideoSDKUser *, const zchar_t *) {}
  virtual void onCloudRecordingStatus(RecordingStatus, IZoomVideoSDKRecordingConsentHandler *) {}
  virtual void onHostAskUnmute() {}
  virtual void onMultiCameraStreamStatusChanged(ZoomVideoSDKMultiCameraStreamStatus, IZoomVideoSDKUser *,
                                                IZoomVideoSDKRawDataPipe *) {}
  virtual void onMicSpeakerVolumeChanged(unsigned int, unsigned int) {}
  virtual void onAudioDeviceStatusChanged(ZoomVideoSDKAudioDeviceType, ZoomVideoSDKAudioDeviceStatus) {}
  virtual void onTestMicStatusChanged(ZoomVideoSDK_TESTMIC_STATUS) {}
  virtual void onSelectedAudioDeviceChanged() {}
  virtual void onCameraListChanged() {}
  virtual void onLiveTranscriptionStatus(ZoomVideoSDKLiveTranscriptionStatus) {}
  virtual void onLiveTranscriptionMsgReceived(const zchar_t *, IZoomVideoSDKUser *,
                                              ZoomVideoSDKLiveTranscriptionOperationType) {}
  virtual void onLiveTranscriptionMsgInfoReceived(ILiveTranscriptionMessageInfo *) {}
  virtual void onLiveTranscriptionMsgError(ILiveTranscriptionLanguage *, ILiveTranscriptionLanguage *) {}
  virtual void onOriginalLanguageMsgReceived(ILiveTranscriptionMessageInfo *) {}
  virtual void onProxyDetectComplete() {}
  virtual void onProxySettingNotification(IZoomVideoSDKProxySettingHandler *) {}
  virtual void onSSLCertVerifiedFailNotification(IZoomVideoSDKSSLCertificateInfo *) {}
  virtual void onUserVideoNetworkStatusChanged(ZoomVideoSDKNetworkStatus, IZoomVideoSDKUser *) {}
  virtual void onCallCRCDeviceStatusChanged(ZoomVideoSDKCRCCallStatus) {}
  virtual void onSendFileStatus(IZoomVideoSDKSendFile *, const FileTransferStatus &) {}
  virtual void onReceiveFileStatus(IZoomVideoSDKReceiveFile *, const FileTransferStatus &) {}
  virtual void onVideoCanvasSubscribeFail(ZoomVideoSDKSubscribeFailReason, IZoomVideoSDKUser *, void *) {}
  virtual void onShareCanvasSubscribeFail(ZoomVideoSDKSubscribeFailReason, IZoomVideoSDKUser *, void *) {}
  virtual void onAnnotationHelperCleanUp(IZoomVideoSDKAnnotationHelper *) {}
  virtual void onAnnotationPrivilegeChange(IZoomVideoSDKUser *, bool) {}
  virtual void onAnnotationHelperActived(void *) {}
  virtual void onVideoAlphaChannelStatusChanged(bool) {}
};

/** The parameters of the SDK; no member has an effect. */
struct ZoomVideoSDKInitParams {
  const zchar_t *domain = nullptr;
  const zchar_t *logFilePrefix = nullptr;
  bool enableLog = false;
  bool enableIndirectRawdata = false;
  ZoomVideoSDKRawDataMemoryMode videoRawDataMemoryMode = ZoomVideoSDKRawDataMemoryModeStack;
  ZoomVideoSDKRawDataMemoryMode shareRawDataMemoryMode = ZoomVideoSDKRawDataMemoryModeStack;
  ZoomVideoSDKRawDataMemoryMode audioRawDataMemoryMode = ZoomVideoSDKRawDataMemoryModeStack;
};

/** No effect: the session file says what is sent. */
struct ZoomVideoSDKVideoOption {
  bool localVideoOn = true;
};

/** No effect: the session file says what sounds. */
struct ZoomVideoSDKAudioOption {
  bool connect = true;
  bool mute = true;
  bool isMyVoiceInMix = false;
};

/** The parameters of joining. The session file takes the place of names, passwords and tokens. */
struct ZoomVideoSDKSessionContext {
  const zchar_t *sessionName = nullptr;
  const zchar_t *sessionPassword = nullptr;
  /** The name of getMyself. */
  const zchar_t *userName = nullptr;
  const zchar_t *token = nullptr;
  ZoomVideoSDKVideoOption videoOption;
  ZoomVideoSDKAudioOption audioOption;
  IZoomVideoSDKVideoSource *externalVideoSource = nullptr;
  IZoomVideoSDKVideoSourcePreProcessor *preProcessor = nullptr;
  IZoomVideoSDKVirtualAudioMic *virtualAudioMic = nullptr;
  IZoomVideoSDKVirtualAudioSpeaker *virtualAudioSpeaker = nullptr;
  unsigned int sessionIdleTimeoutMins = 40;
};

/** A session that was joined. [any] */
class IZoomVideoSDKSession {
 public:
  explicit IZoomVideoSDKSession(greenroom::zoom::Room &room)
      : room_(room), myself_(user_of(room.myself())) {}

  const zchar_t *getSessionName() { return name_.c_str(); }
  IZoomVideoSDKUser *getMyself() { return &myself_; }
  /** A list that is valid until the next call. */
  IVideoSDKVector<IZoomVideoSDKUser *> *getRemoteUsers() {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    std::vector<IZoomVideoSDKUser *> users;
    for (auto *person : room_.others()) users.push_back(&user_of(*person));
    remote_ = std::make_unique<Users>(std::move(users));
    return remote_.get();
  }

  /** The user of a person; with the room's mutex. */
  IZoomVideoSDKUser &user_of(greenroom::zoom::Person &person) {
    return users_.try_emplace(&person, room_, person).first->second;
  }
  void set_name(const zchar_t *name) { name_ = name == nullptr ? "" : name; }

 private:
  greenroom::zoom::Room &room_;
  std::map<greenroom::zoom::Person *, IZoomVideoSDKUser> users_;
  IZoomVideoSDKUser &myself_;
  std::unique_ptr<Users> remote_;
  std::string name_;
};

/** The SDK. [any] */
class IZoomVideoSDK : private greenroom::zoom::RoomListener {
 public:
  explicit IZoomVideoSDK(greenroom::zoom::Room &room)
      : room_(room), session_(room), audio_(room), shares_(room) {}

  ZoomVideoSDKErrors initialize(ZoomVideoSDKInitParams &) { return ZoomVideoSDKErrors_Success; }
  ZoomVideoSDKErrors cleanup() { return ZoomVideoSDKErrors_Success; }
  void addListener(IZoomVideoSDKDelegate *listener) {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    if (listener != nullptr) delegates_.push_back(listener);
  }
  void removeListener(IZoomVideoSDKDelegate *listener) {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    delegates_.erase(std::remove(delegates_.begin(), delegates_.end(), listener), delegates_.end());
  }
  IZoomVideoSDKSession *joinSession(ZoomVideoSDKSessionContext &context) {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    if (context.userName != nullptr) room_.myself().name = context.userName;
    session_.set_name(context.sessionName);
    speaker_ = context.virtualAudioSpeaker;
    const std::pair<const char *, bool> sources[] = {
        {"externalVideoSource", context.externalVideoSource != nullptr},
        {"preProcessor", context.preProcessor != nullptr},
        {"virtualAudioMic", context.virtualAudioMic != nullptr}};
    for (const auto &[name, is_set] : sources)
      if (is_set)
        room_.explain(std::string(name) + " has no effect: " +
                      greenroom::zoom::source_advice(name[0] == 'v' ? "microphone" : "camera"));
    room_.join(this);
    return &session_;
  }
  ZoomVideoSDKErrors leaveSession(bool) {
    room_.leave();
    return ZoomVideoSDKErrors_Success;
  }
  IZoomVideoSDKSession *getSessionInfo() { return isInSession() ? &session_ : nullptr; }
  bool isInSession() {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    return room_.is_joined();
  }
  const zchar_t *getSDKVersion() { return "Greenroom"; }
  IZoomVideoSDKAudioHelper *getAudioHelper() { return &audio_; }
  IZoomVideoSDKVideoHelper *getVideoHelper() { return &video_; }
  IZoomVideoSDKUserHelper *getUserHelper() { return &users_; }
  IZoomVideoSDKShareHelper *getShareHelper() { return &shares_; }

 private:
  using Person = greenroom::zoom::Person;

  bool hears() const override { return audio_.is_subscribed() || speaker_ != nullptr; }
  void began() override {
    each([](IZoomVideoSDKDelegate *to) { to->onSessionJoin(); });
  }
  void ended() override {
    each([](IZoomVideoSDKDelegate *to) { to->onSessionLeave(); });
  }
  void joined(Person &person) override {
    Users list({&session_.user_of(person)});
    each([&](IZoomVideoSDKDelegate *to) { to->onUserJoin(&users_, &list); });
  }
  void left(Person &person) override {
    Users list({&session_.user_of(person)});
    each([&](IZoomVideoSDKDelegate *to) { to->onUserLeave(&users_, &list); });
  }
  void camera_changed(Person &person) override {
    Users list({&session_.user_of(person)});
    each([&](IZoomVideoSDKDelegate *to) { to->onUserVideoStatusChanged(&video_, &list); });
  }
  void microphone_changed(Person &person) override {
    Users list({&session_.user_of(person)});
    each([&](IZoomVideoSDKDelegate *to) { to->onUserAudioStatusChanged(&audio_, &list); });
  }
  void share_changed(Person &person) override {
    IZoomVideoSDKUser &user = session_.user_of(person);
    auto &action = actions_.try_emplace(&user, user).first->second;
    const auto status =
        person.share.track != 0 ? ZoomVideoSDKShareStatus_Start : ZoomVideoSDKShareStatus_Stop;
    each([&](IZoomVideoSDKDelegate *to) {
      to->onUserShareStatusChanged(&shares_, &user, &action);
      to->onUserShareStatusChanged(&shares_, &user, status, ZoomVideoSDKShareType_Normal);
      to->onUserShareStatusChanged(&shares_, &user, status);
    });
  }
  void mixed(AudioRawData *data) override {
    if (speaker_ != nullptr) speaker_->onVirtualSpeakerMixedAudioReceived(data);
    hear([&](IZoomVideoSDKDelegate *to) { to->onMixedAudioRawDataReceived(data); });
  }
  void one_way(AudioRawData *data, Person &person) override {
    IZoomVideoSDKUser *user = &session_.user_of(person);
    if (speaker_ != nullptr) speaker_->onVirtualSpeakerOneWayAudioReceived(data, user);
    hear([&](IZoomVideoSDKDelegate *to) { to->onOneWayAudioRawDataReceived(data, user); });
  }
  void shared(AudioRawData *data, Person &) override {
    if (speaker_ != nullptr) speaker_->onVirtualSpeakerSharedAudioReceived(data);
    hear([&](IZoomVideoSDKDelegate *to) { to->onSharedAudioRawDataReceived(data); });
  }

  /** Delegates may come and go in a callback. */
  template <class Call>
  void each(Call call) {
    const auto delegates = delegates_;
    for (IZoomVideoSDKDelegate *delegate : delegates)
      if (std::find(delegates_.begin(), delegates_.end(), delegate) != delegates_.end()) call(delegate);
  }
  template <class Call>
  void hear(Call call) {
    if (audio_.is_subscribed()) each(call);
  }

  greenroom::zoom::Room &room_;
  std::vector<IZoomVideoSDKDelegate *> delegates_;
  IZoomVideoSDKSession session_;
  IZoomVideoSDKAudioHelper audio_;
  IZoomVideoSDKVideoHelper video_;
  IZoomVideoSDKUserHelper users_;
  IZoomVideoSDKShareHelper shares_;
  std::map<IZoomVideoSDKUser *, IZoomVideoSDKShareAction> actions_;
  IZoomVideoSDKVirtualAudioSpeaker *speaker_ = nullptr;
};

/** The SDK of the app that runs; null outside of a plugin. */
inline IZoomVideoSDK *CreateZoomVideoSDKObj() {
  auto *room = greenroom::zoom::Room::current();
  return room == nullptr ? nullptr : new IZoomVideoSDK(*room);
}
inline ZoomVideoSDKErrors DestroyZoomVideoSDKObj() { return ZoomVideoSDKErrors_Success; }

}  // namespace ZOOMVIDEOSDK

/** Declares Name##Plugin: an app that receives. call is the code that joins, followed by an id in reverse
    domain and a name for session files. */
#define GREENROOM_ZOOM_RECEIVER(Name, call, ...)                                                  \
  struct Name##Start {                                                                            \
    static void start() { call; }                                                                 \
  };                                                                                              \
  struct Name##Plugin : greenroom::zoom::Receiver<Name##Start> {                                  \
    static greenroom::Description description() {                                                 \
      return greenroom::zoom::describe(__VA_ARGS__);                                              \
    }                                                                                             \
  };

/** The same, as the one plugin of the library. */
#define GREENROOM_ZOOM_APP(call, ...)                                                             \
  GREENROOM_ZOOM_RECEIVER(ZoomApp, call, __VA_ARGS__)                                             \
  GREENROOM_PLUGINS(ZoomAppPlugin)

#endif
