/// A color of a control.
public final class UIColor: Sendable {
    /// Green.
    public static let systemGreen = UIColor()
    /// Red.
    public static let systemRed = UIColor()
    /// Grey.
    public static let gray = UIColor()
}

/// A view, which nobody sees: a plugin has no window.
open class UIView: NSObject {
    /// A view's reaction to a new size of its superview.
    public struct AutoresizingMask: OptionSet, Sendable {
        /// The flags.
        public let rawValue: UInt
        /// Makes flags.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The space on the right changes.
        public static let flexibleRightMargin = Self(rawValue: 4)
        /// The space above changes.
        public static let flexibleTopMargin = Self(rawValue: 8)
    }

    /// A view's way to show its content.
    public enum ContentMode: Int, Sendable {
        /// Stretched.
        case scaleToFill
        /// Whole, in its shape.
        case scaleAspectFit
        /// Filled, in its shape.
        case scaleAspectFill
    }

    /// Has no effect.
    public var autoresizingMask: AutoresizingMask = []
    /// Has no effect.
    public var contentMode = ContentMode.scaleToFill
    /// The views in it.
    public private(set) var subviews: [UIView] = []

    /// Makes a view.
    public init(frame: CGRect) { VendorHost.explain("UIView", "a plugin has no window") }

    /// Makes a view without a size.
    public convenience override init() { self.init(frame: .zero) }

    /// Adds a view.
    public func addSubview(_ view: UIView) { subviews.append(view) }
}

/// The owner of a view.
open class UIViewController: NSObject {
    /// The view.
    public lazy var view = UIView()

    /// Makes an owner.
    public override init() {}
}

/// A button, which nobody taps.
public final class UIButton: UIView {
    /// The state of a control.
    public enum State: Sendable {
        /// Not touched.
        case normal
    }

    /// Has no effect.
    public func setTitle(_ title: String?, for state: State) {}
    /// Has no effect.
    public func setTitleColor(_ color: UIColor?, for state: State) {}
}

/// A view of an image.
public final class UIImageView: UIView {
    /// The image.
    public var image: UIImage?
}

/// An image.
public final class UIImage: Sendable {
    /// The pixels.
    public let cgImage: CGImage

    /// Takes pixels over.
    public init(cgImage: CGImage) { self.cgImage = cgImage }

    /// nil: the system's symbols are not here.
    public init?(systemName name: String) { return nil }

    /// In pixels.
    public var size: CGSize { CGSize(width: cgImage.width, height: cgImage.height) }
}

/// The pixels of an image, in the format of the buffer that they come from.
public final class CGImage: Sendable {
    /// The buffer.
    public let pixelBuffer: CVPixelBuffer

    init(_ pixelBuffer: CVPixelBuffer) { self.pixelBuffer = pixelBuffer }

    /// In pixels.
    public var width: Int { pixelBuffer.size.width }
    /// In pixels.
    public var height: Int { pixelBuffer.size.height }
}

/// An image to be drawn.
public final class CIImage: Sendable {
    let pixelBuffer: CVPixelBuffer

    /// Takes a buffer over.
    public init(cvPixelBuffer: CVPixelBuffer) { pixelBuffer = cvPixelBuffer }

    /// Its size, from (0, 0).
    public var extent: CGRect {
        CGRect(x: 0, y: 0, width: pixelBuffer.size.width, height: pixelBuffer.size.height)
    }
}

/// Draws images.
public final class CIContext {
    /// Makes a context; the options have no effect.
    public init(options: [String: Any]?) {}

    /// Draws a whole image.
    ///
    /// - Returns: nil for a part of it.
    public func createCGImage(_ image: CIImage, from rectangle: CGRect) -> CGImage? {
        rectangle == image.extent ? CGImage(image.pixelBuffer) : nil
    }
}

/// An object that views follow; a plugin has none.
public protocol ObservableObject: AnyObject {}

/// A value that views follow; a plugin has none.
@propertyWrapper
public struct Published<Value> {
    /// The value.
    public var wrappedValue: Value

    /// Makes a value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
