import AssetIO
import AssetModel

/// The options that commands share, and what they mean to a reader.
struct CommonOptions {
    enum Spec {
        /// Answered before a command line is read; here for help and completions.
        static let help = OptionSpec("help", short: "h", help: "show how the command is used")
        static let json = OptionSpec("json", help: "print JSON for programs instead of text")
        static let quiet = OptionSpec("quiet", short: "q", help: "say nothing of warnings")
        static let verbose = OptionSpec("verbose", short: "v", help: "tell of choices too, and of every warning")
        static let color = OptionSpec(
            "color", .choice(["auto", "always", "never"]), help: "colour in text; auto: on a terminal, unless NO_COLOR is set")
        static let time = OptionSpec("time", .value("T"), help: "read time-sampled values at this time code") { (v) throws(UsageError) in
            _ = try v.number("time")
        }
        static let variant = OptionSpec(
            "variant", .value("/PATH{SET=CHOICE}"), repeatable: true, help: "select a variant; may be repeated"
        ) { (v) throws(UsageError) in _ = try CommonOptions.variant(v) }
        static let purpose = OptionSpec(
            "purpose", .value("LIST"), help: "purposes that count, of default,render,proxy,guide (default,render)",
            completion: .words(CommonOptions.knownPurposes)
        ) { (v) throws(UsageError) in _ = try CommonOptions.purposes(v) }
        static let noPayloads = OptionSpec("no-payloads", help: "leave payloads unloaded")
        static let limit = OptionSpec(
            "limit", .value("NAME=VALUE"), repeatable: true, help: "set a ceiling; see `facet help limits`",
            completion: .words(ReadLimit.all.map { $0.name + "=" })
        ) { (v) throws(UsageError) in
            var limits = ReadLimits()
            try ReadLimit.set(v, &limits)
        }
        static let strict = OptionSpec("strict", help: "treat a warning as an error")
        static let from = OptionSpec(
            "from", .value("FORMAT"), help: "read as this format, whatever the name; within USD a hint, the content says which; needed with -",
            completion: .readableFormats)
    }

    /// Options of every command that reads an asset.
    static let reading: [OptionSpec] = [
        Spec.quiet, Spec.verbose, Spec.color, Spec.time, Spec.variant, Spec.purpose, Spec.noPayloads, Spec.limit, Spec.strict, Spec.from,
    ]

    var json: Bool
    var isStrict: Bool
    var purposes: Set<Purpose>
    var read: ReadOptions
    /// What `--from` says, for messages.
    var from: ParsedArguments.Value?
    /// The values of `--variant`, one for each of `read.variants`.
    var variants: [ParsedArguments.Value]

    init(_ parsed: ParsedArguments) throws(UsageError) {
        json = parsed.has("json")
        isStrict = parsed.has("strict")
        purposes = [.default, .render]
        read = ReadOptions()
        if let time = try parsed.number("time") { read.time = .at(time) }
        variants = parsed.all("variant")
        for v in variants { read.variants.append(try Self.variant(v)) }
        if let list = parsed.value("purpose") { purposes = try Self.purposes(list) }
        read.loadPayloads = !parsed.has("no-payloads")
        for l in parsed.all("limit") { try ReadLimit.set(l, &read.limits) }
        from = parsed.value("from")
        read.format = from?.text.lowercased()
        if let input = parsed.operands.first, input.text == "-", from == nil {
            throw input.error("reading standard input needs --from FORMAT")
        }
    }

    /// The message for a selection that the file cannot follow; nil for errors about something else.
    func selectionError(_ error: AssetError) -> UsageError? {
        let codes = ["usd.no-such-prim", "usd.no-such-variant-set", "usd.no-such-variant", "usd.variant-in-instance", "scene.no-such-variant"]
        guard codes.contains(error.diagnostic.code),
            let value = variants.first(where: { $0.text == error.diagnostic.location.primPath })
        else { return nil }
        return value.error("--variant is '\(value.text)', but \(error.diagnostic.message)")
    }

    /// `/World/Chair{look=red}`
    private static func variant(_ v: ParsedArguments.Value) throws(UsageError) -> VariantChoice {
        let wrong = v.error("--variant is '\(v.text)', expected /Path{set=choice}")
        guard v.text.hasPrefix("/"), v.text.hasSuffix("}"), let open = v.text.lastIndex(of: "{") else { throw wrong }
        let path = v.text[..<open]
        let inside = v.text[v.text.index(after: open)...].dropLast()
        guard path.count > 1, let equals = inside.firstIndex(of: "=") else { throw wrong }
        let set = inside[..<equals]
        guard !set.isEmpty else { throw wrong }
        return VariantChoice(path: String(path), set: String(set), choice: String(inside[inside.index(after: equals)...]))
    }

