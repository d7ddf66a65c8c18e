/// What the layers of one stage share: names and paths, each stored once. Not for use by several threads at a time.
public final class USDSession {
    public let tokens: TokenTable
    public let paths: PathTable

    public init() {
        tokens = TokenTable()
        paths = PathTable(tokens: tokens)
    }

    public func token(_ s: String) -> Token { tokens.intern(s) }
    public func string(_ t: Token) -> String { tokens.string(t) }
    public func string(_ p: Path) -> String { paths.string(p) }
}
