import BridgeAI
import Testing

@Suite struct HandGeometryTests {
    @Test(arguments: [(0, 480), (640, 0), (16_385, 480), (640, .max)] as [(UInt32, UInt32)])
    func badImageSizeIsRefused(_ width: UInt32, _ height: UInt32) {
        #expect(throws: BridgeAIError.imageSize(width: width, height: height, limit: 16_384)) {
            try HandGeometry(producer: .raw, mirrored: false, imageWidth: width, imageHeight: height)
        }
    }

    @Test func producersBringTheirDefaults() throws {
        let apple = try HandGeometry(producer: .appleVision, mirrored: false, hasZ: true)
        #expect(apple.yAxis == .up)
        #expect(!apple.hasZ)
        let mediaPipe = try HandGeometry(producer: .mediaPipe, mirrored: false)
        #expect(mediaPipe.yAxis == .down)
        #expect(mediaPipe.hasZ)
        #expect(mediaPipe.aspect == 1)
        #expect(mediaPipe.handedness == nil)
    }

    /// MediaPipe prints "Left" for a right hand in an unflipped picture, and the mirror flag changes nothing: the
    /// label was made from the flipped pixels. That is the convention of the training data.
    @Test(arguments: [false, true]) func selfieLabelAloneDecides(_ mirrored: Bool) throws {
        let geometry = try HandGeometry(producer: .mediaPipe, mirrored: mirrored)
        #expect(geometry.appearance(of: .left) == .opposite)
        #expect(geometry.appearance(of: .right) == .canonical)
    }
}
