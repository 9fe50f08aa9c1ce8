import { availableParallelism } from 'node:os'
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sandboxKeys } from './access/keys.ts'
import { ADMIN_PREFIX, answerAdmin } from './api/admin.ts'
import type { SandboxRequest, SandboxContext, SandboxStats } from './api/context.ts'
import { answerApi, RAW_CATALOG_PATH } from './api/router.ts'
import { answerStorage } from './api/storage.ts'
import { SandboxClock } from './clock.ts'
import { FaultRegistry } from './faults/faultRegistry.ts'
import { parseFaults, type FaultEffects, type Faults } from './faults/faults.ts'
import { GeneratedFiles, type MakeFiles } from './files/fileStore.ts'
import { daysOfPeriod } from './files/periods.ts'
import { storageHosts, type StorageHost } from './files/storageHosts.ts'
import { type TaskThread, WorkThread, WorkThreads } from './files/workThread.ts'
import type { RequestTarget } from '../loopback/requestTarget.ts'
import { compressReply } from './http/compressReply.ts'
import { listen, type Listener } from './http/listen.ts'
import { storageError } from './http/reply.ts'
import { send } from './http/send.ts'
import { documentedVenues, type SandboxVenue } from './market/venues.ts'

export interface SandboxOptions {
  /** Port of the API; 0 selects any free port. The hosts of the file storage always use other free ports. */
  port?: number
  seed?: number
  /** Venues of the service; by default those of the documents. */
  venues?: readonly SandboxVenue[]
  /** Fixes the clock; by default, the sandbox follows the machine's clock. */
  nowMs?: number | null
  faults?: Faults
  /** Folder in which the folder of generated files is created; only that inner folder is removed on close. */
  cacheDir?: string
  /** Maximum total size of the generated files; beyond it, the least recently used files are removed. */
  cacheBytes?: number
  /** Opens a thread for the heavy work; by default the sandbox starts its own. */
  openThread?: () => TaskThread
}

export interface Sandbox {
  /** Base URL of the metrics and the portfolio service, without `/api/v1`. */
  url: string
  /** Origin of the links to candles and raw events; it is never the origin of the API. */
  storageUrl: string
  /** Origins of the links by family of datasets: five hosts, each on its own port. */
  storageUrls: Record<StorageHost, string>
  catalogUrl: string
  keys: typeof sandboxKeys
  seed: number
  now: () => number
  setFaults: (faults: Faults) => void
  setNow: (nowMs: number | null) => void
  stats: () => SandboxStats & { filesMade: number; cacheBytes: number }
  close: () => Promise<void>
}

/**
 * Maximum number of threads that generate files: with two, the months of forty symbols take half as long as with one,
 * and more threads would only take memory.
 */
const MOST_FILE_THREADS = 2
const DEFAULT_CACHE_BYTES = 512 * 1024 * 1024
const LONGEST_ADMIN_BODY_BYTES = 1024 * 1024

function sandboxRequestOf(
  { method = 'GET', headers }: IncomingMessage,
  { path, query }: RequestTarget,
): SandboxRequest {
  return { method, path, query, headers }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of request) {
    chunks.push(chunk)
    sizeBytes += chunk.length
    if (sizeBytes > LONGEST_ADMIN_BODY_BYTES) throw new Error('the body is too large')
  }
  return Buffer.concat(chunks).toString()
}

const wrongAnswerError = () => new Error('the thread answered another task')

function makeFilesOn(thread: TaskThread): MakeFiles {
  return async (recipe, folder) => {
    const days = daysOfPeriod(recipe.period)
    const answer = await thread.run({ kind: 'file', recipe, folder }, days.end - days.start)
    if (answer.kind === 'file') return answer.files
    throw wrongAnswerError()
  }
}

function askPortfolioOn(thread: TaskThread): SandboxContext['askPortfolio'] {
  return async (request) => {
    const answer = await thread.run({ kind: 'portfolio', request }, 1)
    if (answer.kind === 'portfolio') return answer
    throw wrongAnswerError()
  }
}

