/**
 * One line of `npm run bench`. A file `test/bench/<name>.bench.ts` exports `benchLines: BenchLine[]`; lines run one after the
 * other, ours and the peer's turn by turn, so that a noisy machine is noisy for both.
 */
export interface BenchLine {
  name: string
  unit: string
  /** `atMost`: ratio ours/peer must not exceed the budget; `atLeast`: must reach it; `value`: ours itself must not exceed it. */
  rule: 'atMost' | 'atLeast' | 'value'
  /** Null: the line is a comparison without a target. */
  budget: number | null
  peerName: string | null
  /** Packages of test/bench/package.json that the line needs; `npm run bench` installs them. */
  packages?: readonly string[]
  /** Python peer that the line needs: it is measured with `--peers` only, which installs it. */
  python?: string
  /** Prepares data, warms up and returns the task to measure. Throws `NotHere` if the machine lacks something that the line needs. */
  prepare(): Promise<BenchTask>
}

export interface BenchTask {
  ours(): Promise<number>
  peer?(): Promise<number>
  /** Number of rounds; the median counts. */
  rounds?: number
  close?(): Promise<void>
}

/** Says that this machine cannot measure a line, which is then neither met nor missed. */
export class NotHere extends Error {
  override name = 'NotHere'
}

/** Measures the milliseconds that the work takes. */
export async function millisecondsOf(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Returns the processor time of the work, because elapsed time without a peer depends on the machine's other load. */
export async function processorMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