    /// `other` stands for words that USD does not know: taken, but not what anybody is looking for.
    private static let knownPurposes = Purpose.allCases.filter { $0 != .other }.map(\.rawValue)

    private static func purposes(_ list: ParsedArguments.Value) throws(UsageError) -> Set<Purpose> {
        var out: Set<Purpose> = []
        let known = knownPurposes
        for name in list.text.split(separator: ",") {
            guard let p = Purpose(rawValue: String(name)) else {
                let hint = nearest(String(name), known).map { "; did you mean '\($0)'?" } ?? ""
                throw list.error("--purpose holds '\(name)', expected \(listed(known))\(hint)")
            }
            out.insert(p)
        }
        guard !out.isEmpty else { throw list.error("--purpose names none of \(listed(known))") }
        return out
    }
}

/// The ceilings that `--limit` sets, as data.
struct ReadLimit: Sendable {
    var name: String
    var help: String
    /// Reaches the ceiling, to read or to set it.
    var field: @Sendable (inout ReadLimits, Int?) -> Int

    static var all: [ReadLimit] {
        [
            ReadLimit(
                name: "nesting-depth", help: "nesting of prims, nodes, dictionaries and packages; text goes to 2,000 at most",
                field: { at(&$0.nestingDepth, $1) }),
            ReadLimit(
                name: "prims",
                help:
                    "prims of a composed stage or nodes of a scene, contents of instances included; unless set, 1,000,000 + 32 for each byte of the layers where that is less",
                field: { at(&$0.prims, $1) }),
            ReadLimit(
                name: "arcs",
                help:
                    "arcs followed to compose the prims of a stage, those of the prims above included; unless set, 30,000,000 + 32 for each byte of the layers where that is less",
                field: { at(&$0.arcs, $1) }),
            ReadLimit(name: "layers", help: "layers that a stage may pull in", field: { at(&$0.layers, $1) }),
            ReadLimit(
                name: "path-bytes",
                help:
                    "bytes of the paths of a scene's nodes together; unless set, 512 MB + 32 for each byte of the layers where that is less",
                field: { at(&$0.pathBytes, $1) }),
            ReadLimit(
                name: "unpacked-bytes",
                help:
                    "bytes that one compressed member of a package may unpack to; unless set, all members together may not exceed 512 MB + 64 for each byte of the package",
                field: { at(&$0.unpackedBytes, $1) }),
            ReadLimit(name: "package-entries", help: "entries of a package", field: { at(&$0.packageEntries, $1) }),
            ReadLimit(
                name: "image-bytes", help: "bytes of an image that `convert` copies; a larger one is left out, with a warning",
                field: { at(&$0.imageBytes, $1) }),
            ReadLimit(name: "header-bytes", help: "bytes of the header of a PLY file", field: { at(&$0.headerBytes, $1) }),
        ]
    }

    /// The ceiling unless set.
    var standard: Int {
        var limits = ReadLimits()
        return field(&limits, nil)
    }

    private static func at(_ place: inout Int, _ value: Int?) -> Int {
        if let value { place = value }
        return place
    }

    static func set(_ v: ParsedArguments.Value, _ limits: inout ReadLimits) throws(UsageError) {
        guard let equals = v.text.firstIndex(of: "=") else {
            throw v.error("--limit is '\(v.text)', expected NAME=VALUE; `facet help limits` lists the names")
        }
        let name = String(v.text[..<equals])
        let text = v.text[v.text.index(after: equals)...]
        guard let limit = all.first(where: { $0.name == name }) else {
            let hint = nearest(name, all.map(\.name)).map { "; did you mean '\($0)'?" } ?? ";"
            throw v.error("unknown limit '\(name)'\(hint) `facet help limits` lists the names")
        }
        guard let n = amount(text) else {
            throw v.error("--limit \(name) is '\(text)', expected a whole number above 0, with K, M or G for thousands, millions, billions")
        }
        _ = limit.field(&limits, n)
    }

    /// `5000`, `64K`, `2M`, `8G`
    private static func amount(_ text: Substring) -> Int? {
        var digits = text
        var unit = 1
        switch text.last {
        case "K", "k": unit = 1000
        case "M", "m": unit = 1_000_000
        case "G", "g": unit = 1_000_000_000
        default: break
        }
        if unit > 1 { digits = text.dropLast() }
        guard let n = Int(digits), n > 0 else { return nil }
        let (value, overflow) = n.multipliedReportingOverflow(by: unit)
        return overflow ? nil : value
    }
}
