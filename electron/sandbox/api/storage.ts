import { MS_PER_DAY } from '#shared/time.ts'
import { judgeLink } from '../access/links.ts'
import { servesLocalTime } from '../files/localTimes.ts'
import type { FileRecipe } from '../files/fileRecipe.ts'
import { coveredDays, daysOfPeriod, metricsUntilMs, rawUntilMs } from '../files/periods.ts'
import { storageHostOf, type StorageHost } from '../files/storageHosts.ts'
import { parseStoragePath, storagePath, type StoredFileName } from '../files/storagePath.ts'
import type { FaultEffects } from '../faults/faults.ts'
import { faultReply } from '../http/faultReply.ts'
import { parseRange } from '../http/range.ts'
import { storageError, textReply, type Reply } from '../http/reply.ts'
import { findInstrument, hasSource } from '../market/instruments.ts'
import { drivingSourceOf, isDataset } from '../access/datasets.ts'
import type { SandboxContext, SandboxRequest } from './context.ts'
import { linkTo } from './links.ts'

/** Query parameter that marks the target of a redirect, so that it is not redirected again. */
const REDIRECTED = 'X-Redirected'

const deniedReply = (why: string) => storageError(403, 'AccessDenied', why)

/** Returns the recipe that generates the current content of a file; null if there is no such file. */
function recipeOf(context: SandboxContext, name: StoredFileName): FileRecipe | null {
  const { seed, faults } = context
  const instrument = findInstrument(seed, name.venue, name.symbol)
  const source = name.kind === 'raw' ? name.dataset : drivingSourceOf(name.dataset)
  if (!instrument || !hasSource(instrument, source)) return null
  const days = daysOfPeriod(name.period)
  const nowMs = context.clock.now()
  const untilMs = Math.min(days.end * MS_PER_DAY, name.kind === 'raw' ? rawUntilMs(nowMs) : metricsUntilMs(nowMs))
  if (coveredDays(instrument, days, untilMs).length === 0) return null
  const { path = '', revision = 0 } = faults.current.republished ?? {}
  const origin = { seed, untilMs, revision: storagePath(name).includes(path) ? revision : 0 }
  if (name.kind === 'raw') return { ...name, ...origin }
  if (!isDataset(name.dataset, faults.current.unknownDataset ?? false)) return null
  if (name.timestamp === 'true' && !servesLocalTime(seed, instrument)) return null
  return { ...name, ...origin, faults: faults.current.files ?? {} }
}

async function answerFile(context: SandboxContext, request: SandboxRequest, recipe: FileRecipe): Promise<Reply> {
  const file = await context.files.get(recipe)
  const etag = `"${file.sha256.slice(0, 32)}"`
  const headers = {
    'content-type': 'application/vnd.apache.parquet',
    'accept-ranges': 'bytes',
    etag,
  }
  if (request.headers['if-none-match'] === etag) return { status: 304, headers, body: new Uint8Array() }
  const ifRange = request.headers['if-range']
  const isRangeWanted = ifRange === undefined || ifRange === etag
  const range = isRangeWanted ? parseRange(request.headers.range, file.sizeBytes) : null
  if (range === 'unsatisfiable') {
    const reply = storageError(416, 'InvalidRange', 'The requested range is not satisfiable')
    return { ...reply, headers: { ...reply.headers, 'content-range': `bytes */${file.sizeBytes}` } }
  }
  const wholeFile = { start: 0, end: file.sizeBytes }
  if (!range) return { status: 200, headers, body: { path: file.path, ...wholeFile } }
  const contentRange = `bytes ${range.start}-${range.end - 1}/${file.sizeBytes}`
  return { status: 206, headers: { ...headers, 'content-range': contentRange }, body: { path: file.path, ...range } }
}

/** Answers one request to the storage, which checks only the link and never a key. */
export async function answerStorage(
  context: SandboxContext,
  request: SandboxRequest,
  effects: FaultEffects,
  host: StorageHost,
): Promise<Reply> {
  if (effects.status !== undefined) return faultReply(effects, effects.status, 'html')
  if (request.method !== 'GET' && request.method !== 'HEAD') return deniedReply('Only GET and HEAD are allowed')
  const verdict = judgeLink(context.secret, request.path, request.query, context.clock.now())
  if (verdict === 'foreign') return deniedReply('The signature does not match the request')
  if (verdict === 'expired' || effects.expired) return deniedReply('Request has expired')
  const name = parseStoragePath(context.seed, context.venues, request.path)
  const recipe = name && recipeOf(context, name)
  if (!name || !recipe || storageHostOf(name) !== host)
    return storageError(404, 'NoSuchKey', 'The specified key does not exist')
  if (effects.redirect && !request.query.has(REDIRECTED)) {
    return textReply(307, 'text/plain', '', { location: `${linkTo(context, name)}&${REDIRECTED}=1` })
  }
  const reply = await answerFile(context, request, recipe)
  if (effects.noEtag) delete reply.headers.etag
  return reply
}
