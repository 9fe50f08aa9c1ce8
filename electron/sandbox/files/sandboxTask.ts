import type { FileJob, MadeFile } from './fileJob.ts'

/** What a thread is asked. `affinity` names what neighbouring tasks share, so that one thread does them. */
export type SandboxTask = { affinity: string } & (
  | { kind: 'file'; job: FileJob; folder: string }
  | { kind: 'portfolio'; seed: number; path: string; query: string; nowMs: number }
)

export type SandboxAnswer =
  | { kind: 'file'; files: MadeFile[] }
  | { kind: 'portfolio'; status: number; body: string }
  | { kind: 'failed'; message: string }
