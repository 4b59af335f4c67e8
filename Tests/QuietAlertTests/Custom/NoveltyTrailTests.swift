import QuietAlert
import Testing

@Suite struct NoveltyTrailTests {
    @Test func comparesWithTheStepTheLagBefore() {
        var trail = NoveltyTrail(lagSteps: 2)
        #expect(trail.follow([1, 1]) == [0, 0])
        #expect(trail.follow([2, 1]) == [1, 0])
        #expect(trail.follow([3, 1]) == [2, 0])
        #expect(trail.follow([3, 5]) == [1, 4])
    }

    @Test func beginsAtSilence() {
        var trail = NoveltyTrail(lagSteps: 4)
        _ = trail.follow([9, 9])
        trail.begin(at: [1, 0])
        #expect(trail.follow([1, 3]) == [0, 3])
    }

    @Test func nothingIsNewAfterABreakOrAnotherWidth() {
        var trail = NoveltyTrail(lagSteps: 1)
        _ = trail.follow([1])
        trail.breakOff()
        #expect(trail.follow([5]) == [0])
        #expect(trail.follow([5, 6]) == [0, 0])
    }

    @Test func absurdLagsAreBounded() {
        var trail = NoveltyTrail(lagSteps: .max)
        for step in 0..<40 { _ = trail.follow([Float(step)]) }
        #expect(trail.follow([40]) == [Float(NoveltyTrail.maxSteps)])
        var none = NoveltyTrail(lagSteps: .min)
        _ = none.follow([1])
        #expect(none.follow([3]) == [2])
    }
}
