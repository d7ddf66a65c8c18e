import AssetModel
import AssetIO

extension USDAWriter {
    /// A value as it stands behind `=`.
    mutating func write(_ value: USDValue) throws(AssetError) {
        switch value {
        case .bool(let b): out.write(b ? "1" : "0")
        case .uchar(let n): out.write(Int(n))
        case .int(let n): out.write(Int(n))
        case .uint(let n): out.write(Int(n))
        case .int64(let n): out.write(Int(n))
        case .uint64(let n): write(unsigned: n)
        case .half(let h): write(half: h)
        case .float(let f): out.write(f)
        case .double(let d), .timeCode(let d), .duration(let d): out.write(d)
        case .string(let s), .pathExpression(let s): quoted(s)
        case .token(let t): quoted(session.string(t))
        case .asset(let p): assetPath(p)
        case .tuple(let type, let components): tuple(type, components)
        case .array(let a): try array(a)
        case .deferred: try write(value.resolved())
        case .block: out.write("None")
        case .animationBlock: out.write("AnimationBlock")
        case .dictionary(let d): try dictionary(d, 0, multiLine: false)
        case .unregistered(.text(let s)): verbatim(s)
        case .unregistered(.dictionary(let d)): try dictionary(d, 0, multiLine: false)
        case .unregistered(.listOp): out.write("None")
        case .arrayEdit(let e): try write(e)
        case .tokens(let all): list(all) { (self: inout USDAWriter, t) in self.quoted(self.session.string(t)) }
        case .strings(let all): list(all) { (self: inout USDAWriter, s) in self.quoted(s) }
        case .doubles(let all): list(all) { (self: inout USDAWriter, d) in self.out.write(d) }
        case .paths(let all):
            if all.count == 1 {
                path(all[0])
            } else {
                list(all) { (self: inout USDAWriter, p) in self.path(p) }
            }
        case .specifier(let s): quoted("\(s)")
        case .variability(let v): quoted("\(v)")
        case .permission(let p): out.write("\(p)")
        case .variantSelections(let all):
            var d = USDDictionary()
            for s in all { d.entries.append((session.string(s.set), .string(session.string(s.variant)))) }
            try dictionary(d, 0, multiLine: false)
        case .timeSamples, .spline, .layerOffsets, .relocates, .tokenListOp, .stringListOp, .pathListOp, .referenceListOp,
            .payloadListOp, .intListOp, .uintListOp, .int64ListOp, .uint64ListOp:
            // These never stand behind a plain `=`; the callers know them.
            out.write("None")
        }
    }

    private mutating func list<T>(_ all: [T], _ item: (inout USDAWriter, T) -> Void) {
        out.write("[")
        for (i, x) in all.enumerated() {
            if i > 0 { out.write(", ") }
            item(&self, x)
        }
        out.write("]")
    }

    mutating func write(unsigned n: UInt64) {
        if let i = Int(exactly: n) {
            out.write(i)
        } else {
            out.write(String(n))
        }
    }

    // MARK: Tuples

    /// The brackets and commas of one tuple of a type; `component` prints the one at an index.
    private mutating func tuple(_ type: ValueType, _ component: (inout USDAWriter, Int) -> Void) {
        let rows = type.matrixRows
        if rows > 0 {
            out.write("( ")
            for r in 0..<rows {
                out.write(r > 0 ? ", (" : "(")
                for c in 0..<rows {
                    if c > 0 { out.write(", ") }
                    component(&self, r &* rows &+ c)
                }
                out.write(")")
            }
            out.write(" )")
            return
        }
        let n = type.components
        let isQuaternion = type.isQuaternion
        out.write("(")
        for i in 0..<n {
            if i > 0 { out.write(", ") }
            component(&self, isQuaternion ? (i &+ 3) & 3 : i)
        }
        out.write(")")
    }

    private mutating func tuple(_ type: ValueType, _ c: [Double]) {
        guard c.count >= type.components else {
            out.write("None")
            return
        }
        switch type.scalar {
        case .int: tuple(type) { (self: inout USDAWriter, i) in self.out.write(Int(exactly: c[i]) ?? 0) }
        case .half: tuple(type) { (self: inout USDAWriter, i) in self.write(half: halfBits(c[i])) }
        case .float: tuple(type) { (self: inout USDAWriter, i) in self.out.write(Float(c[i])) }
        default: tuple(type) { (self: inout USDAWriter, i) in self.out.write(c[i]) }
        }
    }

    // MARK: Arrays

