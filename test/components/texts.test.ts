import { trialsBehind } from '#shared/lab/kinds/portfolio/sheet.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { describe, expect, it } from 'vitest'
import { componentsText } from '../../renderer/text/components.ts'
import { downloadsText } from '../../renderer/text/downloads.ts'
import { labText } from '../../renderer/text/lab.ts'
import { testText } from '../../renderer/text/labTests.ts'
import { importText } from '../../renderer/text/raw.ts'
import { previewText } from '../../renderer/text/rawCatalog.ts'
import { settingsText } from '../../renderer/text/settings.ts'
import { shellText } from '../../renderer/text/shell.ts'
import { watchText } from '../../renderer/text/watch.ts'
import { workbenchText } from '../../renderer/text/workbench.ts'

describe('texts about one thing', () => {
  const { answer } = labText
  const { trial } = testText
  const overfitting = (trials: number, effectiveTrials: number | null) =>
    ({ trials, effectiveTrials }) as PortfolioResult['overfitting']

  it('agree with it in nouns, verbs and pronouns', () => {
    expect(answer.queued(1, false)).toContain('The study runs automatically once it is downloaded.')
    expect(answer.queued(1, true)).toContain('once it is downloaded; until then its values count as missing.')
    expect(answer.missing(1, 1, 'ohlcv 1h')).toBe(
      '1 file of this study is not downloaded (1 not in your subscription): ohlcv 1h.',
    )
    expect(labText.guards.nothingUsed('No row', 1, 1)).toContain('1 of 1 is left out')
    expect(previewText.ask(1)).toContain('then import it. Perpscope recognises it by this path:')
    expect(settingsText.usage.more(1)).toBe('and 1 smaller one')
    expect(shellText.unreachable.title(['Desk (metrics)', 'Lab (metrics)'])).toMatch(/ have been unreachable$/)
  })

  it('name one trial by one number', () => {
    expect([trial.runGrid(1), trial.runGrid(3)]).toEqual(['Run 1 trial', 'Run 3 trials'])
    expect(trial.nextGrid(12, 12)).toBe('Trial 12 of its family')
    expect(trial.resumes(1, 12)).toBe('1 of 12 combinations is recorded; the run continues from there')
    expect(trialsBehind(overfitting(1, null))).toBe('the only trial of its family')
    expect(trialsBehind(overfitting(12, 3.4))).toBe('one of the N = 12 trials of its family (N′ = 3.40)')
  })
})

describe('texts with many names', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

  it('say how many they leave out', () => {
    expect(importText.waiting(names)).toBe('Received, not checked yet: a, b, c, d, e and 2 more.')
    expect(downloadsText.symbols.ignored(names)).toBe('Not symbols: a, b, c, d, e and 2 more')
    expect(watchText.unknown(names)).toMatch(/: a, b, c, d, e and 2 more\.$/)
    expect(workbenchText.scan.unread(names)).toBe('Not read: a, b, c, d, e and 2 more')
    expect(importText.waiting(names.slice(0, 5))).toBe('Received, not checked yet: a, b, c, d, e.')
  })
})

it('a comparison names the room that is left, also in a full workspace', () => {
  const { tooMany } = workbenchText.compare
  expect(tooMany(3, 0, 'together')).toBe('3 selected; this workspace has room for 0 more panes')
  expect(tooMany(3, 1, 'apart')).toBe('3 selected; this workspace has room for 1 more pane')
  expect(tooMany(17, 16, 'together')).toBe('17 selected; a pane holds at most 16 series')
})

it('a clock of a set is named with its noun', () => {
  expect(downloadsText.sets.intervals(['1m', '1h'], ['exchange', 'true'])).toBe('1m, 1h; exchange time, true time')
  expect(componentsText.freshness.age(120_000)).toBe('Fetched 2 min 00 s ago')
})
