import type { FileJob, MadeFile } from './fileJob.ts'

export interface PortfolioRequest {
  seed: number
  /** Path after `/api/v1`. */
  path: string
  query: string
  nowMs: number
  /** Number of days by which histories end before the last end of day. */
  historyDelayDays: number
  /** Missing values are written as NaN. */
  hasNanLiterals: boolean
}

/** Task of a sandbox thread. */
export type SandboxTask =
  | { kind: 'file'; job: FileJob; folder: string }
  | { kind: 'portfolio'; question: PortfolioRequest }

export type SandboxAnswer =
  | { kind: 'file'; files: MadeFile[] }
  | { kind: 'portfolio'; status: number; body: string }
  | { kind: 'failed'; message: string }
