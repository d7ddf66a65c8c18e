import AssetIO
import AssetModel

/// Index into a stage's layers.
typealias LayerIndex = Int32

/// Opens layers by asset path, each file once.
final class LayerCache {
    enum Failure: Error {
        /// Nothing at that path.
        case notFound
        /// A file that is no layer, or a damaged one.
        case unreadable(AssetError)
        case tooMany
    }

    let session: USDSession
    let resolver: any AssetResolver
    let limits: ReadLimits
    /// The file the user asked for.
    private(set) var openedFile = ""
    @exclusivity(unchecked) private(set) var layers: ContiguousArray<USDLayer> = []
    /// What hot loops read of each layer.
    let views = LayerViews()
    private var byPath: [String: Result<LayerIndex, Failure>] = [:]
    /// (layer that names it, asset path) → path; nil where there is nothing.
    private var located: [String: [String: AssetLookup.Found?]] = [:]
    private var packageRoots: [String: String?] = [:]
    var diagnostics = Diagnostics()
    /// What is wrong where more layers were named than may be read.
    private(set) var exceeded: AssetError?

    init(session: USDSession, resolver: any AssetResolver, limits: ReadLimits) {
        self.session = session
        self.resolver = resolver
        self.limits = limits
    }

    private func add(_ layer: USDLayer) {
        layers.append(layer)
        views.append(layer.view)
    }

    /// Notes that more was asked than a limit allows; the first one is told.
    func exceed(_ error: AssetError) { if exceeded == nil { exceeded = error } }

    /// Takes the layer that the user asked for. Throws where it is none.
    func open(root file: FileBytes) throws(AssetError) -> LayerIndex {
        openedFile = file.name
        let layer = try parse(file, file.name, depth: 0)
        add(layer)
        byPath[resolver.absolute(file.name)] = .success(0)
        byPath[resolver.absolute(layer.identifier)] = .success(0)
        return 0
    }

    /// Takes a layer that was built elsewhere.
    func add(root layer: USDLayer, opened file: String?) -> LayerIndex {
        openedFile = file ?? layer.identifier
        add(layer)
        byPath[resolver.absolute(layer.identifier)] = .success(0)
        return 0
    }

    /// Where an asset path leads from a layer that names it.
    func locate(_ assetPath: String, from layer: LayerIndex) -> AssetLookup.Found? {
        let identifier = layers[Int(layer)].identifier
        if let known = located[identifier]?[assetPath] { return known }
        // Another layer of the same name somewhere else would be another scene.
        let found = AssetLookup.find(
            Self.withoutArguments(assetPath), from: identifier, opened: openedFile, packageRoot: packageRoot(of: identifier),
            allowsBaseName: false, in: resolver)
        located[identifier, default: [:]][assetPath] = .some(found)
        return found
    }

    /// The root layer of the package that a layer lies in; nil for layers that lie in none.
    func packageRoot(of identifier: String) -> String? {
        guard let (package, _) = AssetPath.splitMember(identifier) else { return nil }
        if let known = packageRoots[package] { return known }
        // Complaints about the package were made when it was opened.
        var ignored = Diagnostics()
        let root = try? USDZPackage(package, resolver: resolver, diagnostics: &ignored).rootPath
        packageRoots[package] = .some(root)
        return root
    }

    /// `a.usda:SDF_FORMAT_ARGS:x=y` names `a.usda`.
    private static func withoutArguments(_ assetPath: String) -> String {
        let marker = ":SDF_FORMAT_ARGS:"
        guard assetPath.utf8.count > marker.utf8.count, let range = assetPath.firstRange(of: marker) else { return assetPath }
        return String(assetPath[..<range.lowerBound])
    }

    private static let layerExtensions = ["usd", "usda", "usdc", "usdz"]

    /// The layer at an exact path.
    func open(_ path: String) -> Result<LayerIndex, Failure> {
        if let known = byPath[path] { return known }
        // However it is spelled, from here or from the top: one file is one layer.
        let key = resolver.absolute(path)
        if let known = byPath[key] {
            byPath[path] = known
            return known
        }
        guard layers.count < limits.layers else {
            exceed(
                AssetError("usd.too-many-layers", "more than \(amount(limits.layers, "layer")) (the limit 'layers')", at: SourceLocation(file: path)))
            return .failure(.tooMany)
        }
        let result: Result<LayerIndex, Failure>
        do throws(AssetError) {
            // OpenUSD picks the reader by the name, and has none for others.
            guard Self.layerExtensions.contains(AssetPath.fileExtension(path)) else {
                throw AssetError(
                    "usd.not-a-layer", "named like no USD layer, expected an extension of \(Self.layerExtensions.joined(separator: ", "))",
                    at: SourceLocation(file: path))
            }
            let layer = try parse(resolver.open(path), path, depth: 0)
            let own = layer.identifier == path ? key : resolver.absolute(layer.identifier)
            if own != key, let known = byPath[own] {
                result = known
            } else {
                add(layer)
                result = .success(LayerIndex(layers.count - 1))
                byPath[own] = result
            }
        } catch {
            result = .failure(.unreadable(error))
        }
        byPath[key] = result
        byPath[path] = result
        return result
    }

    /// A layer from bytes, by their content; of a package its first layer.
    private func parse(_ file: FileBytes, _ identifier: String, depth: Int) throws(AssetError) -> USDLayer {
        if USDC.recognizes(file.bytes) {
            return try USDC.parse(file, session: session, identifier: identifier, limits: limits, &diagnostics)
        }
        if USDA.recognizes(file.bytes) {
            return try USDA.parse(file, session: session, identifier: identifier, limits: limits, &diagnostics)
        }
        if USDFormat.usdz.recognizes(file.bytes) {
            guard depth < 8 else {
                throw AssetError("usdz.nested-too-deep", "more than 8 packages in each other", at: SourceLocation(file: identifier))
            }
            let member = try USDZPackage(identifier, resolver: resolver, diagnostics: &diagnostics).rootPath
            return try parse(resolver.open(member), member, depth: depth + 1)
        }
        throw AssetError(
            "usd.not-a-layer", file.count == 0 ? "the file is empty, expected a USD layer" : "neither usda, usdc nor usdz",
            at: SourceLocation(file: identifier))
    }

    func takeDiagnostics() -> Diagnostics {
        defer { diagnostics = Diagnostics() }
        return diagnostics
    }
}

/// The views of a cache's layers, which it keeps alive. Behind a pointer that never changes: a property of a class would be
/// checked for exclusive access at every use.
final class LayerViews {
    private let table: UnsafeMutablePointer<ContiguousArray<LayerView>>

    init() {
        table = .allocate(capacity: 1)
        table.initialize(to: [])
    }

    deinit {
        table.deinitialize(count: 1)
        table.deallocate()
    }

    func append(_ view: LayerView) { table.pointee.append(view) }

    @inline(__always)
    subscript(_ i: Int) -> LayerView { table.pointee[i] }
}
