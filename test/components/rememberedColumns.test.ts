import { expect, it } from 'vitest'
import { nextTick, ref } from 'vue'
import { DECLARED_LAYOUT } from '../../renderer/tables/columns.ts'
import { keyedLayout } from '../../renderer/widgets/tableState.ts'

it('columns are remembered apart for each kind of rows, also in the next session', async () => {
  localStorage.clear()
  const kind = ref('raw')
  const layout = keyedLayout('coverage', () => kind.value)
  expect(layout.value).toEqual(DECLARED_LAYOUT)
  layout.value = { ...DECLARED_LAYOUT, hidden: ['days'] }
  kind.value = 'metrics'
  await nextTick()
  expect(layout.value).toEqual(DECLARED_LAYOUT)
  layout.value = { ...DECLARED_LAYOUT, order: ['symbol'] }
  kind.value = 'raw'
  expect(layout.value.hidden).toEqual(['days'])
  const next = keyedLayout('coverage', () => 'metrics')
  expect(next.value.order).toEqual(['symbol'])
  localStorage.setItem('perpscope.table.coverage', '[1]')
  expect(keyedLayout('coverage', () => 'raw').value).toEqual(DECLARED_LAYOUT)
})
