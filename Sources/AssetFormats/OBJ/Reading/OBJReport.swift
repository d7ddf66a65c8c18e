import AssetIO
import AssetModel

/// Tells what was found wrong or strange in a file, one entry a kind, with the place of the first.
struct OBJReport {
    let faults: OBJFaults
    let places: OBJPlaces

    func tell(_ diagnostics: inout Diagnostics) {
        func warn(_ kind: OBJFaults.Kind, _ code: String, _ one: String, _ many: String, _ reason: String, severity: Severity = .warning) {
            let count = faults.count(kind)
            guard count > 0 else { return }
            diagnostics.add(
                Diagnostic(severity, code, (count == 1 ? one : "\(count) \(many)") + reason, at: places.place(faults.first(kind)), count: count))
        }
        let (face, faces) = ("a face is left out: ", "faces are left out: ")
        warn(.badIndex, "obj.index-out-of-range", face, faces, "an index names a position that is not there yet")
        warn(.zeroIndex, "obj.index-zero", face, faces, "an index is 0, expected 1 or more, or a negative one")
        warn(.unreadableIndex, "obj.index-unreadable", face, faces, "an index is no whole number")
        warn(.tooFewCorners, "obj.face-too-small", face, faces, "under three corners")
        warn(
            .badElement, "obj.bad-element", "a line or point is left out: ", "lines or points are left out: ",
            "an index that names nothing, or too few")
        let (corner, corners) = ("a face has corners without ", "faces have corners without ")
        warn(.badTexcoordIndex, "obj.texcoord-index", corner, corners, "texture coordinates: their index names nothing")
        warn(.badNormalIndex, "obj.normal-index", corner, corners, "normals: their index names nothing")
        warn(.badPosition, "obj.bad-position", "a position is", "positions are", " no three numbers")
        warn(.badTexcoord, "obj.bad-texcoord", "a texture coordinate is", "texture coordinates are", " no numbers")
        warn(.badNormal, "obj.bad-normal", "a normal is", "normals are", " no three numbers")
        warn(.badColor, "obj.bad-color", "a position has", "positions have", " five numbers, expected three, four or six")
        warn(.extraNumbers, "obj.extra-numbers", "a position has", "positions have", " seven numbers, expected three, four or six")
        warn(.badSmoothing, "obj.bad-smoothing", "a smoothing group is", "smoothing groups are", " no number and not off, taken as off")
        warn(.weights, "obj.dropped.weight", "a position has", "positions have", " a weight other than 1, which is left out", severity: .info)
        warn(
            .depths, "obj.dropped.texcoord-depth", "a texture coordinate has", "texture coordinates have", " a third number, which is left out",
            severity: .info)
        warn(
            .lineTexcoords, "obj.dropped.line-texcoords", "a line or point has", "lines or points have", " texture coordinates, which are left out",
            severity: .info)
        statements(.surfaces, "obj.dropped.surface", .warning, "of curves and surfaces", &diagnostics)
        statements(.calls, "obj.dropped.call", .warning, "that call other files or programs", &diagnostics)
        statements(.display, "obj.dropped.display", .info, "of display", &diagnostics)
        if faults.count(.unknown) > 0 {
            let count = faults.count(.unknown)
            diagnostics.add(
                Diagnostic(
                    .warning, "obj.unknown-statement",
                    "\(count == 1 ? "a statement is" : "\(count) statements are") not of OBJ: \(list(faults.unknownWords))"
                        + (count > faults.unknownWords.count && faults.unknownWords.count >= 8 ? ", …" : ""),
                    at: places.place(faults.first(.unknown)), count: count))
        }
    }

    private func statements(_ kind: OBJFaults.Kind, _ code: String, _ severity: Severity, _ what: String, _ diagnostics: inout Diagnostics) {
        let count = faults.count(kind)
        guard count > 0 else { return }
        diagnostics.add(
            Diagnostic(
                severity, code, "\(count) \(count == 1 ? "statement" : "statements") \(what), not read: \(list((faults.words[kind] ?? []).sorted()))",
                at: places.place(faults.first(kind)), count: count))
    }

    private func list(_ words: [String]) -> String { words.map { "'\(SystemPath.readable($0))'" }.joined(separator: ", ") }
}
