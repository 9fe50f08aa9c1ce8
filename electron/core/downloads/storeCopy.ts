import { createHash, type Hash } from 'node:crypto'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { SharedStore } from '#core/sharedStore/sharedStores.ts'
import type { StoreCopy } from '#core/sharedStore/storeCatalog.ts'
import type { Job } from '#core/store/jobTable.ts'
import { mostBytesOf } from './guardedValidation.ts'
import { createReceiver, refuseOversize, type Transferred, type TransferDeps } from './receiveBytes.ts'
import type { ValidatedFile } from './verifyFile.ts'

export interface StoreCopyOptions {
  signal: AbortSignal
  onBytes(doneBytes: number, totalBytes: number | null): void
  /** Validates the received file and puts it in its place. */
  commit(bytes: Transferred['bytes']): Promise<ValidatedFile>
}

/** Result of looking for a file in a shared store. */
export interface StoreAnswer {
  validated: ValidatedFile | null
  /** Sentence about what is wrong with the store or with its files; null where nothing is. */
  problem: string | null
}

/**
 * Copies the file of a job from a shared store. A damaged file there counts as absent, and so does a store that cannot be used:
 * both are told, and the service is asked.
 */
export async function copyFromStore(
  deps: TransferDeps,
  store: SharedStore,
  job: Job,
  options: StoreCopyOptions,
): Promise<StoreAnswer> {
  const { signal } = options
  const trouble = store.trouble()
  if (trouble) return { validated: null, problem: unusable(store, trouble) }
  let problem: string | null = null
  try {
    for (const copy of await store.catalog.find(job.series, job.period, signal)) {
      try {
        return { validated: await copyOne(deps, store, job, copy, options), problem }
      } catch (thrown) {
        const error = toAppError(thrown)
        if (signal.aborted || !isDamage(error)) throw thrown
        if (error.code !== 'not-found') problem ??= damaged(store, copy, error)
        deps.parts.discard(job.series, job.period)
      }
    }
    return { validated: null, problem }
  } catch (thrown) {
    const error = toAppError(thrown)
    if (signal.aborted || isOwnTrouble(error)) throw thrown
    return { validated: null, problem: unusable(store, store.noteTrouble(thrown)) }
  }
}

/** Tells whether a failure concerns one file of the store and not the store itself. */
const isDamage = ({ code }: AppError) => ['corrupt-file', 'bad-answer', 'not-found', 'too-large'].includes(code)
/** Tells whether a failure is one of this machine, against which asking the service would not help. */
const isOwnTrouble = ({ code }: AppError) => ['disk-full', 'read-only', 'conflict', 'internal'].includes(code)

/** Leaves out the full stop of a clause that stands inside of a sentence. */
const clause = (text: string) => text.replace(/\.$/, '')

const damaged = ({ location }: SharedStore, { path }: StoreCopy, { detail, sentence }: AppError) =>
  `The store ${location} has a damaged file, ${path}: ${clause(detail?.split(': ').at(-1) ?? sentence)}`

const unusable = ({ location }: SharedStore, { detail, sentence }: AppError) =>
  `The store ${location} could not be used: ${clause(detail ?? sentence)}`

async function copyOne(
  deps: TransferDeps,
  { files }: SharedStore,
  { series, period }: Job,
  { path, sizeBytes, sha256 }: StoreCopy,
  { signal, onBytes, commit }: StoreCopyOptions,
): Promise<ValidatedFile> {
  const request = { series, period }
  const mostBytes = mostBytesOf(series, period)
  if (sizeBytes > mostBytes) throw new AppError('too-large', `it has ${sizeBytes} bytes`)
  await refuseOversize(deps.folder.root, request, sizeBytes, 0)
  const body = await files.read(path, mostBytes, signal)
  // A part of a download from the service must not be continued with bytes of the store, or the other way round.
  deps.parts.discard(series, period)
  const received = createReceiver(deps, request, null, 0)
  const hash = createHash('sha256')
  onBytes(0, sizeBytes)
  try {
    for await (const chunk of body) {
      hash.update(chunk)
      await received.add(chunk)
      onBytes(received.size(), sizeBytes)
      if (received.size() > mostBytes) throw new AppError('too-large', `it has more than ${mostBytes} bytes`)
    }
    const bytes = await received.finish()
    if (received.size() !== sizeBytes)
      throw new AppError('corrupt-file', `it has ${received.size()} bytes instead of ${sizeBytes}`)
    refuseOtherContent(hash, sha256)
    return await commit(bytes)
  } catch (thrown) {
    await received.keep()
    throw thrown
  }
}

function refuseOtherContent(hash: Hash, expected: string | null): void {
  if (expected !== null && !hash.digest('hex').startsWith(expected))
    throw new AppError('corrupt-file', 'its SHA-256 differs from the one it had when it was published')
}

/** Adds a sentence to an error, which stays of its class because its consequence depends on that. */
export function withSentence(error: AppError, sentence: string): AppError {
  const detail = error.detail ? `${error.detail.replace(/\.$/, '')}. ${sentence}` : sentence
  const { message } = new AppError(error.code, detail)
  const changed = { detail: { value: detail }, message: { value: message } }
  return Object.create(Object.getPrototypeOf(error) as object, {
    ...Object.getOwnPropertyDescriptors(error),
    ...changed,
  }) as AppError
}
