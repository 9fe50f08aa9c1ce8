import type { VueWrapper } from '@vue/test-utils'
import { expect, it } from 'vitest'
import type { FundingDefault } from '#shared/contract/areas/funding.ts'
import type { Instrument } from '#shared/contract/areas/instruments.ts'
import type { OrderRule } from '#shared/portfolio/book/orderRules.ts'
import { AppError } from '#shared/contract/errors.ts'
import InstrumentsSection from '../../renderer/views/settings/InstrumentsSection.vue'
import { instrumentRow } from '../fakes/instrumentRow.ts'
import { button, mountWithHost } from './mountWithHost.ts'

const pair = { exchange: 'alpha-futures', symbol: 'perpetual-BTC-USDT:USDT' }

async function chooseFile(wrapper: VueWrapper, name: string, content: string): Promise<void> {
  const field = wrapper.get<HTMLInputElement>('input[type=file]')
  Object.defineProperty(field.element, 'files', { value: [new File([content], name)], configurable: true })
  await field.trigger('change')
}

it('reads a file of dated rows, shows the columns that it uses, and says which row stands', async () => {
  let stored: Instrument[] = []
  const { wrapper, host } = await mountWithHost(InstrumentsSection, {}, (fake) => {
    fake.answer('funding.defaults', () => [])
    fake.answer('book.orderRules', () => [])
    fake.answer('instruments.list', () => stored)
    fake.answer('instruments.import', ({ text }) => {
      if (text === 'bad')
        throw new AppError('bad-input', 'Nothing was imported: line 2: needs an exchange and a symbol.')
      const dated = { valid_from: '2026-08-01', contract_size: 0.1, listed: '2025-01-01' }
      stored = [instrumentRow(pair), instrumentRow({ ...pair, ...dated })]
      return { imported: 2, warnings: ['item 3 stands instead of item 2: both describe alpha-futures X'] }
    })
  })
  await expect.poll(() => wrapper.text()).toContain('No instruments yet')
  expect(wrapper.get('input[type=file]').attributes('accept')).toContain('.json')
  await chooseFile(wrapper, 'instruments.json', '[]')
  await expect.poll(() => wrapper.find('.warnings').exists()).toBe(true)
  expect(host.calls).toContainEqual(['instruments.import', { text: '[]' }])
  expect(wrapper.get('.warnings').text()).toBe('item 3 stands instead of item 2: both describe alpha-futures X')
  const head = wrapper.findAll('.table th').map((each) => each.text())
  expect(head).toEqual(['exchange', 'symbol', 'valid_from', 'contract_size', 'listed'])
  const cells = wrapper.findAll('.table tbody tr').map((row) => row.findAll('td').map((cell) => cell.text()))
  expect(cells).toEqual([
    [pair.exchange, pair.symbol, '', '', ''],
    [pair.exchange, pair.symbol, '2026-08-01', '0.1', '2025-01-01'],
  ])
  await chooseFile(wrapper, 'bad.csv', 'bad')
  await expect.poll(() => wrapper.text()).toContain('line 2: needs an exchange and a symbol')
  expect(wrapper.find('.warnings').exists()).toBe(false)
})

it('types a funding period for a venue or a symbol, refuses what is none, and removes it again', async () => {
  let typed: FundingDefault[] = [{ ...pair, every: '1h' }]
  const { wrapper, host } = await mountWithHost(InstrumentsSection, {}, (fake) => {
    fake.answer('instruments.list', () => [])
    fake.answer('book.orderRules', () => [])
    fake.answer('funding.defaults', () => typed)
    fake.answer('funding.setDefault', ({ exchange, symbol, every }) => {
      typed = typed.filter((each) => each.symbol !== symbol)
      if (every !== 'unknown') typed = [...typed, { exchange, symbol, every }]
      return null
    })
  })
  const rows = () => wrapper.findAll('section tbody tr').map((row) => row.findAll('td.mono').map((cell) => cell.text()))
  await expect.poll(rows).toEqual([[pair.exchange, pair.symbol, '1h']])
  const [venue, , every] = wrapper.findAll('.form input')
  await venue.setValue('alpha-futures')
  await every.setValue('25h')
  expect(wrapper.text()).toContain('“25h” is longer than 24h, the longest period.')
  expect(button(wrapper, 'Set period').attributes('disabled')).toBeDefined()
  await every.setValue('8h')
  await every.trigger('keydown', { key: 'Enter' })
  await expect.poll(rows).toEqual([
    [pair.exchange, pair.symbol, '1h'],
    ['alpha-futures', 'all symbols', '8h'],
  ])
  await button(wrapper, `Remove the period of ${pair.symbol}`).trigger('click')
  await expect.poll(rows).toEqual([['alpha-futures', 'all symbols', '8h']])
  expect(host.calls.filter(([name]) => name === 'funding.setDefault').at(-1)).toEqual([
    'funding.setDefault',
    { ...pair, every: 'unknown' },
  ])
  // Another face of the program may change it.
  typed = []
  host.emit('instruments.changed', {})
  await expect.poll(rows).toEqual([])
})

it('types a lot for a symbol at the keyboard, refuses what is none, changes and removes it', async () => {
  let typed: OrderRule[] = []
  const { wrapper, host } = await mountWithHost(InstrumentsSection, {}, (fake) => {
    fake.answer('instruments.list', () => [])
    fake.answer('funding.defaults', () => [])
    fake.answer('book.orderRules', () => typed)
    fake.answer('book.setOrderRule', ({ symbol, ticker = null, multiplier = null, lot = null }) => {
      typed = lot === null ? [] : [{ symbol, ticker, multiplier, lot, minUnits: null, minOrder: null }]
      return null
    })
  })
  const form = () => wrapper.get('[aria-label="Type what plans go by for a symbol"]')
  const field = (label: string) =>
    form()
      .findAll('label')
      .find((each) => each.text() === label)!
      .get('input')
  await field('Symbol').setValue('kBONK')
  await field('Lot').setValue('0')
  expect(wrapper.text()).toContain('Lot must be a number above 0.')
  expect(button(wrapper, 'Set rule').attributes('disabled')).toBeDefined()
  await field('Lot').setValue('0.5')
  await field('Ticker').setValue('BONK')
  await field('Multiplier').setValue('1000')
  await field('Multiplier').trigger('keydown', { key: 'Enter' })
  const cells = () => wrapper.findAll('[aria-label="Orders of a plan"] tbody td.mono').map((each) => each.text())
  await expect.poll(cells).toEqual(['kBONK', 'BONK', '1000', '0.5', '–', '–'])
  await button(wrapper, 'Change what is typed for kBONK').trigger('click')
  expect((field('Lot').element as HTMLInputElement).value).toBe('0.5')
  await button(wrapper, 'Remove what is typed for kBONK').trigger('click')
  await expect.poll(cells).toEqual([])
  expect(host.calls.filter(([name]) => name === 'book.setOrderRule')).toHaveLength(2)
})
