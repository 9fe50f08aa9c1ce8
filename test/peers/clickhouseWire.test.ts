import { expect } from 'vitest'
import { createClickHouse } from '#core/clients/clickhouse.ts'
import { createHttpClient } from '#core/clients/http.ts'
import { createRedactor } from '#core/clients/redact.ts'
import { systemClock } from '#core/ports.ts'
import { enginePassword, engineUser } from '../fakes/fakeClickHouse.ts'
import { queriesPerHour, proveServers } from './clickhouseServers.ts'

function clientOf(url: string, user = engineUser, password = enginePassword) {
  const http = createHttpClient({
    clock: systemClock,
    redactor: createRedactor(),
    record: () => {},
    isOffline: () => false,
    route: () => ({ proxy: null, caFiles: [] }),
  })
  return createClickHouse(http, { url, user, password, cluster: '', plainHttp: false })
}

const never = new AbortController().signal

proveServers('says what login, quota, permissions and queries are refused for', async (start) => {
  const [url] = await start()
  const engine = clientOf(url)
  const [[version, one]] = await engine.rows('SELECT version(), 1', never)
  expect([version, one]).toEqual([expect.stringMatching(/^\d+\.\d+/), '1'])
  expect(await engine.rows("SELECT 'a\\tb\\n\\\\', NULL", never)).toEqual([['a\tb\n\\', 'N']])

  await expect(clientOf(url, engineUser, 'another-word').rows('SELECT 1', never)).rejects.toMatchObject({
    code: 'login',
    detail: expect.stringContaining('the user name or the password is wrong'),
  })
  await expect(clientOf(url, 'nobody').rows('SELECT 1', never)).rejects.toMatchObject({ code: 'login' })
  await expect(engine.rows('SELECT * FROM raw.trades', never)).rejects.toThrow('no such table or database')
  await expect(engine.rows('SELECT price', never)).rejects.toThrow('a column is missing')
  await expect(engine.rows("SELECT 'a' + 1", never)).rejects.toThrow('a column has the wrong type')
  await expect(clientOf(url, 'reader').rows('SELECT 1', never)).rejects.toThrow('the user may not change settings')
  await expect(
    engine.bytes('SELECT throwIf(number = 20000000) FROM numbers(30000000) FORMAT RowBinary', never, 1e9),
  ).rejects.toThrow('an event contains a value that cannot be used')

  const limited = clientOf(url, 'limited')
  const askMuch = async () => {
    for (let i = 0; i <= queriesPerHour + 1; i++) await limited.rows('SELECT count() FROM numbers(10)', never)
  }
  await expect(askMuch()).rejects.toMatchObject({
    code: 'rejected',
    detail: expect.stringContaining('the quota of the user is used up'),
  })
})

proveServers('ends a query that nobody waits for any more', async (start) => {
  const engine = clientOf((await start())[0])
  const controller = new AbortController()
  const counting = engine.bytes(
    'SELECT count() FROM numbers(100000000000) WHERE sipHash64(number) = 1',
    controller.signal,
  )
  const ended = expect(counting).rejects.toMatchObject({ code: 'cancelled' })
  const mine = "query LIKE '%sipHash64(number)%' AND query NOT LIKE '%processes%'"
  const running = async () =>
    Number((await engine.rows(`SELECT count() FROM system.processes WHERE ${mine}`, never))[0][0])
  await expect.poll(running, { timeout: 60_000 }).toBe(1)
  controller.abort()
  await ended
  await expect.poll(running, { timeout: 60_000 }).toBe(0)
})
