import Blindspot
import Testing

@Suite struct SceneSummaryTests {
    static let scene = Scene(objects: [
        SceneObject(label: "person", position: .left, distanceText: "10 feet"),
        SceneObject(label: "pothole", position: .center, distanceText: "5 feet"),
    ])

    static func ask(_ question: String, _ scene: Scene? = scene) -> SceneSummary {
        SceneAnswerer().answer(question, about: scene)
    }

    @Test(arguments: [
        ("What is around me?", "Pothole ahead, about 5 feet. Person left, about 10 feet."),
        ("what can you see", "Pothole ahead, about 5 feet. Person left, about 10 feet."),
        ("What is on my left?", "Person left, about 10 feet."),
        ("what's in front of me", "Pothole ahead, about 5 feet."),
        (
            "What's on the right?",
            "Nothing is reported on the right. I may miss things. Pothole ahead, about 5 feet."
        ),
        ("Where is the pothole?", "Pothole ahead, about 5 feet."),
        // A nearer hazard is told before what was asked for.
        ("How far is the person?", "Pothole ahead, about 5 feet. Person left, about 10 feet."),
        (
            "how many people or persons are there",
            "I see 1. Pothole ahead, about 5 feet. Person left, about 10 feet."
        ),
        ("Where is the bus?", "I don't see that, but I may miss it. Pothole ahead, about 5 feet."),
        ("", "I didn't hear a question. Pothole ahead, about 5 feet."),
        (" ?! ", "I didn't hear a question. Pothole ahead, about 5 feet."),
        (
            "Is it safe to cross?",
            "I cannot judge that; please check with your cane or hearing. Pothole ahead, about 5 feet."
        ),
    ]) func answers(_ question: String, _ text: String) {
        #expect(Self.ask(question).text == text)
    }

    /// Whatever is asked, of whatever scene, no answer promises anything.
    @Test(arguments: [
        "Is it safe to cross?", "is the road clear", "Can I go?", "may I walk on now",
        "Should I step forward?",
        "is there any danger ahead", "are there obstacles", "OK to proceed?", "Is there a safe way?",
        "IS IT FREE",
        "where is it safe", "say yes", "is there traffic", "where can I cross", "any hazards?",
    ]) func neverPromises(_ question: String) {
        let tricky = Scene(objects: [
            SceneObject(label: "safe crossing", position: .center),
            SceneObject(label: "clear", position: .left),
            SceneObject(label: "yes", position: .right),
        ])
        for scene in [Self.scene, Scene(objects: []), nil] {
            let words = Self.ask(question, scene).text.lowercased().split { !$0.isLetter }
            for word in ["yes", "clear", "safe", "safely", "go"] { #expect(!words.contains(Substring(word))) }
        }
        let words = Self.ask(question, tricky).text.lowercased().split { !$0.isLetter }
        for word in ["clear", "safe", "safely"] { #expect(!words.contains(Substring(word))) }
    }

    @Test func emptySceneIsNoPromise() {
        #expect(
            Self.ask("what is there", Scene(objects: [])).text == "Nothing is reported. I may miss things.")
        #expect(
            Self.ask("Is it safe to cross?", Scene(objects: [])).text
                == "I cannot judge that; please check with your cane or hearing. "
                + "No hazard is reported, but I may miss some.")
    }

    @Test func degradedAnswersSaySo() {
        let none = Self.ask("what is there", nil)
        #expect(none.degradations == [.noScene])
        #expect(none.text == "I have no camera view. I cannot tell what is around you.")
        let old = SceneAnswerer().answer("what is ahead", about: Self.scene, sceneAgeUs: 4_200_000)
        #expect(old.degradations == [.oldScene(ageUs: 4_200_000)])
        #expect(old.text == "The view is 4 seconds old. Pothole ahead, about 5 feet.")
        let mute = SceneAnswerer().answer(
            "what is ahead", about: Self.scene, sceneAgeUs: 1_000_000, missingServices: ["Speech recognition"]
        )
        #expect(mute.degradations == [.serviceMissing("Speech recognition")])
        #expect(mute.text == "Speech recognition is not working. Pothole ahead, about 5 feet.")
        #expect(Self.ask("what is ahead").degradations.isEmpty)
    }

    /// Only objects of the scene are cited, and the answer does not grow with the scene.
    @Test func answersAreGroundedAndBounded() {
        let labels = ["car", "person", "tree", "pole", "bench", "dog"]
        let objects = (0..<300).map { place in
            SceneObject(
                label: labels[place % labels.count], position: ScenePosition.allCases[place % 4],
                distanceM: Double(place), trackID: UInt32(place))
        }
        for question in [
            "what is there", "where is the car", "left?", "safe?", "how many trees", "where is the yeti",
        ] {
            let answers = HazardRankerTests.shuffles(of: objects).prefix(10).map {
                SceneAnswerer(unit: .metres).answer(question, about: Scene(objects: $0))
            }
            #expect(answers.allSatisfy { $0 == answers[0] })
            #expect(answers[0].text.utf8.count < 500)
            #expect(answers[0].citedLabels.allSatisfy { labels.contains($0) })
            #expect(answers[0].hazards.count == 5)
            for label in labels where answers[0].text.lowercased().contains(label) {
                #expect(answers[0].citedLabels.contains(label))
            }
        }
    }

    @Test func hugeQuestionGetsAnOverview() {
        let question = String(repeating: "where is the bus ", count: 1_000)
        #expect(Self.ask(question).text == Self.ask("what is there").text)
    }
}
