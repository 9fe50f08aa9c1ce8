import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { Job } from '#core/store/job.ts'
import type { Hold } from '#core/store/holdStore.ts'
import { keepLease, type LeaseKeeper } from '#core/store/leaseKeeper.ts'
import { createBusy, createHosts } from './busy.ts'
import { attempt, type AttemptDeps, type Result } from './attempt.ts'
import { consequenceOf } from './failures.ts'
import { createHolds } from './holds.ts'
import { createLedger } from './ledger.ts'
import { createLinks } from './links.ts'
import { createNextJobs } from './nextJobs.ts'
import type { QueueDeps } from './queueDeps.ts'
import { createRateCap } from './rateCap.ts'
import { createRateMeter } from './rateMeter.ts'
import { createRefusals } from './refusals.ts'
import { createStrays } from './strays.ts'
import { IN_MEMORY_BYTES } from './transfer.ts'

export interface RunningJob {
  job: Job
  doneBytes: number
  totalBytes: number | null
}

/** Brings in what the store's queue holds, in the one process that has the lease; elsewhere it only stands by. */
export interface DownloadQueue {
  start(): void
  /** Running transfers end; what came of them is kept, and their jobs are queued again. */
  stop(): Promise<void>
  /** Jobs, settings or keys are different now, here or in another process. */
  lookAgain(): void
  /** The person did something about a connection (empty: about this machine): try again. */
  release(connectionId: string): void
  /** Keys or addresses are others now: whatever stood still for them is tried again. */
  connectionsChanged(): void
  /** After its jobs were cancelled: nothing more of this connection arrives. */
  ended(connectionId: string): Promise<void>
  isRunningHere(): boolean
  /** Whether something of this connection came just now and is not in the index yet. */
  isStoring(connectionId: string): boolean
  running(): RunningJob[]
  /** Why nothing runs, where that could not even be written down. */
  unstoredHolds(): Hold[]
  bytesPerSecond(): number
}

interface Active extends RunningJob {
  /** Of the service that it was begun with, and how often connections had changed then. */
  host: string
  changes: number
  controller: AbortController
  stage: 'on the network' | 'being stored' | 'being recorded'
}

const BEAT_MS = 1000
/** A store that cannot be written must not keep the program from ending; the next start heals. */
const STOP_WITHIN_MS = 4000
/** Files that came but are not stored yet; more would only fill the memory. */
const MOST_STORING = 256
const MOST_STORING_BYTES = 96 * 1024 * 1024
const SWEEP_AFTER_MS = 7 * 86_400_000
const HISTORY_MS = 90 * 86_400_000