function writeRawCatalogOn(thread: TaskThread): SandboxContext['writeRawCatalog'] {
  return async (task) => {
    const answer = await thread.run({ kind: 'rawCatalog', task }, 1)
    if (answer.kind === 'rawCatalog') return answer.document
    throw wrongAnswerError()
  }
}

async function serveApi(
  context: SandboxContext,
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
): Promise<void> {
  const sandboxRequest = sandboxRequestOf(request, target)
  if (sandboxRequest.path.startsWith(ADMIN_PREFIX)) {
    return send(request, response, answerAdmin(context, sandboxRequest, await bodyOf(request)), {})
  }
  context.stats.apiRequests++
  const effects = context.faults.effectsOn('api', sandboxRequest.path)
  const reply = await answerApi(context, sandboxRequest, effects)
  reply.headers['x-request-id'] = `sandbox-${context.stats.apiRequests}`
  return send(request, response, await compressReply(reply, request.headers['accept-encoding']), effects)
}

async function serveStorage(
  context: SandboxContext,
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
  host: StorageHost,
) {
  const sandboxRequest = sandboxRequestOf(request, target)
  context.stats.storageRequests++
  if (request.headers['x-api-key'] !== undefined) context.stats.storageRequestsWithKey++
  const effects: FaultEffects = context.faults.effectsOn('storage', sandboxRequest.path)
  const reply = await answerStorage(context, sandboxRequest, effects, host).catch((error: Error) =>
    storageError(500, 'InternalError', error.message),
  )
  return send(request, response, reply, effects)
}

function createContext(options: SandboxOptions, fileThread: TaskThread, portfolioThread: TaskThread): SandboxContext {
  return {
    seed: options.seed ?? 1,
    venues: options.venues ?? documentedVenues,
    clock: new SandboxClock(options.nowMs ?? null),
    faults: new FaultRegistry(parseFaults(options.faults ?? {})),
    secret: randomBytes(32),
    files: new GeneratedFiles(makeFilesOn(fileThread), options.cacheBytes ?? DEFAULT_CACHE_BYTES, options.cacheDir),
    stats: { apiRequests: 0, storageRequests: 0, storageRequestsWithKey: 0 },
    storageUrls: { candles: '', trades: '', l1: '', l2: '', derivatives: '' },
    askPortfolio: askPortfolioOn(portfolioThread),
    writeRawCatalog: writeRawCatalogOn(portfolioThread),
  }
}

/** Starts the three services on 127.0.0.1. Heavy work runs on threads, so a host may run this in its own process. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const fileThread = options.openThread?.() ?? new WorkThreads(Math.min(MOST_FILE_THREADS, availableParallelism()))
  const portfolioThread = options.openThread?.() ?? new WorkThread()
  const context = createContext(options, fileThread, portfolioThread)
  const listeners: Listener[] = []
  const close = async () => {
    await Promise.all(listeners.map((listener) => listener.close()))
    await Promise.all([fileThread.close(), portfolioThread.close()])
    context.files.close()
  }
  try {
    for (const host of storageHosts) {
      const storage = await listen(0, (request, response, target) =>
        serveStorage(context, request, response, target, host),
      )
      listeners.push(storage)
      context.storageUrls[host] = storage.url
    }
    listeners.push(
      await listen(options.port ?? 0, async (request, response, target) => {
        await serveApi(context, request, response, target)
        // The thread starts after the first answer, because starting it earlier would delay that answer.
        fileThread.start()
      }),
    )
  } catch (error) {
    await close()
    throw error
  }
  const api = listeners[storageHosts.length]
  return {
    url: api.url,
    storageUrl: context.storageUrls.candles,
    storageUrls: { ...context.storageUrls },
    catalogUrl: `${api.url}${RAW_CATALOG_PATH}`,
    keys: sandboxKeys,
    seed: context.seed,
    now: () => context.clock.now(),
    setFaults: (faults) => context.faults.set(parseFaults(faults)),
    setNow: (nowMs) => context.clock.set(nowMs),
    stats: () => ({ ...context.stats, filesMade: context.files.madeCount, cacheBytes: context.files.sizeBytes }),
    close,
  }
}
