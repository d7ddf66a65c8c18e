import AssetCommands
import AssetIO
import AssetModel
import Facet

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

let environment = ToolEnvironment.system(registry: .standard, resolver: DiskResolver())
exit(runTool(SystemPath.arguments(CommandLine.argc, CommandLine.unsafeArgv), environment).rawValue)
