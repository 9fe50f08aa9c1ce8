/** Builds the parts of a window one after the other, one per task, so that a screen of many parts does not block it. */

const waiting: (() => void)[] = []

/** Runs `build` when its turn comes. Returns a function that gives up the turn. */
export function takeTurn(build: () => void): () => void {
  waiting.push(build)
  if (waiting.length === 1) setTimeout(giveTurn)
  return () => {
    const at = waiting.indexOf(build)
    if (at >= 0) waiting.splice(at, 1)
  }
}

function giveTurn(): void {
  try {
    waiting.shift()?.()
  } finally {
    // The other parts get their turns even if one cannot be built.
    if (waiting.length > 0) setTimeout(giveTurn)
  }
}
