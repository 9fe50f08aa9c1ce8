import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { extract, pack } from 'tar-stream'
import { expect, it } from 'vitest'
import { type HiveEntry, tarOf } from '#core/export/exportHive.ts'
import { findProgram } from '../../../scripts/project.mjs'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const writtenAt = new Date('2026-08-22T14:35:10.500Z')
const { signal } = new AbortController()

const text = (path: string, content: string): HiveEntry => ({
  path,
  sizeBytes: Buffer.byteLength(content),
  text: content,
})

function file(folder: string, path: string, bytes: Uint8Array): HiveEntry {
  const source = join(folder, path.replaceAll('/', '_').slice(-60))
  writeFileSync(source, bytes)
  return { path, sizeBytes: bytes.length, source }
}

/** Folder that is longer than the 100 characters of a name in a tar header and the 155 of its prefix. */
const longFolder = `dataset=flow/exchange=${'v'.repeat(90)}/symbol=${'s'.repeat(120)}`
const entriesIn = (folder: string) => [
  text('README.md', 'Prices of 币安\n'),
  file(folder, 'dataset=flow/empty.parquet', new Uint8Array(0)),
  file(folder, 'dataset=flow/day.parquet', new Uint8Array(300_001).fill(7)),
  file(folder, `${longFolder}/2026-09-01.parquet`, new Uint8Array(512).fill(9)),
  text('symbol=币安人生/note.txt', 'x'),
]

it('archives files and texts whole, long and non-Latin paths included, and counts them', async () => {
  let written = 0
  const entries = entriesIn(temporaryFolder())
  const seen: [string, number, Date | undefined][] = []
  for await (const entry of tarOf(pack(), entries, writtenAt, signal, () => written++).pipe(extract())) {
    const parts: Uint8Array[] = []
    for await (const part of entry) parts.push(part as Uint8Array)
    const expected = entries[seen.length]
    const content = 'text' in expected ? Buffer.from(expected.text) : readFileSync(expected.source)
    expect(Buffer.concat(parts).equals(content)).toBe(true)
    seen.push([entry.header.name, entry.header.size, entry.header.mtime])
  }
  const wholeSecond = new Date('2026-08-22T14:35:10Z')
  expect(seen).toEqual(entries.map(({ path, sizeBytes }) => [path, sizeBytes, wholeSecond]))
  expect(written).toBe(entries.length)
})

it('is opened by the tar of the system', async ({ skip }) => {
  skip(!findProgram(['tar', 'tar.exe']), 'the system has no tar')
  const folder = temporaryFolder()
  const entries = entriesIn(folder)
  const archive = join(folder, 'all.tar')
  await writeFile(
    archive,
    tarOf(pack(), entries, writtenAt, signal, () => {}),
  )
  const target = join(folder, 'opened')
  mkdirSync(target)
  execFileSync('tar', ['-xf', archive, '-C', target])
  for (const entry of entries) {
    const content = 'text' in entry ? Buffer.from(entry.text) : readFileSync(entry.source)
    expect(readFileSync(join(target, entry.path)).equals(content)).toBe(true)
  }
})

it('fails where a file is not as long as it was when it was listed', async () => {
  const changed = { ...file(temporaryFolder(), 'changed.parquet', new Uint8Array(10)), sizeBytes: 11 }
  const drain = async () => {
    for await (const part of tarOf(pack(), [changed], writtenAt, signal, () => {})) void part
  }
  await expect(drain()).rejects.toThrow('changed.parquet changed while it was copied')
})

it('stops when it is cancelled, with the reason', async () => {
  const cancelling = new AbortController()
  const stream = tarOf(pack(), entriesIn(temporaryFolder()), writtenAt, cancelling.signal, () =>
    cancelling.abort(new Error('cancelled here')),
  )
  const drain = async () => {
    for await (const part of stream) void part
  }
  await expect(drain()).rejects.toThrow('cancelled here')
})

it('reads no further once nobody takes the archive', async () => {
  let written = 0
  const stream = tarOf(pack(), entriesIn(temporaryFolder()), writtenAt, signal, () => written++)
  for await (const part of stream) {
    void part
    break
  }
  await new Promise((resolve) => (stream.closed ? resolve(null) : stream.once('close', resolve)))
  await new Promise((resolve) => setImmediate(resolve))
  expect(written).toBeLessThan(3)
})
