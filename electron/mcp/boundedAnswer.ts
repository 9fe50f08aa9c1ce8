import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '#shared/contract/errors.ts'
import { type LocalApiTable, tableInForm } from '../localApi/answers.ts'
import { encodeJson } from '../localApi/encodeTable.ts'

/** Limit of an answer in bytes; a longer one is written to a file that the answer names. */
const MOST_ANSWER_BYTES = 24_000

/** Limits of the files in the folder of long answers. */
export interface FileLimits {
  files: number
  /** Size of one file, above which there is no answer. */
  fileBytes: number
  /** Size of all files, above which the oldest are removed. */
  folderBytes: number
  /** Age at which a file is removed, because its conversation is over. */
  ageMs: number
}

const fileLimits: FileLimits = { files: 50, fileBytes: 100e6, folderBytes: 500e6, ageMs: 7 * 86_400_000 }
/** Folder of the files of answers, in the data folder. */
export const ANSWER_FOLDER = 'assistant'

/** Answer of a tool, sent as one JSON text. Texts from services occur only inside its strings. */
export interface ToolAnswer {
  data: unknown
  provenance: unknown
  /** Unit of each column, or of the whole answer; null if none is documented. */
  unit: unknown
  /** Earliest time at which a row may be used. */
  known_at: string | null
}

const textOf = (value: unknown): string => JSON.stringify(value)
const bytesOf = (text: string): number => Buffer.byteLength(text)

/** Serialises an answer; if it is too long, all of it goes to a file and only the beginnings of its lists stay. */
export function boundedText(dataDir: string, answer: ToolAnswer): string {
  const fullText = textOf(answer)
  if (bytesOf(fullText) <= MOST_ANSWER_BYTES) return fullText
  const fullPath = newFilePath(dataDir, fullText)
  writeFileSync(fullPath, `${fullText}\n`, { mode: 0o600 })
  return shorten(answer, fullPath)
}

/** Serialises a table; a long one is written to a file in full. */
export async function boundedTable(
  dataDir: string,
  table: LocalApiTable,
  signal: AbortSignal,
  limits: FileLimits = fileLimits,
): Promise<string> {
  const { columns } = table
  const { provenance } = tableInForm(dataDir, table, 'brief')
  const fullPath = newFilePath(dataDir, `${textOf(provenance)}${randomUUID()}`, 'json', limits)
  try {
    const chunks = Readable.from(withinBytes(limits.fileBytes, encodeJson(table)))
    await pipeline(chunks, createWriteStream(fullPath, { mode: 0o600 }), { signal })
  } catch (thrown) {
    rmSync(fullPath, { force: true })
    throw thrown
  } finally {
    await table.close()
  }
  const unit = Object.fromEntries(columns.map((column) => [column.name, column.unit]))
  // The provenance of SQL has no `known_at`; a query that needs this time selects the column of that name.
  const known_at = typeof provenance.known_at === 'string' ? provenance.known_at : null
  const head = { provenance, unit, known_at }
  const { size } = statSync(fullPath)
  const rows = size > MOST_READ_BYTES ? [] : await rowsOf(fullPath)
  const fullText = textOf({ data: rows, ...head })
  if (size > MOST_READ_BYTES || bytesOf(fullText) > MOST_ANSWER_BYTES) return shorten({ data: rows, ...head }, fullPath)
  rmSync(fullPath, { force: true })
  return fullText
}

/** Passes the chunks of a file on; throws if the file becomes too large. */
async function* withinBytes(mostBytes: number, chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += bytesOf(chunk)
    if (bytes > mostBytes) throw new AppError('too-large', tooLongText(mostBytes))
    yield chunk
  }
}

const tooLongText = (mostBytes: number) =>
  `The answer is larger than ${Math.round(mostBytes / 1e6)} MB. Ask for fewer rows or columns, or let SQL aggregate them.`

/** Size above which a file is not read again for its first rows. */
const MOST_READ_BYTES = 50_000_000

async function rowsOf(path: string): Promise<unknown[]> {
  const { readFile } = await import('node:fs/promises')
  return (JSON.parse(await readFile(path, 'utf8')) as { rows: unknown[] }).rows
}

/**
 * Shortens the lists and long texts of an answer, step by step, until it fits. The result names the file with the whole
 * answer, and the full length of each shortened list; if nothing helps, only `known_at` is left.
 */
function shorten(answer: ToolAnswer, fullPath: string): string {
  for (const mostItems of [200, 100, 50, 20, 10, 5, 2, 0]) {
    const text = textOf({
      cut: { note: 'Lists are cut; everything is in the file.', file: fullPath },
      ...(cutLists(answer, mostItems) as object),
    })
    if (bytesOf(text) <= MOST_ANSWER_BYTES) return text
  }
  const { known_at } = answer
  return textOf({
    cut: { note: 'The answer is too long; it is in the file.', file: fullPath },
    data: null,
    provenance: null,
    unit: null,
    known_at,
  })
}

function cutLists(value: unknown, mostItems: number): unknown {
  if (Array.isArray(value)) {
    const firstItems = value.slice(0, mostItems).map((each) => cutLists(each, mostItems))
    return value.length > mostItems ? { length: value.length, first: firstItems } : firstItems
  }
  if (typeof value === 'string' && value.length > 2000) return `${value.slice(0, 2000)}…`
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cutLists(each, mostItems)]))
}

/**
 * Writes a picture to a file.
 * @returns its path
 */
export function writePicture(dataDir: string, svg: string): string {
  const path = newFilePath(dataDir, svg, 'svg')
  writeFileSync(path, svg, { mode: 0o600 })
  return path
}

/** Returns a path for the file of an answer, and removes old files, so that the folder stays within its limits. */
function newFilePath(
  dataDir: string,
  seed: string,
  suffix: 'json' | 'svg' = 'json',
  { files: mostFiles, fileBytes, folderBytes, ageMs }: FileLimits = fileLimits,
): string {
  const folder = join(dataDir, ANSWER_FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const files = readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    const facts = statSync(path, { throwIfNoEntry: false })
    return facts ? [{ path, bytes: facts.size, changedMs: facts.mtimeMs }] : []
  })
  const oldestMs = Date.now() - ageMs
  let keptBytes = fileBytes
  for (const [index, { path, bytes, changedMs }] of files.sort((a, b) => b.changedMs - a.changedMs).entries()) {
    keptBytes += bytes
    if (index >= mostFiles - 1 || keptBytes > folderBytes || changedMs < oldestMs) rmSync(path, { force: true })
  }
  return join(folder, `${createHash('sha256').update(seed).digest('hex').slice(0, 16)}.${suffix}`)
}
