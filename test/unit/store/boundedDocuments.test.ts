import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readStudyFile } from '#shared/lab/studyFile.ts'
import { createJsonCounter, parseBoundedJson } from '#shared/units/jsonLimits.ts'
import { workspaceFile } from '#shared/workspace/workspaceFile.ts'
import { readStudyDocument } from '#core/lab/readStudyDocument.ts'
import { readBackup } from '#core/store/backup/backupFile.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const deep = '['.repeat(100_000) + ']'.repeat(100_000)
const wide = `[${'[],'.repeat(2_000_000)}[]]`
const bombs: [name: string, text: string, problem: string][] = [
  ['a deep', deep, 'more than 64 levels'],
  ['a wide', wide, 'more than 2000000 objects and lists'],
]

/** Writes a text to a file in a new folder. */
function fileOf(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), 'document.json')
  writeFileSync(path, content, { mode: 0o644 })
  return path
}

/** Opens a new index and stores a text in it. */
function indexWith(sql: string, value: string | Uint8Array) {
  const store = openTestStore()
  store.database.writes.run(sql, value)
  return store
}

const backupOf = (content: string) =>
  fileOf(
    gzipSync(
      `{"format":"perpscope-backup","version":1,"app":"0","createdAt":1,"checksum":"${createHash('sha256').update(content).digest('hex')}","content":${content}}`,
    ),
  )

const readers: [name: string, read: (text: string) => unknown][] = [
  ['workspace file', (text) => workspaceFile.read(`{"format":"perpscope workspace","document":${text}}`)],
  ['study file', (text) => readStudyFile(`{"version":1,"kind":"signal","source":${text}}`, 'x.study.json')],
  ['study of the command line', (text) => readStudyDocument(fileOf(`{"version":1,"source":${text}}`))],
  ['backup', (text) => readBackup(backupOf(`{"schema":1,"tables":${text},"ledger":null}`))],
  [
    'stored workspace',
    (text) =>
      indexWith(
        `INSERT INTO user_documents VALUES ('workspace', 'w', 'mine', 'Mine', ?, '{}', '{}', 1, 2)`,
        text,
      ).documents.workspace.read('w'),
  ],
  [
    'stored query',
    (text) =>
      indexWith(
        `INSERT INTO user_documents VALUES ('query', 'q', 'mine', 'Mine', ?, '{}', '{}', 1, 2)`,
        text,
      ).documents.query.read('q'),
  ],
  [
    'stored answer of a study',
    (text) =>
      indexWith(`INSERT INTO study_answers VALUES ('l', 1, 0, 0, NULL, ?)`, gzipSync(text)).studyAnswers.read('l'),
  ],
  [
    'stored result of a study',
    (text) =>
      indexWith(
        `INSERT INTO studies (id, document_hash, name, kind, document, result, last_run_ms)
         VALUES ('s', 'h', 'Mine', 'signal', '{}', ?, 2)`,
        gzipSync(text),
      ).studyRuns.read('s'),
  ],
]

/** Runs a reader; returns its result as JSON, or the message of its error. */
async function outcomeOf(read: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await read())
  } catch (thrown) {
    return (thrown as Error).message
  }
}

describe.each(bombs)('%s document', (_name, text, problem) => {
  it.each(readers)('is refused as a %s before anything is built of it', async (_reader, read) => {
    expect(await outcomeOf(() => read(text))).toContain(`it has ${problem}`)
  })
})

it('a packed result that is cut, or is none, is named and not opened', async () => {
  const insert = `INSERT INTO studies (id, document_hash, name, kind, document, result, last_run_ms)
    VALUES ('s', 'h', 'Mine', 'signal', '{"kind":"signal"}', ?, 2)`
  const whole = gzipSync('{"kind":"signal"}')
  expect(indexWith(insert, whole).studyRuns.read('s')).toMatchObject({ id: 's' })
  for (const bytes of [whole.subarray(0, 12), new Uint8Array(), gzipSync('"signal"'), gzipSync('{"kind":"events"}')])
    expect(await outcomeOf(() => indexWith(insert, bytes).studyRuns.read('s'))).toContain('study s is damaged')
})

it('limits count what stands outside of texts, wherever the document is cut', () => {
  const limits = { depth: 2, containers: 3, strings: 3, values: 5 }
  const whole = '{"[[[":["\\"[",1,2]}'
  for (let cut = 0; cut <= whole.length; cut++) {
    const counter = createJsonCounter(limits)
    const bytes = Buffer.from(whole)
    expect(counter.add(bytes.subarray(0, cut)) ?? counter.add(bytes.subarray(cut))).toBeNull()
  }
  expect(parseBoundedJson(whole, limits)).toEqual({ '[[[': ['"[', 1, 2] })
  expect(() => parseBoundedJson('[1,2,3,4,5]', limits)).toThrow('more than 5 values')
  expect(() => parseBoundedJson('[[[]]]', limits)).toThrow('more than 2 levels')
})
