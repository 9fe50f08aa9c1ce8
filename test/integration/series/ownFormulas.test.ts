import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createOwnData } from '#core/own/ownData.ts'
import { formulaInputs } from '#core/series/formulaInputs.ts'
import { createSeriesService } from '#core/series/seriesService.ts'
import { createEventBus } from '#core/eventBus.ts'
import { parseInterval } from '#shared/time.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { noRuns } from '../../fakes/noRuns.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { expectedOf, ownDataCases, ownDataFolder } from '../../fakes/ownDataCases.ts'

/** Reads the options of a case as the command line does. */
function choicesOf(words: readonly string[]) {
  const valueOf = (name: string) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined)
  return {
    events: words.includes('--events'),
    knownAfter: valueOf('--known-after') ?? '0d',
    units: {},
    symbol: valueOf('--symbol'),
    exchange: valueOf('--exchange'),
    label: valueOf('--label'),
  }
}

test.each(ownDataCases.filter(({ refused }) => !refused))(
  '$id in charts: $note',
  async ({ name, files, add, ...each }) => {
    const store = openTestStore(dataFolder())
    const own = createOwnData({ store, clock: fakeClock(), bus: createEventBus(() => {}), ledger: noRuns })
    const service = createSeriesService(store, fakeClock())
    onTestFinished(async () => {
      await own.close()
      await service.close()
    })
    const signal = new AbortController().signal
    const paths = files.map((file) => join(ownDataFolder, file))
    await own.add({ name, ...choicesOf(add) }, paths, { signal, progress: () => undefined })
    const { values, interval, first, bars } = expectedOf({ name, files, add, ...each })
    const range = { startMs: first, endMs: first + bars * parseInterval(interval)! * 1000 }
    for (const [formula, byInstrument] of Object.entries(values))
      for (const [instrument, expected] of Object.entries(byInstrument)) {
        const at = instrument.indexOf('/')
        const inputs = formulaInputs(formula, {
          connectionId: 'sandbox',
          exchange: instrument.slice(0, at),
          symbol: instrument.slice(at + 1),
          interval,
          timestamp: 'exchange',
        })
        const { points, problem } = await service.evaluate(
          { formula, inputs, ...range, originMs: null, points: 20_000 },
          signal,
        )
        const [times, column] = points.frame.columns
        const found = expected.map((): number | null => null)
        times?.values.forEach((time, row) => {
          if (column.kind === 'number' && (!column.valid || column.valid[row]))
            found[(Number(time) - first) / (parseInterval(interval)! * 1000)] = column.values[row]
        })
        expect({ formula, instrument, problem, found }).toEqual({ formula, instrument, problem: null, found: expected })
      }
  },
)
