public import AssetIO
public import AssetModel

/// A `.usdz`: a zip archive with a USD layer first, everything stored, contents at multiples of 64 bytes (the usdz file
/// format specification of OpenUSD). Packages that break these rules are read all the same; each breach is a warning.
public struct USDZPackage {
    /// What the user typed, or where the package lies within another one.
    public let path: String
    public let archive: ZipArchive
    /// The first entry whose content is a USD layer, or a package with one.
    public let root: ZipEntry
    /// The path of the layer to be opened: `a.usdz[scene.usda]`, `a.usdz[b.usdz[scene.usda]]`.
    public let rootPath: String

    /// Contents begin at multiples of this many bytes.
    public static let alignment = 64

    /// Opens a package through a resolver, so that its members can be had from there, and notes what is not as it should be.
    ///
    /// - Throws: `zip.*` where the archive cannot be read, `usdz.no-layer` where it holds no USD layer.
    public init(_ path: String, resolver: any AssetResolver, diagnostics: inout Diagnostics) throws(AssetError) {
        try self.init(path, archive: resolver.package(path), diagnostics: &diagnostics)
    }

    public init(_ path: String, archive: ZipArchive, diagnostics: inout Diagnostics) throws(AssetError) {
        var tried = 0
        try self.init(path, archive, depth: 0, tried: &tried, &diagnostics)
    }

    private init(
        _ path: String, _ archive: ZipArchive, depth: Int, tried: inout Int, _ diagnostics: inout Diagnostics
    ) throws(AssetError) {
        self.path = path
        self.archive = archive
        Self.noteIssues(archive, path, &diagnostics)
        var found: (entry: ZipEntry, path: String)?
        for entry in archive.entries where found == nil && Self.isCandidate(entry) {
            guard let head = archive.head(of: entry, count: 16) else { continue }
            let place = AssetPath.member(entry.name, of: path)
            if Self.isLayer(head) {
                found = (entry, place)
            } else if head.starts(with: "PK".utf8), AssetPath.fileExtension(entry.name) == "usdz", depth < Self.deepestPackage,
                let inner = try Self.inner(place, archive, entry, depth: depth + 1, tried: &tried, &diagnostics)
            {
                found = (entry, inner.rootPath)
            }
        }
        guard let found else {
            throw AssetError("usdz.no-layer", Self.withoutLayer(archive), at: SourceLocation(file: path))
        }
        root = found.entry
        rootPath = found.path
        if let first = archive.entries.first, first.headerOffset != root.headerOffset {
            diagnostics.warning(
                "usdz.first-entry-not-layer",
                "the first entry is '\(first.name)', expected a USD layer; '\(root.name)' is taken",
                at: SourceLocation(file: path, position: .byteOffset(first.headerOffset)))
        }
    }

    /// Packages as first entries of packages are followed this far.
    private static let deepestPackage = 16
    /// Packages that are looked into before one gives up: small ones can hold many of each other.
    private static let mostTried = 1000

    /// A package as a member; nil where it has no layer or cannot be read, which makes it one entry like any other.
    private static func inner(
        _ place: String, _ archive: ZipArchive, _ entry: ZipEntry, depth: Int, tried: inout Int, _ diagnostics: inout Diagnostics
    ) throws(AssetError) -> USDZPackage? {
        tried += 1
        guard tried <= mostTried else {
            throw AssetError(
                tooMany, "more than \(mostTried) packages within each other and no USD layer", at: SourceLocation(file: place))
        }
        var noted = Diagnostics()
        do {
            let nested = try ZipArchive(archive.contents(of: entry), limits: archive.limits, within: archive)
            let package = try USDZPackage(place, nested, depth: depth, tried: &tried, &noted)
            diagnostics.add(noted)
            return package
        } catch {
            if [tooMany, "limit.unpacked-bytes"].contains(error.diagnostic.code) { throw error }
            return nil
        }
    }

    private static let tooMany = "usdz.too-many-packages"