export function createDownloadQueue(deps: QueueDeps): DownloadQueue {
  const { store, clock, log, random = Math.random } = deps
  const { jobs } = store
  const active = new Map<number, Active>()
  /** By job: attempts in a row without a new byte, and how far the furthest came. */
  const trials = new Map<number, { failures: number; furthest: number }>()
  const next = createNextJobs({ jobs, nowMs: clock.nowMs, started: active })
  const hosts = createHosts(store.connections)
  const holds = createHolds(store.holds, clock)
  const meter = createRateMeter(() => performance.now())
  const ledger = createLedger(store, clock, holdForStore)
  const links = createLinks({
    clock,
    openService: deps.openService,
    hostOf: hosts.of,
    nextPeriods: (series, from) => jobs.queuedPeriods(series, from, 32),
  })
  const refusals = createRefusals(store.answers)
  const strays = createStrays(store.folder)
  const attemptDeps: AttemptDeps = {
    ...deps,
    links,
    refusals,
    strays,
    files: store.files,
    answers: store.answers,
    folder: store.folder,
    parts: store.parts,
    paced: createRateCap(() => deps.settings().rateCapMb, clock.nowMs),
  }
  let keeper: LeaseKeeper | null = null
  let beat: NodeJS.Timeout | null = null
  let wake: NodeJS.Timeout | null = null
  let working = false
  let changes = 0

  /** Starts as many jobs as there is room for. */
  function pump(): void {
    if (!working) return
    if (deps.isOffline()) return abortAll()
    try {
      startJobs()
    } catch (thrown) {
      holdForStore(thrown)
    }
  }

  function startJobs(): void {
    if (holds.isHeld('')) return
    const { concurrency, hostConcurrency } = deps.settings()
    const onNetwork: Active[] = []
    let storing = 0
    let storingBytes = 0
    for (const each of active.values()) {
      if (each.stage === 'on the network') onNetwork.push(each)
      if (each.stage !== 'being stored') continue
      storing++
      if (each.doneBytes <= IN_MEMORY_BYTES) storingBytes += each.doneBytes
    }
    if (storingBytes >= MOST_STORING_BYTES) return
    let room = Math.min(concurrency - onNetwork.length, MOST_STORING - storing)
    const busy = createBusy(onNetwork, hosts)
    const mayStart = (connectionId: string) =>
      !holds.isHeld(connectionId) &&
      // A connection that just failed is tried with one job before the others follow.
      !(holds.isSuspect(connectionId) && busy.with(connectionId) > 0) &&
      busy.withHostOf(connectionId) < (hostConcurrency ?? Infinity)
    for (; room > 0; room--) {
      const job = next.take(mayStart)
      if (!job) return wakeUp()
      busy.add(job)
      void run(job)
      expectAfter(job.series.connectionId, concurrency)
    }
  }

  function expectAfter(connectionId: string, count: number): void {
    if (holds.isSuspect(connectionId)) return
    links.expect(next.following(connectionId, count).filter(({ series }) => !refusals.of(series)))
  }

  function wakeUp(): void {
    const at = jobs.nextWakeMs()
    if (at === null || wake) return
    const inMs = at - clock.nowMs()
    if (inMs < 0 || inMs > BEAT_MS) return
    wake = setTimeout(() => {
      wake = null
      next.forget()
      pump()
    }, inMs + 1)
  }

  async function run(job: Job): Promise<void> {
    const controller = new AbortController()
    const host = hosts.of(job.series.connectionId)
    const each: Active = { job, host, changes, doneBytes: 0, totalBytes: null, controller, stage: 'on the network' }
    active.set(job.id, each)
    ledger.running(job.id)
    deps.onChange()
    let arrived = 0
    try {
      const result = await attempt(attemptDeps, job, {
        signal: controller.signal,
        onBytes(doneBytes, totalBytes) {
          meter.add(Math.max(0, doneBytes - arrived))
          arrived = doneBytes
          Object.assign(each, { doneBytes, totalBytes })
          deps.onProgress()
        },
        onReceived() {
          if (hasMoved(each)) throw new AppError('cancelled')
          each.stage = 'being stored'
          pump()
        },
      })
      each.stage = 'being recorded'
      succeed(each, result)
    } catch (thrown) {
      // An attempt must not end the program, whatever its failure leads to.
      try {
        fail(each, toAppError(thrown))
      } catch (second) {
        active.delete(job.id)
        holdForStore(second)
      }
    }
    pump()
    if (onlyRecordingIsLeft()) ledger.flush()
  }

  const onlyRecordingIsLeft = () => [...active.values()].every(({ stage }) => stage === 'being recorded')

  function succeed({ job }: Active, { outcome, file, instead }: Result): void {
    const { id, series, refresh, priority } = job
    holds.noteSuccess(series.connectionId)
    trials.delete(id)
    if (instead.length > 0) {
      next.forget()
      const wanted = instead.map((period) => ({ series, period, refresh }))
      for (const batchId of jobs.batchesOf(id)) jobs.add(batchId, wanted, { priority, nowMs: clock.nowMs() })
    }
    ledger.ended({ id, state: 'done', outcome, error: null, file }, () => forget(id))
  }

  function forget(id: number): void {
    active.delete(id)
    deps.onChange()
  }

  function fail(each: Active, error: AppError): void {
    const { job, controller } = each
    const { id, series } = job
    each.stage = 'being recorded'
    next.forget()
    if (controller.signal.aborted) {
      // Paused or cancelled, then the store knows better; or this process stops, then another takes over.
      ledger.released([id])
      return forget(id)
    }
    const trial = trials.get(id) ?? { failures: 0, furthest: 0 }
    const moved = each.doneBytes > trial.furthest
    const failures = moved ? 1 : trial.failures + 1
    trials.set(id, { failures, furthest: Math.max(trial.furthest, each.doneBytes) })
    const consequence = consequenceOf(error, failures, random())
    log.write(
      'info',
      `download of ${series.dataset} ${series.symbol} ${job.period}: ${consequence.kind}: ${error.message}`,
    )
    if (consequence.kind === 'wait') {
      const untilMs = holds.noteFailure(series.connectionId, error, consequence.delayMs)
      ledger.waiting(id, error.toShape(), untilMs)
      return forget(id)
    }
    if (consequence.kind === 'fail' || consequence.kind === 'refused') {
      if (consequence.kind === 'refused') refusals.record(job, error.service?.message ?? null, clock.nowMs())
      trials.delete(id)
      return ledger.ended({ id, state: 'failed', outcome: null, error: error.toShape(), file: null }, () => forget(id))
    }
    ledger.released([id])
    active.delete(id)
    // Only the person ends a hold without a time: an answer to the key before must not begin one.
    const isOfBefore = each.changes !== changes
    if (consequence.kind === 'hold connection' && !(isOfBefore && consequence.delayMs === null))
      hold(series.connectionId, error, consequence.delayMs)
    if (consequence.kind === 'hold all') hold('', error, consequence.delayMs)
    deps.onChange()
  }

  /** The others of the connection (or all) stop too: they would only find out the same. */
  function hold(connectionId: string, error: AppError, delayMs: number | null): void {
    holds.hold(connectionId, error, delayMs)
    deps.onHold()
    for (const { job, controller } of active.values()) {
      if (connectionId === '' || job.series.connectionId === connectionId) controller.abort()
    }
  }

  function holdForStore(thrown: unknown): void {
    const error = toAppError(thrown)
    log.write('error', `the queue cannot write to its store: ${error.message} ${String(error.cause ?? '')}`)
    holds.holdWithoutStore(error)
    deps.onChange()
  }

  function abortAll(): void {
    for (const { controller } of active.values()) controller.abort()
  }

  /** The connection has another service now, or is gone: what the one before sends is not its own. */
  const hasMoved = ({ job, host }: Active) => hosts.of(job.series.connectionId) !== host

  /** Ends transfers of jobs that were paused or cancelled, wherever that was done, and of services that were left. */
  function endStopped(): void {
    for (const each of active.values()) if (hasMoved(each)) each.controller.abort()
    const ids = [...active.keys()].filter(ledger.written)
    const still = jobs.stillRunning(ids)
    for (const id of ids) if (!still.has(id)) active.get(id)?.controller.abort()
  }

  function lookAgain(): void {
    if (!working) return
    next.forget()
    hosts.forget()
    refusals.forget()
    try {
      holds.lookAgain()
      endStopped()
    } catch (thrown) {
      holdForStore(thrown)
    }
    pump()
  }

  /** Waits, but not for ever, until the ends of these transfers are in the store. */
  async function untilEnded(isAwaited: (job: Job) => boolean): Promise<void> {
    const patienceEndsMs = performance.now() + STOP_WITHIN_MS
    ledger.flush()
    while ([...active.values()].some(({ job }) => isAwaited(job)) && performance.now() < patienceEndsMs) {
      await new Promise((resume) => setTimeout(resume, 5))
      ledger.flush()
    }
  }

  function begin(): void {
    try {
      jobs.requeueRunning()
      store.holds.clearAll()
      store.parts.sweep(clock.nowMs() - SWEEP_AFTER_MS)
      jobs.trimHistory(clock.nowMs() - HISTORY_MS, 1000)
    } catch (thrown) {
      holdForStore(thrown)
    }
    strays.forget()
    working = true
    pump()
    deps.onChange()
  }

  function halt(): void {
    working = false
    abortAll()
  }

  function tick(): void {
    if (!working) return
    try {
      ledger.flush()
      const moving = [...active.values()].filter(
        ({ stage, job }) => stage === 'on the network' && ledger.written(job.id),
      )
      jobs.markProgress(moving.map(({ job: { id }, doneBytes, totalBytes }) => ({ id, doneBytes, totalBytes })))
    } catch (thrown) {
      holdForStore(thrown)
    }
    lookAgain()
    if (active.size > 0) deps.onProgress()
  }

  return {
    start() {
      keeper ??= keepLease({ lease: deps.lease, log, onTaken: begin, onLost: halt })
      beat ??= setInterval(tick, BEAT_MS).unref()
    },
    async stop() {
      halt()
      if (beat) clearInterval(beat)
      if (wake) clearTimeout(wake)
      beat = wake = null
      await untilEnded(() => true)
      keeper?.stop()
      keeper = null
    },
    lookAgain,
    release(connectionId) {
      holds.release(connectionId)
      lookAgain()
    },
    connectionsChanged() {
      changes++
      for (const { connectionId } of store.holds.list()) holds.release(connectionId)
      lookAgain()
    },
    async ended(connectionId) {
      ledger.flush()
      lookAgain()
      await untilEnded(({ series }) => series.connectionId === connectionId)
    },
    isRunningHere: () => working,
    isStoring: (connectionId) =>
      [...active.values()].some(
        ({ job, stage }) => stage !== 'on the network' && job.series.connectionId === connectionId,
      ),
    running: () => [...active.values()].map(({ job, doneBytes, totalBytes }) => ({ job, doneBytes, totalBytes })),
    unstoredHolds: holds.unstored,
    bytesPerSecond: meter.perSecond,
  }
}
