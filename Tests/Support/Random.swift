/// SplitMix64 (Steele, Lea, Flood 2014): small, fast, the same numbers from the same seed everywhere.
public struct SplitMix64: RandomNumberGenerator {
    public let seed: UInt64
    private var state: UInt64

    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A whole number in a range.
    public mutating func int(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
    public mutating func float(in range: ClosedRange<Float>) -> Float { Float.random(in: range, using: &self) }
    public mutating func bool() -> Bool { next() >> 63 == 1 }

    /// Any finite float, all magnitudes equally likely (denormals and both zeros among them).
    public mutating func anyFiniteFloat() -> Float {
        while true {
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: next()))
            if value.isFinite { return value }
        }
    }

    /// Any finite double, all magnitudes equally likely.
    public mutating func anyFiniteDouble() -> Double {
        while true {
            let value = Double(bitPattern: next())
            if value.isFinite { return value }
        }
    }

    public mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
