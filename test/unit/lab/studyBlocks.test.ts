import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SpilledMatrix, SpillFile, spilledFlags } from '#core/lab/spill.ts'
import { crossSectionFunctions } from '#shared/formula/crossSectionFunctions.ts'
import { formulaFunctions } from '#shared/formula/functionTable.ts'
import { buildPanel, type Panel } from '#shared/lab/panel.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { runStudy } from '#shared/lab/runStudy.ts'
import { type StudyPanel, memoryPanel } from '#shared/lab/studyPanel.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { afterAll, expect, it } from 'vitest'
import { randomOf, rowsOf } from '../../fakes/panelWorld.ts'

const folder = mkdtempSync(join(tmpdir(), 'perpscope-blocks-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Writes the cells of a panel to a file, as a large study does. */
function spilledPanel(panel: Panel, spill: SpillFile, blockTimes: number): StudyPanel {
  const shape = { timeCount: panel.timeCount, symbolCount: panel.symbols.length }
  const whole = memoryPanel(panel)
  const flags = (cells: Uint8Array) => {
    const spilled = spilledFlags(spill, shape)
    panel.symbols.forEach((_, at) =>
      spilled.writeSymbol(
        at,
        Uint8Array.from({ length: panel.timeCount }, (_cell, time) => cells[time * shape.symbolCount + at]),
      ),
    )
    return spilled
  }
  return {
    ...whole,
    blockTimes,
    newMatrix: () => new SpilledMatrix(spill, shape),
    hasRow: flags(panel.hasRow),
    member: panel.member && flags(panel.member),
  }
}

/**
 * Returns a function that writes randomly nested formulas with every function of the language. Some of them are
 * invalid; a study in blocks must then be refused as the study in one piece is.
 */
function formulaWriter(random: () => number) {
  const below = (count: number) => Math.floor(random() * count)
  const pick = <Value>(from: readonly Value[]) => from[below(from.length)]
  const functions = [...formulaFunctions, ...crossSectionFunctions]
  const argument = (kind: string, depth: number): string => {
    if (kind === 'count' || kind === 'span')
      return random() < 0.2 && kind === 'span' ? `'${1 + below(9)}h'` : `${1 + below(9)}`
    if (kind === 'number') return pick(['0.1', '0.25', '0.5', '2', '3'])
    if (kind === 'interval') return pick(["'2h'", "'4h'", "'1d'"])
    if (kind === 'method') return pick(["'mean'", "'sum'", "'last'", "'max'"])
    return kind === 'series' ? writeFormula(depth) : random() < 0.2 ? pick(['0', '1', '-0.5']) : writeFormula(depth)
  }
  function writeFormula(depth: number, called = pick(functions)): string {
    if (depth <= 0) return pick(['a', 'b', 'close', 'a * b', '-close'])
    if (random() < 0.25)
      return `(${writeFormula(depth - 1)} ${pick(['+', '-', '*', '/', '>'])} ${writeFormula(depth - 1)})`
    const given = called.parameters.filter(({ optional }) => !optional || random() < 0.5)
    return `${called.name}(${given.map(({ kind }) => argument(kind, depth - 1)).join(', ')})`
  }
  return { written: writeFormula, functions, below, pick }
}

const outcomeOf = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return `refused: ${(error as Error).message}`
  }
}

const panels = [
  rowsOf({ seed: 21, symbols: 9, times: 130, gaps: 0.08 }),
  rowsOf({ seed: 22, symbols: 23, times: 61, gaps: 0.3 }),
  rowsOf({ seed: 23, symbols: 4, times: 260 }),
]

it.each([1, 2, 3, 4, 5, 6])('a study in blocks of any size has every bit of the study in one piece (%i)', (seed) => {
  const { written, functions, below, pick } = formulaWriter(randomOf(seed))
  let computed = 0
  for (const called of [...functions, ...functions]) {
    const formula = written(2, called)
    const shift = { delayBars: below(4) }
    const fields = pick([
      {
        kind: 'signal',
        signal: formula,
        ...shift,
        horizons: [1, 3 + below(9), 20],
        sampling: pick(['all', 'nonOverlapping']),
      },
      {
        kind: 'events',
        when: `${formula} > 0.4`,
        ...shift,
        edge: below(2) === 1,
        cooldownBars: below(5),
        before: below(7),
        after: 1 + below(9),
        adjust: pick(['none', 'market']),
      },
      { kind: 'leadlag', value: formula, maxLag: below(4), reference: pick([null, 'S001']) },
      { kind: 'seasonality', value: formula, by: pick(['hour', 'hourWeekday']), center: below(2) === 1 },
      { kind: 'schedule', value: formula, by: pick(['hour', 'hourWeekday']), minBars: 1 + below(3) },
      { kind: 'costs', spreadBps: `abs(${formula})`, impact: 'abs(b)', measured: 'a' },
    ])
    const study = parseStudy({ version: 1, interval: '1h', ...fields }, { fromCache: false })
    const panel = buildPanel(pick(panels), studyRange(study))
    const run = (on: StudyPanel) => outcomeOf(() => runStudy({ study, panel: on, against: null }))
    const whole = run(memoryPanel(panel, Infinity))
    const blockTimes = 1 + below(panel.timeCount + 5)
    expect(run(memoryPanel(panel, blockTimes)), `${formula} in blocks of ${blockTimes}`).toEqual(whole)
    const spill = new SpillFile(folder)
    expect(run(spilledPanel(panel, spill, blockTimes)), `${formula} on disk in blocks of ${blockTimes}`).toEqual(whole)
    spill.close()
    if (typeof whole === 'object') computed++
  }
  expect(computed).toBeGreaterThan(functions.length)
  expect(readdirSync(folder)).toEqual([])
})
