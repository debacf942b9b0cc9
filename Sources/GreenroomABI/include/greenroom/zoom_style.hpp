/*
 * greenroom/zoom_style.hpp - sources written for Zoom's Linux SDKs, as Greenroom plugins in C++17
 *
 * A source of the Meeting SDK or the Video SDK compiles as it is. Replace the includes of the SDK by
 * this header, and add a registration:
 *
 *   #include <greenroom/zoom_style.hpp>
 *   ... class MyVideoSource : public IZoomVideoSDKVideoSource { ... };
 *   GREENROOM_ZOOM_PLUGIN(MyVideoSource, "com.example.camera", "Camera")
 *
 * A library with several sources declares each with GREENROOM_ZOOM_SOURCE and exports them with
 * GREENROOM_PLUGINS(MyVideoSourcePlugin, MyMicrophonePlugin). The arguments after the name go to the
 * source's constructor:
 *
 *   GREENROOM_ZOOM_PLUGIN(MyMicrophone, "com.example.voice", "Voice", "voice.pcm", 44100)
 *
 *   ZOOMVIDEOSDK                          ZOOMSDK                       place in a session
 *   IZoomVideoSDKVideoSource              IZoomSDKVideoSource           camera
 *   IZoomVideoSDKVirtualAudioMic          IZoomSDKVirtualAudioMicEvent  microphone
 *   IZoomVideoSDKShareSource              IZoomSDKShareSource           share
 *   IZoomVideoSDKVideoSourcePreProcessor                                a camera's pre-processors
 *
 * zoom_receive.hpp has the receiving half: users, raw-data pipes, the virtual speaker.
 *
 * Senders return the SDKs' error codes, never throw, and answer an error outside start and stop. They
 * and the source are never freed: the SDKs' samples detach the threads that send.
 *
 * The names describe compatibility. The declarations follow public documentation.
 */
#ifndef GREENROOM_ZOOM_STYLE_HPP
#define GREENROOM_ZOOM_STYLE_HPP

#include <greenroom/plugin.hpp>

// The SDKs' headers bring it, and apps rely on that.
#include <csignal>
#include <functional>
#include <type_traits>
#include <utility>

/** A frame to edit in place, valid until the callback returns. */
class YUVProcessDataI420 {
 public:
  virtual ~YUVProcessDataI420() = default;
  virtual unsigned int GetWidth() = 0;
  virtual unsigned int GetHeight() = 0;
  /** A row; null for a row that the plane does not have. */
  virtual char *GetYBuffer(unsigned int lineNum = 0) = 0;
  virtual char *GetUBuffer(unsigned int lineNum = 0) = 0;
  virtual char *GetVBuffer(unsigned int lineNum = 0) = 0;
  virtual unsigned int GetYStride() = 0;
  virtual unsigned int GetUStride() = 0;
  virtual unsigned int GetVStride() = 0;
  /** Always 0. */
  virtual unsigned int GetRotation() = 0;
  virtual bool IsLimitedI420() = 0;
};

/* ------------------------------------------------------------------------------------
 * The Video SDK
 * ---------------------------------------------------------------------------------- */

#define ZOOM_VIDEO_SDK_NAMESPACE ZOOMVIDEOSDK
#define USING_ZOOM_VIDEO_SDK_NAMESPACE using namespace ZOOMVIDEOSDK;

