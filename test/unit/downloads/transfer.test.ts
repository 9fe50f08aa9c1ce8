import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { HttpClient, OpenAnswer } from '#core/clients/http.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { transfer } from '#core/downloads/transfer.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const series: OwnedSeries = {
  connectionId: 'desk',
  kind: 'metrics',
  dataset: 'flow',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
}
const period = '2026-09-01'

/** What a server says that honours the range, of whichever version of the file it has now. */
function rest(etag: string | null): OpenAnswer {
  const headers = new Map([
    ['content-range', 'bytes 5-9/10'],
    ['content-length', '5'],
  ])
  if (etag !== null) headers.set('etag', etag)
  return {
    status: 206,
    headers: { get: (name) => headers.get(name) ?? null },
    body: Readable.from([new TextEncoder().encode('fghij')]),
    cancel: () => Promise.resolve(),
  }
}

function begun(answer: OpenAnswer) {
  const { folder, parts } = openTestStore()
  const path = parts.pathOf(series, period)
  mkdirSync(dirname(path), { recursive: true })
  parts.begin(series, period, '"a"', 0)
  writeFileSync(path, 'abcde')
  const http: Pick<HttpClient, 'open'> = { open: () => Promise.resolve(answer) }
  const clock = { nowMs: () => 0 }
  const signal = new AbortController().signal
  const asked = transfer(
    { http, parts, folder, clock, paced: () => null },
    { series, period, url: 'https://files.example/1', signal, onBytes() {} },
  )
  return { asked, path, parts }
}

test.each(['"a"', null])('what is left of the same version (etag %s) is put behind what is here', async (etag) => {
  const { asked, path } = begun(rest(etag))
  await asked
  expect(existsSync(path)).toBe(true)
})

test('the rest of another version is never put behind what is here, whatever the server makes of If-Range', async () => {
  const { asked, path, parts } = begun(rest('"b"'))
  await expect(asked).rejects.toMatchObject({ code: 'bad-answer' })
  expect(existsSync(path)).toBe(false)
  expect(parts.left(series, period)).toBeNull()
})
