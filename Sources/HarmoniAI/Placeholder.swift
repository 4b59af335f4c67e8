// Replaced by the first real file of HarmoniAI.
