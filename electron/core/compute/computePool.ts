import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool, type ThreadPool } from '#core/threads/threadPool.ts'
import type { ComputeTask } from './computeTask.ts'

export type ComputePool = ThreadPool<ComputeTask, MetricRows[]>

export const createComputePool = (threads: number): ComputePool =>
  createThreadPool(threadEntry('computeWorker', import.meta.url), threads)
