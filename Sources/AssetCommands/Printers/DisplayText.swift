import AssetIO

/// A name or message made safe for a terminal: control characters, line separators and characters that turn the writing
/// direction are shown as escapes.
func escaped(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return text }
    if !text.unicodeScalars.contains(where: mustEscape) { return text }
    var out = ""
    for s in text.unicodeScalars {
        switch s {
        case "\n": out += "\\n"
        case "\r": out += "\\r"
        case "\t": out += "\\t"
        case _ where SystemPath.byte(of: s) != nil: out += "\\x" + String(s.value & 0xFF, radix: 16)
        case _ where mustEscape(s): out += "\\u{" + String(s.value, radix: 16) + "}"
        default: out.unicodeScalars.append(s)
        }
    }
    return out
}

/// A name made safe like `escaped`, and cut where no one would read on: files may hold names of megabytes. JSON has them whole.
func shortName(_ name: String) -> String {
    let limit = 200
    if name.utf8.count <= limit { return escaped(name) }
    // By code points: a letter may have any number of marks.
    let start = name.unicodeScalars.prefix(limit)
    let shown = truncated(escaped(String(start)), to: limit - 1)
    return start.endIndex == name.endIndex || shown.hasSuffix("…") ? shown : shown + "…"
}

private func mustEscape(_ s: Unicode.Scalar) -> Bool {
    switch s.value {
    case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069, 0x200e...0x200f, 0xfeff, 0x10fe80...0x10feff: true
    default: false
    }
}

/// Columns that a text takes on a terminal.
func displayWidth(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + displayWidth($1) }
}

func displayWidth(_ character: Character) -> Int {
    var width = 0
    for s in character.unicodeScalars {
        if s.value == 0xfe0f { return 2 }
        if width == 0 { width = scalarWidth(s) }
    }
    return width
}

/// 0 for marks that combine with what stands before them, 2 for East Asian wide characters and emoji, else 1.
private func scalarWidth(_ s: Unicode.Scalar) -> Int {
    if s.value < 0x300 { return s.value < 0x20 ? 0 : 1 }
    switch s.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    switch s.value {
    case 0x1100...0x115f, 0x231a...0x231b, 0x2329...0x232a, 0x23e9...0x23ec, 0x23f0, 0x23f3, 0x25fd...0x25fe, 0x2614...0x2615,
        0x2648...0x2653, 0x267f, 0x2693, 0x26a1, 0x26aa...0x26ab, 0x26bd...0x26be, 0x26c4...0x26c5, 0x26ce, 0x26d4, 0x26ea,
        0x26f2...0x26f3, 0x26f5, 0x26fa, 0x26fd, 0x2705, 0x270a...0x270b, 0x2728, 0x274c, 0x274e, 0x2753...0x2755, 0x2757,
        0x2795...0x2797, 0x27b0, 0x27bf, 0x2b1b...0x2b1c, 0x2b50, 0x2b55, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf,
        0x4e00...0x9fff, 0xa000...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f,
        0xff00...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18aff, 0x1b000...0x1b2ff, 0x1f004, 0x1f0cf, 0x1f18e, 0x1f191...0x1f19a,
        0x1f1e6...0x1f202, 0x1f210...0x1f23b, 0x1f240...0x1f248, 0x1f250...0x1f251, 0x1f260...0x1f265, 0x1f300...0x1f64f,
        0x1f680...0x1f6ff, 0x1f7e0...0x1f7eb, 0x1f900...0x1f9ff, 0x1fa70...0x1faff, 0x20000...0x3fffd:
        return 2
    default: return 1
    }
}

/// The text cut to a number of columns, the cut marked with `…`.
func truncated(_ text: String, to width: Int) -> String {
    if displayWidth(text) <= width { return text }
    guard width > 0 else { return "" }
    var out = ""
    var used = 0
    for c in text {
        let w = displayWidth(c)
        if used + w > width - 1 { break }
        out.append(c)
        used += w
    }
    return out + "…"
}

/// The text filled up with blanks to a number of columns.
func padded(_ text: String, to width: Int) -> String {
    let n = width - displayWidth(text)
    return n > 0 ? text + String(repeating: " ", count: n) : text
}

/// The text moved to the right end of a number of columns.
func leftPadded(_ text: String, to width: Int) -> String {
    let n = width - displayWidth(text)
    return n > 0 ? String(repeating: " ", count: n) + text : text
}

/// Words broken into lines of at most `width` columns.
func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
        if !line.isEmpty, displayWidth(line) + 1 + displayWidth(String(word)) > width {
            lines.append(line)
            line = ""
        }
        line += line.isEmpty ? String(word) : " " + word
    }
    if !line.isEmpty { lines.append(line) }
    return lines
}

/// A count for people: `1,234,567`.
func grouped(_ n: Int) -> String {
    let digits = String(n.magnitude)
    if digits.utf8.count <= 3 { return String(n) }
    var out = n < 0 ? "-" : ""
    for (i, c) in digits.enumerated() {
        if i > 0, (digits.utf8.count - i) % 3 == 0 { out += "," }
        out.append(c)
    }
    return out
}

/// `1 mesh`, `2 meshes`, `1,234 points`.
func counted(_ n: Int, _ one: String, _ many: String? = nil) -> String {
    grouped(n) + " " + (n == 1 ? one : many ?? one + "s")
}

/// Bytes for people, in the units file managers use: `812 B`, `4.2 kB`, `17 MB`.
func byteText(_ n: Int) -> String {
    if n < 1000 { return "\(n) B" }
    var value = Double(n)
    for unit in ["kB", "MB", "GB", "TB"] {
        value /= 1000
        if value < 999.5 || unit == "TB" {
            return (value < 9.95 ? decimal(value, 1) : grouped(Int(value.rounded()))) + " " + unit
        }
    }
    return "\(n) B"
}

/// A number with at most `places` digits behind the point, none of them a needless zero.
func decimal(_ value: Double, _ places: Int) -> String {
    guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = (value * scale).rounded()
    guard scaled.magnitude < 9e15 else { return numberText(value) }
    return numberText(scaled / scale)
}

/// A number at a readable length: at most `digits` significant ones, no exponent where it can be helped.
func significant(_ value: Double, _ digits: Int = 6) -> String {
    guard value.isFinite, value != 0 else { return numberText(value) }
    var magnitude = value.magnitude
    var exponent = 0
    while magnitude >= 10, exponent < 400 { (magnitude, exponent) = (magnitude / 10, exponent + 1) }
    while magnitude < 1, exponent > -400 { (magnitude, exponent) = (magnitude * 10, exponent - 1) }
    let places = digits - 1 - exponent
    if places <= 0 { return numberText(value.rounded()) }
    if places > 15 { return numberText(Double(Float(value))) }
    return decimal(value, places)
}

/// A number the shortest way, whole ones without `.0`.
func numberText(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
    if value.magnitude < 1e15, value == value.rounded() { return value == 0 ? "0" : String(Int(value)) }
    let asFloat = Float(value)
    return Double(asFloat) == value ? asFloat.description : value.description
}

func numberText(_ value: Float) -> String { numberText(Double(value)) }
