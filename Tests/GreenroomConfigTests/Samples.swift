import GreenroomConfig
@testable import GreenroomSchema

/// Session files for several tests.
enum Samples {
    /// Valid files.
    static let good: [String] = [
        "camera: { plugin: ColorBars }",
        """
        cameras: { desk: { plugin: A, pre-processors: [{ plugin: F }] }, room: { plugin: B } }
        shares: { wall: { plugin: S, audio: { plugin: T } } }
        microphones: { desk: { plugin: M } }
        stage: { plugin: Stage }
        call: { plugin: C, tracks: [stage, camera.desk, full-mix] }
        timeline: [{ at: 1s, do: stop camera.desk }, { at: 2s, do: ceiling.desk 640x360@15 }]
        outputs:
          - record: { file: call.mkv, tracks: [stage, full-mix] }
          - record: { file: all.mkv, participants: files }
          - y4m: { track: stage }
        """,
        "microphone:\n  plugin: Tone\n",
        "share: { plugin: Slides, settings: { path: slides } }\noutputs:\n",
        "camera:\n  plugin: ./build/libMine.so\n  settings:\n  pre-processors:\nsession:\n",
        """
        session:
          name: demo
          maximum: 1280x720@30000/1001
          duration: 1h30m
          callback-deadline: 500ms
        camera:
          plugin: Y4MFile
          settings: { path: footage.y4m, loop: true, gain: -0.5, count: 3 }
          on-failure: end
          start-deadline: 1m30s
          pre-processors:
            - plugin: Watermark
              settings: { path: logo.png, opacity: 0.6 }
              on-failure: off
            - plugin: Adjust
        microphone:
          plugin: WaveFile
          settings: { path: voice.wav }
        share:
          plugin: Slides
          settings: { path: slides }
          audio:
            plugin: Tone
        outputs:
          - record: recordings/demo
          - record: { folder: other, size: 1280x720, fps: 30, fit: crop, overwrite: true }
          - loudspeaker: { device: default }
          - loudspeaker:
          - y4m: { track: share, fps: 30000/1001 }
        """,
        "camera: { plugin: ColorBars }\noutputs: [{ y4m: \"-\" }]",
        "camera: { plugin: ColorBars }\noutputs: [{ y4m: { to: \"-\", track: camera } }]",
        "microphone: { plugin: Tone }\noutputs: [{ loudspeaker: default }]",
        "microphone: { plugin: Tone }\noutputs: [{ loudspeaker: \"null\" }]",
        "camera: { plugin: ColorBars }\ntimeline:\n",
        """
        session:
          duration: 10s
          clock: virtual
          maximum: 2560x1440@60
          table: [640x360@30, 1280x720@60000/1001]
          more-sizes: [2560x1440@60]
        camera:
          plugin: ColorBars
          pre-processors: [{ plugin: Adjust }]
        microphone: { plugin: Tone }
        share: { plugin: Slides, audio: { plugin: ToneShareAudio } }
        timeline:
          - { at: 0s, ceiling: 640x360@15 }
          - { at: 3s, ceiling: none }
          - { at: 3s, share-ceiling: 1280x720@30000/1001 }
          - { share-ceiling: none, at: 1h }
          - { at: 1s, set: camera.settings.pattern=grey }
          - { at: 1s, set: "camera.pre-processors[0].settings.brightness=-0.5" }
          - { at: 1s, set: share.audio.settings.text="5" }
          - { at: 1s, set: share.settings.text= }
          - { at: 1.5s, do: mute }
          - { at: 2s, do: unmute }
          - { at: 2s, do: pause share }
          - { at: 2500ms, do: resume share }
          - { at: 2s, do: stop camera }
          - { at: 2s, do: "start camera" }
        """,
        """
        session: { isolation: process, sandbox: require, memory-limit: 128MB }
        camera:
          plugin: ColorBars
          isolation: host
          pre-processors:
            - plugin: ./libTheirs.so
              sandbox: on
              memory-limit: 1.5 GB
              allow:
                read: [pictures, /usr/share/fonts]
                write: [snapshots]
                devices: [/dev/video0, /dev/snd]
                network: true
              on-failure: restart
            - { plugin: Adjust, sandbox: on, allow: {}, on-failure: off }
        share: { connect: /run/greenroom.sock, audio: { connect: /run/greenroom.sock } }
        timeline: [{ at: 1s, do: pause share }, { at: 2s, share-ceiling: none }]
        outputs: [{ loudspeaker: default }]
        """,
    ]

    /// A file with errors.
    struct Bad: Sendable {
        var yaml: String
        /// The diagnostics, without the file's name and quoted line.
        var faults: [String]
        /// Whether the JSON Schema also rejects the file. It can't check what a YAML reader
        /// resolves first (duplicate keys, anchors, merge keys), bounds of durations, and relations
        /// between parts of a file.
        var isSeenBySchema = true
    }

