/** Numbers as people read them. Decimal units, as disks and networks are sold. */

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** E.g. `0 B`, `812 B`, `1.24 MB`: three digits that matter. */
export function bytesWords(sizeBytes: number): string {
  let value = sizeBytes
  let unit = 0
  while (value >= 999.5 && unit < byteUnits.length - 1) {
    value /= 1000
    unit += 1
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
  return `${value.toFixed(digits)} ${byteUnits[unit]}`
}

/** E.g. `8 ms`, `1.32 s`, `2 min 5 s`. */
export function durationWords(durationMs: number): string {
  if (durationMs < 999.5) return `${Math.round(durationMs)} ms`
  if (durationMs < 59_995) return `${(durationMs / 1000).toFixed(durationMs < 9_995 ? 2 : 1)} s`
  const seconds = Math.round(durationMs / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
