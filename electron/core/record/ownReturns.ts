import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { MOST_LIST_CHARACTERS } from '#shared/contract/areas/lists.ts'
import type { ListedReturns, OwnReturnsAnswer, ShownReturns } from '#shared/contract/areas/returns.ts'
import { AppError } from '#shared/contract/errors.ts'
import { type Frame, timeColumn } from '#shared/contract/frame.ts'
import type { DailySeries } from '#shared/portfolio/dailySeries.ts'
import { readReturnsFile } from '#shared/portfolio/returnsFile.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { firstProblems } from '#shared/units/firstProblems.ts'
import { decodeText } from '#shared/units/textEncoding.ts'
import type { Clock } from '#core/ports.ts'
import { readSmallBytes } from '#core/smallFile.ts'
import type { ReturnsFileState, ReturnsStore, StoredReturns } from '#core/store/returnsStore.ts'
import { type LoadHistory, ownSource, ReturnsError } from './returnsSource.ts'

/**
 * Time between checks of whether the files that a window shows have changed; file-system events would be lost when an
 * editor replaces a file.
 */
const CHECK_EVERY_MS = 1000

/** Stores the user's own files of returns and weights, and rereads them when they change. */
export interface OwnReturnsFiles {
  /** @param isCopy true if the file is a copy that will be deleted */
  open(path: string, isCopy: boolean): ListedReturns
  read(id: string, loadHistory: LoadHistory): Promise<OwnReturnsAnswer>
  remove(id: string): void
}

export function createOwnReturns(store: ReturnsStore, clock: Clock, notifyChanged: () => void): OwnReturnsFiles {
  const fileWatch = createFileWatch(notifyChanged)

  return {
    open(path, isCopy) {
      const fullPath = resolve(path)
      const state = readFile(fullPath, clock)
      const problems = problemsOf(state.text)
      if (problems.length > 0)
        throw new AppError('bad-input', `${basename(fullPath)} cannot be read: ${problems.join('; ')}.`)
      const known = isCopy ? store.findCopy(basename(fullPath), state.text) : store.findByPath(fullPath)
      if (known) store.update(known.id, state)
      const { id, name } = known ?? store.create(basename(fullPath), isCopy ? null : fullPath, state)
      notifyChanged()
      return { id, name }
    },
    async read(id, loadHistory) {
      const { stored, source, problems, seenStamp } = rereadIfChanged(store, store.read(id), clock)
      if (stored.path !== null) fileWatch.add(stored.path, seenStamp)
      const { name, unit, cost, readAtMs: readAt } = stored
      return { id, name, unit, cost, readAt, source, problems, shown: await shownReturns(stored, loadHistory) }
    },
    remove(id) {
      const { path } = store.read(id)
      if (path !== null) fileWatch.remove(path)
      store.remove(id)
      notifyChanged()
    },
  }
}

/** Calls `notifyChanged` when one of the files has changed since it was last seen. */
function createFileWatch(notifyChanged: () => void) {
  const stampByPath = new Map<string, string | null>()
  let timer: ReturnType<typeof setInterval> | undefined

  async function checkFiles(): Promise<void> {
    for (const [path, seenStamp] of [...stampByPath]) {
      const currentStamp = await stat(path).then(stampText, () => null)
      if (currentStamp === seenStamp || stampByPath.get(path) !== seenStamp) continue
      stampByPath.set(path, currentStamp)
      notifyChanged()
    }
  }

  return {
    add(path: string, stamp: string | null): void {
      stampByPath.set(path, stamp)
      timer ??= setInterval(() => void checkFiles(), CHECK_EVERY_MS).unref()
    },
    remove(path: string): void {
      stampByPath.delete(path)
      if (stampByPath.size > 0) return
      clearInterval(timer)
      timer = undefined
    },
  }
}

const stampText = ({ size, mtimeMs }: { size: number; mtimeMs: number }) => `${size} ${mtimeMs}`

/** Returns a text that changes with a file; null if the file is missing. */
const stampOf = (path: string): string | null => {
  const facts = statSync(path, { throwIfNoEntry: false })
  return facts ? stampText(facts) : null
}

function readFile(path: string, clock: Clock): ReturnsFileState {
  // The stamp is read first, so that a file that changes during the read is read again later.
  const stamp = stampOf(path) ?? ''
  const text = decodeText(readSmallBytes(path, MOST_LIST_CHARACTERS * 4))
  return { text, stamp, readAtMs: clock.nowMs() }
}

/** Lists the problems of a text by line; empty if a tear sheet can be made from it. */
function problemsOf(text: string): string[] {
  const returnsFile = readReturnsFile(text, null)
  return returnsFile.kind === 'unreadable' ? firstProblems(returnsFile.problems) : []
}

interface RereadFile extends Pick<OwnReturnsAnswer, 'source' | 'problems'> {
  stored: StoredReturns
  /** Stamp of the file when last seen; null if it was missing. */
  seenStamp: string | null
}

/** Rereads the file if it has changed; if that fails, the old text stays. */
function rereadIfChanged(store: ReturnsStore, stored: StoredReturns, clock: Clock): RereadFile {
  const { id, path } = stored
  const seenStamp = path === null ? null : stampOf(path)
  if (path === null) return { stored, seenStamp, source: 'copy', problems: [] }
  if (seenStamp === null) return { stored, seenStamp, source: 'missing', problems: [] }
  if (seenStamp === stored.stamp) return { stored, seenStamp, source: 'current', problems: [] }
  try {
    const state = readFile(path, clock)
    const problems = problemsOf(state.text)
    if (problems.length > 0) return { stored, seenStamp, source: 'unreadable', problems }
    store.update(id, state)
    return { stored: { ...stored, ...state }, seenStamp: state.stamp, source: 'current', problems: [] }
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown
    return { stored, seenStamp, source: 'unreadable', problems: [thrown.detail ?? thrown.sentence] }
  }
}

/** Computes the daily returns of a file; null if the user must first state the unit of its numbers. */
async function shownReturns(
  { name, text, unit, cost }: StoredReturns,
  loadHistory: LoadHistory,
): Promise<ShownReturns | null> {
  try {
    const { returns, benchmark, request, warnings, freshness } = await ownSource(
      { file: name, text, unit, cost, benchmark: undefined },
      loadHistory,
    )
    const { coverage = null, costBps = null } = request.own ?? {}
    return {
      kind: costBps === null ? 'returns' : 'weights',
      returns: dailyFrame('return', returns),
      benchmark: benchmark && dailyFrame('benchmark', benchmark),
      warnings: warnings.filter((warning) => typeof warning !== 'string'),
      coverage,
      freshness,
    }
  } catch (thrown) {
    if (thrown instanceof ReturnsError && thrown.trouble.kind === 'unit-needed') return null
    throw thrown
  }
}

const dailyFrame = (name: string, { days, values, valid }: DailySeries): Frame => ({
  rows: days.length,
  columns: [
    timeColumn(
      'time',
      Array.from(days, (day) => day * MS_PER_DAY),
    ),
    { name, kind: 'number', values, valid },
  ],
})
