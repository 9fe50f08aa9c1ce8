import { formatNumber, MINUS } from './numbers.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Formats a duration in its two largest units: `840 ms`, `12.3 s`, `4 min 05 s`, `3 h 12 min`, `5 d 4 h`. */
export function formatDuration(durationMs: number): string {
  if (!Number.isFinite(durationMs)) return formatNumber(durationMs, 0)
  const text = formatBytes(Math.abs(durationMs))
  return durationMs < 0 ? MINUS + text : text
}

const units: [sizeMs: number, name: string][] = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
]

/** The step of a grid, in the largest unit that it has a whole number of: `15 s`, `5 min`, `90 min`, `1 d`. */
export function formatStep(stepMs: number): string {
  const [sizeMs, name] = units.find(([each]) => stepMs % each === 0) ?? [1, 'ms']
  return `${formatNumber(stepMs / sizeMs, 0)} ${name}`
}

function formatBytes(ms: number): string {
  if (ms < 999.5) return `${formatNumber(ms, ms > 0 && ms < 1 ? 3 : 0)} ms`
  if (ms < MINUTE - 50) return `${formatNumber(ms / SECOND, 1)} s`
  const seconds = Math.round(ms / SECOND)
  if (seconds < HOUR / SECOND) return twoUnits(seconds, 60, 'min', 's', 2)
  const minutes = Math.round(ms / MINUTE)
  if (minutes < DAY / MINUTE) return twoUnits(minutes, 60, 'h', 'min', 2)
  return twoUnits(Math.round(ms / HOUR), 24, 'd', 'h', 1)
}

function twoUnits(smalls: number, perLarge: number, large: string, small: string, digits: number): string {
  const rest = String(smalls % perLarge).padStart(digits, '0')
  return `${formatNumber(Math.floor(smalls / perLarge), 0)} ${large} ${rest} ${small}`
}