namespace ZOOMVIDEOSDK {

using ::YUVProcessDataI420;

/** The result of a call. */
enum ZoomVideoSDKErrors {
  ZoomVideoSDKErrors_Success = 0,
  ZoomVideoSDKErrors_Wrong_Usage = 1,
  ZoomVideoSDKErrors_Internal_Error = 2,
  ZoomVideoSDKErrors_Uninitialize = 3,
  ZoomVideoSDKErrors_Memory_Error = 4,
  ZoomVideoSDKErrors_Invalid_Parameter = 7,
  ZoomVideoSDKErrors_Call_Too_Frequently = 8,
  ZoomVideoSDKErrors_No_Impl = 9,
  ZoomVideoSDKErrors_Dont_Support_Feature = 10,
  ZoomVideoSDKErrors_Unknown = 11,
  ZoomVideoSDKErrors_RAWDATA_VIDEO_MODULE_NOT_READY = 6004,
  ZoomVideoSDKErrors_RAWDATA_SHARE_MODULE_NOT_READY = 6008,
  ZoomVideoSDKErrors_RAWDATA_AUDIO_MODULE_NOT_READY = 6011,
  ZoomVideoSDKErrors_RAWDATA_INTERNAL_ERROR = 6019,
  ZoomVideoSDKErrors_RAWDATA_SEND_TOO_MUCH_DATA_IN_SINGLE_TIME = 6020,
  ZoomVideoSDKErrors_RAWDATA_SEND_TOO_FREQUENTLY = 6021,
  ZoomVideoSDKErrors_RAWDATA_VIRTUAL_MIC_IS_TERMINATE = 6022
};

/** The range of I420 values. */
enum FrameDataFormat { FrameDataFormat_I420_LIMITED, FrameDataFormat_I420_FULL };

/** The channels of audio. */
enum ZoomVideoSDKAudioChannel { ZoomVideoSDKAudioChannel_Mono, ZoomVideoSDKAudioChannel_Stereo };

/** A size and a frame rate. */
struct VideoSourceCapability {
  unsigned int width = 0;
  unsigned int height = 0;
  unsigned int frame = 0;
};

/** A list that can be read. */
template <class Item>
class IVideoSDKVector {
 public:
  virtual ~IVideoSDKVector() = default;
  virtual int GetCount() const = 0;
  virtual Item GetItem(int index) = 0;
};

/** Sends a camera's frames; never waits. [any] */
class IZoomVideoSDKVideoSender {
 public:
  virtual ~IZoomVideoSDKVideoSender() = default;
  /** I420 without padding; rotation is 0, 90, 180 or 270 degrees clockwise. */
  virtual ZoomVideoSDKErrors sendVideoFrame(char *frameBuffer, int width, int height,
                                            int frameLength, int rotation,
                                            FrameDataFormat format = FrameDataFormat_I420_FULL) = 0;
};

/** Sends a share's frames; never waits. [any] */
class IZoomVideoSDKShareSender {
 public:
  virtual ~IZoomVideoSDKShareSender() = default;
  virtual ZoomVideoSDKErrors sendShareFrame(char *frameBuffer, int width, int height,
                                            int frameLength,
                                            FrameDataFormat format = FrameDataFormat_I420_FULL) = 0;
};

/** Sends a microphone's audio; waits until the host has room. [any] */
class IZoomVideoSDKAudioSender {
 public:
  virtual ~IZoomVideoSDKAudioSender() = default;
  /** 16-bit, interleaved. */
  virtual ZoomVideoSDKErrors Send(
      char *data, unsigned int data_length, int sample_rate,
      ZoomVideoSDKAudioChannel channel = ZoomVideoSDKAudioChannel_Mono) = 0;
};

/** A camera. [control] */
class IZoomVideoSDKVideoSource {
 public:
  virtual ~IZoomVideoSDKVideoSource() = default;
  /** A source that changes suggest_cap declares that size and rate. */
  virtual void onInitialize(IZoomVideoSDKVideoSender *sender,
                            IVideoSDKVector<VideoSourceCapability> *support_cap_list,
                            VideoSourceCapability &suggest_cap) = 0;
  virtual void onPropertyChange(IVideoSDKVector<VideoSourceCapability> *support_cap_list,
                                VideoSourceCapability suggest_cap) = 0;
  virtual void onStartSend() = 0;
  virtual void onStopSend() = 0;
  virtual void onUninitialized() = 0;
};

/** A microphone. [control] */
class IZoomVideoSDKVirtualAudioMic {
 public:
  virtual ~IZoomVideoSDKVirtualAudioMic() = default;
  virtual void onMicInitialize(IZoomVideoSDKAudioSender *rawdata_sender) = 0;
  virtual void onMicStartSend() = 0;
  virtual void onMicStopSend() = 0;
  virtual void onMicUninitialized() = 0;
};

/** A share. [control] */
class IZoomVideoSDKShareSource {
 public:
  virtual ~IZoomVideoSDKShareSource() = default;
  virtual void onShareSendStarted(IZoomVideoSDKShareSender *pSender) = 0;
  virtual void onShareSendStopped() = 0;
};

/** A filter of a camera. [media] */
class IZoomVideoSDKVideoSourcePreProcessor {
 public:
  virtual ~IZoomVideoSDKVideoSourcePreProcessor() = default;
  virtual void onPreProcessRawData(YUVProcessDataI420 *rawData) = 0;
};

}  // namespace ZOOMVIDEOSDK

