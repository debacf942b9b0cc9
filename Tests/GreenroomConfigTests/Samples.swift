import GreenroomConfig

/// Session files that several tests share.
enum Samples {
    /// Files that are right.
    static let good: [String] = [
        "camera: { plugin: ColorBars }",
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
          pre-processors:
            - plugin: Watermark
              settings: { path: logo.png, opacity: 0.6 }
              on-failure: continue
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
    ]

    /// A file with faults.
    struct Bad: Sendable {
        var yaml: String
        /// What is said, without the file's name and the quoted line.
        var faults: [String]
        /// Whether the JSON Schema finds the file wrong too. What it can't see: what a YAML
        /// reader resolves before (double keys, anchors, merge keys), bounds of durations, and
        /// how the parts of a file fit together.
        var isSeenBySchema = true
    }

    /// Files that are YAML and wrong, each with everything that is said about it.
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
                    + #""settings"; other keys here are "plugin", "on-failure", "pre-processors"."#
            ]),
        Bad(
            yaml: "camera: { plugin: A }\nduration: 3s",
            faults: [#"2:1: duration: unknown key. It goes under "session"."#]),
        Bad(
            yaml: "camera: { plugin: A }\nxyzzy: 3s",
            faults: [
                #"2:1: xyzzy: unknown key. Known keys are "session", "camera", "microphone", "#
                    + #""share", "outputs"."#
            ]),
        Bad(
            yaml: "camera: { plugin: A }\n\"a b\": 1",
            faults: [
                #"2:1: "a b": unknown key. Known keys are "session", "camera", "microphone", "#
                    + #""share", "outputs"."#
            ]),
        Bad(
            yaml: "camera: { plugin: A }\n<<: { session: { name: x } }",
            faults: ["2:1: <<: merge keys (<<) are not read. Write the values out."],
            isSeenBySchema: false),
        Bad(
            yaml: "camera:\n  plugin: A\n  plugin: B\n  \"on-failure\": end\n  on-failure: end\n",
            faults: [
                "3:3: camera.plugin: the key stands here a second time, the first is in line 2. "
                    + "Keep one.",
                "5:3: camera.on-failure: the key stands here a second time, the first is in "
                    + "line 4. Keep one.",
            ], isSeenBySchema: false),
        Bad(
            yaml: "camera: { plugin: A }\n? [a]\n: b\n",
            faults: ["2:3: a key has to be a word."], isSeenBySchema: false),

        // What has to be there
        Bad(
            yaml: "session: { name: x }",
            faults: [
                #"1:1: needs at least one of the keys "camera", "microphone", "share". Add one."#
            ]),
        Bad(
            yaml: "camera:\n  settings: { a: 1 }\n",
            faults: [
                #"2:3: camera: needs the key "plugin". Add it, such as plugin: ColorBars."#
            ]),
        Bad(
            yaml: "camera: { plugin: A }\noutputs: [{ record: { fps: 30 } }, {}]",
            faults: [
                #"2:21: outputs[0].record: needs the key "folder". Add it, such as folder: "#
                    + "recordings/demo.",
                #"2:36: outputs[1]: needs one of the keys "record", "loudspeaker", "y4m". Add "#
                    + "one.",
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
            faults: ["1:1: needs a section with camera, microphone or share, found a list."]),
        Bad(
            yaml: "hello",
            faults: [
                #"1:1: needs a section with camera, microphone or share, found the text "hello"."#
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
            yaml: "camera: { plugin: A, settings: { a: [1], b: , c: { d: 1 } } }",
            faults: [
                "1:37: camera.settings.a: needs a single value, found a list.",
                "1:45: camera.settings.b: has no value. Give it one, or remove it.",
                "1:50: camera.settings.c: needs a single value, found a section.",
            ]),
        Bad(
            yaml: "camera: { plugin: A, settings: { a: 1e999 } }",
            faults: ["1:37: camera.settings.a: the number 1e999 is too large."],
            isSeenBySchema: false),
        Bad(
            yaml: "camera: { plugin: A, settings: !mine { a: !!int 1 } }",
            faults: ["1:32: camera.settings: tags (!mine) are not read. Remove it."],
            isSeenBySchema: false),

        // Values
        Bad(
            yaml: "camera: { plugin: A }\nsession: { maximum: 1280x720, duration: 10 }",
            faults: [
                "2:21: session.maximum: needs a size and a frame rate such as 1280x720@30 or "
                    + #"1280x720@30000/1001, found the text "1280x720"."#,
                "2:41: session.duration: needs a time such as 10s, 500ms, 2m or 1h30m, from 1ms "
                    + "to 8760h, found the number 10.",
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
            yaml: "camera: { plugin: A, on-failure: contnue }",
            faults: [
                "1:34: camera.on-failure: needs one of end, continue, found the text "
                    + #""contnue". Did you mean "continue"?"#
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
                "2:25: outputs[1]: an output before this one writes to standard output already. "
                    + "Keep one."
            ], isSeenBySchema: false),
        Bad(
            yaml: "microphone: { plugin: A }\noutputs: [{ y4m: \"-\" }]",
            faults: [
                "2:11: outputs[0]: there is no camera to write. Add one, or take another track."
            ], isSeenBySchema: false),
        Bad(
            yaml: "camera: { plugin: A }\noutputs: [{ record: a }, { record: { folder: a } }]",
            faults: [
                "2:26: outputs[1]: an output before this one records to the same folder. Name "
                    + "another."
            ], isSeenBySchema: false),
        Bad(
            yaml: "camera: { plugin: A }\noutputs: [{ loudspeaker: default }]",
            faults: [
                "2:11: outputs[0]: there is no sound to play. Add a microphone, or audio to the "
                    + "share."
            ], isSeenBySchema: false),

        // Anchors
        Bad(
            yaml: """
                camera: { plugin: A, settings: &a { x: 1 } }
                microphone: { plugin: B, settings: *a }
                """,
            faults: [
                "1:32: camera.settings: anchors (&a) and aliases (*a) are not read, so that a "
                    + "file says what it means where it says it. Write the value out."
            ], isSeenBySchema: false),
    ]

    /// Texts that are no YAML, or not one document of it.
    static let malformed: [Bad] = [
        Bad(
            yaml: "",
            faults: [
                "1:1: the file is empty. A session has at least a camera, microphone or share."
            ]
        ),
        Bad(
            yaml: "# nothing but this\n",
            faults: [
                "1:1: the file is empty. A session has at least a camera, microphone or share."
            ]
        ),
        Bad(
            yaml: "camera:\n\tplugin: A\n",
            faults: ["2:1: a tab. YAML indents with blanks: replace it."]),
        Bad(
            yaml: "camera:\n  plugin: \"A\n  x: y\n",
            faults: ["2:11: the quote that begins here has no end. Close it."]),
        Bad(
            yaml: "camera:\n  plugin: a: b\n",
            faults: [
                #"2:12: ": " can't stand here. Quote a text that contains it, and indent the keys "#
                    + "of a section alike."
            ]),
        Bad(
            yaml: "camera:\n  plugin: a\n settings: {}\n",
            faults: [
                "3:2: the indentation does not fit. Begin the keys of a section, and the dashes "
                    + "of a list, in the same column."
            ]),
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
            faults: [#"2:11: a text can't begin with "@". Put it in quotes."#]),
        Bad(
            yaml: "camera:\n  plugin: *a\n",
            faults: [
                "2:11: aliases (*name) are not read. Write the value out, or quote the text."
            ]),
        Bad(
            yaml: "camera:\n  plugin: A\n*a\n",
            faults: [#"3:1: this line has no ": " after its key. Write key: value."#]),
        Bad(
            yaml: "camera: { plugin: A }\n---\nshare: { plugin: B }\n",
            faults: [
                #"2:1: a second document begins here. A session file has one: remove the "---"."#
            ]),
    ]
}
