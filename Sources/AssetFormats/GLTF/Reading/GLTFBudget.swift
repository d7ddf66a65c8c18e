import AssetIO
import AssetModel

/// What a document may make of its bytes. Accessors, views and packed data may be named again and again: a small file could say
/// that it is as large as it likes.
struct GLTFBudget {
    /// The file and what it names.
    var byteCount: Int
    private var elements = 0
    private var unpacked = 0
    private let limits: ReadLimits

    init(_ byteCount: Int, _ limits: ReadLimits) {
        self.byteCount = byteCount
        self.limits = limits
    }

    /// Elements of accessors that meshes, instances and animations are made of: an honest file has one for two bytes at most, and
    /// uses few of them more than once.
    private var mostElements: Int { (byteCount.multiplied(checked: 32) ?? .max / 2) + 1 << 26 }

    /// As with packages: half a gigabyte, and 64 times the bytes.
    var unpackedLeft: Int {
        let most = (byteCount.multiplied(checked: 64) ?? .max / 2) + 512 << 20
        return (limits.unpackedBytesWereSet ? limits.unpackedBytes : min(limits.unpackedBytes, most)) - unpacked
    }

    /// Throws `gltf.too-much-data` where accessors are used for more elements than the file has bytes for.
    mutating func take(elements n: Int, _ place: GLTFPlace) throws(AssetError) {
        guard let sum = elements.adding(checked: n), sum <= mostElements else {
            throw AssetError(
                "gltf.too-much-data", "accessors are used for more than \(mostElements) elements, in a file of \(byteCount) bytes", at: place)
        }
        elements = sum
    }

    /// Throws `gltf.too-much-data` where packed bytes come to more than may be.
    mutating func take(unpacked n: Int, _ place: GLTFPlace) throws(AssetError) {
        guard n <= unpackedLeft else {
            throw AssetError("gltf.too-much-data", "\(n) bytes come of packed ones, \(max(0, unpackedLeft)) are left of what may come", at: place)
        }
        unpacked += n
    }
}