/* ------------------------------------------------------------------------------------
 * The Meeting SDK
 * ---------------------------------------------------------------------------------- */

#define ZOOM_SDK_NAMESPACE ZOOMSDK
#define USING_ZOOM_SDK_NAMESPACE using namespace ZOOMSDK;

namespace ZOOMSDK {

/** The result of a call. */
enum SDKError {
  SDKERR_SUCCESS = 0,
  SDKERR_NO_IMPL = 1,
  SDKERR_WRONG_USAGE = 2,
  SDKERR_WRONG_USEAGE = SDKERR_WRONG_USAGE,
  SDKERR_INVALID_PARAMETER = 3,
  SDKERR_MODULE_LOAD_FAILED = 4,
  SDKERR_MEMORY_FAILED = 5,
  SDKERR_SERVICE_FAILED = 6,
  SDKERR_UNINITIALIZE = 7,
  SDKERR_UNKNOWN = 13,
  SDKERR_INTERNAL_ERROR = 15,
  SDKERR_TOO_FREQUENT_CALL = 18
};

using ZOOMVIDEOSDK::FrameDataFormat;
using ZOOMVIDEOSDK::FrameDataFormat_I420_FULL;
using ZOOMVIDEOSDK::FrameDataFormat_I420_LIMITED;
using ZOOMVIDEOSDK::VideoSourceCapability;

/** The channels of audio. */
enum ZoomSDKAudioChannel { ZoomSDKAudioChannel_Mono, ZoomSDKAudioChannel_Stereo };

/** A list that can be read. */
template <class Item>
class IList {
 public:
  virtual ~IList() = default;
  virtual int GetCount() const = 0;
  virtual Item GetItem(int index) = 0;
};

/** As IZoomVideoSDKVideoSender. [any] */
class IZoomSDKVideoSender {
 public:
  virtual ~IZoomSDKVideoSender() = default;
  virtual SDKError sendVideoFrame(char *frameBuffer, int width, int height, int frameLength,
                                  int rotation,
                                  FrameDataFormat format = FrameDataFormat_I420_FULL) = 0;
};

/** As IZoomVideoSDKShareSender. [any] */
class IZoomSDKShareSender {
 public:
  virtual ~IZoomSDKShareSender() = default;
  virtual SDKError sendShareFrame(char *frameBuffer, int width, int height, int frameLength,
                                  FrameDataFormat format = FrameDataFormat_I420_FULL) = 0;
};

/** As IZoomVideoSDKAudioSender. [any] */
class IZoomSDKAudioRawDataSender {
 public:
  virtual ~IZoomSDKAudioRawDataSender() = default;
  virtual SDKError send(char *data, unsigned int data_length, int sample_rate,
                        ZoomSDKAudioChannel channel = ZoomSDKAudioChannel_Mono) = 0;
};

/** As IZoomVideoSDKVideoSource. [control] */
class IZoomSDKVideoSource {
 public:
  virtual ~IZoomSDKVideoSource() = default;
  virtual void onInitialize(IZoomSDKVideoSender *sender,
                            IList<VideoSourceCapability> *support_cap_list,
                            VideoSourceCapability &suggest_cap) = 0;
  virtual void onPropertyChange(IList<VideoSourceCapability> *support_cap_list,
                                VideoSourceCapability suggest_cap) = 0;
  virtual void onStartSend() = 0;
  virtual void onStopSend() = 0;
  virtual void onUninitialized() = 0;
};

/** As IZoomVideoSDKVirtualAudioMic. [control] */
class IZoomSDKVirtualAudioMicEvent {
 public:
  virtual ~IZoomSDKVirtualAudioMicEvent() = default;
  virtual void onMicInitialize(IZoomSDKAudioRawDataSender *pSender) = 0;
  virtual void onMicStartSend() = 0;
  virtual void onMicStopSend() = 0;
  virtual void onMicUninitialized() = 0;
};

/** As IZoomVideoSDKShareSource. [control] */
class IZoomSDKShareSource {
 public:
  virtual ~IZoomSDKShareSource() = default;
  virtual void onStartSend(IZoomSDKShareSender *pSender) = 0;
  virtual void onStopSend() = 0;
};

}  // namespace ZOOMSDK

