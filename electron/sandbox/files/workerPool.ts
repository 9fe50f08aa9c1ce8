import { Worker } from 'node:worker_threads'
import type { SandboxAnswer, SandboxTask } from './sandboxTask.ts'

interface Waiting {
  task: SandboxTask
  resolve: (answer: SandboxAnswer) => void
  reject: (error: Error) => void
}

interface Seat {
  worker: Worker
  current: Waiting | null
  /** What the worker served last: it still holds those days. */
  affinity: string
}

const entry = () =>
  new URL(import.meta.url.endsWith('.ts') ? './sandboxWorker.ts' : './sandboxWorker.js', import.meta.url)

/** A thread may hold days of events and one file in the making, and not more. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 24 }

/** Threads that do the sandbox's heavy work, one task each at a time; a thread that dies is replaced. */
export class WorkerPool {
  private readonly seats: Seat[] = []
  private readonly queue: Waiting[] = []
  private readonly size: number
  private isClosed = false

  constructor(size: number) {
    this.size = size
  }

  /** Starts a thread ahead of the first task. */
  warm(): void {
    if (this.seats.length === 0) this.hire()
  }

  run(task: SandboxTask): Promise<SandboxAnswer> {
    return new Promise((resolve, reject) => {
      this.queue.push({ task, resolve, reject })
      this.assign()
    })
  }

  async close(): Promise<void> {
    this.isClosed = true
    const closing = new Error('the sandbox is closing')
    for (const waiting of this.queue.splice(0)) waiting.reject(closing)
    await Promise.all(this.seats.splice(0).map((seat) => this.dismiss(seat, closing)))
  }

  private async dismiss(seat: Seat, reason: Error): Promise<void> {
    seat.current?.reject(reason)
    seat.current = null
    await seat.worker.terminate()
  }

  private hire(): Seat {
    const seat: Seat = { worker: new Worker(entry(), { resourceLimits }), current: null, affinity: '' }
    seat.worker.unref()
    seat.worker.on('message', (answer: SandboxAnswer) => {
      const done = seat.current
      seat.current = null
      done?.resolve(answer)
      this.assign()
    })
    seat.worker.on('error', (error: Error) => {
      this.seats.splice(this.seats.indexOf(seat), 1)
      seat.current?.reject(error)
      seat.current = null
      this.assign()
    })
    this.seats.push(seat)
    return seat
  }

  /** Gives waiting tasks to free threads, to the one that knows the instrument where it is free. */
  private assign(): void {
    while (this.queue.length > 0 && !this.isClosed) {
      const free = this.seats.filter((seat) => seat.current === null)
      const { affinity } = this.queue[0].task
      const familiar = free.find((seat) => seat.affinity === affinity) ?? free[0]
      const seat = familiar ?? (this.seats.length < this.size ? this.hire() : null)
      const next = seat && this.queue.shift()
      if (!seat || !next) return
      seat.current = next
      seat.affinity = affinity
      seat.worker.postMessage(next.task)
    }
  }
}