    mutating func array(_ a: USDArray) throws(AssetError) {
        switch a.storage {
        case .bytes(let e): try elements(a.type, e) { (self: inout USDAWriter, x) in self.out.write(Int(x)) }
        case .int(let e): try elements(a.type, e) { (self: inout USDAWriter, x) in self.out.write(Int(x)) }
        case .uint(let e): try elements(a.type, e) { (self: inout USDAWriter, x) in self.out.write(Int(x)) }
        case .int64(let e): try elements(a.type, e) { (self: inout USDAWriter, x) in self.out.write(Int(x)) }
        case .uint64(let e): try elements(a.type, e) { (self: inout USDAWriter, x) in self.write(unsigned: x) }
        case .half(let e): try elements(a.type, e) { (self: inout USDAWriter, x) in self.write(half: x) }
        case .float(let e): try elements(a.type, e) { (self: inout USDAWriter, x) in self.out.write(x) }
        case .double(let e): try elements(a.type, e) { (self: inout USDAWriter, x) in self.out.write(x) }
        case .token(let e): try elements(a.type, e) { (self: inout USDAWriter, x) in self.quoted(self.session.string(x)) }
        case .string(let e):
            if a.type == .asset {
                try elements(a.type, e) { (self: inout USDAWriter, x) in self.assetPath(x) }
            } else {
                try elements(a.type, e) { (self: inout USDAWriter, x) in self.quoted(x) }
            }
        }
    }

    private mutating func elements<T>(_ type: ValueType, _ a: [T], _ print: (inout USDAWriter, T) -> Void) throws(AssetError) {
        out.write("[")
        for i in 0..<(a.count / type.components) {
            if i > 0 { out.write(", ") }
            one(type, a, i, print)
            try flushIfFull()
        }
        out.write("]")
    }

    /// One element of an array, by number.
    private mutating func element(_ a: USDArray, _ i: Int) {
        guard i >= 0, i < a.count else {
            out.write("None")
            return
        }
        switch a.storage {
        case .bytes(let e): one(a.type, e, i) { (self: inout USDAWriter, x) in self.out.write(Int(x)) }
        case .int(let e): one(a.type, e, i) { (self: inout USDAWriter, x) in self.out.write(Int(x)) }
        case .uint(let e): one(a.type, e, i) { (self: inout USDAWriter, x) in self.out.write(Int(x)) }
        case .int64(let e): one(a.type, e, i) { (self: inout USDAWriter, x) in self.out.write(Int(x)) }
        case .uint64(let e): one(a.type, e, i) { (self: inout USDAWriter, x) in self.write(unsigned: x) }
        case .half(let e): one(a.type, e, i) { (self: inout USDAWriter, x) in self.write(half: x) }
        case .float(let e): one(a.type, e, i) { (self: inout USDAWriter, x) in self.out.write(x) }
        case .double(let e): one(a.type, e, i) { (self: inout USDAWriter, x) in self.out.write(x) }
        case .token(let e): one(a.type, e, i) { (self: inout USDAWriter, x) in self.quoted(self.session.string(x)) }
        case .string(let e):
            let isAsset = a.type == .asset
            one(a.type, e, i) { (self: inout USDAWriter, x) in
                if isAsset { self.assetPath(x) } else { self.quoted(x) }
            }
        }
    }

    private mutating func one<T>(_ type: ValueType, _ a: [T], _ i: Int, _ component: (inout USDAWriter, T) -> Void) {
        let n = type.components
        if n == 1 {
            component(&self, a[i])
        } else {
            tuple(type) { (self: inout USDAWriter, c) in component(&self, a[i &* n &+ c]) }
        }
    }

    // MARK: Array edits