/* ------------------------------------------------------------------------------------
 * Sources as plugins
 * ---------------------------------------------------------------------------------- */

namespace greenroom {
namespace zoom {

/** The Video SDK's code for a status; stopped is the code outside start and stop. */
inline ZOOMVIDEOSDK::ZoomVideoSDKErrors video_sdk_error(gr_status status,
                                                        ZOOMVIDEOSDK::ZoomVideoSDKErrors stopped) {
  using namespace ZOOMVIDEOSDK;
  switch (status) {
    case GR_STATUS_OK: return ZoomVideoSDKErrors_Success;
    case GR_STATUS_STOPPED:
    case GR_STATUS_NOT_STARTED: return stopped;
    case GR_STATUS_GONE: return ZoomVideoSDKErrors_Uninitialize;
    case GR_STATUS_NO_BUFFER: return ZoomVideoSDKErrors_Memory_Error;
    case GR_STATUS_BAD_BLOCK: return ZoomVideoSDKErrors_RAWDATA_SEND_TOO_MUCH_DATA_IN_SINGLE_TIME;
    case GR_STATUS_QUEUE_FULL: return ZoomVideoSDKErrors_RAWDATA_SEND_TOO_FREQUENTLY;
    case GR_STATUS_UNSUPPORTED: return ZoomVideoSDKErrors_Dont_Support_Feature;
    default: break;
  }
  return status >= GR_STATUS_BAD_ARGUMENT && status < GR_STATUS_QUEUE_FULL
             ? ZoomVideoSDKErrors_Invalid_Parameter
             : ZoomVideoSDKErrors_RAWDATA_INTERNAL_ERROR;
}

/** The Meeting SDK's code for a status. */
inline ZOOMSDK::SDKError meeting_sdk_error(gr_status status) {
  using namespace ZOOMSDK;
  switch (status) {
    case GR_STATUS_OK: return SDKERR_SUCCESS;
    case GR_STATUS_STOPPED:
    case GR_STATUS_NOT_STARTED: return SDKERR_WRONG_USAGE;
    case GR_STATUS_GONE: return SDKERR_UNINITIALIZE;
    case GR_STATUS_NO_BUFFER: return SDKERR_MEMORY_FAILED;
    case GR_STATUS_QUEUE_FULL: return SDKERR_TOO_FREQUENT_CALL;
    case GR_STATUS_UNSUPPORTED: return SDKERR_NO_IMPL;
    default: break;
  }
  return status >= GR_STATUS_BAD_ARGUMENT && status < GR_STATUS_QUEUE_FULL
             ? SDKERR_INVALID_PARAMETER
             : SDKERR_INTERNAL_ERROR;
}

/** Lets sends through between start and stop. close waits for a send that runs. */
template <class Sender>
class Gate {
 public:
  void open(std::function<Sender()> sender) {
    const std::lock_guard<std::mutex> lock(mutex_);
    sender_ = std::move(sender);
  }
  void close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    sender_ = nullptr;
  }
  template <class Call>
  gr_status send(Call call) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!sender_) return GR_STATUS_STOPPED;
    const gr_status status = call(sender_());
    // Many pumps ignore the result of a send.
    if (status == GR_STATUS_STOPPED || status == GR_STATUS_GONE) sender_ = nullptr;
    return status;
  }

 private:
  std::mutex mutex_;
  std::function<Sender()> sender_;
};

