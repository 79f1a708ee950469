package main

// hookMarker is the environment variable that tells a hook that brain is among those
// who started it: what brain starts must not be captured by brain.
const hookMarker = "BRAIN_HOOK"
