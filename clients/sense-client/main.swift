import Glibc

let code = await Program.run(Array(CommandLine.arguments.dropFirst()))
exit(code.rawValue)
