import { win32 } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SeriesKey } from '#shared/catalog/seriesKey.ts'
import { filePath, parseFilePath } from '#core/store/partitions.ts'

const flow = (symbol: string): SeriesKey => ({
  kind: 'metrics',
  dataset: 'flow',
  exchange: 'venuea-futures',
  symbol,
  interval: '1m',
  timestamp: 'exchange',
})

/** Returns the path; null if a name is too long for a folder, which is refused. */
function pathWhereNotTooLong(series: SeriesKey, period: string): string | null {
  try {
    return filePath(series, period)
  } catch {
    return null
  }
}

describe('the path of a file', () => {
  test('reads as Hive partitions', () => {
    expect(filePath(flow('perpetual-BTC-USDT:USDT'), '2026-08-01')).toBe(
      'metrics/dataset=flow/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/2026-08-01.parquet',
    )
    expect(
      filePath(
        { ...flow('perpetual-龙-USDT:USDT'), kind: 'raw', dataset: 'trades', interval: '', timestamp: '' },
        '2026-07',
      ),
    ).toBe('raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-%E9%BE%99-USDT%3AUSDT/2026-07.parquet')
  })

  test('symbols that differ only in case have folders that differ on systems that ignore case', () => {
    const [upper, lower] = ['perpetual-KPEPE-USDT:USDT', 'perpetual-kPEPE-USDT:USDT'].map((symbol) =>
      filePath(flow(symbol), '2026-07'),
    )
    expect(upper.toLowerCase()).not.toBe(lower.toLowerCase())
  })

  const text = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
    fc.constantFrom('..', '.', '/', '\\', 'a/../../b', 'CON', 'nul', 'a:b', 'x.', 'x ', '%2e%2e', '\0', '*?"<>|'),
  )

  test('is reversible, stays inside the folder and is a legal name on Windows, whatever the names are', () => {
    fc.assert(
      fc.property(text, text, text, fc.constantFrom('2026-07', '2026-08-31'), (dataset, exchange, base, period) => {
        const series: SeriesKey = { ...flow(`perpetual-${base}-USDT:USDT`), dataset, exchange }
        const path = pathWhereNotTooLong(series, period)
        fc.pre(path !== null)
        expect(parseFilePath(path)).toEqual({ series, period })
        for (const part of path.split('/')) {
          expect(part).toMatch(/^[A-Za-z0-9._%=-]+$/)
          expect(part).not.toMatch(/\.$/)
        }
        expect(win32.normalize(path)).toBe(path.replaceAll('/', '\\'))
      }),
    )
  })

  test.each([
    'metrics/dataset=flow/x.parquet',
    'other/a',
    '',
    'raw/dataset=%zz/exchange=a/symbol=B/2026-07.parquet',
    'raw/dataset=t/exchange=a/symbol=B/2026-13.parquet',
  ])('a foreign path is nobody’s: %s', (path) => expect(parseFilePath(path)).toBeNull())

  test('a name that is too long or no period is refused in words', () => {
    expect(() => filePath(flow('X'.repeat(300)), '2026-07')).toThrow('cannot be the name of a folder')
    expect(() => filePath(flow('X'), '../../x')).toThrow('is not a period')
  })
})
