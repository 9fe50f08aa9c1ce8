import type { Job } from '#core/store/job.ts'
import type { JobStore } from '#core/store/jobStore.ts'

/** What runs next, looked up many at a time: asking the store for every single job would cost more than its file. */
export interface NextJobs {
  /** The best of all connections that may start one now, and removes it; null where there is none. */
  take(mayStart: (connectionId: string) => boolean): Job | null
  /** What a connection starts after that, as far as it was looked up. */
  following(connectionId: string, count: number): Job[]
  /** Jobs are different now: what was looked up counts no longer. */
  forget(): void
}

export interface NextJobsDeps {
  jobs: JobStore
  nowMs(): number
  /** Jobs that were started and that the store may not know of yet. */
  started: ReadonlyMap<number, unknown>
}

/** The next jobs of one connection. */
interface Line {
  jobs: Job[]
  /** Nothing comes after these. */
  isWhole: boolean
}

const LOOKED_UP = 64

export function createNextJobs({ jobs, nowMs, started }: NextJobsDeps): NextJobs {
  let lines: Map<string, Line> | null = null

  function lineOf(connectionId: string): Line {
    const limit = LOOKED_UP + started.size
    const found = jobs.nextRunnable(connectionId, nowMs(), limit)
    return { jobs: found.filter(({ id }) => !started.has(id)), isWhole: found.length < limit }
  }

  function firstOf(connectionId: string, line: Line): Job | undefined {
    if (line.jobs.length === 0 && !line.isWhole) Object.assign(line, lineOf(connectionId))
    return line.jobs[0]
  }

  return {
    take(mayStart) {
      lines ??= new Map(jobs.runnableConnections().map((id) => [id, { jobs: [], isWhole: false }]))
      let best: Line | null = null
      for (const [connectionId, line] of lines) {
        if (!mayStart(connectionId)) continue
        const job = firstOf(connectionId, line)
        if (job && (!best || isBefore(job, best.jobs[0]))) best = line
      }
      return best?.jobs.shift() ?? null
    },
    following: (connectionId, count) => lines?.get(connectionId)?.jobs.slice(0, count) ?? [],
    forget() {
      lines = null
    },
  }
}

const isBefore = (a: Job, b: Job) =>
  a.priority !== b.priority
    ? a.priority > b.priority
    : a.position !== b.position
      ? a.position < b.position
      : a.id < b.id
