#include "CPluginTemplates.h"

#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t AudioPreProcessor_swift[] = {
#embed "Templates/AudioPreProcessor.swift"
};

static const uint8_t Call_swift[] = {
#embed "Templates/Call.swift"
};

static const uint8_t Camera_swift[] = {
#embed "Templates/Camera.swift"
};

static const uint8_t Composer_swift[] = {
#embed "Templates/Composer.swift"
};

static const uint8_t Microphone_swift[] = {
#embed "Templates/Microphone.swift"
};

static const uint8_t Output_swift[] = {
#embed "Templates/Output.swift"
};

static const uint8_t Package_swift[] = {
#embed "Templates/Package.swift"
};

static const uint8_t PreProcessor_swift[] = {
#embed "Templates/PreProcessor.swift"
};

static const uint8_t Receiver_swift[] = {
#embed "Templates/Receiver.swift"
};

static const uint8_t SDKPackage_swift[] = {
#embed "Templates/SDKPackage.swift"
};

static const uint8_t Share_swift[] = {
#embed "Templates/Share.swift"
};

static const uint8_t Speaker_swift[] = {
#embed "Templates/Speaker.swift"
};

static const uint8_t AgoraCamera_swift[] = {
#embed "Templates/AgoraCamera.swift"
};

static const uint8_t AzureCamera_swift[] = {
#embed "Templates/AzureCamera.swift"
};

static const uint8_t StylePackage_swift[] = {
#embed "Templates/StylePackage.swift"
};

static const uint8_t Tests_swift[] = {
#embed "Templates/Tests.swift"
};

static const uint8_t ZoomCamera_swift[] = {
#embed "Templates/ZoomCamera.swift"
};

static const uint8_t audio_pre_processor_c[] = {
#embed "Templates/audio-pre-processor.c"
};

static const uint8_t audio_pre_processor_cpp[] = {
#embed "Templates/audio-pre-processor.cpp"
};

static const uint8_t build_cpp_sh[] = {
#embed "Templates/build-cpp.sh"
};

static const uint8_t build_sh[] = {
#embed "Templates/build.sh"
};

static const uint8_t call_c[] = {
#embed "Templates/call.c"
};

static const uint8_t call_cpp[] = {
#embed "Templates/call.cpp"
};

static const uint8_t camera_c[] = {
#embed "Templates/camera.c"
};

static const uint8_t camera_cpp[] = {
#embed "Templates/camera.cpp"
};

static const uint8_t composer_c[] = {
#embed "Templates/composer.c"
};

static const uint8_t composer_cpp[] = {
#embed "Templates/composer.cpp"
};

static const uint8_t exports_map[] = {
#embed "Templates/exports.map"
};

static const uint8_t csv_file_h[] = {
#embed "Templates/csv-file.h"
};

static const uint8_t csv_plugin_h[] = {
#embed "Templates/csv-plugin.h"
};

static const uint8_t microphone_c[] = {
#embed "Templates/microphone.c"
};

static const uint8_t microphone_cpp[] = {
#embed "Templates/microphone.cpp"
};

static const uint8_t output_c[] = {
#embed "Templates/output.c"
};

static const uint8_t output_cpp[] = {
#embed "Templates/output.cpp"
};

static const uint8_t pre_processor_c[] = {
#embed "Templates/pre-processor.c"
};

static const uint8_t pre_processor_cpp[] = {
#embed "Templates/pre-processor.cpp"
};

static const uint8_t receiver_c[] = {
#embed "Templates/receiver.c"
};

static const uint8_t receiver_cpp[] = {
#embed "Templates/receiver.cpp"
};

static const uint8_t share_c[] = {
#embed "Templates/share.c"
};

static const uint8_t share_cpp[] = {
#embed "Templates/share.cpp"
};

static const uint8_t speaker_c[] = {
#embed "Templates/speaker.c"
};

static const uint8_t audio_pre_processor_py[] = {
#embed "Templates/audio-pre-processor.py"
};

static const uint8_t bot_py[] = {
#embed "Templates/bot.py"
};

static const uint8_t camera_py[] = {
#embed "Templates/camera.py"
};

static const uint8_t composer_py[] = {
#embed "Templates/composer.py"
};

static const uint8_t microphone_py[] = {
#embed "Templates/microphone.py"
};

static const uint8_t output_py[] = {
#embed "Templates/output.py"
};

static const uint8_t pre_processor_py[] = {
#embed "Templates/pre-processor.py"
};

static const uint8_t receiver_py[] = {
#embed "Templates/receiver.py"
};