/** Sends frames of either SDK. */
class FrameGate : public Gate<VideoSender> {
 public:
  /** Notes the size of an offer's frames: the SDKs' senders name no offer, and a pump may send an old
      size for some frames after a new one. */
  void note(std::uint32_t revision, unsigned int width, unsigned int height) {
    const std::lock_guard<std::mutex> lock(sizes_mutex_);
    if (sizes_.empty() || sizes_.back().revision != revision) sizes_.push_back({});
    sizes_.back() = {revision, width, height};
    if (sizes_.size() > 4) sizes_.erase(sizes_.begin());
  }

  gr_status send_frame(const char *buffer, int width, int height, int length, int rotation,
                       ZOOMVIDEOSDK::FrameDataFormat format) {
    if (buffer == nullptr || width <= 0 || height <= 0 || length <= 0)
      return GR_STATUS_BAD_ARGUMENT;
    if (rotation < 0 || rotation > 270 || rotation % 90 != 0) return GR_STATUS_BAD_ROTATION;
    return send([&](const VideoSender &sender) {
      gr_video_frame frame;
      const gr_status status = gr_packed_frame(
          &frame, GR_FORMAT_I420, static_cast<std::uint32_t>(width),
          static_cast<std::uint32_t>(height), buffer, static_cast<std::uint64_t>(length));
      if (status != GR_STATUS_OK) return status;
      frame.info.rotation = static_cast<gr_rotation>(rotation);
      frame.info.range = format == ZOOMVIDEOSDK::FrameDataFormat_I420_FULL ? GR_RANGE_FULL
                                                                           : GR_RANGE_LIMITED;
      frame.info.offer_revision = revision_of(frame, sender.revision());
      return sender.send(frame);
    });
  }

 private:
  struct Size {
    std::uint32_t revision = 0, width = 0, height = 0;
  };

  /** The newest offer for frames of a size; the last offer if there is none. */
  std::uint32_t revision_of(const gr_video_frame &frame, std::uint32_t last) {
    const std::lock_guard<std::mutex> lock(sizes_mutex_);
    for (auto size = sizes_.rbegin(); size != sizes_.rend(); ++size) {
      const bool is_upright = size->width == frame.width && size->height == frame.height;
      const bool is_turned = size->width == frame.height && size->height == frame.width;
      if (is_upright || (is_turned && frame.info.rotation % 180 != 0)) return size->revision;
    }
    return last;
  }

  std::mutex sizes_mutex_;
  std::vector<Size> sizes_;
};

/** Sends audio of either SDK. */
class AudioGate : public Gate<AudioSender> {
 public:
  gr_status send_audio(const char *data, unsigned int length, int rate, std::uint32_t channels) {
    if (data == nullptr || rate <= 0 || length % (2 * channels) != 0) return GR_STATUS_BAD_ARGUMENT;
    // The bytes of a chunk need not lie on an even address.
    std::vector<std::int16_t> samples(length / 2);
    std::memcpy(samples.data(), data, length);
    return send([&](const AudioSender &sender) {
      return sender.send(samples.data(), length / 2 / channels, static_cast<std::uint32_t>(rate),
                         channels);
    });
  }
};

class VideoSDKVideoSender final : public ZOOMVIDEOSDK::IZoomVideoSDKVideoSender, public FrameGate {
  ZOOMVIDEOSDK::ZoomVideoSDKErrors sendVideoFrame(
      char *frameBuffer, int width, int height, int frameLength, int rotation,
      ZOOMVIDEOSDK::FrameDataFormat format) override {
    return video_sdk_error(send_frame(frameBuffer, width, height, frameLength, rotation, format),
                           ZOOMVIDEOSDK::ZoomVideoSDKErrors_RAWDATA_VIDEO_MODULE_NOT_READY);
  }
};

