/** Handles the calls on the book: plans of trades, correlations, attributions, and the user's own files. */
import { setImmediate as immediate } from 'node:timers/promises'
import { twoSymbols } from '#shared/portfolio/book/orderRules.ts'
import { attribute } from '#shared/portfolio/book/attribution.ts'
import { correlationSteps, pairOf, type SeriesCorrelations } from '#shared/portfolio/book/seriesCorrelations.ts'
import { AppError } from '#shared/contract/errors.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { csvLine } from '#shared/units/csvCell.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import { halfSpreads } from '#core/lab/book/cachedSpreads.ts'
import { blendTable, createKeptRuns } from '#core/lab/book/keptWeights.ts'
import { namedSeries } from '#core/lab/book/namedSeries.ts'
import { asBookInput, createOwnFiles } from '#core/lab/book/ownFiles.ts'
import { plan } from '#core/lab/book/planService.ts'
import { createServedTables } from '#core/lab/book/servedTables.ts'
import type { OpenPortfolio } from '#core/portfolio/portfolios.ts'
import type { Clock } from '#core/ports.ts'
import type { SeriesService } from '#core/series/seriesService.ts'
import type { Store } from '#core/store/store.ts'

export interface BookHandlerDeps {
  store: Store
  clock: Clock
  open: OpenPortfolio
  series(): Promise<SeriesService>
  bus: EventBus
}

export function bookHandlers({ store, clock, open, series, bus }: BookHandlerDeps): Handlers<CallsOf<'book'>> {
  const runs = createKeptRuns(store.studyRuns)
  const own = createOwnFiles(store.returns, clock)
  const seriesDeps = (connectionId: string, signal: AbortSignal) => ({
    served: createServedTables(() => open(connectionId), signal),
    runs,
    own,
  })
  const rangeOf = ({ start, end }: { start?: string | undefined; end?: string | undefined }) => ({
    start: start === undefined ? null : dayNumberOf(start),
    end: end === undefined ? null : dayNumberOf(end) + 1,
  })
  return {
    'book.plan': (input, { signal }) =>
      asBookInput(() =>
        plan(input, {
          portfolio: () => open(input.connectionId),
          served: createServedTables(() => open(input.connectionId), signal),
          runs,
          rules: store.orderRules.list,
          nowMs: clock.nowMs(),
          signal,
          async halfSpreads(tickers) {
            const { id } =
              input.connectionId === '' ? store.connections.active() : store.connections.find(input.connectionId)
            return halfSpreads((await series()).deps, id, tickers, signal)
          },
        }),
      ),
    'book.correlations': ({ connectionId, series: names, minDays, common, order, ...range }, { signal }) =>
      asBookInput(async () => {
        const found = await namedSeries(names, seriesDeps(connectionId, signal))
        const options = { ...rangeOf(range), minDays, isCommon: common, order }
        return runCancellable(correlationSteps(found, options), signal)
      }),
    'book.pair': ({ connectionId, one, other, window, ...range }, { signal }) =>
      asBookInput(async () =>
        pairOf(await namedSeries([one, other], seriesDeps(connectionId, signal)), rangeOf(range), window),
      ),
    'book.attribution': ({ connectionId, series: name, on, lags, rolling, ...range }, { signal }) =>
      asBookInput(async () => {
        if (rolling !== null && rolling < on.length + 3)
          throw new AppError('bad-input', `rolling must be at least ${on.length + 3} days for ${on.length} series.`)
        const [subject, ...terms] = await namedSeries([name, ...on], seriesDeps(connectionId, signal))
        return attribute(subject, terms, { ...rangeOf(range), lags, rolling })
      }),
    'book.orderRules': () => store.orderRules.list(),
    'book.setOrderRule': (rule) => {
      const { symbol, ticker } = rule
      const other = store.orderRules
        .list()
        .find((each) => each.symbol !== symbol && (each.ticker ?? each.symbol) === (ticker ?? symbol))
      if (other) throw new AppError('bad-input', `${twoSymbols(ticker ?? symbol, other.symbol, symbol)}.`)
      store.orderRules.set(rule)
      bus.emit('instruments.changed', {})
      return null
    },
    'book.ownFiles': () => own.list(),
    'book.addOwn': ({ name, file, unit }) =>
      asBookInput(() => {
        const added = own.add(name, file, unit)
        bus.emit('returns.changed', {})
        return added
      }),
    'book.removeOwn': ({ name }) => {
      own.remove(name)
      bus.emit('returns.changed', {})
      return null
    },
    'book.saveWeights': ({ from, name }) =>
      asBookInput(() => {
        const id = from.slice(from.indexOf(':') + 1)
        const { days, tickers, values } = from.startsWith('blend:') ? blendTable(runs.blend(id)) : runs.testWeights(id)
        const lines = [csvLine(['date', 'ticker', 'weight'], 'exact')]
        for (const [row, day] of days.entries())
          for (const [at, ticker] of tickers.entries()) {
            const weight = values[row * tickers.length + at]
            if (!Number.isNaN(weight)) lines.push(csvLine([dayFromNumber(day), ticker, weight], 'exact'))
          }
        const added = own.add(name, { file: name, text: lines.join('') }, null)
        bus.emit('returns.changed', {})
        return added
      }),
  }
}

/** Time for which a computation blocks other work. */
const STEP_MS = 20

async function runCancellable(
  steps: Generator<void, SeriesCorrelations, void>,
  signal: AbortSignal,
): Promise<SeriesCorrelations> {
  let sinceMs = performance.now()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - sinceMs < STEP_MS) continue
    await immediate()
    signal.throwIfAborted()
    sinceMs = performance.now()
  }
}
