import Glibc
import SenseServer

exit(ServerCommand.run(CommandLine.arguments))
