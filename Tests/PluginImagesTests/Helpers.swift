import GreenroomSystem
import PluginImages

/// The bytes of an image as an array, to compare.
func copy(of image: borrowing Image) -> [UInt8] {
    let bytes = image.bytes
    return bytes.indices.map { bytes[$0] }
}

/// What reading a file as an image throws, or nil for an image.
func errorCode(at path: String) -> FileError.Code? {
    do throws(FileError) {
        _ = try Image(contentsOf: path)
        return nil
    } catch {
        return error.code
    }
}
