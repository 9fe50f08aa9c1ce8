import { sameRange, type TimeRange } from './model.ts'

/** The views that were looked at. A null one shows all. */
export interface ZoomHistory {
  back: readonly (TimeRange | null)[]
  current: TimeRange | null
  forward: readonly (TimeRange | null)[]
}

const MOST_KEPT = 100

export const historyAt = (current: TimeRange | null): ZoomHistory => ({ back: [], current, forward: [] })

/** A step of one long movement (the turns of a wheel) replaces the one before: back undoes the whole. */
export function movedTo(history: ZoomHistory, next: TimeRange | null, continues = false): ZoomHistory {
  if (sameRange(history.current, next)) return history
  const back = continues ? history.back : [...history.back, history.current].slice(-MOST_KEPT)
  return { back, current: next, forward: [] }
}

export function goneBack({ back, current, forward }: ZoomHistory): ZoomHistory | null {
  const before = back.at(-1)
  return before === undefined ? null : { back: back.slice(0, -1), current: before, forward: [current, ...forward] }
}

export function goneForward({ back, current, forward }: ZoomHistory): ZoomHistory | null {
  const [next, ...rest] = forward
  return next === undefined ? null : { back: [...back, current], current: next, forward: rest }
}
