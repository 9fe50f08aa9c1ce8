import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClockColumn, ClockValues } from '#shared/lab/clockRows.ts'
import type { ClockStudy } from '#shared/lab/kinds/clocks/fields.ts'
import { run } from '#shared/lab/kinds/clocks/run.ts'
import type { KindRun } from '#shared/lab/studyInput.ts'
import { expect } from 'vitest'
import { studyDifferences } from '../conformance/compareStudies.ts'
import { randomOf } from '../fakes/panelWorld.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { provePython } from './peer.ts'

const reading = readFileSync(join(import.meta.dirname, 'clockReading.py'), 'utf8')

interface ClockCase {
  symbol: string
  columns: ClockColumn[]
}

/** Draws columns of clocks that start apart, with holes, ties, constants, large origins, and few common times. */
function oddClocks(seed: number): ClockCase[] {
  const random = randomOf(seed)
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]
  const clock = (size: number, valueAt: (slot: number) => number): ClockValues => {
    const missing = pick([0, 0.1, 0.6, 1])
    const valid = Uint8Array.from({ length: size }, () => (random() < missing ? 0 : 1))
    const firstSlot = pick([0, 1, 7, 90, 500])
    return { firstSlot, valid, values: Float64Array.from(valid, (_, at) => valueAt(firstSlot + at)) }
  }
  const column = (at: number): ClockColumn => {
    const values = Float64Array.from({ length: 1000 }, () => random() - 0.5)
    const origin = pick([0, 0, 1e6])
    const valueAt = pick([
      (slot: number) => origin + values[slot],
      (slot: number) => Math.round(4 * values[slot]),
      () => 0.1,
      (slot: number) => origin + values[Math.max(0, slot - 1)],
    ])
    const lateAt = pick([valueAt, (slot: number) => origin + values[slot] * 1.5 + 0.25, () => -3])
    const dataset = pick(['flow', 'ohlcv', 'basis'])
    return {
      ...{ column: `${dataset}.c${at}`, dataset },
      exchange: clock(pick([0, 1, 99, 100, 101, 400]), valueAt),
      true: clock(pick([0, 1, 99, 100, 101, 400]), lateAt),
    }
  }
  return ['a', 'B'].slice(0, pick([1, 2])).map((symbol) => ({
    symbol,
    columns: Array.from({ length: pick([1, 4, 9]) }, (_, at) => column(at)),
  }))
}

/** Lists the present values with their times, as the other reading takes them. */
const presentValues = ({ firstSlot, values, valid }: ClockValues): [number, number][] =>
  Array.from(values, (value, at): [number, number] => [firstSlot + at, value]).filter((_, at) => valid[at] === 1)

function resultOf(cases: ClockCase[]): unknown {
  const clocks = { symbols: cases.map(({ symbol, columns }) => ({ symbol, columns: () => columns })) }
  const work = { input: { clocks }, checkpoint: () => undefined } as unknown as KindRun<ClockStudy>
  return JSON.parse(JSON.stringify(run(work).result))
}

/** Columns whose shifts differ by rounding only may stand in either order. */
function byColumn(result: unknown): unknown {
  const { symbols } = result as { symbols: { columns: { column: string }[]; datasets: { dataset: string }[] }[] }
  return {
    symbols: symbols.map((one) => ({
      ...one,
      columns: [...one.columns].sort((a, b) => a.column.localeCompare(b.column)),
      datasets: [...one.datasets].sort((a, b) => a.dataset.localeCompare(b.dataset)),
    })),
  }
}

provePython('pandas', 'a hundred and fifty odd pairs of clocks have the shifts of pandas and NumPy', async (python) => {
  const folder = temporaryFolder()
  const cases = Array.from({ length: 150 }, (_, seed) => oddClocks(seed))
  const written = cases.map((symbols) =>
    symbols.map(({ symbol, columns }) => ({
      symbol,
      columns: columns.map((one) => ({
        ...one,
        exchange: presentValues(one.exchange),
        true: presentValues(one.true),
      })),
    })),
  )
  writeFileSync(join(folder, 'clocks.json'), JSON.stringify(written))
  const program = `${reading}
print(json.dumps([run_clocks(symbols) for symbols in json.load(open("clocks.json", encoding="utf-8"))]))`
  const theirs = (await python(program, folder)) as unknown[]
  cases.forEach((symbols, seed) => {
    const ours = resultOf(symbols) as { symbols: { columns: { shift: number | null }[] }[] }
    expect(studyDifferences(byColumn(theirs[seed]), byColumn(ours)), `seed ${seed}`).toEqual([])
    for (const { columns } of ours.symbols) {
      const shifts = columns.map(({ shift }) => shift ?? -1)
      expect(shifts, `seed ${seed}`).toEqual([...shifts].sort((a, b) => b - a))
    }
  })
})
