/// Names of files, and strings of layers, as text, whatever their bytes are.
///
/// Both are bytes; nearly all of them are UTF-8, and those that are not must still come out as they went in. A byte that is no part
/// of UTF-8 text becomes a code point of a private area on the way in (U+10FE80 to U+10FEFF for 80 to FF) and that byte again on the
/// way out to the system, as in Python's `surrogateescape`. Letters of that area in a name are taken byte by byte, so that no two
/// names become one.
public enum SystemPath {
    private static let area: ClosedRange<UInt32> = 0x10FE80...0x10FEFF

    /// The text for a name as the system has it.
    public static func decode(_ bytes: [UInt8]) -> String { bytes.withUnsafeBufferPointer { decode($0) } }

    /// The text for a string of a layer; of plain letters nothing more is asked than whether they are.
    public static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        if isASCII(bytes) { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self), !hasEscapes(text) { return text }
        var scalars = String.UnicodeScalarView()
        var at = 0
        while at < bytes.count {
            let lead = bytes[at]
            let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
            if let letter = String(validating: bytes[at..<min(at + length, bytes.count)], as: UTF8.self)?.unicodeScalars.first,
                byte(of: letter) == nil
            {
                scalars.append(letter)
                at += length
            } else {
                scalars.append(Unicode.Scalar(area.lowerBound - 0x80 + UInt32(lead)) ?? "\u{FFFD}")
                at += 1
            }
        }
        return String(scalars)
    }

    /// Eight bytes at a time.
    private static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = UnsafeRawBufferPointer(bytes)
        var high: UInt64 = 0
        var at = 0
        while at &+ 8 <= raw.count {
            high |= raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            at &+= 8
        }
        while at < raw.count {
            high |= UInt64(raw[at])
            at &+= 1
        }
        return high & 0x8080_8080_8080_8080 == 0
    }

    static func decode(_ name: UnsafePointer<CChar>) -> String {
        var bytes: [UInt8] = []
        var at = name
        while at.pointee != 0 {
            bytes.append(UInt8(bitPattern: at.pointee))
            at += 1
        }
        return decode(bytes)
    }

    /// The arguments of the command line behind the program's name.
    public static func arguments(_ count: Int32, _ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> [String] {
        (1..<max(1, Int(count))).compactMap { i in list[i].map { decode($0) } }
    }

    /// The name for the system, with a zero behind it.
    static func encode(_ path: String) -> [CChar] {
        var out: [CChar] = []
        out.reserveCapacity(path.utf8.count + 1)
        guard hasEscapes(path) else {
            out.append(contentsOf: path.utf8.lazy.map { CChar(bitPattern: $0) })
            out.append(0)
            return out
        }
        for letter in path.unicodeScalars {
            if let byte = byte(of: letter) {
                out.append(CChar(bitPattern: byte))
            } else {
                out.append(contentsOf: UTF8.encode(letter).map { $0.map { CChar(bitPattern: $0) } } ?? [])
            }
        }
        out.append(0)
        return out
    }

    /// The bytes that a text was made from: of a path, those that other programs are to find the file by.
    public static func bytes(_ path: String) -> [UInt8] {
        hasEscapes(path) ? encode(path).dropLast().map { UInt8(bitPattern: $0) } : Array(path.utf8)
    }

    /// The byte that a letter stands for.
    public static func byte(of letter: Unicode.Scalar) -> UInt8? { area.contains(letter.value) ? UInt8(truncatingIfNeeded: letter.value) : nil }

    /// A name that text can hold: `_` for bytes that are not UTF-8.
    public static func readable(_ name: String) -> String {
        guard hasEscapes(name) else { return name }
        return String(String.UnicodeScalarView(name.unicodeScalars.map { byte(of: $0) == nil ? $0 : "_" }))
    }

    /// Whether a path holds bytes that are not UTF-8. Letters of the area begin with F4 8F.
    public static func hasEscapes(_ text: String) -> Bool {
        text.utf8.contains(0xF4) && text.unicodeScalars.contains { byte(of: $0) != nil }
    }
}
