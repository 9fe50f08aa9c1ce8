import type { SoakReport } from './soak.ts'

const GROWTH_ALLOWED = 1.1
/** Growth by up to this many bytes is noise, such as compiled code or a few memory pages. */
const NOISE_BYTES = 4_000_000
/** Number by which open files and handles may grow, because connections stay open for the next request. */
const HANDLES_ALLOWED = 8

export interface SoakVerdict {
  ok: boolean
  /** Ratio of the last round to the end of the warm-up; 1 means no growth. */
  heldGrowth: number
  residentGrowth: number
  lines: string[]
}

/** Compares the last round with the last round of the warm-up. */
export function judgeSoak({ sizes, differences, ...report }: SoakReport, warmUpRounds: number): SoakVerdict {
  const [warm, last] = [sizes[warmUpRounds - 1], sizes[sizes.length - 1]]
  const heldGrowth = last.heldBytes / warm.heldBytes
  const residentGrowth = last.residentBytes / warm.residentBytes
  const handlesOf = (handles: Record<string, number>) => Object.values(handles).reduce((sum, count) => sum + count, 0)
  const handleGrowth = handlesOf(last.handles) - handlesOf(warm.handles)
  const fileGrowth = (last.files ?? 0) - (warm.files ?? 0)
  const isGrown = heldGrowth > GROWTH_ALLOWED && last.heldBytes - warm.heldBytes > NOISE_BYTES
  const faults = [
    ...(isGrown ? [`memory grew by ${percent(heldGrowth)}`] : []),
    ...(handleGrowth > HANDLES_ALLOWED ? [`${handleGrowth} handles more: ${JSON.stringify(last.handles)}`] : []),
    ...(fileGrowth > HANDLES_ALLOWED ? [`${fileGrowth} open files more`] : []),
    ...differences.slice(0, 20),
  ]
  const { files, opens, switches, rows, retries, seconds } = report
  const lines = [
    `${files} files (${retries} tried again), ${opens} series opened (${rows} rows), ${switches} switches in ${seconds.toFixed(0)} s`,
    `memory held after warm-up and at the end: ${mb(warm.heldBytes)} and ${mb(last.heldBytes)} MB (${percent(heldGrowth)})`,
    `resident: ${mb(warm.residentBytes)} and ${mb(last.residentBytes)} MB (${percent(residentGrowth)})`,
    `open files: ${warm.files} and ${last.files}; handles: ${JSON.stringify(warm.handles)} and ${JSON.stringify(last.handles)}`,
    differences.length === 0 ? 'index and folder: identical' : `index and folder: ${differences.length} differences`,
    ...faults.map((fault) => `FAULT: ${fault}`),
  ]
  return { ok: faults.length === 0, heldGrowth, residentGrowth, lines }
}

const percent = (growth: number) => `${growth >= 1 ? '+' : ''}${((growth - 1) * 100).toFixed(1)} %`
const mb = (bytes: number) => (bytes / 1e6).toFixed(1)
