import { availableParallelism } from 'node:os'
import type { SeriesRows, SeriesTask } from './seriesTask.ts'
import { createThreadPool, type ThreadPool } from './threadPool.ts'

// Sources run unbuilt in tests and command lines; the bundle has the entry beside its chunks.
const entry = import.meta.url.endsWith('.ts') ? './readerWorker.ts' : './readerWorker.js'

/** Reads series away from the main thread. */
export const createSeriesReader = (): ThreadPool<SeriesTask, SeriesRows> =>
  createThreadPool(new URL(entry, import.meta.url), Math.min(4, availableParallelism()))
