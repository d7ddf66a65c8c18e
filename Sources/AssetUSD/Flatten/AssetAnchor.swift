import AssetIO
import AssetModel

/// Where asset paths lead once they no longer stand in the layer that holds them: OpenUSD's
/// `SdfComputeAssetPathRelativeToLayer` with the default resolver.
///
/// `./a.png` becomes absolute whether it is there or not, `a.png` only where it is there beside the layer. Within a package
/// both become paths of members; a path that no member answers to stays, nothing outside the package is looked at.
final class AssetAnchor {
    private let cache: LayerCache
    private let resolver: any AssetResolver
    private var folders: [String: String] = [:]
    private var known: [String: [String: String]] = [:]

    init(_ cache: LayerCache) {
        self.cache = cache
        resolver = cache.resolver
    }

    /// The path as it is to be written; as it is where nothing changes.
    func anchored(_ path: String, in layer: String) -> String {
        if path.isEmpty || path.hasPrefix("anon:") { return path }
        if let made = known[layer]?[path] { return made }
        let made = make(path, layer)
        known[layer, default: [:]][path] = made
        return made
    }

    private func make(_ path: String, _ layer: String) -> String {
        let marker = ":SDF_FORMAT_ARGS:"
        if let range = path.firstRange(of: marker), range.lowerBound > path.startIndex {
            return make(String(path[..<range.lowerBound]), layer) + path[range.lowerBound...]
        }
        if AssetPath.isAbsolute(path) || path.utf8.contains(0) { return path }
        if let (package, member) = AssetPath.splitMember(layer) { return inside(package, member, path) ?? path }
        if let (package, member) = AssetPath.splitPackage(path), !package.isEmpty, !member.isEmpty {
            let outer = make(package, layer)
            return outer == package ? path : AssetPath.asked(member, of: outer)
        }
        let folder = folder(of: layer)
        let joined = AssetPath.normalise(folder.isEmpty ? path : folder.hasSuffix("/") ? folder + path : folder + "/" + path)
        if Self.isSearched(path), !exists(joined) { return path }
        return joined
    }

    /// Whether a path is looked for here and there, not only beside the layer.
    private static func isSearched(_ path: String) -> Bool { !path.hasPrefix("./") && !path.hasPrefix("../") }

    private func folder(of layer: String) -> String {
        if let known = folders[layer] { return known }
        let made = AssetPath.folder(resolver.absolute(layer))
        folders[layer] = made
        return made
    }

    private func inside(_ package: String, _ member: String, _ path: String) -> String? {
        let written = AssetPath.normalise(path)
        func beside(_ member: String) -> String {
            let folder = AssetPath.folder(member)
            let place = folder.isEmpty ? written : AssetPath.normalise(folder + "/" + written)
            // What is asked of a package within this one has its brackets already.
            return AssetPath.splitPackage(written) == nil ? AssetPath.member(place, of: package) : AssetPath.asked(place, of: package)
        }
        let first = beside(member)
        if path.utf8.first == UInt8(ascii: ".") || resolver.exists(first) { return absolute(first) }
        guard let root = cache.packageRoot(of: first).flatMap({ AssetPath.splitMember($0)?.member }) else { return nil }
        let second = beside(root)
        return resolver.exists(second) ? absolute(second) : nil
    }

    private func absolute(_ member: String) -> String {
        guard let (package, inner) = AssetPath.splitPackage(member) else { return member }
        return AssetPath.asked(inner, of: resolver.absolute(package))
    }

    private func exists(_ path: String) -> Bool { resolver.exists(path) || !resolver.list(path).isEmpty }
}
