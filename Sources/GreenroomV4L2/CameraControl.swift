internal import CV4L2

/// A control of a camera that a setting sets.
package enum CameraControl: String, CaseIterable, Sendable {
    case exposure, focus, zoom, gain
    case whiteBalance = "white-balance"

    /// The control's number.
    var number: Int { Int(numbers.value) }

    /// The control that lets the camera decide; nil without one.
    var automatic: Int? { numbers.automatic.map { Int($0) } }

    private var numbers: (value: UInt32, automatic: UInt32?) {
        func raw(_ number: some BinaryInteger) -> UInt32 { UInt32(number) }
        return switch self {
        case .exposure: (raw(GREENROOM_V4L2_EXPOSURE), raw(GREENROOM_V4L2_EXPOSURE_AUTO))
        case .focus: (raw(GREENROOM_V4L2_FOCUS), raw(GREENROOM_V4L2_FOCUS_AUTO))
        case .zoom: (raw(GREENROOM_V4L2_ZOOM), nil)
        case .gain: (raw(GREENROOM_V4L2_GAIN), raw(GREENROOM_V4L2_GAIN_AUTO))
        case .whiteBalance:
            (raw(GREENROOM_V4L2_WHITE_BALANCE), raw(GREENROOM_V4L2_WHITE_BALANCE_AUTO))
        }
    }
}

/// The range of a control.
package struct ControlRange: Equatable, Sendable {
    package var minimum: Int
    package var maximum: Int
    package var step: Int
    package var standard: Int
    /// The entries of a menu that exist.
    package var choices: [Int]

    package init(minimum: Int, maximum: Int, step: Int, standard: Int, choices: [Int] = []) {
        (self.minimum, self.maximum, self.step) = (minimum, maximum, step)
        (self.standard, self.choices) = (standard, choices)
    }

    /// `0 to 250 in steps of 5`.
    package var text: String {
        "\(minimum) to \(maximum)" + (step > 1 ? " in steps of \(step)" : "")
    }

    func has(_ value: Int) -> Bool {
        guard value >= minimum, value <= maximum else { return false }
        let (offset, overflow) = value.subtractingReportingOverflow(minimum)
        return !overflow && (step < 2 || offset % step == 0)
    }
}

/// The writes that bring a control to a setting's value.
package struct ControlPlan: Equatable, Sendable {
    /// A value to write, in order.
    package struct Write: Equatable, Sendable {
        /// `GREENROOM_V4L2_…`
        package var control: Int
        package var value: Int

        package init(control: Int, value: Int) { (self.control, self.value) = (control, value) }
    }

    /// The setting's value that lets the camera decide.
    package static let automatic = -1

    package var writes: [Write] = []
    /// The reason why the control keeps its value.
    package var refusal: String?

    /// - Parameters:
    ///   - value: ``automatic``, or a value of the control.
    /// - range: The control's range; nil if the camera lacks the control.
    ///   - automatic: The range of the control that lets the camera decide; nil without it.
    package init(
        _ control: CameraControl, to value: Int, range: ControlRange?, automatic: ControlRange?
    ) {
        guard let range else {
            refusal = "\(control.rawValue): this camera has no such control"
            return
        }
        if value == Self.automatic {
            if let number = control.automatic, let automatic {
                writes = [Write(control: number, value: Self.on(control, automatic))]
            } else {
                writes = [Write(control: control.number, value: range.standard)]
            }
            return
        }
        guard range.has(value) else {
            refusal =
                "\(control.rawValue): \(value) is not \(range.text). The control stays as it is"
            return
        }
        if let number = control.automatic, automatic != nil {
            writes = [Write(control: number, value: Self.off(control))]
        }
        writes.append(Write(control: control.number, value: value))
    }

    /// The entries of the menu of V4L2_CID_EXPOSURE_AUTO: auto, manual, shutter and aperture priority.
    private static func on(_ control: CameraControl, _ range: ControlRange) -> Int {
        guard control == .exposure else { return 1 }
        return [3, 0, 2].first { range.choices.contains($0) } ?? range.standard
    }

    private static func off(_ control: CameraControl) -> Int { control == .exposure ? 1 : 0 }
}