static const uint8_t share_py[] = {
#embed "Templates/share.py"
};

static const uint8_t speaker_py[] = {
#embed "Templates/speaker.py"
};

static const uint8_t test_py[] = {
#embed "Templates/test.py"
};

static const uint8_t speaker_cpp[] = {
#embed "Templates/speaker.cpp"
};

static const struct greenroom_embedded_file files[] = {
    {"AgoraCamera.swift", AgoraCamera_swift, sizeof AgoraCamera_swift},
    {"AudioPreProcessor.swift", AudioPreProcessor_swift, sizeof AudioPreProcessor_swift},
    {"AzureCamera.swift", AzureCamera_swift, sizeof AzureCamera_swift},
    {"Call.swift", Call_swift, sizeof Call_swift},
    {"Camera.swift", Camera_swift, sizeof Camera_swift},
    {"Composer.swift", Composer_swift, sizeof Composer_swift},
    {"Microphone.swift", Microphone_swift, sizeof Microphone_swift},
    {"Output.swift", Output_swift, sizeof Output_swift},
    {"Package.swift", Package_swift, sizeof Package_swift},
    {"PreProcessor.swift", PreProcessor_swift, sizeof PreProcessor_swift},
    {"Receiver.swift", Receiver_swift, sizeof Receiver_swift},
    {"SDKPackage.swift", SDKPackage_swift, sizeof SDKPackage_swift},
    {"Share.swift", Share_swift, sizeof Share_swift},
    {"Speaker.swift", Speaker_swift, sizeof Speaker_swift},
    {"StylePackage.swift", StylePackage_swift, sizeof StylePackage_swift},
    {"Tests.swift", Tests_swift, sizeof Tests_swift},
    {"ZoomCamera.swift", ZoomCamera_swift, sizeof ZoomCamera_swift},
    {"audio-pre-processor.py", audio_pre_processor_py, sizeof audio_pre_processor_py},
    {"bot.py", bot_py, sizeof bot_py},
    {"camera.py", camera_py, sizeof camera_py},
    {"composer.py", composer_py, sizeof composer_py},
    {"microphone.py", microphone_py, sizeof microphone_py},
    {"output.py", output_py, sizeof output_py},
    {"pre-processor.py", pre_processor_py, sizeof pre_processor_py},
    {"receiver.py", receiver_py, sizeof receiver_py},
    {"share.py", share_py, sizeof share_py},
    {"speaker.py", speaker_py, sizeof speaker_py},
    {"test.py", test_py, sizeof test_py},
    {"audio-pre-processor.c", audio_pre_processor_c, sizeof audio_pre_processor_c},
    {"audio-pre-processor.cpp", audio_pre_processor_cpp, sizeof audio_pre_processor_cpp},
    {"build-cpp.sh", build_cpp_sh, sizeof build_cpp_sh},
    {"build.sh", build_sh, sizeof build_sh},
    {"call.c", call_c, sizeof call_c},
    {"call.cpp", call_cpp, sizeof call_cpp},
    {"camera.c", camera_c, sizeof camera_c},
    {"camera.cpp", camera_cpp, sizeof camera_cpp},
    {"composer.c", composer_c, sizeof composer_c},
    {"composer.cpp", composer_cpp, sizeof composer_cpp},
    {"csv-file.h", csv_file_h, sizeof csv_file_h},
    {"csv-plugin.h", csv_plugin_h, sizeof csv_plugin_h},
    {"exports.map", exports_map, sizeof exports_map},
    {"microphone.c", microphone_c, sizeof microphone_c},
    {"microphone.cpp", microphone_cpp, sizeof microphone_cpp},
    {"output.c", output_c, sizeof output_c},
    {"output.cpp", output_cpp, sizeof output_cpp},
    {"pre-processor.c", pre_processor_c, sizeof pre_processor_c},
    {"pre-processor.cpp", pre_processor_cpp, sizeof pre_processor_cpp},
    {"receiver.c", receiver_c, sizeof receiver_c},
    {"receiver.cpp", receiver_cpp, sizeof receiver_cpp},
    {"share.c", share_c, sizeof share_c},
    {"share.cpp", share_cpp, sizeof share_cpp},
    {"speaker.c", speaker_c, sizeof speaker_c},
    {"speaker.cpp", speaker_cpp, sizeof speaker_cpp},
};

const uint8_t *greenroom_template(const char *name, size_t *size) {
    return greenroom_embedded_file(files, sizeof files / sizeof *files, name, size);
}
