import Testing

@testable import QuietAlert

@Suite struct CustomSoundTrainerTests {
    private let trainer = CustomSoundTrainer(SampleSpace.make())

    @Test func liesBetweenTheSpreadAndStrangers() throws {
        let rule = ThresholdRule(strangerMargin: 0.05, spreadShare: 0.1, leastThreshold: 0.5)
        let trainer = CustomSoundTrainer(SampleSpace.make(rule: rule))
        let alike = [[1, 0, 0], [1, -0.1, 0], [1, -0.05, 0]].map { SampleSpace.example($0) }
        let spread = [[1, 0, 0], [1, -0.9, 0], [1, -0.45, 0]].map { SampleSpace.example($0) }
        let tight = try trainer.threshold(for: alike)
        let loose = try trainer.threshold(for: spread)
        #expect(tight > loose + 0.05 && tight < 1)
        let worst = spread.map { a in spread.filter { $0 != a }.map { a.similarity(to: $0) }.max() ?? 0 }
            .min()
        #expect(loose >= 0.5 && loose < worst ?? 0)
    }

    @Test func namesTheExampleThatIsUnlike() {
        let examples = [[1, 0, 0], [0, 0.1, 1], [1, 0.1, 0], [1, 0, 0.1]].map { SampleSpace.example($0) }
        do {
            _ = try trainer.threshold(for: examples)
            Issue.record("learned")
        } catch {
            guard case .unlike(let example, let similarity, let least) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(example == 1 && similarity < least)
        }
    }

    @Test func refusesWhatIsAsCommonAsStrangers() {
        let examples = [[0, 0, 1], [0.5, 0, 1], [0, 0.8, 1]].map { SampleSpace.example($0) }
        do {
            _ = try trainer.threshold(for: examples)
            Issue.record("learned")
        } catch {
            guard case .tooCommon(let similarity, let strangers) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(strangers > 0.99 && similarity <= 1)
        }
    }
}