class VideoSDKShareSender final : public ZOOMVIDEOSDK::IZoomVideoSDKShareSender, public FrameGate {
  ZOOMVIDEOSDK::ZoomVideoSDKErrors sendShareFrame(char *frameBuffer, int width, int height,
                                                  int frameLength,
                                                  ZOOMVIDEOSDK::FrameDataFormat format) override {
    return video_sdk_error(send_frame(frameBuffer, width, height, frameLength, 0, format),
                           ZOOMVIDEOSDK::ZoomVideoSDKErrors_RAWDATA_SHARE_MODULE_NOT_READY);
  }
};

class VideoSDKAudioSender final : public ZOOMVIDEOSDK::IZoomVideoSDKAudioSender, public AudioGate {
  ZOOMVIDEOSDK::ZoomVideoSDKErrors Send(char *data, unsigned int data_length, int sample_rate,
                                        ZOOMVIDEOSDK::ZoomVideoSDKAudioChannel channel) override {
    const std::uint32_t channels =
        channel == ZOOMVIDEOSDK::ZoomVideoSDKAudioChannel_Stereo ? 2 : 1;
    return video_sdk_error(send_audio(data, data_length, sample_rate, channels),
                           ZOOMVIDEOSDK::ZoomVideoSDKErrors_RAWDATA_VIRTUAL_MIC_IS_TERMINATE);
  }
};

class MeetingSDKVideoSender final : public ZOOMSDK::IZoomSDKVideoSender, public FrameGate {
  ZOOMSDK::SDKError sendVideoFrame(char *frameBuffer, int width, int height, int frameLength,
                                   int rotation, ZOOMSDK::FrameDataFormat format) override {
    return meeting_sdk_error(
        send_frame(frameBuffer, width, height, frameLength, rotation, format));
  }
};

class MeetingSDKShareSender final : public ZOOMSDK::IZoomSDKShareSender, public FrameGate {
  ZOOMSDK::SDKError sendShareFrame(char *frameBuffer, int width, int height, int frameLength,
                                   ZOOMSDK::FrameDataFormat format) override {
    return meeting_sdk_error(send_frame(frameBuffer, width, height, frameLength, 0, format));
  }
};

class MeetingSDKAudioSender final : public ZOOMSDK::IZoomSDKAudioRawDataSender, public AudioGate {
  ZOOMSDK::SDKError send(char *data, unsigned int data_length, int sample_rate,
                         ZOOMSDK::ZoomSDKAudioChannel channel) override {
    const std::uint32_t channels = channel == ZOOMSDK::ZoomSDKAudioChannel_Stereo ? 2 : 1;
    return meeting_sdk_error(send_audio(data, data_length, sample_rate, channels));
  }
};

/** The rows of an offer, as a list of either SDK. */
template <class List>
class Rows final : public List {
 public:
  explicit Rows(const gr_offer &offer) : offer_(offer) {}
  int GetCount() const override { return static_cast<int>(offer_.row_count); }
  ZOOMVIDEOSDK::VideoSourceCapability GetItem(int index) override {
    if (index < 0 || index >= GetCount()) return {};
    return of(offer_.rows[index]);
  }
  static ZOOMVIDEOSDK::VideoSourceCapability of(const gr_capability &row) {
    return {row.width, row.height, row.fps_numerator / row.fps_denominator};
  }

 private:
  const gr_offer &offer_;
};

/** A camera of either SDK. Make makes the source, whose callbacks need not be public. */
template <class Make, class Interface, class Sender, class List>
class CameraOf : public VideoSource {
 public:
  void negotiate(const gr_offer &offer, gr_answer &answer) override {
    using Known = Rows<List>;
    Known rows(offer);
    const auto suggested = Known::of(offer.suggested);
    auto wish = suggested;
    // A pump may send the new size before the callback returns.
    sender_.note(offer.revision, suggested.width, suggested.height);
    if (std::exchange(is_initialized_, true)) return source_.onPropertyChange(&rows, suggested);
    source_.onInitialize(&sender_, &rows, wish);
    if (wish.width == suggested.width && wish.height == suggested.height &&
        wish.frame == suggested.frame)
      return;
    sender_.note(offer.revision, wish.width, wish.height);
    answer.kind = GR_ANSWER_FIXED;
    answer.capability = {wish.width, wish.height, wish.frame, 1};
  }
  void on_start() override {
    sender_.open([this] { return sender(); });
    source_.onStartSend();
  }
  void on_stop() override {
    source_.onStopSend();
    sender_.close();
  }
  void on_uninitialize() override { source_.onUninitialized(); }