    /// Whether an entry may be the root: a file that can be opened and that no system has put there on its own account.
    private static func isCandidate(_ entry: ZipEntry) -> Bool {
        guard entry.isSafe, !entry.isFolder, !entry.isEncrypted else { return false }
        let parts = entry.name.split(separator: "/")
        return !parts.contains { $0.utf8.first == UInt8(ascii: ".") && $0 != "." } && parts.first != "__MACOSX"
    }

    /// What to say of a package without a layer: the first entry that may be meant as one by its name, and why
    /// it was passed over.
    private static func withoutLayer(_ archive: ZipArchive) -> String {
        let count = archive.entries.count
        guard count > 0 else { return "the package is empty, expected a USD layer" }
        let text = count == 1 ? "the only entry is no USD layer" : "none of the \(count) entries is a USD layer"
        let extensions = ["", "usd", "usda", "usdc", "usdz"]
        for entry in archive.entries where !entry.isFolder && extensions.contains(AssetPath.fileExtension(entry.name)) {
            if let refusal = entry.refusal { return "\(text) that can be read: the name '\(entry.name)' \(refusal)" }
            if entry.isEncrypted { return "\(text) that can be read: '\(entry.name)' is encrypted" }
            if !entry.isMethodKnown {
                return "\(text) that can be read: the compression of '\(entry.name)' is \(entry.methodName), which is not supported"
            }
            if !isCandidate(entry) { return "\(text) that can be read: '\(entry.name)' is a hidden file" }
            if archive.head(of: entry, count: 16) == nil { return "\(text) that can be read: '\(entry.name)' does not unpack" }
            if entry.size == 0 { return "\(text): '\(entry.name)' is empty" }
            return "\(text): '\(entry.name)' begins like none"
        }
        return text
    }

    /// Whether bytes begin as a USD layer does: `PXR-USDC`, or `#usda` (a byte order mark may stand before).
    public static func isLayer(_ head: [UInt8]) -> Bool {
        let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
        return head.starts(with: "PXR-USDC".utf8) || text.starts(with: "#usda".utf8)
    }

    // MARK: Deviations

    private static func noteIssues(_ archive: ZipArchive, _ path: String, _ diagnostics: inout Diagnostics) {
        for issue in archive.issues {
            let code: String
            switch issue.kind {
            case .prependedData: code = "usdz.prepended-data"
            case .appendedData: code = "usdz.appended-data"
            case .headerMismatch: code = "usdz.header-mismatch"
            case .duplicateName: code = "usdz.duplicate-name"
            case .unsafeName: code = "usdz.unsafe-name"
            case .backslashName: code = "usdz.backslash-name"
            // The specification is silent on comments.
            case .archiveComment: continue
            }
            let isLeftOut = issue.kind == .unsafeName
            diagnostics.warning(
                code, isLeftOut ? issue.message + ", the entry is left out" : issue.message,
                at: SourceLocation(file: path, position: .byteOffset(issue.offset)))
        }
        for entry in archive.entries where !entry.isFolder {
            func warn(_ code: String, _ message: String, _ offset: Int) {
                diagnostics.warning(code, message, at: SourceLocation(file: path, position: .byteOffset(offset)))
            }
            if entry.isEncrypted {
                warn("usdz.encrypted", "the entry '\(entry.name)' is encrypted and cannot be read", entry.headerOffset)
            }
            if !entry.isStored {
                warn("usdz.compressed-entry", "the entry '\(entry.name)' is compressed, expected stored", entry.headerOffset)
            }
            if entry.dataOffset % alignment != 0 {
                warn(
                    "usdz.not-aligned",
                    "the contents of '\(entry.name)' begin at byte \(entry.dataOffset), expected a multiple of \(alignment)", entry.dataOffset)
            }
            if entry.hasDataDescriptor {
                warn(
                    "usdz.data-descriptor", "the sizes of '\(entry.name)' follow its contents, expected them in the local header",
                    entry.headerOffset)
            }
        }
    }
}
