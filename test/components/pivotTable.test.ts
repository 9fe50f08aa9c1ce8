import { flushPromises } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { textColumn, type Frame } from '#shared/contract/frame.ts'
import { readAddress } from '../../renderer/views/coverage/coverageAddress.ts'
import { metricPivot } from '../../renderer/views/coverage/pivotFrame.ts'
import PivotTable from '../../renderer/views/coverage/PivotTable.vue'
import { mountWithHost } from './mountWithHost.ts'

const nothing: Frame = {
  rows: 0,
  columns: ['kind', 'dataset', 'exchange', 'symbol', 'base', 'quote', 'settle'].map((name) => textColumn(name, [])),
}

it.each([
  [{ kind: 'metrics' }, 'No metric files are cached yet.'],
  [{ kind: 'metrics', gaps: '1' }, 'No symbol matches the filter.'],
  [{}, 'The service lists no symbols'],
])('says why a pivot at %o is empty', async (query, message) => {
  const address = readAddress(query)
  const pivot = metricPivot(nothing, null, address)
  const { wrapper } = await mountWithHost(PivotTable, {
    ...{ pivot, frame: nothing, address, datasets: [], label: 'Pivot' },
  })
  await flushPromises()
  expect(wrapper.text()).toContain(message)
})
