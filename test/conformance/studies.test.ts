import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runPanelStudy } from '#core/lab/panelStudy.ts'
import { PanelError } from '#shared/lab/panel.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import { describe, expect, it } from 'vitest'
import { studyDifferences } from './compareStudies.ts'

interface Case {
  id: string
  study: string
  panel: string
  against?: string
  expected?: string
  exit?: number
  says?: string[]
  note: string
}

const data = join(import.meta.dirname, 'data', 'studies')
const readJson = (file: string): unknown => JSON.parse(readFileSync(join(data, file), 'utf8'))
const cases = readJson('cases.json') as Case[]

async function run({ study, panel, against }: Case) {
  const document = parseStudy(readJson(study), { fromCache: false })
  const rowsOf = (file: string) => ({ path: join(data, file) })
  const task = { study: document, rows: rowsOf(panel), against: against ? rowsOf(against) : null, scratchFolder: '' }
  return runPanelStudy(task, () => undefined)
}

describe('a study', () => {
  it.each(cases.filter(({ expected }) => expected))('$id has the expected result: $note', async (one) => {
    const result: unknown = JSON.parse(JSON.stringify(await run(one)))
    expect(studyDifferences(readJson(one.expected ?? ''), result)).toEqual([])
  })

  it.each(cases.filter(({ exit }) => exit))('$id is refused: $note', async (one) => {
    const refusal: unknown = await run(one).then(
      () => null,
      (error: unknown) => error,
    )
    expect(refusal).toBeInstanceOf(one.exit === 2 ? StudyError : PanelError)
    for (const text of one.says ?? []) expect((refusal as Error).message).toContain(text)
  })
})
