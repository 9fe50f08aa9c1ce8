import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { noPanelCheck } from '#core/lab/panelCheck.ts'
import { createPortfolioTestService, type PortfolioTestService } from '#core/lab/portfolio/portfolioTestService.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import { readStudyDocument } from '#core/lab/readStudyDocument.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestLedger } from '../fakes/openTestLedger.ts'
import { testDifferences } from './comparePortfolioTests.ts'

interface Step {
  run?: string
  overfitting?: string
  panel?: string
  args: string[]
  exit: number
  expect?: string
  says?: string[]
}

interface Case {
  id: string
  about: string
  steps: Step[]
  ledger: string | null
}

const data = join(import.meta.dirname, 'data', 'portfolio-tests')
const readJson = (...path: string[]): unknown => JSON.parse(readFileSync(join(data, ...path), 'utf8'))
const cases = readdirSync(data).map((id) => readJson(id, 'case.json') as Case)
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('a tested portfolio', () => {
  let ledger: Ledger
  let service: PortfolioTestService
  beforeAll(() => {
    service = createPortfolioTestService(() => ledger, noPanelCheck)
  })
  afterAll(() => service.close())

  const runStep = async (id: string, step: Step) => {
    if (step.overfitting) return service.overfitting(readJson(id, step.overfitting))
    const document = readStudyDocument(join(data, id, step.run ?? ''))
    const panelPath = join(data, id, step.panel ?? '')
    const flags = { openHoldout: step.args.includes('--open-holdout'), keepBars: step.args.includes('--bars') }
    const options = { signal: new AbortController().signal, who: 'cli' as const, onProgress: () => undefined }
    return service.run({ document, panelPath, ...flags }, options)
  }

  it.each(cases)('$id has the expected answers and ledger: $about', async ({ id, steps, ledger: file }) => {
    ledger = openTestLedger()
    for (const step of steps) {
      const entries = ledger.tables.count()
      if (step.exit === 0) {
        const expected = readJson(id, step.expect ?? '') as { study?: { capital: number } }
        const found = asJson(await runStep(id, step))
        expect(testDifferences(expected, found, expected.study?.capital)).toEqual([])
        continue
      }
      const refusal = await runStep(id, step).then(
        () => null,
        (error: unknown) => error as Error,
      )
      expect(refusal?.name).toBe(step.exit === 2 ? 'StudyError' : 'PanelError')
      for (const text of step.says ?? []) expect(refusal?.message).toContain(text)
      expect(ledger.tables.count()).toBe(entries)
    }
    const listed = [...ledger.tables.entries()].map(({ entry }) => asJson(entry))
    if (file) expect(testDifferences(readJson(id, file), listed)).toEqual([])
    expect(ledger.verify()).toBeNull()
  })
})
