import AssetIO

/// Data URIs (RFC 2397), as buffers and images have them.
enum GLTFDataURI {
    static func isOne(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let scheme: StaticString = "data:"
        guard text.count >= 5 else { return false }
        for i in 0..<5 where text[i] | 0x20 != scheme.utf8Start[i] | 0x20 { return false }
        return true
    }

    /// The bytes and the media type; nil where the text is no base64.
    static func decode(_ text: UnsafeBufferPointer<UInt8>, _ name: String) -> (FileBytes, mediaType: String)? {
        guard let comma = text.prefix(1024).firstIndex(of: UInt8(ascii: ",")) else { return nil }
        let head = String(decoding: text[5..<comma], as: UTF8.self)
        let parts = head.split(separator: ";", omittingEmptySubsequences: false)
        let mediaType = parts.first.map(String.init) ?? ""
        let body = UnsafeBufferPointer(rebasing: text[(comma + 1)...])
        guard parts.dropFirst().contains(where: { $0.lowercased() == "base64" }) else {
            return (FileBytes(name: name, bytes: percent(body)), mediaType)
        }
        return base64(body, name).map { ($0, mediaType) }
    }

    private static func percent(_ body: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        var i = 0
        while i < body.count {
            if body[i] == UInt8(ascii: "%"), i + 2 < body.count, let a = hex(body[i + 1]), let b = hex(body[i + 2]) {
                out.append(a << 4 | b)
                i += 3
            } else {
                out.append(body[i])
                i += 1
            }
        }
        return out
    }

    private static func hex(_ c: UInt8) -> UInt8? {
        switch c {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): c - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): c - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): c - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// What a letter stands for; 64: nothing, 65: to be passed over.
    private static let letters: [UInt8] = {
        var table = [UInt8](repeating: 64, count: 256)
        var next: UInt8 = 0
        for range in [UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9")] {
            for c in range {
                table[Int(c)] = next
                next += 1
            }
        }
        for (c, value) in [("+", 62), ("-", 62), ("/", 63), ("_", 63), (" ", 65), ("\n", 65), ("\r", 65), ("\t", 65)] as [(Unicode.Scalar, UInt8)] {
            table[Int(UInt8(ascii: c))] = value
        }
        return table
    }()

    /// Padding may be missing.
    static func base64(_ body: UnsafeBufferPointer<UInt8>, _ name: String) -> FileBytes? {
        var count = body.count
        while count > 0, body[count - 1] == UInt8(ascii: "=") { count -= 1 }
        // At most three bytes come of four letters.
        let room = count / 4 * 3 + 3
        var made = 0
        let all = FileBytes(name: name, count: room) { to in
            letters.withUnsafeBufferPointer { letters in
                guard let n = decode(body, count, letters, to) else { return false }
                made = n
                return true
            }
        }
        return all?.slice(0, count: made)
    }

    /// How many bytes were written; nil for what is no base64. `to` has room for three bytes of every four letters, and three more.
    private static func decode(
        _ body: UnsafeBufferPointer<UInt8>, _ count: Int, _ letters: UnsafeBufferPointer<UInt8>, _ to: UnsafeMutableRawBufferPointer
    ) -> Int? {
        var (i, n) = (0, 0)
        var (word, held) = (UInt32(0), 0)
        while i < count {
            // Four letters at once, as nearly all are.
            if held == 0 {
                while i &+ 4 <= count {
                    let (a, b, c, d) = (letters[Int(body[i])], letters[Int(body[i &+ 1])], letters[Int(body[i &+ 2])], letters[Int(body[i &+ 3])])
                    guard (a | b | c | d) < 64 else { break }
                    let four = UInt32(a) &<< 18 | UInt32(b) &<< 12 | UInt32(c) &<< 6 | UInt32(d)
                    to[n] = UInt8(truncatingIfNeeded: four &>> 16)
                    to[n &+ 1] = UInt8(truncatingIfNeeded: four &>> 8)
                    to[n &+ 2] = UInt8(truncatingIfNeeded: four)
                    n &+= 3
                    i &+= 4
                }
                guard i < count else { break }
            }
            let six = letters[Int(body[i])]
            i &+= 1
            if six == 64 { return nil }
            if six == 65 { continue }
            word = word &<< 6 | UInt32(six)
            held &+= 1
            guard held == 4 else { continue }
            to[n] = UInt8(truncatingIfNeeded: word &>> 16)
            to[n &+ 1] = UInt8(truncatingIfNeeded: word &>> 8)
            to[n &+ 2] = UInt8(truncatingIfNeeded: word)
            n &+= 3
            (word, held) = (0, 0)
        }
        switch held {
        case 1: return nil
        case 2:
            to[n] = UInt8(truncatingIfNeeded: word &>> 4)
            return n &+ 1
        case 3:
            to[n] = UInt8(truncatingIfNeeded: word &>> 10)
            to[n &+ 1] = UInt8(truncatingIfNeeded: word &>> 2)
            return n &+ 2
        default: return n
        }
    }
}