    /// `edit [append 1; …]`
    private mutating func write(_ edit: ArrayEdit) throws(AssetError) {
        var literals: USDArray?
        if case .array(let a) = try edit.literals.resolved() { literals = a }
        out.write("edit [")
        var isFirst = true
        for step in edit.steps {
            if !isFirst { out.write("; ") }
            isFirst = false
            func operand(_ self: inout USDAWriter, _ o: ArrayEdit.Operand) throws(AssetError) {
                switch o {
                case .literal(let i):
                    if let literals { self.element(literals, i) }
                case .element(let i):
                    self.out.write("[")
                    self.out.write(Int(i))
                    self.out.write("]")
                }
            }
            switch step {
            case .write(let what, let at):
                out.write("write ")
                try operand(&self, what)
                out.write(" to [")
                out.write(Int(at))
                out.write("]")
            case .insert(let what, let at):
                if at == 0 {
                    out.write("prepend ")
                    try operand(&self, what)
                } else if at == ArrayEdit.end {
                    out.write("append ")
                    try operand(&self, what)
                } else {
                    out.write("insert ")
                    try operand(&self, what)
                    out.write(" at [")
                    out.write(Int(at))
                    out.write("]")
                }
            case .erase(let at):
                out.write("erase [")
                out.write(Int(at))
                out.write("]")
            case .size(let kind, let n, let fill):
                switch kind {
                case .minimum: out.write("minsize ")
                case .maximum: out.write("maxsize ")
                case .exact: out.write("resize ")
                }
                out.write(Int(n))
                if let fill {
                    out.write(" fill ")
                    try operand(&self, .literal(fill))
                }
            }
        }
        out.write("]")
    }

    // MARK: Text

    /// A string in the quotes that need the fewest escapes: double ones unless it holds such and no single ones, tripled
    /// where it has line ends.
    mutating func quoted(_ s: String) {
        var s = s
        s.withUTF8 { bytes in
            var hasDouble = false
            var hasSingle = false
            var hasNewline = false
            var mayHoldBytes = false
            for b in bytes {
                hasDouble = hasDouble || b == UInt8(ascii: "\"")
                hasSingle = hasSingle || b == UInt8(ascii: "'")
                hasNewline = hasNewline || b == UInt8(ascii: "\n")
                mayHoldBytes = mayHoldBytes || b == 0xF4
            }
            let quote = hasDouble && !hasSingle ? UInt8(ascii: "'") : UInt8(ascii: "\"")
            for _ in 0..<(hasNewline ? 3 : 1) { out.write(byte: quote) }
            if mayHoldBytes, SystemPath.hasEscapes(String(decoding: bytes, as: UTF8.self)) {
                writeBytes(of: String(decoding: bytes, as: UTF8.self), quote)
            } else {
                for b in bytes { letter(b, quote) }
            }
            for _ in 0..<(hasNewline ? 3 : 1) { out.write(byte: quote) }
        }
    }

    /// A byte of a string, as it stands between quotes.
    @inline(__always)
    private mutating func letter(_ b: UInt8, _ quote: UInt8) {
        switch b {
        case UInt8(ascii: "\r"): out.write("\\r")
        case UInt8(ascii: "\t"): out.write("\\t")
        case UInt8(ascii: "\\"): out.write("\\\\")
        case quote:
            out.write("\\")
            out.write(byte: quote)
        case UInt8(ascii: "\n"), 32..<127, 128...: out.write(byte: b)
        default: escaped(b)
        }
    }

    /// `\xNN`
    private mutating func escaped(_ b: UInt8) {
        out.write("\\x")
        out.write(byte: Self.hexDigit(b >> 4))
        out.write(byte: Self.hexDigit(b & 15))
    }

    /// The letters of a string that holds bytes which are no UTF-8: those are escaped.
    private mutating func writeBytes(of s: String, _ quote: UInt8) {
        let bytes = SystemPath.bytes(s)
        var at = 0
        while at < bytes.count {
            if let (_, n) = USDAScanner.decodeScalar(bytes.span, at) {
                for i in at..<at + n { letter(bytes[i], quote) }
                at += n
            } else {
                escaped(bytes[at])
                at += 1
            }
        }
    }

    /// A part of a text as it was written: bytes that are not UTF-8 are themselves, so that a file is found by whoever reads the text.
    mutating func verbatim(_ s: String) {
        if SystemPath.hasEscapes(s) { SystemPath.bytes(s).withUnsafeBytes { out.write($0) } } else { out.write(s) }
    }

    private static func hexDigit(_ n: UInt8) -> UInt8 { n < 10 ? 48 + n : 87 + n }

    /// `@path@`, or `@@@path@@@` where the path holds `@`.
    mutating func assetPath(_ p: String) {
        guard p.utf8.contains(UInt8(ascii: "@")) else {
            out.write("@")
            verbatim(p)
            out.write("@")
            return
        }
        out.write("@@@")
        var run = 0
        for b in SystemPath.bytes(p) {
            if b == UInt8(ascii: "@") {
                run += 1
                if run == 3 {
                    out.write("\\@@@")
                    run = 0
                }
                continue
            }
            for _ in 0..<run { out.write("@") }
            run = 0
            out.write(byte: b)
        }
        for _ in 0..<run { out.write("@") }
        out.write("@@@")
    }

