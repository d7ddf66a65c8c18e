import AssetIO

/// The words of a statement: what stands between blanks and tabs.
struct MTLWords {
    private let bytes: [UInt8]
    private(set) var at: Int
    private let end: Int

    init(_ bytes: [UInt8]) {
        var end = bytes.count
        while end > 0, Self.isBlank(bytes[end - 1]) { end -= 1 }
        self.bytes = bytes
        self.end = end
        at = 0
        skipBlanks()
    }

    /// Zeros count as blanks: some programs end lines with them.
    static func isBlank(_ c: UInt8) -> Bool { c == 32 || c == 9 || c == 0 || c == 11 || c == 12 }

    private mutating func skipBlanks() {
        while at < end, Self.isBlank(bytes[at]) { at += 1 }
    }

    var isAtEnd: Bool { at >= end }
    var remainingCount: Int { end - at }

    /// The next word, and moves behind it; nil at the end.
    mutating func next() -> ArraySlice<UInt8>? {
        guard at < end else { return nil }
        let start = at
        while at < end, !Self.isBlank(bytes[at]) { at += 1 }
        let word = bytes[start..<at]
        skipBlanks()
        return word
    }

    /// The next word in lower case, without moving; empty where it is no short word.
    func keyword() -> String {
        var copy = self
        guard let word = copy.next(), word.count <= 32 else { return "" }
        return String(decoding: word.map(asciiLowercase), as: UTF8.self)
    }

    /// Everything from here to the end, blanks inside included.
    func rest() -> String { text(upTo: end) }

    /// Everything from here to a place, without blanks before it.
    func text(upTo place: Int) -> String {
        var last = min(max(place, at), end)
        while last > at, Self.isBlank(bytes[last - 1]) { last -= 1 }
        return SystemPath.decode(Array(bytes[at..<last]))
    }

    /// A number that is the whole word.
    static func number(_ word: ArraySlice<UInt8>) -> Float? {
        let copy = Array(word)
        let span = copy.span
        var i = 0
        guard let value = FloatParser.float(span, at: &i), i == span.count else { return nil }
        return value
    }

    /// The next word as a finite number; moves only where it is one.
    mutating func nextNumber() -> Float? {
        var copy = self
        guard let word = copy.next(), let value = Self.number(word), value.isFinite else { return nil }
        self = copy
        return value
    }
}

/// A map's options and file name; options stand before or after the name.
struct MTLMapReader {
    private var words: MTLWords
    private(set) var options = MTLMapOptions()
    private(set) var fileName = ""
    private(set) var badOptions: [String] = []

    init(_ words: MTLWords) { self.words = words }

    private static let names: Set<String> = [
        "-s", "-o", "-t", "-mm", "-bm", "-clamp", "-imfchan", "-texres", "-type", "-blendu", "-blendv", "-boost", "-cc", "-colorspace",
    ]

    mutating func read() {
        while !words.isAtEnd {
            let option = words.keyword()
            guard Self.names.contains(option) else { break }
            if !Self.readOption(option, &words, &options, mayTakeAll: false) {
                _ = words.next()
                if !badOptions.contains(option) { badOptions.append(option) }
            }
        }
        readNameAndOptionsBehind()
    }

    /// The name ends where nothing but whole options follow.
    private mutating func readNameAndOptionsBehind() {
        fileName = words.rest()
        // No file has a name so long.
        guard words.remainingCount <= 8192 else { return }
        var scan = words
        while !scan.isAtEnd {
            let place = scan.at
            if place > words.at, Self.names.contains(scan.keyword()) {
                var behind = scan
                var more = options
                if Self.readAll(&behind, &more) {
                    fileName = words.text(upTo: place)
                    options = more
                    return
                }
            }
            _ = scan.next()
        }
    }

    private static func readAll(_ words: inout MTLWords, _ options: inout MTLMapOptions) -> Bool {
        while !words.isAtEnd {
            let option = words.keyword()
            if option.hasPrefix("#") { return true }
            guard names.contains(option), readOption(option, &words, &options, mayTakeAll: true) else { return false }
        }
        return true
    }

    /// Reads one option with its values; false (and nothing moved) where its value is missing.
    ///
    /// - Parameter mayTakeAll: false leaves the last word for the file's name, where it is one of up to three numbers.
    private static func readOption(_ option: String, _ words: inout MTLWords, _ options: inout MTLMapOptions, mayTakeAll: Bool) -> Bool {
        let before = words
        _ = words.next()
        var isRead = false
        switch option {
        case "-s": isRead = readNumbers(&words, &options.scale, rest: 1, mayTakeAll)
        case "-o": isRead = readNumbers(&words, &options.offset, rest: 0, mayTakeAll)
        case "-t": isRead = readNumbers(&words, &options.turbulence, rest: 0, mayTakeAll)
        case "-mm":
            var values: [Float]?
            isRead = readNumbers(&words, &values, rest: 1, mayTakeAll, limit: 2)
            if let values, isRead { (options.base, options.gain) = (values[0], values[1]) }
        case "-bm":
            if let value = words.nextNumber() { (options.bumpMultiplier, isRead) = (value, true) }
        case "-boost":
            if let value = words.nextNumber() { (options.boost, isRead) = (value, true) }
        case "-clamp": isRead = readSwitch(&words, &options.isClamped)
        case "-blendu": isRead = readSwitch(&words, &options.blendsU)
        case "-blendv": isRead = readSwitch(&words, &options.blendsV)
        case "-cc": isRead = readSwitch(&words, &options.correctsColor)
        case "-imfchan":
            let channel = words.keyword()
            if ["r", "g", "b", "m", "l", "z"].contains(channel) {
                options.channel = channel.utf8.first
                _ = words.next()
                isRead = true
            }
        default:
            let value = words.keyword()
            if !value.isEmpty {
                switch option {
                case "-texres": options.resolution = value
                case "-type": options.type = value
                default: options.colorSpace = value
                }
                _ = words.next()
                isRead = true
            }
        }
        if !isRead { words = before }
        return isRead
    }

    /// One to three numbers; the last is left where it must be the name.
    private static func readNumbers(_ words: inout MTLWords, _ target: inout [Float]?, rest: Float, _ mayTakeAll: Bool, limit: Int = 3) -> Bool {
        var values: [Float] = []
        while values.count < limit {
            var next = words
            guard let value = next.nextNumber() else { break }
            if next.isAtEnd, !mayTakeAll { break }
            words = next
            values.append(value)
        }
        guard !values.isEmpty else { return false }
        while values.count < limit { values.append(rest) }
        target = values
        return true
    }

    private static func readSwitch(_ words: inout MTLWords, _ target: inout Bool?) -> Bool {
        switch words.keyword() {
        case "on", "1", "true": target = true
        case "off", "0", "false": target = false
        default: return false
        }
        _ = words.next()
        return true
    }
}
