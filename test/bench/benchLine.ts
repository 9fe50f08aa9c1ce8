/**
 * One line of `npm run bench`. A file `test/bench/<name>.bench.ts` exports `benchLines: BenchLine[]`; lines run one after the
 * other, ours and the peer's turn by turn, so that a noisy machine is noisy for both.
 */
export interface BenchLine {
  name: string
  unit: string
  /** `atMost`: ratio ours/peer must not exceed the budget; `atLeast`: must reach it; `value`: ours itself must not exceed it. */
  rule: 'atMost' | 'atLeast' | 'value'
  /** Null: only to compare with. */
  budget: number | null
  peerName: string | null
  /** Packages of test/bench/package.json that the line needs; `npm run bench` installs them. */
  packages?: readonly string[]
  /** Prepares data and warms up; what it returns is measured. Throws `NotHere` where the machine lacks what it needs. */
  prepare(): Promise<BenchTask>
}

export interface BenchTask {
  ours(): Promise<number>
  peer?(): Promise<number>
  /** Measured so many times, the median counts. */
  rounds?: number
  close?(): Promise<void>
}

/** Why a line cannot be measured on this machine: it is left out, neither met nor missed. */
export class NotHere extends Error {
  override name = 'NotHere'
}

/** Milliseconds that the work takes. */
export async function millisecondsOf(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
