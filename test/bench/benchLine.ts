/**
 * One line of `npm run bench`. A file `test/bench/<name>.bench.ts` exports `benchLines: BenchLine[]`. Lines run one
 * after the other, and ours and the peer take turns within a line, so that a noisy machine disturbs both alike.
 */
export interface BenchLine {
  name: string
  unit: string
  /**
   * Rule that the budget sets: `atMost` limits the ratio ours/peer from above, `atLeast` limits it from below, and
   * `value` limits ours itself from above.
   */
  rule: 'atMost' | 'atLeast' | 'value'
  /** Target of the line; null if the line is a comparison without a target. */
  budget: number | null
  peerName: string | null
  /** Packages of test/bench/package.json that the line needs; `npm run bench` installs them. */
  packages?: readonly string[]
  /** Python peer that the line needs; it is measured only with `--peers`, which installs it. */
  python?: string
  /**
   * Prepares data, warms up and returns the task to measure. Throws `NotHere` if the machine lacks something that the
   * line needs.
   */
  prepare(): Promise<BenchTask>
}

export interface BenchTask {
  ours(): Promise<number>
  peer?(): Promise<number>
  /** Number of rounds; the median of the rounds counts. */
  rounds?: number
  close?(): Promise<void>
}

/** Error for a line that this machine cannot measure; the line then counts neither as met nor as missed. */
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
