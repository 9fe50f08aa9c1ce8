import { expect, it, onTestFinished, vi } from 'vitest'
import { createAddedFilesCheck } from '#core/quality/addedFilesCheck.ts'
import { createQualityService } from '#core/quality/qualityService.ts'
import { addMetricFiles } from '../../fakes/cacheMarket.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const SYMBOL = 'perpetual-BTC-USDT:USDT'
const FIRST = Date.parse('2026-08-01')

/** Adds a day of hourly mid prices of a venue; the files of venuea-futures lack an hour. */
function addDay(store: ReturnType<typeof openTestStore>, dataDir: string, exchange: string, midprice: number) {
  const rows = Array.from({ length: 24 }, (_, hour) => ({ time: FIRST + hour * 3_600_000, midprice }))
  const own = exchange === 'venuea-futures' ? rows.filter((_, hour) => hour !== 5) : rows
  const series = { dataset: 'l1_price', exchange, symbol: SYMBOL, interval: '1h', columns: ['midprice'], rows: own }
  addMetricFiles(store, dataDir, series, ['2026-08-01'])
}

it('checks what was downloaded once it is quiet, beside the venues that were here, unless it is turned off', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const service = createQualityService({ store, clock: fakeClock(), changedFiles: null })
  onTestFinished(service.close)
  addDay(store, dataDir, 'venuea-futures', 100)
  const checked: [number, number][] = []
  const next = () => vi.waitUntil(() => checked.length > 0, { timeout: 5000 }).then(() => checked.shift())
  const shown = Promise.resolve()
  const problems: string[] = []
  const check = createAddedFilesCheck({
    store,
    service: () => Promise.resolve(service),
    onChecked: (...counts) => checked.push(counts),
    onProblem: (message) => problems.push(message),
    windowShown: shown,
  })
  onTestFinished(check.stop)
  await shown
  // Only the venue that was just added is checked, and its prices are compared with those of the other venue.
  addDay(store, dataDir, 'venueb-perps', 110)
  await vi.advanceTimersByTimeAsync(3000)
  expect(await next()).toEqual([1, 1])
  store.settings.change({ checkQuality: false })
  addDay(store, dataDir, 'venuea-futures', 100)
  await vi.advanceTimersByTimeAsync(5000)
  store.settings.change({ checkQuality: true })
  addDay(store, dataDir, 'venuea-futures', 100)
  await vi.advanceTimersByTimeAsync(3000)
  expect(await next()).toEqual([2, 3])
  expect(problems).toEqual([])
})