    /// YAML files with errors, with all their diagnostics.
    static let bad: [Bad] = [
        // Keys
        Bad(
            yaml: "camera:\n  plugin: ColorBars\n  settngs: { pattern: grey }\n",
            faults: [#"3:3: camera.settngs: unknown key. Did you mean "settings"?"#]),
        Bad(
            yaml: "camera: { plugin: A, preProcessors: [] }",
            faults: [#"1:22: camera.preProcessors: unknown key. Did you mean "pre-processors"?"#]),
        Bad(
            yaml: "camera:\n  plugin: ColorBars\n  opacity: 0.5\n",
            faults: [
                "3:3: camera.opacity: unknown key. A setting of the plugin goes under "
                    + #""settings"; other keys here are "plugin", "connect", "python", "on-failure", "#
                    + #""callback-deadline", "isolation", "sandbox", "memory-limit", "allow", "#
                    + #""start-deadline", "pre-processors"."#
            ]),
        Bad(
            yaml: "camera: { plugin: A }\nduration: 3s",
            faults: [#"2:1: duration: unknown key. It goes under "session"."#]),
        Bad(
            yaml: "camera: { plugin: A }\nxyzzy: 3s",
            faults: [
                #"2:1: xyzzy: unknown key. Known keys are "session", "camera", "microphone", "#
                    + #""share", "stage", "cameras", "microphones", "shares", "stages", "media", "call", "timeline", "outputs", "on"."#
            ]),
        Bad(
            yaml: "camera: { plugin: A }\n\"a b\": 1",
            faults: [
                #"2:1: "a b": unknown key. Known keys are "session", "camera", "microphone", "#
                    + #""share", "stage", "cameras", "microphones", "shares", "stages", "media", "call", "timeline", "outputs", "on"."#
            ]),
        Bad(
            yaml: "camera: { plugin: A }\n<<: { session: { name: x } }",
            faults: ["2:1: <<: merge keys (<<) are not supported. Write the values out."],
            isSeenBySchema: false),
        Bad(
            yaml: "camera:\n  plugin: A\n  plugin: B\n  \"on-failure\": end\n  on-failure: end\n",
            faults: [
                "3:3: camera.plugin: duplicate key: the first is in line 2. Keep one.",
                "5:3: camera.on-failure: duplicate key: the first is in line 4. Keep one.",
            ], isSeenBySchema: false),
        Bad(
            yaml: "camera: { plugin: A }\n? [a]\n: b\n",
            faults: ["2:3: a key must be a word."], isSeenBySchema: false),

        // What has to be there
        Bad(
            yaml: "session: { name: x }",
            faults: [
                #"1:1: needs at least one of the keys "camera", "microphone", "share", "stage", "cameras", "microphones", "shares", "stages", "media", "call". Add one."#
            ]),
        Bad(
            yaml: "camera:\n  settings: { a: 1 }\n",
            faults: [
                #"2:3: camera: needs one of the keys "plugin", "connect". Add one, such as plugin: ColorBars."#
            ]),
        Bad(
            yaml: "camera: { plugin: A }\noutputs: [{ record: { fps: 30 } }, {}]",
            faults: [
                #"2:21: outputs[0].record: needs the key "folder". Add it, such as folder: "#
                    + "recordings/demo.",
                #"2:36: outputs[1]: needs one of the keys "record", "loudspeaker", "stream", "#
                    + #""y4m", "plugin", "connect". Add one."#,
            ]),
        Bad(
            yaml: "microphone: { plugin: A }\noutputs: [{ record: a, loudspeaker: b }]",
            faults: [
                #"2:11: outputs[0]: has 2 keys ("record", "loudspeaker") and can have one. Begin "#
                    + #"a list entry with "- " for each."#
            ]),

        // Types
        Bad(
            yaml: "camera: ColorBars",
            faults: [
                #"1:9: camera: needs a section with the key "plugin", found the text "ColorBars"."#
            ]),
        Bad(
            yaml: "camera:",
            faults: [#"1:8: camera: needs a section with the key "plugin", found nothing."#]),
        Bad(
            yaml: "- camera",
            faults: [
                "1:1: needs a section with camera, microphone, share, stage, cameras, microphones, shares, stages, media or call, found a list."
            ]),
        Bad(
            yaml: "hello",
            faults: [
                #"1:1: needs a section with camera, microphone, share, stage, cameras, microphones, shares, stages, media or call, found the text "hello"."#
            ]),
        Bad(
            yaml: "session: { name: 2024 }\ncamera: { plugin: true }",
            faults: [
                "1:18: session.name: needs text that is not empty, found the number 2024. Put it "
                    + "in quotes.",
                "2:19: camera.plugin: needs the name or path of a plugin, found the boolean true. "
                    + "Put it in quotes.",
            ]),
        Bad(
            yaml: "camera: { plugin: \"\" }",
            faults: ["1:19: camera.plugin: needs the name or path of a plugin, found empty text."]),
        Bad(
            yaml: "camera: { plugin: A, pre-processors: { plugin: B } }",
            faults: [
                "1:38: camera.pre-processors: needs a list of plugins, found a section. Begin "
                    + #"each with "- "."#
            ]),
        Bad(
            yaml: "camera: { plugin: A, pre-processors: [Watermark] }",
            faults: [
                #"1:39: camera.pre-processors[0]: needs a section with the key "plugin", found "#
                    + #"the text "Watermark"."#
            ]),
        Bad(
            yaml: "camera: { plugin: A, settings: [1] }",
            faults: [
                "1:32: camera.settings: needs a section of settings, name: value, found a list."
            ]),
        Bad(
            yaml: "camera: { plugin: A, settings: { a: [[]], b: , c: { d: 1 } } }",
            faults: [
                "1:38: camera.settings.a[0]: needs a text of one line, found a list.",
                "1:46: camera.settings.b: has no value. Give it one, or remove it.",
                "1:51: camera.settings.c: needs a single value, found a section.",
            ]),
        Bad(
            yaml: "camera: { plugin: A, settings: { a: 1e999 } }",
            faults: ["1:37: camera.settings.a: the number 1e999 is too large."],
            isSeenBySchema: false),
        Bad(
            yaml: "camera: { plugin: A, settings: !mine { a: !!int 1 } }",
            faults: ["1:32: camera.settings: tags (!mine) are not supported. Remove it."],
            isSeenBySchema: false),

        // Values
        Bad(
            yaml: "camera: { plugin: A }\nsession: { maximum: 1280x720, duration: 10 }",
            faults: [
                "2:21: session.maximum: needs a size and a frame rate such as 1280x720@30 or "
                    + #"1280x720@30000/1001, found the text "1280x720"."#,
                "2:41: session.duration: needs a time such as 10s, 500ms, 2m or 1h30m, from 1ms "
                    + "to 8760h, found the number 10. Write 10s.",
            ]),
        Bad(
            yaml: "camera: { plugin: A }\nsession: { maximum: 20000x20000@30, resolution: 1 }",
            faults: [
                "2:21: session.maximum: needs a size and a frame rate such as 1280x720@30 or "
                    + #"1280x720@30000/1001, found the text "20000x20000@30". Write a width and a height "#
                    + "from 1 to 8192, and a rate above 0 and up to 1000.",
                #"2:37: session.resolution: unknown key. Write "maximum: 1280x720@30"."#,
            ]),
        Bad(
            yaml: "camera: { plugin: A }\nsession: { duration: 9000h, callback-deadline: 1h }",
            faults: [
                "2:22: session.duration: needs a time such as 10s, 500ms, 2m or 1h30m, from 1ms "
                    + #"to 8760h, found the text "9000h"."#,
                "2:48: session.callback-deadline: needs a time such as 10s, 500ms, 2m or 1h30m, "
                    + #"from 10ms to 10m, found the text "1h"."#,
            ], isSeenBySchema: false),
        Bad(
            yaml: """
                camera:
                  plugin: A
                  start-deadline: 10
                  pre-processors: [{ plugin: B, start-deadline: 10s }]
                share: { plugin: C, audio: { plugin: D, start-deadline: 1s } }
                """,
            faults: [
                "3:19: camera.start-deadline: needs a time such as 10s, 500ms, 2m or 1h30m, from "
                    + "1s to 10m, found the number 10. Write 10s.",
                "4:33: camera.pre-processors[0].start-deadline: unknown key. A setting of the plugin "
                    + #"goes under "settings"; other keys here are "plugin", "connect", "python", "on-failure", "#
                    + #""callback-deadline", "isolation", "sandbox", "memory-limit", "allow", "required"."#,
            ]),
        Bad(
            yaml: """
                camera: { plugin: A, on-failure: restrat }
                microphone: { plugin: B, on-failure: continue }
                """,
            faults: [
                "1:34: camera.on-failure: needs one of restart, off, end, found the text "
                    + #""restrat". Did you mean "restart"?"#,
                "2:38: microphone.on-failure: needs one of restart, off, end, found the text "
                    + #""continue". Write off."#,
            ]),
        Bad(
            yaml: """
                camera: { plugin: A }
                outputs:
                  - record: { folder: a, size: 1280, fps: 29.97, fit: fill, overwrite: "true" }
                """,
            faults: [
                "3:32: outputs[0].record.size: needs a size such as 1280x720, with sides of at "
                    + "most 8192, found the number 1280.",
                "3:43: outputs[0].record.fps: needs frames a second, 1 to 1000, such as 30 or "
                    + "30000/1001, found the number 29.97.",
                "3:55: outputs[0].record.fit: needs one of letterbox, crop, stretch, reject, "
                    + #"found the text "fill"."#,
                "3:72: outputs[0].record.overwrite: needs true or false, found the text "
                    + #""true". Remove the quotes."#,
            ]),
        Bad(
            yaml: "camera: { plugin: A }\noutputs: [{ y4m: out.y4m }, { record: { folder: 5 } }]",
            faults: [
                #"2:18: outputs[0].y4m: needs "-", found the text "out.y4m"."#,
                "2:49: outputs[1].record.folder: needs the path of a folder, found the number 5. "
                    + "Put it in quotes.",
            ]),

        // The file as a whole
        Bad(
            yaml: "camera: { plugin: A }\noutputs: [{ y4m: \"-\" }, { y4m: \"-\" }]",
            faults: [
                "2:25: outputs[1]: an earlier output already writes to standard output. Keep "
                    + "one."
            ], isSeenBySchema: false),
        Bad(
            yaml: "microphone: { plugin: A }\noutputs: [{ y4m: \"-\" }]",
            faults: [
                "2:11: outputs[0]: the session has no camera. Add one, or choose another track."
            ], isSeenBySchema: false),
        Bad(
            yaml: """
                camera: { plugin: A }
                outputs:
                  - record: talks/x.mov
                  - record: { folder: talks/x.mkv }
                  - record: talks/v1.2
                """,
            faults: [
                "3:13: outputs[0].record: unknown format .mov. Name a file that ends with "
                    + ".mkv, .webm, .mp4, or a folder without that ending.",
                "4:23: outputs[1].record.folder: \"x.mkv\" is the name of a file, and this is a "
                    + "folder. Write record: x.mkv for the file, or name a folder.",
            ], isSeenBySchema: false),
        Bad(
            yaml: "camera: { plugin: A }\noutputs: [{ record: a }, { record: { folder: a } }]",
            faults: [
                "2:26: outputs[1]: an earlier output records to the same folder. Name another."
            ], isSeenBySchema: false),
        Bad(
            yaml: "camera: { plugin: A }\noutputs: [{ loudspeaker: default }]",
            faults: [
                "2:11: outputs[0]: the session has no audio. Add a microphone, or audio to the "
                    + "share."
            ], isSeenBySchema: false),

        // The table and the clock
        Bad(
            yaml: """
                camera: { plugin: A }
                session:
                  table: []
                  more-sizes: [1280x720@60, 640x360@30, 1280x720@30, 640x360, 0x5@1]
                """,
            faults: [
                "3:10: session.table: needs 1 to 64 entries, found 0. Remove the key to use the default.",
                "4:41: session.more-sizes[2]: duplicate size 1280x720. Keep the one with the "
                    + "highest rate: it includes the lower ones.",
                "4:54: session.more-sizes[3]: needs a size and a frame rate such as 1280x720@30 or "
                    + #"1280x720@30000/1001, found the text "640x360"."#,
                "4:63: session.more-sizes[4]: needs a size and a frame rate such as 1280x720@30 or "
                    + #"1280x720@30000/1001, found the text "0x5@1". Write a width and a height from 1 to "#
                    + "8192, and a rate above 0 and up to 1000.",
            ]),
        Bad(
            yaml: "camera: { plugin: A }\nsession: { table: 640x360@30, more-sizes: }",
            faults: [
                #"2:19: session.table: needs a list of sizes, found the text "640x360@30". Begin "#
                    + #"each with "- "."#,
                #"2:43: session.more-sizes: needs a list of sizes, found nothing. Begin each with "#
                    + #""- "."#,
            ]),
        Bad(
            yaml: "camera: { plugin: A }\nsession: { table: [640x360@30, 640x360@15] }",
            faults: [
                "2:32: session.table[1]: duplicate size 640x360. Keep the one with the highest "
                    + "rate: it includes the lower ones."
            ], isSeenBySchema: false),
        Bad(
            yaml: "camera: { plugin: A }\nsession:\n  table: ["
                + (1...65).map { "\($0)x8@30" }.joined(separator: ", ") + "]",
            faults: [
                "3:10: session.table: needs 1 to 64 entries, found 65. Remove the key to use the default."
            ]),
        Bad(
            yaml: "camera: { plugin: A }\nsession: { clock: fast }",
            faults: [
                #"2:19: session.clock: needs one of real, virtual, found the text "fast"."#
            ]),
        Bad(
            yaml: "camera: { plugin: A }\nsession: { clock: virtual }",
            faults: [
                "2:19: session.clock: the virtual clock needs a duration; without one the "
                    + #"session runs forever. Add one to "session", or --duration 10s."#
            ], isSeenBySchema: false),

        // The timeline: its shape
        Bad(
            yaml: "camera: { plugin: A }\ntimeline: { at: 3s, ceiling: none }",
            faults: [
                "2:11: timeline: needs a list of entries, found a section. Begin each with "
                    + #""- "."#
            ]),
        Bad(
            yaml: "camera: { plugin: A }\ntimeline: [mute]",
            faults: [
                #"2:12: timeline[0]: needs a section with the key "at" and what to do then, found "#
                    + #"the text "mute"."#
            ]),
        Bad(
            yaml: "camera: { plugin: A }\ntimeline: [{ ceiling: none }, { at: 3s }]",
            faults: [
                #"2:12: timeline[0]: needs the key "at". Add it, such as at: 3s."#,
                #"2:31: timeline[1]: needs one of the keys "ceiling", "share-ceiling", "stage-ceiling", "set", "#
                    + #""do". Add one."#,
            ]),
        Bad(
            yaml: "camera: { plugin: A }\ntimeline: [{ at: 3s, ceiling: none, do: stop camera }]",
            faults: [
                #"2:12: timeline[0]: has 2 of the keys "ceiling", "share-ceiling", "stage-ceiling", "set", "do" "#
                    + "and can have one. Make a separate entry for each."
            ]),
        Bad(
            yaml: """
                microphone: { plugin: A }
                timeline:
                  - { at: 3, do: mute }
                  - { at: -1s, do: mute }
                  - { at: 9000h, do: mute }
                """,
            faults: [
                "3:11: timeline[0].at: needs a time such as 10s, 500ms, 2m or 1h30m, from 0s to "
                    + "8760h, found the number 3. Write 3s.",
                "4:11: timeline[1].at: needs a time such as 10s, 500ms, 2m or 1h30m, from 0s to "
                    + #"8760h, found the text "-1s"."#,
                "5:11: timeline[2].at: needs a time such as 10s, 500ms, 2m or 1h30m, from 0s to "
                    + #"8760h, found the text "9000h"."#,
            ]),
        Bad(
            yaml: """
                camera: { plugin: A }
                timeline:
                  - { at: 4s, mute: }
                  - { at: 4s, stop: camera }
                  - { at: 4s, pause share: }
                  - { at: 4s, ceilng: none }
                """,
            faults: [
                #"3:15: timeline[0].mute: unknown key. Write "do: mute"."#,
                #"4:15: timeline[1].stop: unknown key. Write "do: stop camera"."#,
                #"5:15: timeline[2]."pause share": unknown key. Write "do: pause share"."#,
                #"6:5: timeline[3]: needs one of the keys "ceiling", "share-ceiling", "stage-ceiling", "set", "#
                    + #""do". Add one."#,
                #"6:15: timeline[3].ceilng: unknown key. Did you mean "ceiling"?"#,
            ]),

        // The timeline: its values
        Bad(
            yaml: """
                camera: { plugin: A }
                timeline:
                  - { at: 1s, ceiling: 640x360 }
                  - { at: 1s, ceiling: }
                  - { at: 1s, ceiling: 0 }
                  - { at: 1s, do: stop the camera }
                """,
            faults: [
                "3:24: timeline[0].ceiling: needs a size and a frame rate such as 640x360@15, or "
                    + #"none, found the text "640x360"."#,
                "4:24: timeline[1].ceiling: needs a size and a frame rate such as 640x360@15, or "
                    + "none, found nothing.",
                "5:24: timeline[2].ceiling: needs a size and a frame rate such as 640x360@15, or "
                    + "none, found the number 0.",
                "6:19: timeline[3].do: needs one of stop camera, start camera, mute, unmute, pause "
                    + #"share, resume share, stop stage, start stage, recording pause, recording resume, "#
                    + #"replay save, ceiling 640x360@15, "#
                    + "share-ceiling 1280x720@5, stage-ceiling 1280x720@15, one of them with a name, "
                    + #"such as stop camera.desk, "#
                    + #"ceiling.desk 640x360@15, found the text "stop the camera". Did you mean "#
                    + #""stop camera"?"#,
            ]),
        Bad(
            yaml: """
                camera: { plugin: A }
                timeline:
                  - { at: 1s, set: camera.settings.pattern }
                  - { at: 1s, set: camera.plugin=B }
                  - { at: 1s, set: session.maximum=640x360@15 }
                """,
            faults: [
                "3:20: timeline[0].set: needs a setting and its value, such as "
                    + #"camera.settings.pattern=grey, found the text "camera.settings.pattern"."#,
                #"4:20: timeline[1].set: "camera.plugin" is not a setting of a plugin, and "#
                    + "nothing else can be set while the session runs. Examples of paths: "
                    + "camera.settings.pattern, camera.pre-processors[0].settings.opacity, "
                    + "share.audio.settings.level.",
                #"5:20: timeline[2].set: "session.maximum" is not a setting of a plugin, and "#
                    + "nothing else can be set while the session runs. Examples of paths: "
                    + "camera.settings.pattern, camera.pre-processors[0].settings.opacity, "
                    + "share.audio.settings.level.",
            ]),
        Bad(
            yaml: """
                camera: { plugin: A }
                timeline:
                  - { at: 1s, set: 5 }
                  - { at: 1s, set: 'camera.settings.a=[1]' }
                  - { at: 1s, set: 'camera.settings.a="x' }
                  - { at: 1s, set: camera.settings.a=1e999 }
                """,
            faults: [
                "3:20: timeline[0].set: needs a setting and its value, such as "
                    + "camera.settings.pattern=grey, found the number 5.",
                "4:20: timeline[1].set: camera.settings.a: needs a single value, found a list.",
                "5:20: timeline[2].set: camera.settings.a: the quote that begins here has no end. "
                    + "Close it.",
                "6:20: timeline[3].set: camera.settings.a: the number 1e999 is too large.",
            ]),

        // The timeline: what it is about
        Bad(
            yaml: """
                microphone: { plugin: A }
                timeline:
                  - { at: 1s, do: pause share }
                  - { at: 1s, ceiling: none }
                  - { at: 1s, share-ceiling: none }
                  - { at: 1s, set: share.audio.settings.level=0 }
                  - { at: 1s, do: start camera }
                """,
            faults: [
                "3:5: timeline[0]: the session has no share to pause. Add one, or remove the entry.",
                "4:5: timeline[1]: the session has no camera to limit. Add one, or remove the "
                    + "entry.",
                "5:5: timeline[2]: the session has no share to limit. Add one, or remove the "
                    + "entry.",
                "6:5: timeline[3]: the session has no share.audio to change. Add one, or remove the "
                    + "entry.",
                "7:5: timeline[4]: the session has no camera to start. Add one, or remove the entry.",
            ], isSeenBySchema: false),
        Bad(
            yaml: """
                camera: { plugin: A, pre-processors: [{ plugin: B }] }
                timeline:
                  - { at: 1s, do: mute }
                  - { at: 1s, set: "camera.pre-processors[1].settings.x=1" }
                """,
            faults: [
                "3:5: timeline[0]: the session has no microphone to mute. Add one, or remove the "
                    + "entry.",
                "4:5: timeline[1]: the session has no camera.pre-processors[1] to change. Add one, "
                    + "or remove the entry.",
            ], isSeenBySchema: false),

        // Names that YAML takes for nothing, and examples of the right kind
        Bad(
            yaml: "microphone: { plugin: A }\noutputs: [{ loudspeaker: null }, { loudspeaker: "
                + "{ device: ~ } }]",
            faults: [
                "2:26: outputs[0].loudspeaker: null without quotes is nothing. Put it in quotes if "
                    + "it is a name, or remove it.",
                "2:59: outputs[1].loudspeaker.device: needs the name of an ALSA PCM, such as "
                    + "default, found nothing. Put it in quotes.",
            ]),
        Bad(
            yaml: "microphone: {}\nshare: { audio: {} }\ncamera: { pre-processors: [{}] }",
            faults: [
                #"1:13: microphone: needs one of the keys "plugin", "connect". Add one, such as plugin: Tone."#,
                #"2:8: share: needs one of the keys "plugin", "connect". Add one, such as plugin: Slides."#,
                #"2:17: share.audio: needs one of the keys "plugin", "connect". Add one, such as plugin: "#
                    + "ToneShareAudio.",
                #"3:9: camera: needs one of the keys "plugin", "connect". Add one, such as plugin: ColorBars."#,
                #"3:28: camera.pre-processors[0]: needs one of the keys "plugin", "connect". "#
                    + "Add one, such as plugin: Adjust.",
            ]),

        // Processes and what is allowed in them
        Bad(
            yaml: """
                session: { isolation: own, sandbox: true, memory-limit: 256 }
                camera: { plugin: A, isolaton: process, sandbox: strict, memory_limit: 50 MB }
                microphone: { plugin: B, sandbox: no, memory-limit: 256 MiB, network: true }
                """,
            faults: [
                #"1:23: session.isolation: needs one of process, host, found the text "own"."#,
                "1:37: session.sandbox: needs one of on, partial, require, off, found the boolean true. "
                    + "Write on.",
                "1:57: session.memory-limit: needs an amount of memory such as 256 MB or 1.5 GB, "
                    + "from 16 MB to 64 GB, found the number 256. Write 256 MB.",
                #"2:22: camera.isolaton: unknown key. Did you mean "isolation"?"#,
                #"2:50: camera.sandbox: needs one of on, partial, require, off, found the text "strict"."#,
                #"2:58: camera.memory_limit: unknown key. Did you mean "memory-limit"?"#,
                #"3:35: microphone.sandbox: needs one of on, partial, require, off, found the text "no". "#
                    + "Write off.",
                "3:53: microphone.memory-limit: needs an amount of memory such as 256 MB or "
                    + #"1.5 GB, from 16 MB to 64 GB, found the text "256 MiB". Write 256 MB."#,
                #"3:62: microphone.network: unknown key. It goes under "allow"."#,
            ]),
        Bad(
            yaml: """
                camera: { plugin: A, memory-limit: 15.999 MB }
                microphone: { plugin: B, memory-limit: 64.001 GB }
                share: { plugin: C, memory-limit: 999999 GB }
                """,
            faults: [
                "1:36: camera.memory-limit: needs an amount of memory such as 256 MB or 1.5 GB, "
                    + #"from 16 MB to 64 GB, found the text "15.999 MB"."#,
                "2:40: microphone.memory-limit: needs an amount of memory such as 256 MB or "
                    + #"1.5 GB, from 16 MB to 64 GB, found the text "64.001 GB"."#,
                "3:35: share.memory-limit: needs an amount of memory such as 256 MB or 1.5 GB, "
                    + #"from 16 MB to 64 GB, found the text "999999 GB"."#,
            ], isSeenBySchema: false),
        Bad(
            yaml: """
                camera:
                  plugin: A
                  allow:
                    read: []
                    write: out
                    devices: [video0, /etc/passwd, /dev/../etc/passwd, /dev, /dev/./x, /dev//x]
                    network: on
                    raed: [x]
                """,
            faults: [
                "4:11: camera.allow.read: needs 1 to 64 entries, found 0. Remove the key to use "
                    + "the default.",
                #"5:12: camera.allow.write: needs a list of paths, found the text "out". Begin "#
                    + #"each with "- "."#,
            ]
                + [
                    ("15: camera.allow.devices[0]", "video0", " Write /dev/video0."),
                    ("23: camera.allow.devices[1]", "/etc/passwd", ""),
                    ("36: camera.allow.devices[2]", "/dev/../etc/passwd", ""),
                    ("56: camera.allow.devices[3]", "/dev", ""),
                    ("62: camera.allow.devices[4]", "/dev/./x", ""),
                    ("72: camera.allow.devices[5]", "/dev//x", ""),
                ].map { place, text, cure in
                    "6:\(place): needs the path of a device below /dev, such as /dev/video0, "
                        + "found the text \"\(text)\".\(cure)"
                } + [
                    #"7:14: camera.allow.network: needs true or false, found the text "on"."#,
                    #"8:5: camera.allow.raed: unknown key. Did you mean "read"?"#,
                ]),
        Bad(
            yaml: """
                camera: { plugin: A, allow: { read: [a, b, ./a], devices: [/dev/x, /dev/x] } }
                microphone: { plugin: B, allow: { write: [1, "", null] } }
                """,
            faults: [
                "1:44: camera.allow.read[2]: duplicate entry. Keep one.",
                "1:68: camera.allow.devices[1]: duplicate entry. Keep one.",
                "2:43: microphone.allow.write[0]: needs the path of a file or folder, found the "
                    + "number 1. Put it in quotes.",
                "2:46: microphone.allow.write[1]: needs the path of a file or folder, found empty "
                    + "text.",
                "2:50: microphone.allow.write[2]: needs the path of a file or folder, found "
                    + "nothing. Put it in quotes.",
            ]),
        Bad(
            yaml: """
                camera:
                  plugin: A
                  isolation: host
                  sandbox: off
                  memory-limit: 50 MB
                  allow: {}
                  on-failure: restart
                """,
            faults: [
                "4:12: camera.sandbox", "5:17: camera.memory-limit", "6:10: camera.allow",
            ].map {
                "\($0): applies only to a plugin in a separate process, and camera.isolation is "
                    + "host. Write isolation: process for the plugin, or remove this."
            } + [
                "7:15: camera.on-failure: only a plugin in a separate process can be restarted, "
                    + "and camera.isolation is host. Write isolation: process for the "
                    + "plugin, or on-failure: off."
            ], isSeenBySchema: false),

        // Programs that connect
        Bad(
            yaml: "share: { connect: s.sock, plugin: Slides, settings: { path: x } }",
            faults: [
                #"1:8: share: has "plugin" and "connect" and can have one. Keep one."#
            ]),
        Bad(
            yaml: """
                share:
                  connect: s.sock
                  isolation: process
                  settings: { a: 1 }
                  audio: { connect: s.sock, allow: { network: true } }
                timeline: [{ at: 1s, set: share.settings.a=1 }]
                microphone: { connect: s.sock, python: .venv }
                camera: { plugin: ColorBars, python: .venv }
                """,
            faults: [
                "3:3: share.isolation: applies only to plugins that the host starts, and a program "
                    + "connects to this socket. Remove it, or name a plugin instead of the socket.",
                "4:3: share.settings: applies only to plugins that the host starts, and a program "
                    + "connects to this socket. Remove it, or name a plugin instead of the socket.",
                "5:29: share.audio.allow: applies only to plugins that the host starts, and a program "
                    + "connects to this socket. Remove it, or name a plugin instead of the socket.",
                "6:12: timeline[0]: a program that connects has its own settings. Remove the entry.",
                "7:32: microphone.python: applies only to plugins that the host starts, and a program "
                    + "connects to this socket. Remove it, or name a plugin instead of the socket.",
                "8:30: camera.python: applies only to scripts in Python. Remove it, or name a script, "
                    + "such as ./bot.py.",
            ], isSeenBySchema: false),
        Bad(
            yaml: "session: { clock: virtual, duration: 1s }\nshare: { connect: s.sock }",
            faults: [
                "1:19: session.clock: the virtual clock ends the session before a "
                    + "program can connect. Use the real clock, or name a plugin instead of the "
                    + "socket."
            ], isSeenBySchema: false),
        Bad(
            yaml: "share: { conect: s.sock }\ncamera: { broadcast: s.sock }",
            faults: [
                #"1:8: share: needs one of the keys "plugin", "connect". Add one, such as plugin: "#
                    + "Slides.",
                #"1:10: share.conect: unknown key. Did you mean "connect"?"#,
                #"2:11: camera.broadcast: unknown key. Write "connect: PATH"."#,
            ]),
        Bad(
            yaml: "share: { connect: true }",
            faults: [
                "1:19: share.connect: needs the path of a socket, found the boolean true. Put it "
                    + "in quotes."
            ]),

        // Anchors
        Bad(
            yaml: """
                camera: { plugin: A, settings: &a { x: 1 } }
                microphone: { plugin: B, settings: *a }
                """,
            faults: [
                "1:32: camera.settings: anchors (&a) and aliases (*a) are not supported. Write the "
                    + "value out."
            ], isSeenBySchema: false),
    ]

    /// Texts that are not YAML, or not one YAML document.
    static let malformed: [Bad] = [
        Bad(
            yaml: "",
            faults: [
                "1:1: the file is empty. A session has at least a camera, microphone, share or call."
            ]
        ),
        Bad(
            yaml: "# nothing but this\n",
            faults: [
                "1:1: the file is empty. A session has at least a camera, microphone, share or call."
            ]
        ),
        Bad(
            yaml: "camera:\n\tplugin: A\n",
            faults: ["2:1: a tab: YAML indents with spaces. Replace it."]),
        Bad(
            yaml: "camera:\n  plugin: \"A\n  x: y\n",
            faults: ["2:11: the quote that begins here has no end. Close it."]),
        Bad(
            yaml: "camera:\n  plugin: a: b\n",
            faults: [
                #"2:12: ": " is not allowed here. Quote a text that contains it, and indent the keys "#
                    + "of a section alike."
            ]),
        Bad(
            yaml: "camera:\n  plugin: a\n settings: {}\n",
            faults: [
                "3:2: the indentation does not fit. Begin the keys of a section, and the dashes "
                    + "of a list, in the same column."
            ]),
        Bad(
            yaml: "camera: { plugin: a } }\n",
            faults: [#"1:23: a "}" without its "{". Remove it."#]),
        Bad(
            yaml: "outputs: [{ record: x }]]\n",
            faults: [#"1:25: a "]" without its "[". Remove it."#]),
        Bad(
            yaml: "camera: { plugin: a\nshare: {}\n",
            faults: [
                #"2:6: the section that begins with "{" needs a "," or its "}" before this."#
            ]),
        Bad(
            yaml: "outputs: [ a\n",
            faults: [#"2:1: the list that begins with "[" needs a "," or its "]" before this."#]),
        Bad(
            yaml: "camera:\n  plugin: @a\n",
            faults: [#"2:11: a text cannot begin with "@". Put it in quotes."#]),
        Bad(
            yaml: "camera:\n  plugin: *a\n",
            faults: [
                "2:11: aliases (*name) are not supported. Write the value out, or quote the text."
            ]),
        Bad(
            yaml: "camera:\n  plugin: A\n*a\n",
            faults: [#"3:1: missing ": " after the key. Write key: value."#]),
        Bad(
            yaml: "camera: { plugin: A }\n---\nshare: { plugin: B }\n",
            faults: [
                #"2:1: a second document begins here. A session file has one: remove the "---"."#
            ]),
    ]
}
