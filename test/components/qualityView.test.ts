import { expect, it } from 'vitest'
import QualityView from '../../renderer/views/quality/QualityView.vue'
import { mountWithHost } from './mountWithHost.ts'

const nothing = { findings: [], more: 0, files: 0, days: 0, unread: [] }

async function shownAt(query: string, report = nothing): Promise<() => string> {
  const { wrapper, router } = await mountWithHost(QualityView, {}, (host) => host.answer('quality.check', () => report))
  await router.push(`/quality${query}`)
  return () => wrapper.text()
}

it.each([
  ['', 'No files are cached in this range'],
  ['?range=all', 'Nothing to check yet'],
])('says that no file is cached, at the address “%s”', async (query, title) => {
  await expect.poll(await shownAt(query), { timeout: 30_000 }).toContain(title)
})

it('does not call the cache empty while a filter leaves out files', async () => {
  const shown = await shownAt('?range=all&dataset=ohlcv&exchange=venuea-futures')
  await expect.poll(shown, { timeout: 30_000 }).toContain('No findings')
  expect(shown()).not.toContain('Nothing to check yet')
})

it('says in one calm line that all files are clean', async () => {
  const shown = await shownAt('?range=all', { ...nothing, files: 34, days: 34 })
  await expect.poll(shown, { timeout: 30_000 }).toContain('All clean34 files, 34 series-days: no open findings')
  for (const name of ['Missing', 'Spike']) expect(shown()).not.toContain(name)
})
