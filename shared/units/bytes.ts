import { formatNumber } from './numbers.ts'

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** Formats bytes in powers of 1000 with three digits: `812 B`, `1.23 MB`, `45.6 GB`. */
export function formatBytes(sizeBytes: number): string {
  if (!Number.isFinite(sizeBytes)) return formatNumber(sizeBytes, 0)
  let size = Math.abs(sizeBytes)
  let step = 0
  // A value of 999.5 would round to 1000, which has four digits.
  while (size >= 999.5 && step < units.length - 1) {
    size /= 1000
    step += 1
  }
  const decimals = step === 0 ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0
  return `${formatNumber(Math.sign(sizeBytes) * size, decimals)}\u00a0${units[step]}`
}

export const formatRate = (bytesPerSecond: number): string => `${formatBytes(bytesPerSecond)}/s`
