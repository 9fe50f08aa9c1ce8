import type { EventSpan } from './eventSpans.ts'

const hasEventsIn = (span: EventSpan, startUs: number, endUs: number) => span.minUs < endUs && span.maxUs >= startUs

/** The row groups with events in [startUs, endUs). */
export const spansInside = (spans: readonly EventSpan[], startUs: number, endUs: number) =>
  spans.filter((span) => hasEventsIn(span, startUs, endUs))

/** The same, and those that may hold the last event before `startUs`, which later events look back at. */
export function spansAsOf(spans: readonly EventSpan[], startUs: number, endUs: number): EventSpan[] {
  // A group that lies before the start ends with an event at `maxUs`; one that straddles it has one at `minUs` at least.
  let lastKnownUs = -Infinity
  for (const { minUs, maxUs } of spans) {
    if (minUs < startUs) lastKnownUs = Math.max(lastKnownUs, maxUs < startUs ? maxUs : minUs)
  }
  return spans.filter(
    (span) => hasEventsIn(span, startUs, endUs) || (span.minUs < startUs && span.maxUs >= lastKnownUs),
  )
}
