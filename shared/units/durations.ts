import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '../time.ts'
import { formatNumber, MINUS } from './numbers.ts'

/** Formats a duration in one or two units: `840 ms`, `12.3 s`, `4 min 05 s`, `3 h 12 min`, `5 d 4 h`. */
export function formatDuration(durationMs: number): string {
  if (!Number.isFinite(durationMs)) return formatNumber(durationMs, 0)
  const text = formatMagnitude(Math.abs(durationMs))
  return durationMs < 0 ? MINUS + text : text
}

const units: [unitMs: number, name: string][] = [
  [MS_PER_DAY, 'd'],
  [MS_PER_HOUR, 'h'],
  [MS_PER_MINUTE, 'min'],
  [MS_PER_SECOND, 's'],
]

/** Formats the step of a grid in the largest unit of which it is a multiple: `15 s`, `5 min`, `90 min`, `1 d`. */
export function formatStep(stepMs: number): string {
  const [unitMs, name] = units.find(([each]) => stepMs % each === 0) ?? [1, 'ms']
  return `${formatNumber(stepMs / unitMs, 0)} ${name}`
}

function formatMagnitude(ms: number): string {
  if (ms < 999.5) return `${formatNumber(ms, ms > 0 && ms < 1 ? 3 : 0)} ms`
  if (ms < MS_PER_MINUTE - 50) return `${formatNumber(ms / MS_PER_SECOND, 1)} s`
  const seconds = Math.round(ms / MS_PER_SECOND)
  if (seconds < MS_PER_HOUR / MS_PER_SECOND) return twoUnits(seconds, 60, 'min', 's', 2)
  const minutes = Math.round(ms / MS_PER_MINUTE)
  if (minutes < MS_PER_DAY / MS_PER_MINUTE) return twoUnits(minutes, 60, 'h', 'min', 2)
  return twoUnits(Math.round(ms / MS_PER_HOUR), 24, 'd', 'h', 1)
}

function twoUnits(smallCount: number, perLarge: number, large: string, small: string, digits: number): string {
  const smallText = String(smallCount % perLarge).padStart(digits, '0')
  return `${formatNumber(Math.floor(smallCount / perLarge), 0)} ${large} ${smallText} ${small}`
}
