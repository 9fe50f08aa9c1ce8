import { defineComponent, h, nextTick, ref, shallowRef } from 'vue'
import { expect, it } from 'vitest'
import { useStatus } from '../../renderer/stores/status.ts'
import { useRowsInView } from '../../renderer/widgets/tableState.ts'
import { mountWithHost } from './mountWithHost.ts'

it('the status line counts the rows of a table while it is on screen, and no longer', async () => {
  const counts = shallowRef({ shown: 384, isKnown: true })
  const isShown = ref(true)
  const Table = defineComponent(() => {
    useRowsInView(counts)
    return () => h('table')
  })
  const Screen = defineComponent(() => {
    const status = useStatus()
    return () => [h('output', String(status.rowsInView)), isShown.value ? h(Table) : null]
  })
  const { wrapper } = await mountWithHost(Screen, {})
  await nextTick()
  expect(wrapper.find('output').text()).toBe('384')
  counts.value = { shown: 12, isKnown: false }
  await nextTick()
  expect(wrapper.find('output').text()).toBe('null')
  counts.value = { shown: 12, isKnown: true }
  isShown.value = false
  await nextTick()
  expect(wrapper.find('output').text()).toBe('null')
})
