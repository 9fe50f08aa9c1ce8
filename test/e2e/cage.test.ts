import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openShell, useBrowser } from './harness.ts'

useBrowser()

/** Starts a server to which no request may be sent, and records the requests that it receives. */
async function startForbiddenServer() {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end('window.stolen = true')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

test('what a script smuggled into the page would try does not work: the policy holds in a real browser', async () => {
  const { url, asked } = await startForbiddenServer()
  // The browser reports each refusal as an error, which is expected here; the test counts the attempts that succeeded.
  const { page } = await openShell({ expected: /./ })
  const tried = await page.evaluate(async (outside) => {
    const outcome = (work: Promise<unknown>) =>
      work.then(
        () => 'worked',
        () => 'refused',
      )
    const loaded = (element: HTMLElement, address: Record<string, string>) =>
      outcome(
        new Promise((resolve, reject) => {
          Object.assign(element, address, { onload: resolve, onerror: reject })
          document.body.append(element)
        }),
      )
    const inline = document.createElement('script')
    inline.textContent = 'window.ranInline = true'
    document.body.append(inline)
    document.body.insertAdjacentHTML('beforeend', '<b onclick="window.ranHandler = true" id="bait">x</b>')
    document.getElementById('bait')?.click()
    return {
      // The call is delayed, because the policy does not apply to code that the debugger runs itself.
      eval: await outcome(
        new Promise((resolve, reject) => {
          setTimeout(() => {
            try {
              resolve(globalThis.eval('1 + 1'))
            } catch (thrown) {
              reject(thrown as Error)
            }
          })
        }),
      ),
      fetch: await outcome(fetch(`${outside}/fetch`)),
      script: await loaded(document.createElement('script'), { src: `${outside}/script.js` }),
      picture: await loaded(document.createElement('img'), { src: `${outside}/picture.png` }),
      style: await loaded(document.createElement('link'), { rel: 'stylesheet', href: `${outside}/style.css` }),
      beacon: navigator.sendBeacon(`${outside}/beacon`) ? 'sent or dropped' : 'refused',
      inline: 'ranInline' in window || 'ranHandler' in window || 'stolen' in window,
      framed: await loaded(document.createElement('iframe'), { src: `${outside}/frame` }).then(() => 'tried'),
    }
  }, url)
  expect(tried).toMatchObject({
    eval: 'refused',
    fetch: 'refused',
    script: 'refused',
    picture: 'refused',
    style: 'refused',
    inline: false,
  })
  expect(asked).toEqual([])
})
