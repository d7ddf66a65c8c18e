import AssetModel
import AssetIO

extension USDAWriter {
    mutating func writeAttribute(_ attribute: SpecIndex, _ depth: Int) throws(AssetError) {
        let fields = try metadata(of: attribute) {
            switch $0 {
            case .default, .timeSamples, .connectionPaths, .spline, .custom, .variability, .typeName: false
            default: true
            }
        }
        let isCustom = if case .bool(true) = try self.value(attribute, .custom) { true } else { false }
        let isUniform = if case .variability(.uniform) = try self.value(attribute, .variability) { true } else { false }
        var type = Token.empty
        if case .token(let t) = try self.value(attribute, .typeName) { type = t }
        let value = layer.field(attribute, .default)
        let samples = try self.value(attribute, .timeSamples)
        let spline = try self.value(attribute, .spline)
        let connections = try self.value(attribute, .connectionPaths)
        var comment = ""
        if case .string(let s) = try self.value(attribute, .comment) { comment = s }

        func declare(_ self: inout USDAWriter, _ keyword: StaticString, _ suffix: StaticString) {
            self.indent(depth)
            self.out.write(keyword)
            if isUniform { self.out.write("uniform ") }
            self.out.write(self.typeNames.name(type, self.session))
            self.out.write(" ")
            self.write(self.name(attribute))
            self.out.write(suffix)
        }

        let saysMore = connections != nil || samples != nil || spline != nil
        if !fields.isEmpty || !comment.isEmpty || value != nil || isCustom || !saysMore {
            declare(&self, isCustom ? "custom " : "", "")
            if let value {
                out.write(" = ")
                try write(value)
            }
            try metadataBlock(attribute, fields, depth) { (self: inout USDAWriter, f, depth) throws(AssetError) in
                if self.session.tokens.withBytes(f.name, { $0.elementsEqual("displayUnit".utf8) }), case .token(let unit) = f.value {
                    self.indent(depth)
                    self.out.write("displayUnit = ")
                    self.write(unit)
                    self.out.write("\n")
                } else {
                    try self.simpleField(f.name, f.value, depth)
                }
            }
            out.write("\n")
        }
        if case .timeSamples(let samples) = samples {
            declare(&self, "", ".timeSamples = {\n")
            for (time, value) in zip(samples.times, samples.values) {
                indent(depth + 1)
                out.write(time)
                out.write(": ")
                try write(value)
                out.write(",\n")
                try flushIfFull()
            }
            indent(depth)
            out.write("}\n")
        }
        if case .spline(let spline) = spline {
            declare(&self, "", ".spline = {\n")
            try write(spline, depth + 1)
            indent(depth)
            out.write("}\n")
        }
        if case .pathListOp(let op) = connections {
            func list(_ self: inout USDAWriter, _ keyword: StaticString, _ items: [Path]) {
                declare(&self, keyword, ".connect = ")
                self.targets(items, depth)
                self.out.write("\n")
            }
            if op.isExplicit {
                list(&self, "", op.explicit)
            } else {
                if !op.deleted.isEmpty { list(&self, "delete ", op.deleted) }
                if !op.added.isEmpty { list(&self, "add ", op.added) }
                if !op.prepended.isEmpty { list(&self, "prepend ", op.prepended) }
                if !op.appended.isEmpty { list(&self, "append ", op.appended) }
                if !op.ordered.isEmpty { list(&self, "reorder ", op.ordered) }
            }
        }
    }

    /// `None`, one path, or a list with a path a line.
    private mutating func targets(_ items: [Path], _ depth: Int) {
        if items.isEmpty {
            out.write("None")
        } else if items.count == 1 {
            path(items[0])
        } else {
            out.write("[\n")
            for p in items {
                indent(depth + 1)
                path(p)
                out.write(",\n")
            }
            indent(depth)
            out.write("]")
        }
    }

