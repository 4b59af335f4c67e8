import Glibc
import SenseClientKit

/// Runs the program beside the main thread, which only waits.
///
/// `await` on the main thread would hand it to Dispatch, whose idle main thread takes every signal by its default action:
/// Ctrl-C would end the process before it has said goodbye. `pause` keeps the signals blocked that `Interrupt` takes over.
func start(_ interrupt: Interrupt) -> Never {
    let words = Array(CommandLine.arguments.dropFirst())
    Task.detached {
        let code = await Program.run(words, interrupt: interrupt)
        code.endProcess()
    }
    while true { pause() }
}

// Before any thread exists.
start(Interrupt())
