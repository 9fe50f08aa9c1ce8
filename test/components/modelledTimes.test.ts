import { flushPromises } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import type { RawFileEntry, Reconciliation } from '#shared/contract/areas/raw.ts'
import type { EvaluatedFormula, ExportResult } from '#shared/contract/areas/series.ts'
import { numberColumn, timeColumn } from '#shared/contract/frame.ts'
import { emptyModel } from '../../renderer/charts/model.ts'
import SelectBox from '../../renderer/components/SelectBox.vue'
import { useToasts } from '../../renderer/stores/toasts.ts'
import ComputeTab from '../../renderer/views/raw/ComputeTab.vue'
import ReconcileTab from '../../renderer/views/raw/ReconcileTab.vue'
import { useExports } from '../../renderer/views/workbench/useExports.ts'
import { mountWithHost } from './mountWithHost.ts'

const symbol = 'perpetual-BTC-USDT:USDT'
const at = (exchange: string) => ({ exchange, symbol })
const MODELLED = /exchange times.* are modelled on venuec-perps, because its feed carries none/

const rawFile = (dataset: string): RawFileEntry => ({
  dataset,
  period: '2026-09-01',
  startDay: 20697,
  endDay: 20698,
  origin: 'import',
  sizeBytes: 1,
  rows: 1,
  fetchedAt: 0,
  conditions: null,
})
const files = ['mark_price', 'index_price', 'trades'].map(rawFile)

describe('computing', () => {
  const open = async (exchange: string) => {
    const { wrapper } = await mountWithHost(ComputeTab, { instrument: at(exchange), files }, (host) =>
      host.answer('raw.computed', () => ({ series: [] })),
    )
    await flushPromises()
    return wrapper
  }

  it('says that the venue’s times are modelled, for the metrics and the clock that are chosen', async () => {
    const wrapper = await open('venuec-perps')
    const notes = () => wrapper.findAll('[role=note]').map((note) => note.text())
    expect(notes()).toEqual([])
    await wrapper.find('input[value=basis]').setValue(true)
    expect(notes()).toEqual([expect.stringMatching(MODELLED)])
    expect(notes()[0]).toContain('mark_price and index_price')
    wrapper.findComponent(SelectBox).vm.$emit('update:modelValue', 'true')
    await flushPromises()
    expect(notes()).toEqual([])
  })

  it('asks for days only until the files that determine them are listed', async () => {
    const instrument = at('venuea-futures')
    const { wrapper } = await mountWithHost(ComputeTab, { instrument, files: [] as RawFileEntry[] }, (host) =>
      host.answer('raw.computed', () => ({ series: [] })),
    )
    await flushPromises()
    expect(wrapper.text()).toContain('Enter the first and last day to compute.')
    await wrapper.setProps({ files })
    expect(wrapper.text()).not.toContain('Enter the first and last day')
    expect(wrapper.findAll<HTMLInputElement>('.entry input').map(({ element }) => element.value)).toEqual([
      '2026-09-01',
      '2026-09-01',
    ])
  })

  it('says nothing of a venue whose feed carries its times', async () => {
    const wrapper = await open('venuea-futures')
    await wrapper.find('input[value=basis]').setValue(true)
    expect(wrapper.findAll('[role=note]')).toEqual([])
  })
})

describe('reconciling', () => {
  const report: Reconciliation = {
    compared: 1,
    onlyComputed: 0,
    onlyServed: 0,
    modelledTime: 'exchange times of mark_price are modelled on venuec-perps, because its feed carries none',
    columns: [],
  }
  const rows = { rows: 1, columns: [timeColumn('time', [0]), numberColumn('value', [1.5])] }
  const drawn = {
    points: { kind: 'rows', binMs: null, stepMs: 3_600_000, frame: rows },
    unit: 'bps',
  } as unknown as EvaluatedFormula

  it('shows the note of the report, and charts in the unit of the column', async () => {
    const { wrapper, router } = await mountWithHost(ReconcileTab, { instrument: at('venuec-perps'), files }, (host) => {
      host.answer('raw.computed', () => ({ series: [] }))
      host.answer('raw.reconcile', () => report)
      host.answer('series.evaluate', () => drawn)
    })
    await router.push('/raw/reconcile?metric=basis&at=basis_bps&interval=1h')
    await flushPromises()
    expect(wrapper.findAll('[role=note]').map((note) => note.text())).toEqual([expect.stringMatching(MODELLED)])
    const { model } = wrapper.findComponent({ name: 'ChartPanes' }).props() as { model: ReturnType<typeof emptyModel> }
    const drawnAs = model.panes.flatMap(({ series }) => series.map(({ unit, kind }) => [unit, kind]))
    expect(drawnAs).toEqual([
      ['bps', 'bps'],
      ['bps', 'bps'],
      ['bps', 'bps'],
    ])
  })
})

describe('exporting rows', () => {
  it('says in its message that times are modelled', async () => {
    const saved: ExportResult = {
      name: 'a.csv',
      path: '/a.csv',
      rows: 3,
      files: 1,
      duplicates: 0,
      unread: [],
      columns: [],
      unitWarnings: [],
      modelledTimes: ['exchange times are modelled on venuec-perps, because its feed carries none'],
      notes: [],
    } as unknown as ExportResult
    let exportAs: ReturnType<typeof useExports> | null = null
    const Exporter = {
      setup() {
        exportAs = useExports({
          model: () => emptyModel('a'),
          view: () => ({ startMs: 0, endMs: 1 }),
          zone: () => 'utc',
          originMs: () => null,
          loadedOf: () => ({ whole: null, detail: null, error: null, problem: null }),
        })
        return () => null
      },
    }
    await mountWithHost(Exporter, {}, (host) => {
      host.answer('instruments.list', () => [])
      host.answer('series.export', () => saved)
    })
    await exportAs!('csv view')
    await expect
      .poll(() => useToasts().list.map(({ detail }) => detail))
      .toEqual([expect.stringMatching(/modelled on venuec-perps/)])
  })
})
