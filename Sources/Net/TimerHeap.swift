/// A deadline on a loop and what to do when it passes. Kept by whoever may move or cancel it.
///
/// Moving a deadline later is O(1), which is what thousands of connections do on every message: the queue keeps
/// the old place, and when that comes up the timer is put back at its real deadline.
///
/// Isolation: the loop that scheduled it.
public final class LoopTimer {
    /// When to fire; nil while not armed.
    public fileprivate(set) var deadline: MonotonicInstant?
    /// The deadline its live place in the heap was made for; other places of the timer are stale.
    fileprivate var queued: MonotonicInstant?
    fileprivate var action: (() -> Void)?

    init() {}

    /// Stops the timer; its action is released and will not run.
    public func cancel() {
        deadline = nil
        action = nil
    }
}

/// Armed timers by deadline. Decides only which timer is due; reading the clock is the caller's.
struct TimerHeap {
    private struct Place {
        var at: MonotonicInstant
        var timer: LoopTimer
    }

    /// A binary heap, earliest first.
    private var places: [Place] = []

    /// How many places are held, stale ones included.
    var count: Int { places.count }

    /// When the caller should look again; at most too early, never too late. Nil if nothing is armed.
    var nextDeadline: MonotonicInstant? { places.first?.at }

    /// Arms or moves a timer.
    mutating func arm(_ timer: LoopTimer, at deadline: MonotonicInstant, action: @escaping () -> Void) {
        timer.action = action
        move(timer, to: deadline)
    }

    /// Moves a timer and keeps its action; does nothing if it was cancelled or has fired.
    mutating func move(_ timer: LoopTimer, to deadline: MonotonicInstant) {
        guard timer.action != nil else { return }
        timer.deadline = deadline
        if let queued = timer.queued, queued <= deadline { return }
        timer.queued = deadline
        push(Place(at: deadline, timer: timer))
    }

    /// Takes the action of one timer that is due at `now`, or nil if none is.
    mutating func popDue(at now: MonotonicInstant) -> (() -> Void)? {
        while let first = places.first, first.at <= now {
            let timer = first.timer
            // A stale place: the timer has been moved earlier since, and has a place there.
            guard timer.queued == first.at else {
                removeFirst()
                continue
            }
            guard let deadline = timer.deadline else {
                timer.queued = nil
                removeFirst()
                continue
            }
            if deadline > first.at {
                // It was moved later while queued: put it where it belongs now.
                timer.queued = deadline
                places[0].at = deadline
                siftDown()
                continue
            }
            removeFirst()
            timer.queued = nil
            timer.deadline = nil
            defer { timer.action = nil }
            return timer.action
        }
        return nil
    }

    private mutating func push(_ place: Place) {
        places.append(place)
        var child = places.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard places[child].at < places[parent].at else { return }
            places.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func removeFirst() {
        places.swapAt(0, places.count - 1)
        places.removeLast()
        siftDown()
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            let left = 2 * parent + 1
            guard left < places.count else { return }
            let right = left + 1
            let child = right < places.count && places[right].at < places[left].at ? right : left
            guard places[child].at < places[parent].at else { return }
            places.swapAt(child, parent)
            parent = child
        }
    }
}
