// Replaced by the first real file of SenseClientKit.
