import { join } from 'node:path'
import { expect, it } from 'vitest'
import { chartSvg } from '#shared/report/chartHtml.ts'
import { chartAppContents, PICTURE_KEY } from '../../electron/mcp/chartApp.ts'
import { artifactsDir, openBlankPage, useBrowser } from './harness.ts'

useBrowser()

/** A page that shows an app in a frame as clients do: without an origin, and with the policy for an app that loads nothing. */
const hostPage = (theme: string) => `<!doctype html><body style="margin:0"><script>
const messages = window.messages = [];
const frame = document.createElement('iframe');
frame.sandbox = 'allow-scripts';
frame.style = 'border:0;width:100%;height:420px';
window.toApp = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
window.addEventListener('message', ({ source, data }) => {
  if (source !== frame.contentWindow) return;
  messages.push(data);
  if (data.method === 'ui/initialize')
    toApp({ id: data.id, result: { protocolVersion: '2026-01-26', hostContext: { theme: '${theme}' } } });
});
window.start = (html) => { frame.srcdoc = html; document.body.append(frame); };
</script></body>`

const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'">`
const hours = Array.from({ length: 48 }, (_, hour) => hour)
const label = 'flow.value <img src=x onerror=alert(1)>'
const picture = chartSvg({
  ...{ kind: 'chart', title: 'venuea-futures BTC 1h', style: 'line', names: null },
  series: [
    {
      ...{ label, numberKind: 'figure' },
      x: Float64Array.from(hours, (hour) => Date.UTC(2026, 7, 1, hour)),
      values: Float64Array.from(hours, (hour) => Math.sin(hour / 6)),
    },
  ],
})

it.each(['light', 'dark'])(
  'draws the chart of an answer within a client in its %s theme, with values on hover',
  async (theme) => {
    const page = await openBlankPage()
    await page.setViewportSize({ width: 700, height: 440 })
    await page.setContent(hostPage(theme))
    await page.evaluate((html) => window.start(html), chartAppContents.text.replace('<title>', `${policy}<title>`))
    const methods = () => page.evaluate(() => window.messages.map(({ method }) => method))
    await expect.poll(methods).toContain('ui/notifications/initialized')
    const result = { content: [{ type: 'text', text: '{}' }], _meta: { [PICTURE_KEY]: picture } }
    await page.evaluate((params) => window.toApp({ method: 'ui/notifications/tool-result', params }), result)
    const app = page.frameLocator('iframe')
    await app.locator('svg').waitFor()
    expect(await app.locator('#text').textContent()).toBe(`venuea-futures BTC 1h: ${label}`)
    expect(await app.locator('img').count()).toBe(0)
    await app.locator('svg').focus()
    await expect.poll(() => app.locator('#tip').textContent()).toContain('2026-08-02T23:00:00.000Z')
    await expect.poll(methods).toContain('ui/notifications/size-changed')
    await page.screenshot({ path: join(artifactsDir, `chartApp-${theme}.png`) })
    const refused = { isError: true, content: [{ type: 'text', text: 'No files of this series' }] }
    await page.evaluate((params) => window.toApp({ method: 'ui/notifications/tool-result', params }), refused)
    await expect.poll(() => app.locator('#text').textContent()).toBe('No files of this series')
    expect(await app.locator('svg').count()).toBe(0)
    await page.close()
  },
)

declare global {
  interface Window {
    messages: { method?: string }[]
    start(html: string): void
    toApp(message: object): void
  }
}