 protected:
  /** The source has its own threads. A wait on the session's clock would let a virtual one run. */
  void run() override {}

 private:
  // Never freed, as a detached thread may use both.
  Interface &source_ = *Make::make();
  Sender &sender_ = *new Sender();
  bool is_initialized_ = false;
};

/** A microphone of either SDK. */
template <class Make, class Interface, class Sender>
class MicrophoneOf : public AudioSource {
 public:
  void on_initialize() override { source_.onMicInitialize(&sender_); }
  void on_start() override {
    sender_.open([this] { return sender(); });
    source_.onMicStartSend();
  }
  void on_stop() override {
    source_.onMicStopSend();
    sender_.close();
  }
  void on_uninitialize() override { source_.onMicUninitialized(); }

 protected:
  void run() override {}

 private:
  Interface &source_ = *Make::make();
  Sender &sender_ = *new Sender();
};

/** A share of the Video SDK. */
template <class Make>
class VideoSDKShare : public ShareSource {
 public:
  void on_start() override {
    sender_.open([this] { return sender(); });
    source_.onShareSendStarted(&sender_);
  }
  void on_stop() override {
    source_.onShareSendStopped();
    sender_.close();
  }

 protected:
  void run() override {}

 private:
  ZOOMVIDEOSDK::IZoomVideoSDKShareSource &source_ = *Make::make();
  VideoSDKShareSender &sender_ = *new VideoSDKShareSender();
};

/** A share of the Meeting SDK. */
template <class Make>
class MeetingSDKShare : public ShareSource {
 public:
  void on_start() override {
    sender_.open([this] { return sender(); });
    source_.onStartSend(&sender_);
  }
  void on_stop() override {
    source_.onStopSend();
    sender_.close();
  }

 protected:
  void run() override {}

 private:
  ZOOMSDK::IZoomSDKShareSource &source_ = *Make::make();
  MeetingSDKShareSender &sender_ = *new MeetingSDKShareSender();
};

/** A frame to edit. */
class EditedFrame final : public YUVProcessDataI420 {
 public:
  explicit EditedFrame(Frame &frame) : frame_(frame) {}

  unsigned int GetWidth() override { return frame_.width(); }
  unsigned int GetHeight() override { return frame_.height(); }
  char *GetYBuffer(unsigned int lineNum) override { return row(lineNum, 0); }
  char *GetUBuffer(unsigned int lineNum) override { return row(lineNum, 1); }
  char *GetVBuffer(unsigned int lineNum) override { return row(lineNum, 2); }
  unsigned int GetYStride() override { return stride(0); }
  unsigned int GetUStride() override { return stride(1); }
  unsigned int GetVStride() override { return stride(2); }
  unsigned int GetRotation() override { return 0; }
  bool IsLimitedI420() override { return frame_.info().range == GR_RANGE_LIMITED; }

 private:
  char *row(unsigned int y, unsigned int plane) {
    return reinterpret_cast<char *>(frame_.row(y, plane).begin());
  }
  /** The distance of two rows; of a plane with one row its length. */
  unsigned int stride(unsigned int plane) {
    const Row first = frame_.row(0, plane), second = frame_.row(1, plane);
    return static_cast<unsigned int>(second.begin() == nullptr
                                         ? static_cast<std::ptrdiff_t>(first.size())
                                         : second.begin() - first.begin());
  }

  Frame &frame_;
};

