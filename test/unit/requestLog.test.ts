import { expect, test } from 'vitest'
import type { RequestTrace } from '#core/clients/http.ts'
import { createRequestLog } from '#core/requests/requestLog.ts'

test('lists requests by their start, not by their end, the newest first', () => {
  const log = createRequestLog(() => {})
  for (const startedAtMs of [20, 30, 10]) log.record({ startedAtMs } as RequestTrace)
  expect(log.newestFirst(10).map(({ startedAtMs }) => startedAtMs)).toEqual([30, 20, 10])
})
