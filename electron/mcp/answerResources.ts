import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
import { ANSWER_FOLDER } from './boundedAnswer.ts'
import { CHART_APP, chartAppContents } from './chartApp.ts'

/** A file of a long answer or of a picture, as a client sees it. */
interface AnswerResource {
  uri: string
  name: string
  mimeType: string
  /** Bytes. */
  size: number
}

/** Files of answers that a client may list and read. */
export interface AnswerResources {
  /** Lists the files that are kept, newest first. */
  list(): AnswerResource[]
  /** Describes the file at a path; null if it is none of an answer. */
  at(path: string): AnswerResource | null
  /** Reads a file or the page of charts; throws an `AppError` if there is none, or if it is too long to send. */
  read(uri: string): { uri: string; mimeType: string; text: string; _meta?: object }
}

const PREFIX = 'perpscope://answers/'
/** Size of a file that is sent as a whole; a larger one is read from the disk. */
const MOST_READ_BYTES = 1_000_000
const mimeTypes = { json: 'application/json', svg: 'image/svg+xml' } as const
const namePattern = /^[0-9a-f]{16}\.(json|svg)$/

export function answerResources(dataDir: string): AnswerResources {
  const folder = join(dataDir, ANSWER_FOLDER)
  const describe = (name: string) => {
    const [, ending] = namePattern.exec(name) ?? []
    const facts = ending === undefined ? undefined : statSync(join(folder, name), { throwIfNoEntry: false })
    if (!facts) return null
    const mimeType = mimeTypes[ending as keyof typeof mimeTypes]
    return { resource: { uri: PREFIX + name, name, mimeType, size: facts.size }, changedMs: facts.mtimeMs }
  }
  const names = () => {
    try {
      return readdirSync(folder)
    } catch {
      return []
    }
  }
  return {
    list: () =>
      names()
        .flatMap((name) => describe(name) ?? [])
        .sort((a, b) => b.changedMs - a.changedMs)
        .map(({ resource }) => resource),
    at: (path) => (path === join(folder, basename(path)) ? (describe(basename(path))?.resource ?? null) : null),
    read(uri) {
      if (uri === CHART_APP) return chartAppContents
      const name = uri.startsWith(PREFIX) ? uri.slice(PREFIX.length) : ''
      const found = describe(name)
      if (!found) throw new AppError('not-found', 'There is no such resource; answers are kept for a week at most.')
      const { size, mimeType } = found.resource
      const path = join(folder, name)
      if (size > MOST_READ_BYTES)
        throw new AppError('too-large', `This answer has ${Math.round(size / 1e6)} MB; it is in the file ${path}.`)
      return { uri, mimeType, text: readFileSync(path, 'utf8') }
    },
  }
}