    mutating func writeRelationship(_ relationship: SpecIndex, _ depth: Int) throws(AssetError) {
        let fields = try metadata(of: relationship) {
            switch $0 {
            case .default, .targetPaths, .custom, .variability, .typeName: false
            default: true
            }
        }
        let isCustom = if case .bool(true) = try value(relationship, .custom) { true } else { false }
        let isVarying = if case .variability(.varying) = try value(relationship, .variability) { true } else { false }
        var targets: ListOp<Path>?
        if case .pathListOp(let op) = try value(relationship, .targetPaths) { targets = op }
        var comment = ""
        if case .string(let s) = try value(relationship, .comment) { comment = s }

        func declare(_ self: inout USDAWriter, _ keyword: StaticString) {
            self.indent(depth)
            self.out.write(keyword)
            if isVarying { self.out.write("varying ") }
            self.out.write("rel ")
            self.write(self.name(relationship))
        }
        func list(_ self: inout USDAWriter, _ keyword: StaticString, _ items: [Path]) {
            declare(&self, keyword)
            self.out.write(" = ")
            self.targets(items, depth)
            self.out.write("\n")
        }
        let hasEdits = targets.map { !$0.isExplicit && !($0.deleted + $0.added + $0.prepended + $0.appended + $0.ordered).isEmpty } ?? false
        if !fields.isEmpty || !comment.isEmpty || targets?.isExplicit == true || !hasEdits || isCustom {
            declare(&self, isCustom ? "custom " : "")
            if let targets, targets.isExplicit {
                out.write(" = ")
                self.targets(targets.explicit, depth)
            }
            try metadataBlock(relationship, fields, depth) { (self: inout USDAWriter, f, depth) throws(AssetError) in
                try self.simpleField(f.name, f.value, depth)
            }
            out.write("\n")
        }
        if let targets, hasEdits {
            if !targets.deleted.isEmpty { list(&self, "delete ", targets.deleted) }
            if !targets.added.isEmpty { list(&self, "add ", targets.added) }
            if !targets.prepended.isEmpty { list(&self, "prepend ", targets.prepended) }
            if !targets.appended.isEmpty { list(&self, "append ", targets.appended) }
            if !targets.ordered.isEmpty { list(&self, "reorder ", targets.ordered) }
        }
        if case .paths(let paths) = try value(relationship, .default), let p = paths.first {
            declare(&self, "")
            out.write(".default = ")
            path(p)
            out.write("\n")
        }
        for target in layer.children(layer.specs[Int(relationship)].otherChildren)
        where layer.specs[Int(target)].kind == .relationshipTarget {
            // Targets with a spec of their own that no list names.
            let p = session.paths.targetPath(layer.specs[Int(target)].path)
            if targets?.explicit.contains(p) == true || targets?.added.contains(p) == true { continue }
            declare(&self, "")
            out.write("[")
            path(p)
            out.write("]\n")
        }
    }

    // MARK: Splines

    private mutating func write(_ spline: Spline, _ depth: Int) throws(AssetError) {
        // Behind the last knot there is no segment.
        let hasCurves = spline.knots.dropLast().contains { $0.next == .curve }
        if hasCurves || spline.curveType == .hermite {
            indent(depth)
            out.write(spline.curveType == .bezier ? "bezier,\n" : "hermite,\n")
        }
        extrapolation("pre: ", spline.preExtrapolation, depth)
        extrapolation("post: ", spline.postExtrapolation, depth)
        if let loop = spline.innerLoop {
            indent(depth)
            out.write("loop: (")
            out.write(loop.protoStart)
            out.write(", ")
            out.write(loop.protoEnd)
            out.write(", ")
            out.write(Int(loop.preLoops))
            out.write(", ")
            out.write(Int(loop.postLoops))
            out.write(", ")
            out.write(loop.valueOffset)
            out.write("),\n")
        }
        let isBezier = spline.curveType == .bezier
        var previous = Spline.Segment.curve
        for knot in spline.knots {
            indent(depth)
            out.write(knot.time)
            out.write(": ")
            if let pre = knot.preValue {
                write(pre, as: spline.valueType)
                out.write(" & ")
            }
            write(knot.value, as: spline.valueType)
            if previous == .curve {
                out.write("; pre (")
                if isBezier {
                    out.write(knot.preTangentWidth)
                    out.write(", ")
                }
                write(knot.preTangentSlope, as: spline.valueType)
                algorithm(knot.preTangentAlgorithm)
                out.write(")")
            }
            switch knot.next {
            case .valueBlock: out.write("; post none")
            case .held: out.write("; post held")
            case .linear: out.write("; post linear")
            case .curve:
                out.write("; post curve (")
                if isBezier {
                    out.write(knot.postTangentWidth)
                    out.write(", ")
                }
                write(knot.postTangentSlope, as: spline.valueType)
                algorithm(knot.postTangentAlgorithm)
                out.write(")")
            }
            previous = knot.next
            if !knot.customData.isEmpty {
                out.write("; ")
                try dictionary(knot.customData, 0, multiLine: false)
            }
            out.write(",\n")
            try flushIfFull()
        }
    }

    private mutating func algorithm(_ a: UInt8) {
        switch a {
        case 1: out.write(", custom")
        case 2: out.write(", autoEase")
        default: break
        }
    }

    private mutating func extrapolation(_ label: StaticString, _ e: Spline.Extrapolation, _ depth: Int) {
        if e.mode == .held { return }
        indent(depth)
        out.write(label)
        switch e.mode {
        case .valueBlock: out.write("none")
        case .held: out.write("held")
        case .linear: out.write("linear")
        case .sloped:
            out.write("sloped(")
            out.write(e.slope)
            out.write(")")
        case .loopRepeat: out.write("loop repeat")
        case .loopReset: out.write("loop reset")
        case .loopOscillate: out.write("loop oscillate")
        }
        if let boundary = e.loopBoundaryTime {
            out.write("(")
            out.write(boundary)
            out.write(")")
        }
        out.write(",\n")
    }

    /// A component in the precision of a type.
    private mutating func write(_ d: Double, as type: ValueType) {
        switch type.scalar {
        case .float: out.write(Float(d))
        case .half: write(half: halfBits(d))
        default: out.write(d)
        }
    }
}
