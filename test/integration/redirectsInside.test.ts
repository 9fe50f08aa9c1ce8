import { expect, onTestFinished, test } from 'vitest'
import { createHttpClient } from '#core/clients/http.ts'
import { createRedactor } from '#core/clients/redact.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { fakeTlsService, fakeTunnelProxy, SERVICE_NAME, testRootFile } from '../fakes/fakeTlsService.ts'
import { insideAddresses } from '../fakes/insideAddresses.ts'

const signal = new AbortController().signal

/**
 * Opens a public https service that redirects to the address in a request's path; also returns all requests to it and
 * all targets that a proxy in front of it was given.
 */
async function openService() {
  const service = await fakeTlsService(({ url = '' }, response) => {
    const [, kind, location = ''] = /^\/(\w+)\/(.*)$/.exec(url) ?? []
    const [own, other] = [`/first/${location}`, `https://${SERVICE_NAME}:444/first/${location}`]
    // A header consists of bytes, which clients may or may not read as UTF-8.
    const plain = Buffer.from(decodeURIComponent(location)).toString('latin1')
    const next = { first: plain, again: own, away: other }[kind] ?? ''
    response.writeHead(302, { location: next }).end()
  })
  const proxy = await fakeTunnelProxy(service.port)
  const client = createHttpClient({
    clock: fakeClock(),
    redactor: createRedactor(),
    record: () => {},
    isOffline: () => false,
    route: () => ({ proxy: { http: proxy.address, https: proxy.address, except: '' }, caFiles: [testRootFile] }),
  })
  onTestFinished(() => client.close())
  return { client, requests: service.requests, targets: proxy.targets }
}

test.each([
  ['a redirect', 'first', 1],
  ['the second of two redirects', 'again', 2],
  ['a redirect of another server that a redirect led to', 'away', 2],
])('%s leads to no spelling of an inside address', async (_what, kind, requestsEach) => {
  const { client, requests, targets } = await openService()
  const followed: string[] = []
  for (const host of insideAddresses)
    for (const protocol of ['http', 'https']) {
      const location = encodeURIComponent(`${protocol}://${host}/latest/meta-data/`)
      const url = `https://${SERVICE_NAME}/${kind}/${location}`
      const outcome = await client.open({ url, signal }).catch(toAppError)
      const code = 'code' in outcome ? outcome.code : 'answered'
      if (code !== 'bad-answer' && code !== 'bad-input') followed.push(`${protocol}://${host} ${code}`)
    }
  expect(followed).toEqual([])
  expect(requests).toHaveLength(insideAddresses.length * 2 * requestsEach)
  expect(targets.filter((target) => !target.startsWith(`${SERVICE_NAME}:`))).toEqual([])
})
