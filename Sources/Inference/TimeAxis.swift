/// Where a value of the graph has time, and what of the signal each of its columns sees.
struct TimeAxis: Equatable {
    /// The axis along which time runs.
    var axis: Int
    /// Samples of the signal from one column to the next.
    var period: Int
    /// Samples of the signal that one column depends on: column j sees `[j * period, j * period + reach)`.
    var reach: Int

    /// The same columns on another axis.
    func moved(to axis: Int) -> TimeAxis { TimeAxis(axis: axis, period: period, reach: reach) }

    /// The columns of a window over these.
    func windowed(by window: TimeWindow, on axis: Int) -> TimeAxis {
        TimeAxis(
            axis: axis, period: period * window.stride, reach: reach + (window.columns - 1) * period)
    }
}

/// A window that slides along time: a convolution, a pooling, the frames of an STFT.
struct TimeWindow: Equatable {
    /// Columns it covers, dilation counted.
    var columns: Int
    /// Columns from one window to the next.
    var stride: Int
    /// Axis of its input along which it slides.
    var axis: Int
}

/// What one node does to time.
enum TimeFlow {
    /// Every column on its own; the outputs have time on this axis.
    case columns(axis: Int)
    /// Windows of columns; the output has time on this axis.
    case windows(TimeWindow, axis: Int)
    /// All columns at once.
    case reduces
}
