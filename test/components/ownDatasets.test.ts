import { expect, it } from 'vitest'
import type { CallOutput } from '#shared/contract/calls.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { ColumnSource } from '#shared/workspace/workspaceSchema.ts'
import { sourceLabel } from '#shared/workspace/columnLabels.ts'
import SelectBox from '../../renderer/components/SelectBox.vue'
import PickList from '../../renderer/views/workbench/PickList.vue'
import OwnDataForm from '../../renderer/views/raw/OwnDataForm.vue'
import ScanTab from '../../renderer/views/workbench/ScanTab.vue'
import SeriesPicker from '../../renderer/views/workbench/SeriesPicker.vue'
import type { FakeWindowHost } from '../fakes/fakeWindowHost.ts'
import { button, mountWithHost } from './mountWithHost.ts'

const initialSource = {
  kind: 'column',
  dataset: 'ohlcv',
  column: 'close',
  exchange: 'some-venue',
  symbol: 'perpetual-AAA-USDT:USDT',
  interval: '1m',
  timestamp: 'exchange',
  resampleTo: '',
  origin: 'service',
}

type Facts = CallOutput<'data.list'>[number]

const ownDataset = (name: string, more: Partial<Facts>): Facts => ({
  ...{ version: 1, name, dataset: `own_${name}`, kind: 'regular', interval: '6h', knownAfter: '0d', label: null },
  ...{ time: { column: 'time', unit: 'ms' }, symbol: null, exchange: null, columns: [{ name: 'score', unit: null }] },
  ...{ rows: 1, duplicates: 0, firstTime: null, lastTime: null, unknownSymbols: [], leftOut: [], references: [] },
  ...more,
})

function withOwnDatasets(host: FakeWindowHost): void {
  host.answer('data.list', () => [
    ownDataset('mood', {}),
    ownDataset('flows', { interval: '1d', symbol: { column: 'symbol' } }),
  ])
}

/** Reads a property of a component whose own type is generic. */
const propOf = (component: { props(): object }, name: string) => (component.props() as Record<string, unknown>)[name]

it('asks for no instrument where own rows stand beside every one, and labels name none', async () => {
  const props = { initialSource, panes: [], paneId: null }
  const { wrapper } = await mountWithHost(SeriesPicker, props, withOwnDatasets)
  const list = (label: string) => wrapper.findAllComponents(PickList).find((each) => each.props('label') === label)
  const venues = () => wrapper.findAllComponents(SelectBox).filter((each) => propOf(each, 'label') === 'Venue')
  await expect.poll(() => JSON.stringify(list('Column')?.props('items'))).toContain('own_mood.score')
  expect([list('Symbol')?.exists(), venues().length]).toEqual([true, 1])
  await list('Column')!.setValue('own_mood/score')
  expect([list('Symbol')?.exists(), venues().length]).toEqual([undefined, 0])
  list('Column')!.vm.$emit('enter')
  const [[added]] = wrapper.emitted('add') as [[ColumnSource]]
  expect(added).toMatchObject({ dataset: 'own_mood', column: 'score', interval: '6h', everyInstrument: true })
  expect(sourceLabel(added, 'mood: score')).toBe('mood: score · 6h')
  await list('Column')!.setValue('own_flows/score')
  expect([list('Symbol')?.exists(), venues().length]).toEqual([true, 1])
})

it('scans own rows at the interval that they have', async () => {
  const props = { initialSource, view: { startMs: 0, endMs: 86_400_000 }, isViewKnown: true, zone: 'UTC' }
  const { wrapper, host } = await mountWithHost(ScanTab, props, withOwnDatasets)
  const dataset = wrapper.findAllComponents(SelectBox).find((each) => propOf(each, 'label') === 'Dataset')!
  await expect.poll(() => JSON.stringify(propOf(dataset, 'options'))).toContain('own_flows')
  dataset.vm.$emit('update:modelValue', 'own_flows')
  await button(wrapper, 'Scan').trigger('submit')
  const scan = () => host.calls.find(([name]) => name === 'series.scan')?.[1]
  await expect.poll(scan).toMatchObject({ dataset: 'own_flows', interval: '1d' })
})

it('says what to change in the words of the form, not in options of the command line', async () => {
  const refusal = 'a.csv, line 3: the time is off the grid of 1h; give another --interval, or --events for times.'
  const { wrapper } = await mountWithHost(OwnDataForm, { file: { id: '1', name: 'a.csv' }, others: [] }, (host) => {
    withOwnDatasets(host)
    host.answer('data.preview', () => {
      throw new AppError('bad-input', refusal)
    })
  })
  await expect.poll(() => wrapper.text()).toContain('a.csv, line 3')
  expect(wrapper.text()).toContain('give another “Interval”, or “events” for times.')
  expect(wrapper.text()).not.toContain('--')
})
