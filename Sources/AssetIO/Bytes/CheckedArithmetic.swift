extension FixedWidthInteger {
    /// The sum, nil where it does not fit.
    @inlinable @inline(__always)
    public func adding(checked other: Self) -> Self? {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? nil : sum
    }

    /// The product, nil where it does not fit.
    @inlinable @inline(__always)
    public func multiplied(checked other: Self) -> Self? {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? nil : product
    }
}
