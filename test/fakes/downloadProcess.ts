/**
 * Runs the download queue of a data folder until it is empty. Arguments: data folder, address of a service, its key,
 * number of days to download (0: only the queued ones). `STORE` names the folder of a shared store. At the step that
 * `KILL_AT` names, the process kills itself, as a power cut would.
 */
import { createHttpClient } from '#core/clients/http.ts'
import { createMetricsService } from '#core/clients/metricsService.ts'
import { createRedactor } from '#core/clients/redact.ts'
import { createServiceRequest } from '#core/clients/serviceRequest.ts'
import { checkTable, placeFile, syncPart, validateParquet, writeCommit } from '#core/downloads/verifyFile.ts'
import type { ValidationPool } from '#core/downloads/validationPool.ts'
import { createDownloadQueue } from '#core/downloads/scheduler.ts'
import { createFolderSyncer, PART_SUFFIX } from '#core/store/cacheFolder.ts'
import { systemClock } from '#core/ports.ts'
import { createStoreCatalog } from '#core/sharedStore/storeCatalog.ts'
import type { SharedStore } from '#core/sharedStore/sharedStores.ts'
import { createLease } from '#core/store/lease.ts'
import { openStore } from '#core/store/store.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { addDays } from '#shared/time.ts'
import { flowSeries } from './cachedFiles.ts'
import { folderFiles } from './storeFolder.ts'

const [dataDir, url, key, days] = process.argv.slice(2)
const step = (name: string) => {
  if (name === process.env.KILL_AT) process.kill(process.pid, 'SIGKILL')
}
const clock = systemClock
const log = { write: () => {} }
const store = openStore({ dataDir, clock, log })
const redactor = createRedactor()
const http = createHttpClient({
  clock,
  redactor,
  record: () => {},
  isOffline: () => false,
  route: () => ({ proxy: null, caFiles: [] }),
})
const pool: ValidationPool = {
  async commit(task) {
    step('received')
    writeCommit(task)
    step('written')
    const validated = validateParquet(task.path + PART_SUFFIX)
    step('validated')
    await syncPart(task)
    step('on disk')
    await placeFile(task, createFolderSyncer(task.root), () => step('in place'))
    return validated
  },
  validate: async (path) => validateParquet(path),
  validateAll: async (paths) => paths.map((path) => validateParquet(path)),
  checkTable: async (table) => checkTable(table),
  close: async () => {},
}
const { markEnded, markWaiting } = store.jobs
store.jobs.markEnded = (ended, nowMs) => {
  markEnded(ended, nowMs)
  if (ended.length > 0) step('recorded')
}
store.jobs.markWaiting = (...args) => {
  markWaiting(...args)
  step('interrupted')
}

if (Number(days) > 0) {
  const series = flowSeries({ connectionId: 'desk', dataset: 'vtwap', interval: '1h' })
  const jobs = Array.from({ length: Number(days) }, (_, day) => ({
    series,
    period: addDays('2026-08-01', day),
    refresh: false,
  }))
  store.jobs.add(store.jobs.newBatch('test', 1), jobs, { priority: 0, nowMs: 1 })
}

/** Opens the shared store; the step `copying` comes in the middle of its first file. */
function openStoreFolder(root: string): SharedStore {
  const files = folderFiles(root)
  async function read(...[path, maxBytes, signal]: Parameters<typeof files.read>) {
    const chunks = await files.read(path, maxBytes, signal)
    if (process.env.KILL_AT !== 'copying' || !path.endsWith('.parquet')) return chunks
    return (async function* () {
      for await (const chunk of chunks) {
        yield chunk.subarray(0, chunk.length >> 1)
        step('copying')
      }
    })()
  }
  const watched = { ...files, read }
  const catalog = createStoreCatalog(watched, () => clock.nowMs())
  return {
    location: root,
    isLocal: true,
    files: watched,
    catalog,
    trouble: () => null,
    noteSuccess: () => {},
    noteTrouble: (thrown) => toAppError(thrown),
  }
}
const sharedStore = process.env.STORE ? openStoreFolder(process.env.STORE) : null

const queue = createDownloadQueue({
  store,
  http,
  clock,
  log,
  lease: createLease({ database: store.database, clock, name: 'queue', holder: String(process.pid) }),
  pool,
  openService: async () => createMetricsService(createServiceRequest(http, { baseUrl: url, key })),
  settings: () => ({ concurrency: 3, serverConcurrency: null, rateCapMb: null }),
  stores: {
    storeOf: () => sharedStore,
    open: () => {
      throw new Error('no store')
    },
  },
  isOffline: () => false,
  onChange: () => {
    if (store.jobs.counts().now.done > 0) step('committed')
  },
  onPause: () => {},
  onProgress: () => {},
})
queue.start()
const timer = setInterval(() => {
  const { queued, running, waiting } = store.jobs.counts().now
  if (queued + running + waiting > 0) return
  clearInterval(timer)
  void queue.stop().then(async () => {
    await http.close()
    store.close()
    process.stdout.write('through\n')
  })
}, 50)
