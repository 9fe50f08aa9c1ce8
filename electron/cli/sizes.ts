import { usageText } from './text/messages.ts'
import { UsageError } from './usageError.ts'

const units: Record<string, number> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
}

/** Parses a size such as `500MB`, `1.5TiB` or `1000000` into bytes. */
export function parseSize(option: string, text: string): number {
  const match = /^(\d{1,15}(?:\.\d{1,9})?)\s*([a-z]*)$/i.exec(text.trim())
  const unit = match?.[2] ? units[match[2].toLowerCase()] : 1
  if (!match || unit === undefined) throw new UsageError(usageText.notSize(option, text))
  return Math.floor(Number(match[1]) * unit)
}

/** Formats a number of bytes for people: `12.3 MB`. */
export function formatBytes(bytes: number): string {
  const names = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(names.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${names[step]}`
}
