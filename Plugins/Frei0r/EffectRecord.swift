/// Facts about the effects of frei0r-plugins 1.8.0, by the name of their file.
struct EffectRecord: Equatable {
    enum Output { case deterministic, random, unknown }

    /// Whether equal input makes equal output.
    var output = Output.unknown
    /// The effect's known defect; nil if none. A defective effect starts only if the session file
    /// forces it.
    var fault: String?

    init(_ name: String) {
        fault = Self.faults[name]
        if fault == nil {
            output =
                Self.random.contains(name)
                ? .random : Self.deterministic.contains(name) ? .deterministic : .unknown
        }
    }

    private static let faults = [
        "3dflippo": "uses memory that it never wrote, and may crash",
        "curves": "hangs in its first frame",
        "elastic-scale": "writes outside its frame, or crashes, at some sizes",
        "lightgraffiti": "aborts at small sizes",
        "partik0l": "writes outside its frame, or crashes",
    ]

    /// Effects that read memory before they write it, or that share random numbers between instances.
    private static let random: Set = [
        "cluster", "delaygrab", "ising0r", "nervous", "plasma", "rgbnoise", "tehroxx0r",
    ]

    private static let deterministic: Set = [
        "B", "G", "IIRblur", "R", "aech0r", "alpha0ps", "alphagrad", "alphaspot", "balanc0r",
        "baltan", "bgsubtract0r", "bluescreen0r", "brightness", "bw0r", "c0rners",
        "cairogradient", "cairoimagegrid", "cartoon", "colgate", "coloradj-RGB",
        "colordistance", "colorhalftone", "colorize", "colortap", "contrast0r",
        "d90stairsteppingfix", "defish0r", "delay0r", "distort0r", "dither", "edgeglow",
        "emboss", "equaliz0r", "facebl0r", "facedetect", "flippo", "gamma", "glitch0r", "glow",
        "hqdn3d", "hueshift0r", "invert0r", "keyspillm0pup", "lenscorrection", "letterb0xed",
        "levels", "lissajous0r", "luminance", "mask0mate", "medians", "ndvi", "nois0r",
        "normaliz0r", "nosync0r", "onecol0r", "perspective", "pixeliz0r", "posterize", "pr0be",
        "pr0file", "premultiply", "primaries", "rgbparade", "rgbsplit0r", "saturat0r",
        "scale0tilt", "scanline0r", "select0r", "sharpness", "sigmoidaltransfer", "sobel",
        "softglow", "sopsat", "spillsupress", "squareblur", "test-pat-B", "test-pat-C",
        "test-pat-G", "test-pat-I", "test-pat-L", "test-pat-R", "three-point-balance", "threelay0r",
        "threshold0r", "timeout", "tint0r", "transparency", "twolay0r", "vectorscope",
        "vertigo", "vignette",
    ]
}
