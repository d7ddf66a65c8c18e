/// Data URIs (RFC 2397), as buffers and images have them.
enum GLTFDataURI {
    static func isOne(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let scheme: StaticString = "data:"
        guard text.count >= 5 else { return false }
        for i in 0..<5 where text[i] | 0x20 != scheme.utf8Start[i] | 0x20 { return false }
        return true
    }

    /// The bytes and the media type; nil where the text is no base64.
    static func decode(_ text: UnsafeBufferPointer<UInt8>) -> ([UInt8], mediaType: String)? {
        guard let comma = text.prefix(1024).firstIndex(of: UInt8(ascii: ",")) else { return nil }
        let head = String(decoding: text[5..<comma], as: UTF8.self)
        let parts = head.split(separator: ";", omittingEmptySubsequences: false)
        let mediaType = parts.first.map(String.init) ?? ""
        let body = UnsafeBufferPointer(rebasing: text[(comma + 1)...])
        guard parts.dropFirst().contains(where: { $0.lowercased() == "base64" }) else { return (percent(body), mediaType) }
        return base64(body).map { ($0, mediaType) }
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
    static func base64(_ body: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var count = body.count
        while count > 0, body[count - 1] == UInt8(ascii: "=") { count -= 1 }
        var isSound = true
        let letters = Self.letters
        let out = [UInt8](unsafeUninitializedCapacity: count / 4 * 3 + 3) { to, made in
            letters.withUnsafeBufferPointer { letters in
                // Every place is a byte's, and at most three bytes come of four letters.
                var (word, held, n) = (UInt32(0), 0, 0)
                for i in 0..<count {
                    let six = letters[Int(body[i])]
                    if six >= 64 {
                        if six == 64 { isSound = false }
                        continue
                    }
                    word = word &<< 6 | UInt32(six)
                    held &+= 1
                    if held == 4 {
                        to[n] = UInt8(truncatingIfNeeded: word &>> 16)
                        to[n &+ 1] = UInt8(truncatingIfNeeded: word &>> 8)
                        to[n &+ 2] = UInt8(truncatingIfNeeded: word)
                        n &+= 3
                        (word, held) = (0, 0)
                    }
                }
                if held == 3 {
                    to[n] = UInt8(truncatingIfNeeded: word &>> 10)
                    to[n &+ 1] = UInt8(truncatingIfNeeded: word &>> 2)
                    n &+= 2
                } else if held == 2 {
                    to[n] = UInt8(truncatingIfNeeded: word &>> 4)
                    n &+= 1
                } else if held == 1 {
                    isSound = false
                }
                made = n
            }
        }
        return isSound ? out : nil
    }
}
