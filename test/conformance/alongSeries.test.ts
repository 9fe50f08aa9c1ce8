import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { run } from '../../electron/cli/run.ts'
import { studyDifferences } from './compareStudies.ts'

interface Case {
  id: string
  study: string
  panel: string
  expected?: string
  /** Words of a warning's sentence by its code. */
  tells?: Record<string, string[]>
  exit?: number
  says?: string[]
  note: string
}

interface Result {
  warnings: { code: string; message: string }[]
}

const data = join(import.meta.dirname, '..', 'fixtures', 'along-time')
const readJson = (file: string): unknown => JSON.parse(readFileSync(join(data, file), 'utf8'))
const cases = readJson('seriesCases.json') as Case[]
const folder = mkdtempSync(join(tmpdir(), 'perpscope-along-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the study of a case; returns its status and its output. */
async function perpscope({ study, panel }: Case) {
  let stdout = ''
  let stderr = ''
  const args = ['study', 'run', join(data, study), '--panel', join(data, panel), '--json']
  const status = await run([...args, '--data-dir', join(folder, 'data')], {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    env: {},
    signal: new AbortController().signal,
  })
  return { status, stdout, stderr }
}

describe('a study along time', () => {
  it.each(cases.filter(({ expected }) => expected))('$id has the expected result: $note', async (one) => {
    const { status, stdout, stderr } = await perpscope(one)
    expect(status).toBe(0)
    const result = JSON.parse(stdout) as Result
    expect(studyDifferences(readJson(one.expected ?? ''), result)).toEqual([])
    for (const { code, message } of result.warnings) {
      expect(stderr).toContain(message)
      for (const words of one.tells?.[code] ?? []) expect(message).toContain(words)
    }
  })

  it.each(cases.filter(({ exit }) => exit))('$id is refused: $note', async (one) => {
    const { status, stdout, stderr } = await perpscope(one)
    expect({ status, stdout }).toEqual({ status: one.exit, stdout: '' })
    for (const text of one.says ?? []) expect(stderr).toContain(text)
  })
})
