import AssetIO
import AssetModel

/// What went wrong at which byte; the entry point turns it into an `AssetError` with line and column.
struct USDAError: Error {
    var offset: Int
    var code: String
    var message: String

    init(_ offset: Int, _ code: String, _ message: String) {
        self.offset = offset
        self.code = code
        self.message = message
    }
}
