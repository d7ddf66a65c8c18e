/// The order in which OpenUSD lists fields and properties: letter case only breaks ties, runs of digits count as numbers.
enum DictionaryOrder {
    /// Whether `a` comes before `b`.
    static func precedes(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        var i = 0
        var j = 0
        // The first difference that matters only between strings that are otherwise equal: -1 where `a` is less.
        var tie = 0
        while i < a.count, j < b.count {
            let x = a[i]
            let y = b[j]
            if isDigit(x), isDigit(y) {
                let (startA, startB) = (i, j)
                while i < a.count, a[i] == UInt8(ascii: "0") { i += 1 }
                while j < b.count, b[j] == UInt8(ascii: "0") { j += 1 }
                let (zerosA, zerosB) = (i - startA, j - startB)
                let (digitsA, digitsB) = (i, j)
                while i < a.count, isDigit(a[i]) { i += 1 }
                while j < b.count, isDigit(b[j]) { j += 1 }
                if i - digitsA != j - digitsB { return i - digitsA < j - digitsB }
                for k in 0..<(i - digitsA) where a[digitsA + k] != b[digitsB + k] { return a[digitsA + k] < b[digitsB + k] }
                if tie == 0, zerosA != zerosB { tie = zerosA < zerosB ? -1 : 1 }
                continue
            }
            let (lowerX, lowerY) = (lower(x), lower(y))
            if lowerX != lowerY { return lowerX < lowerY }
            if tie == 0, x != y { tie = x < y ? -1 : 1 }
            i += 1
            j += 1
        }
        if a.count - i != b.count - j { return a.count - i < b.count - j }
        return tie < 0
    }

    private static func isDigit(_ b: UInt8) -> Bool { b &- 48 < 10 }
    private static func lower(_ b: UInt8) -> UInt8 { b >= 65 && b <= 90 ? b + 32 : b }
}

extension TokenTable {
    /// Whether one token comes before another in OpenUSD's dictionary order.
    func precedes(_ a: Token, _ b: Token) -> Bool {
        if a == b { return false }
        return withBytes(a) { x in withBytes(b) { y in DictionaryOrder.precedes(x, y) } }
    }

    /// Whether one token comes before another by its bytes.
    func bytesPrecede(_ a: Token, _ b: Token) -> Bool {
        withBytes(a) { x in withBytes(b) { y in x.lexicographicallyPrecedes(y) } }
    }
}
