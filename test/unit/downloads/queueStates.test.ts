import fc from 'fast-check'
import { jobStates } from '#shared/contract/areas/downloads.ts'
import { expect, test } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import type { JobState } from '#core/store/jobTable.ts'
import type { JobStore } from '#core/store/jobStore.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const trouble = new AppError('network').toShape()
const periods = ['2026-08-01', '2026-08-02', '2026-08-03']

/**
 * Allowed changes of a job's state by operation; any other change is an error that a user would see as a download that
 * comes back to life.
 */
const moves: Record<string, Partial<Record<JobState, JobState>>> = {
  run: { queued: 'running', waiting: 'running' },
  release: { running: 'queued' },
  pause: { queued: 'paused', running: 'paused', waiting: 'paused' },
  resume: { paused: 'queued', waiting: 'queued' },
  cancel: { queued: 'cancelled', running: 'cancelled', waiting: 'cancelled', paused: 'cancelled' },
  retry: { failed: 'queued', cancelled: 'queued' },
  wait: { running: 'waiting' },
  done: { queued: 'done', running: 'done', waiting: 'done', paused: 'done', cancelled: 'done' },
  fail: { running: 'failed' },
  crash: { running: 'queued' },
}

function applyAction(jobs: JobStore, action: string, id: number, nowMs: number): void {
  const end = (state: 'done' | 'failed') =>
    jobs.markEnded([{ id, state, outcome: null, error: state === 'failed' ? trouble : null }], nowMs)
  const actions: Record<string, () => unknown> = {
    run: () => jobs.markRunning([id]),
    release: () => jobs.release([id]),
    pause: () => jobs.pause([id]),
    resume: () => jobs.resume([id]),
    cancel: () => jobs.cancel([id], nowMs),
    retry: () => jobs.retry([id], nowMs),
    wait: () => jobs.markWaiting(id, trouble, nowMs + 5),
    done: () => end('done'),
    fail: () => end('failed'),
    crash: () => jobs.requeueRunning(),
  }
  actions[action]()
}

test('a job goes only where it may, whatever is done to it and by whom; endings follow each other in time', () => {
  const step = fc.tuple(fc.constantFrom(...Object.keys(moves)), fc.nat(periods.length - 1))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { jobs } = openTestStore()
      const batchId = jobs.newBatch('test', 1)
      const wanted = periods.map((period) => ({ series: flowSeries(), period, refresh: false }))
      expect(jobs.add(batchId, wanted, { priority: 0, nowMs: 1 })).toBe(3)
      const ids = jobs.ids({}, 0, 10)
      const states: JobState[] = ids.map(() => 'queued')
      let lastEnd = 0
      steps.forEach(([action, at], nowMs) => {
        applyAction(jobs, action, ids[at], nowMs)
        const hit = action === 'crash' ? ids.map((_, index) => index) : [at]
        for (const index of hit) {
          const before = states[index]
          states[index] = moves[action][before] ?? before
          const job = jobs.find(ids[index])
          expect(job?.state, `${before} + ${action}`).toBe(states[index])
          const isOver = ['done', 'failed', 'cancelled'].includes(states[index])
          expect(job?.endedAtMs !== null, `${before} + ${action}`).toBe(isOver)
          if (isOver && before !== states[index]) {
            expect(job?.endedAtMs ?? 0).toBeGreaterThan(lastEnd)
            lastEnd = job?.endedAtMs ?? 0
          }
        }
      })
      const counts = jobs.counts().now
      for (const state of jobStates) expect(counts[state]).toBe(states.filter((each) => each === state).length)
    }),
    { numRuns: 25 },
  )
})
