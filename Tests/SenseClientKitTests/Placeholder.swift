// Replaced by the first real test of SenseClientKitTests.