/** A filter of the Video SDK. */
template <class Make>
class VideoSDKFilter : public Filter {
 public:
  void process(Frame &frame) override {
    EditedFrame edited(frame);
    filter_.onPreProcessRawData(&edited);
  }
  /** The filter reads the size of each frame. */
  void on_property_change(const gr_capability &) override {}

 private:
  ZOOMVIDEOSDK::IZoomVideoSDKVideoSourcePreProcessor &filter_ = *Make::make();
};

template <class Interface, class Type>
inline constexpr bool is_a = std::is_base_of<Interface, Type>::value;

/** The plugin that a class of the SDKs becomes. */
template <class Type, class Make>
auto plugin_of() {
  using namespace ZOOMVIDEOSDK;
  using namespace ZOOMSDK;
  if constexpr (is_a<IZoomVideoSDKVideoSource, Type>) {
    using List = IVideoSDKVector<ZOOMVIDEOSDK::VideoSourceCapability>;
    using Found = CameraOf<Make, IZoomVideoSDKVideoSource, VideoSDKVideoSender, List>;
    return static_cast<Found *>(nullptr);
  } else if constexpr (is_a<IZoomSDKVideoSource, Type>) {
    using List = IList<ZOOMVIDEOSDK::VideoSourceCapability>;
    using Found = CameraOf<Make, IZoomSDKVideoSource, MeetingSDKVideoSender, List>;
    return static_cast<Found *>(nullptr);
  } else if constexpr (is_a<IZoomVideoSDKVirtualAudioMic, Type>) {
    using Found = MicrophoneOf<Make, IZoomVideoSDKVirtualAudioMic, VideoSDKAudioSender>;
    return static_cast<Found *>(nullptr);
  } else if constexpr (is_a<IZoomSDKVirtualAudioMicEvent, Type>) {
    using Found = MicrophoneOf<Make, IZoomSDKVirtualAudioMicEvent, MeetingSDKAudioSender>;
    return static_cast<Found *>(nullptr);
  } else if constexpr (is_a<IZoomVideoSDKShareSource, Type>) {
    return static_cast<VideoSDKShare<Make> *>(nullptr);
  } else if constexpr (is_a<IZoomSDKShareSource, Type>) {
    return static_cast<MeetingSDKShare<Make> *>(nullptr);
  } else {
    static_assert(is_a<IZoomVideoSDKVideoSourcePreProcessor, Type>,
                  "the class derives from no source of zoom_style.hpp");
    return static_cast<VideoSDKFilter<Make> *>(nullptr);
  }
}

template <class Type, class Make>
using PluginOf = std::remove_pointer_t<decltype(plugin_of<Type, Make>())>;

/** Makes a source with what a registration says after its id and name. */
template <class Type, class... Arguments>
Type *make(const char *, const char *, Arguments &&...arguments) {
  return new Type(std::forward<Arguments>(arguments)...);
}

/** The description with the id and the name of a registration. */
template <class... Arguments>
Description describe(const char *id, const char *name, Arguments &&...) {
  return {id, name, "1.0.0", std::string(name) + " over zoom_style.hpp", {}};
}

}  // namespace zoom
}  // namespace greenroom

/** Declares Type##Plugin: an id in reverse domain, a name for session files, and the arguments of the
    source's constructor. */
#define GREENROOM_ZOOM_SOURCE(Type, ...)                                                          \
  struct Type##Maker {                                                                            \
    static Type *make() { return greenroom::zoom::make<Type>(__VA_ARGS__); }                      \
  };                                                                                              \
  struct Type##Plugin : greenroom::zoom::PluginOf<Type, Type##Maker> {                            \
    static greenroom::Description description() {                                                 \
      return greenroom::zoom::describe(__VA_ARGS__);                                              \
    }                                                                                             \
  };

/** The same, as the one plugin of the library. */
#define GREENROOM_ZOOM_PLUGIN(Type, ...)                                                          \
  GREENROOM_ZOOM_SOURCE(Type, __VA_ARGS__)                                                        \
  GREENROOM_PLUGINS(Type##Plugin)

#include <greenroom/zoom_receive.hpp>
/* After it. */
#include <greenroom/zoom_meeting.hpp>

#endif