    /// A half with six significant digits, which are enough for every half, as OpenUSD prints them.
    mutating func write(half h: UInt16) {
        if h & 0x8000 != 0, h & 0x7fff <= 0x7c00 { out.write("-") }
        let exponent = Int(h >> 10 & 31)
        let mantissa = UInt64(h & 0x3ff)
        if exponent == 31 {
            out.write(mantissa == 0 ? "inf" : "nan")
            return
        }
        // The value in units of 2^-24.
        let units = exponent == 0 ? mantissa : (mantissa | 0x400) << UInt64(exponent - 1)
        if units == 0 {
            out.write("0")
            return
        }
        // The decimal exponent: 10^power <= value.
        var power = 4
        while power > -8 {
            // value >= 10^power, in units: units * 10^-power >= 2^24, or units >= 10^power * 2^24.
            let reached = power >= 0 ? units >= Self.powerOfTen(power) << 24 : units * Self.powerOfTen(-power) >= 1 << 24
            if reached { break }
            power -= 1
        }
        let scaled = units * Self.powerOfTen(5 - power)
        var digits = scaled >> 24
        let rest = scaled & (1 << 24 - 1)
        if rest > 1 << 23 || (rest == 1 << 23 && digits & 1 == 1) { digits += 1 }
        if digits == 1_000_000 {
            digits = 100_000
            power += 1
        }
        var count = 6
        while digits % 10 == 0 {
            digits /= 10
            count -= 1
        }
        let text = String(digits)
        if power < -4 {
            out.write(String(text.prefix(1)))
            if count > 1 {
                out.write(".")
                out.write(String(text.dropFirst()))
            }
            out.write(power > -10 ? "e-0" : "e-")
            out.write(-power)
        } else if power < 0 {
            out.write("0.")
            for _ in 1..<(-power) { out.write("0") }
            out.write(text)
        } else if count <= power + 1 {
            out.write(text)
            for _ in 0..<(power + 1 - count) { out.write("0") }
        } else {
            out.write(String(text.prefix(power + 1)))
            out.write(".")
            out.write(String(text.dropFirst(power + 1)))
        }
    }

    private static func powerOfTen(_ n: Int) -> UInt64 {
        var p: UInt64 = 1
        for _ in 0..<n { p *= 10 }
        return p
    }
}

/// Names of value types as they are written today: old aliases become the names that replaced them.
struct CanonicalTypeNames {
    private var known: [Token: String] = [:]

    private static let replaced: [String: String] = [
        "Vec2i": "int2", "Vec3i": "int3", "Vec4i": "int4", "Vec2h": "half2", "Vec3h": "half3", "Vec4h": "half4", "Vec2f": "float2",
        "Vec3f": "float3", "Vec4f": "float4", "Vec2d": "double2", "Vec3d": "double3", "Vec4d": "double4", "PointFloat": "point3f",
        "Point": "point3d", "NormalFloat": "normal3f", "Normal": "normal3d", "VectorFloat": "vector3f", "Vector": "vector3d",
        "ColorFloat": "color3f", "Color": "color3d", "Quath": "quath", "Quatf": "quatf", "Quatd": "quatd", "Matrix2d": "matrix2d",
        "Matrix3d": "matrix3d", "Matrix4d": "matrix4d", "Frame": "frame4d",
    ]

    mutating func name(_ type: Token, _ session: USDSession) -> String {
        if let n = known[type] { return n }
        var name = session.string(type)
        let isArray = name.hasSuffix("[]")
        if let today = Self.replaced[isArray ? String(name.dropLast(2)) : name] { name = isArray ? today + "[]" : today }
        known[type] = name
        return name
    }
}

extension USDValue {
    /// The name of the value's type, as dictionaries spell it before a key.
    var typeName: String {
        switch self {
        case .bool: "bool"
        case .uchar: "uchar"
        case .int: "int"
        case .uint: "uint"
        case .int64: "int64"
        case .uint64: "uint64"
        case .half: "half"
        case .float: "float"
        case .double: "double"
        case .timeCode: "timecode"
        case .duration: "duration"
        case .string: "string"
        case .token: "token"
        case .asset: "asset"
        case .pathExpression: "pathExpression"
        case .tuple(let type, _): type.name
        case .array(let a): a.type.name + "[]"
        case .arrayEdit(let e): e.type.name + "[]"
        case .tokens: "token[]"
        case .strings: "string[]"
        case .doubles: "double[]"
        default: "string"
        }
    }
}
