import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { defineComponent, h, ref } from 'vue'
import PickList from '../../renderer/views/workbench/PickList.vue'

const all = ['close', 'front delta', 'funding age', 'funding rate']

/** A list that is searched with the words that its items begin with; the second of “funding” is listed first. */
function mountList() {
  const [chosen, text] = [ref('close'), ref('')]
  const found = () => all.filter((id) => id.includes(text.value)).toReversed()
  const List = defineComponent(
    () => () =>
      h(PickList, {
        items: found().map((id) => ({ id, title: id })),
        ...{ label: 'Column', placeholder: '', modelValue: chosen.value, text: text.value },
        'onUpdate:modelValue': (id: string) => (chosen.value = id),
        'onUpdate:text': (typed: string) => (text.value = typed),
      }),
  )
  const wrapper = mount(List, { attachTo: document.body })
  const type = (typed: string) => wrapper.get('input').setValue(typed)
  return { wrapper, chosen, type }
}

it('selects the first result with every letter, until a person selects another', async () => {
  const { wrapper, chosen, type } = mountList()
  for (const [typed, first] of [
    ['o', 'close'],
    ['front', 'front delta'],
    ['f', 'funding rate'],
  ] as const) {
    await type(typed)
    expect(chosen.value, typed).toBe(first)
  }
  await wrapper.get('input').trigger('keydown', { key: 'ArrowDown' })
  expect(chosen.value).toBe('funding age')
  await type('fun')
  expect(chosen.value).toBe('funding age')
  // Ctrl+Enter belongs to the dialog.
  for (const ctrlKey of [true, false]) await wrapper.get('input').trigger('keydown', { key: 'Enter', ctrlKey })
  expect(wrapper.getComponent(PickList).emitted('enter')).toHaveLength(1)
  wrapper.unmount()
})
