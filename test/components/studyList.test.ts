import { flushPromises } from '@vue/test-utils'
import { expect, it } from 'vitest'
import type { Listed } from '#shared/contract/documents/documentKinds.ts'
import { useLab } from '../../renderer/stores/lab.ts'
import StudyList from '../../renderer/views/lab/StudyList.vue'
import { mountWithHost } from './mountWithHost.ts'

const HOUR = 3_600_000
const study = (name: string, more: Partial<Listed<'study'>>): Listed<'study'> => ({
  ...{ id: name, name, kind: 'signal', changedAt: HOUR, ranAt: null, verdict: null },
  ...more,
})

async function openList(studies: Listed<'study'>[], untilMs: number | null = null) {
  const mounted = await mountWithHost(StudyList, {}, (host) => {
    host.answer('documents.list', () => studies as never)
    host.answer('discovery.symbols', () => ({ symbols: ['perpetual-BTC-USDT:USDT'], freshness: null }) as never)
    host.answer('discovery.dataUntil', () => untilMs)
    host.answer('lab.missing', ({ document }) => ({
      ...{ files: document.study.name === 'Toxicity deciles' ? 0 : 3, locked: 0, requests: [] },
    }))
  })
  await useLab().start()
  await flushPromises()
  const entries = () => mounted.wrapper.findAll('li button')
  const field = mounted.wrapper.get<HTMLInputElement>('input[type=search]')
  const press = (key: string) => {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
    document.activeElement!.dispatchEvent(event)
  }
  return { ...mounted, entries, field, press }
}

it('goes on with the study that was run or changed last, and says what it answered', async () => {
  const { wrapper } = await openList([
    study('Basis', { changedAt: 3 * HOUR }),
    study('Carry', { ranAt: 4 * HOUR, verdict: '`funding` tells next returns weakly' }),
  ])
  const last = wrapper.get('a.last')
  expect(last.attributes('href')).toBe('/lab/Carry')
  expect(last.text()).toContain('Carry')
  expect(last.text()).toContain('funding tells next returns weakly')
})

it('begins with the questions where there is no study yet', async () => {
  const { wrapper, entries } = await openList([])
  expect(wrapper.find('a.last').exists()).toBe(false)
  expect(wrapper.get('h1').text()).toBe('Start from a question')
  expect(entries().some((entry) => entry.text().startsWith('New signal study'))).toBe(true)
})

it('says of each ready-made study what it reads and whether that is cached', async () => {
  const { entries } = await openList([])
  const textOf = (name: string) =>
    entries()
      .find((entry) => entry.text().startsWith(name))!
      .text()
  await expect.poll(() => textOf('Toxicity deciles')).toContain('cached')
  expect(textOf('Toxicity deciles')).toContain('BTC-USDT:USDT · 5m · flow, ohlcv')
  await expect.poll(() => textOf('Top of the book')).toContain('3 files to fetch')
})

it('finds by word, and is led by the keyboard alone', async () => {
  const { wrapper, entries, field, press } = await openList([])
  await field.setValue('toxic deciles')
  expect(entries()).toHaveLength(1)
  await field.setValue('toxic')
  field.element.focus()
  press('ArrowDown')
  expect(document.activeElement).toBe(entries()[0].element)
  press('End')
  expect(document.activeElement).toBe(entries().at(-1)!.element)
  press('Escape')
  expect(document.activeElement).toBe(field.element)
  await field.trigger('keydown', { key: 'Enter' })
  await flushPromises()
  expect(wrapper.emitted('createReadyStudy')?.[0]).toMatchObject([{ id: 'toxicity-after-large-trades' }])
  await field.setValue('zzz')
  expect(wrapper.text()).toContain('No kind and no ready-made study matches “zzz”.')
})

it('offers the last full months that the connection has', async () => {
  const { wrapper, entries } = await openList([], Date.UTC(2026, 4, 20))
  await entries()
    .find((entry) => entry.text().startsWith('Toxicity deciles'))!
    .trigger('click')
  await flushPromises()
  const [[{ document }]] = wrapper.emitted('createReadyStudy') as [[{ document: object }]]
  expect(document).toMatchObject({ start: '2026-02-01', end: '2026-04-30' })
})
