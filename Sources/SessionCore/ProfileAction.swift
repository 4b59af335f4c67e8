public import SenseProtocol

/// What the shared state of a person asks its owner to do. Performed in order.
public enum ProfileAction: Sendable {
    /// Sends a body to one session of the profile.
    case send(SessionID, Envelope.Body, DeliveryClass)
    /// Ends a session with an error.
    case close(SessionID, FieldProblem)
    /// Stores one revision of an alert; the store gives it a revision and an event id, and the answer is
    /// `ProfileState.stored`.
    case store(Alert)
    /// Stores a receipt; the answer is `ProfileState.stored` where it changed the alert, then
    /// `ProfileState.receiptStored`.
    case storeReceipt(AlertReceipt, deviceID: String, unixUs: UInt64, from: SessionID, seq: UInt64)
    /// Stores a person's word on an alert; the answer is `ProfileState.stored` where it changed the verdict, then
    /// `ProfileState.feedbackStored`.
    case storeFeedback(AlertFeedback, from: SessionID, seq: UInt64)
    /// Adds to the time that rooms were heard.
    case storeHeard([HeardTime])
    /// Stores how a drill ended; the answer is `ProfileState.drillStored`.
    case storeDrill(DrillResult)
    /// Writes down that an alert has answered itself (hearing again; a suspicion that came to nothing); the answer
    /// is `ProfileState.stored`.
    case resolve(alertID: String, note: String)
    /// Writes down that an alert found nobody; the answer is `ProfileState.stored`.
    case markExhausted(alertID: String, reason: String)
    /// Fetches durable events after one; the answer is `ProfileState.fetched`.
    case fetchEvents(SessionID, after: UInt64, limit: Int)
    /// Remembers how far a device has acknowledged.
    case saveCursor(deviceID: String, eventID: UInt64)
    /// A line for the operator; never carries media.
    case log(String)
}
