/// The script that gives a page the session's audio as its microphone, and collects what the page plays.
///
/// It runs before the page's own scripts. The host exchanges blocks of 16-bit samples in Base64 with the
/// function `__greenroomAudio`, once for each frame.
package enum PageAudioScript {
    /// Exchanges samples: the call's argument is what the page hears, the result what it has played.
    package static func exchange(_ heard: [Int16]) -> String {
        let bytes = heard.flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
        }
        return "window.__greenroomAudio?.('\(Base64.encode(bytes))')"
    }

    /// The samples of a result.
    package static func samples(of bytes: [UInt8]) -> [Int16] {
        stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }

    /// The script.
    package static let text = #"""
        (() => {
          if (window !== top || window.__greenroomAudio) return
          const rate = 48000
          const spoken = []
          let spokenLength = 0
          const context = new AudioContext({ sampleRate: rate, latencyHint: "interactive" })
          const connect = AudioNode.prototype.connect
          const code = `
            const RATE = ${rate}
            registerProcessor("greenroom-hear", class extends AudioWorkletProcessor {
              constructor() {
                super()
                this.queue = []; this.length = 0; this.place = 0; this.isPlaying = false
                this.port.onmessage = ({ data }) => {
                  this.queue.push(data); this.length += data.length
                  while (this.length > RATE / 4) { this.length -= this.queue.shift().length - this.place; this.place = 0 }
                  if (this.length >= RATE * 0.06) this.isPlaying = true
                }
              }
              process(inputs, [[output]]) {
                for (let index = 0; this.isPlaying && index < output.length; index++) {
                  const block = this.queue[0]
                  if (!block) { this.isPlaying = false; break }
                  output[index] = block[this.place++]; this.length--
                  if (this.place === block.length) { this.queue.shift(); this.place = 0 }
                }
                return true
              }
            })
            registerProcessor("greenroom-speak", class extends AudioWorkletProcessor {
              constructor() { super(); this.block = new Float32Array(1024); this.length = 0 }
              process([input]) {
                const count = input.length
                for (let index = 0; index < 128; index++) {
                  let sum = 0
                  for (const channel of input) sum += channel[index]
                  this.block[this.length++] = count ? sum / count : 0
                  if (this.length === this.block.length) { this.port.postMessage(this.block); this.length = 0 }
                }
                return true
              }
            })`
          let hear = null, speak = null
          const ready = context.audioWorklet.addModule("data:text/javascript," + encodeURIComponent(code)).then(() => {
            hear = new AudioWorkletNode(context, "greenroom-hear", { numberOfInputs: 0, outputChannelCount: [1] })
            speak = new AudioWorkletNode(context, "greenroom-speak", { numberOfInputs: 1 })
            speak.port.onmessage = ({ data }) => {
              spoken.push(data); spokenLength += data.length
              while (spokenLength > rate) spokenLength -= spoken.shift().length
            }
            connect.call(speak, context.destination)
          })
          const listen = stream => ready.then(() => {
            if (stream.getAudioTracks().length)
              connect.call(context.createMediaStreamSource(stream), speak)
          })
          // The audio of the page's contexts.
          const taps = new WeakMap()
          AudioNode.prototype.connect = function (target, ...rest) {
            const result = connect.call(this, target, ...rest)
            if (target instanceof AudioDestinationNode && target.context instanceof AudioContext) {
              let tap = taps.get(target)
              if (!tap) {
                tap = target.context.createMediaStreamDestination()
                taps.set(target, tap)
                listen(tap.stream)
              }
              connect.call(this, tap, ...rest)
            }
            return result
          }
          // The audio of its elements.
          const elements = new WeakSet()
          const play = HTMLMediaElement.prototype.play
          HTMLMediaElement.prototype.play = function () {
            tapElement(this)
            return play.call(this)
          }
          function tapElement(element) {
            if (elements.has(element)) return
            elements.add(element)
            element.addEventListener("playing", () => listen(element.captureStream()))
          }
          addEventListener("play", ({ target }) => tapElement(target), true)

          const devices = navigator.mediaDevices
          if (devices) {
            devices.getUserMedia = async constraints => {
              if (constraints?.video) throw new DOMException("the session gives a page no camera", "NotFoundError")
              await ready
              const out = context.createMediaStreamDestination()
              connect.call(hear, out)
              return out.stream
            }
            devices.enumerateDevices = async () => [{ kind: "audioinput", deviceId: "greenroom",
              groupId: "greenroom", label: "Greenroom", toJSON() { return this } }]
          }
          window.__greenroomAudio = heard => {
            if (heard && hear) {
              const bytes = Uint8Array.from(atob(heard), c => c.charCodeAt(0))
              hear.port.postMessage(Float32Array.from(new Int16Array(bytes.buffer), s => s / 32768))
            }
            const samples = Int16Array.from(spoken.splice(0).flatMap(b => [...b]),
              s => Math.max(-32768, Math.min(32767, Math.round(s * 32767))))
            spokenLength = 0
            let text = ""
            for (const byte of new Uint8Array(samples.buffer)) text += String.fromCharCode(byte)
            return btoa(text)
          }
        })()
        """#
}
