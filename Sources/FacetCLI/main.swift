import AssetCommands
import AssetIO
import Facet

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

let environment = ToolEnvironment.system(
    registry: .standard, resolver: FileResolver(),
    openOutput: { (path, overwrite) throws(AssetError) in try DirectorySink(path, overwrite: overwrite) })
exit(runTool(Array(CommandLine.arguments.dropFirst()), environment).rawValue)
