import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import ChoiceBar from '../../renderer/components/ChoiceBar.vue'

const bar = () => mount(ChoiceBar, { props: { label: 'Side', options: [{ value: 'a', title: 'A' }], modelValue: 'a' } })
const nameOf = (mounted: ReturnType<typeof bar>) => mounted.get('input').attributes('name')

it('names the radio buttons of each bar apart, and uses the name of one that is gone again', () => {
  const [one, other] = [bar(), bar()]
  expect(nameOf(one)).not.toBe(nameOf(other))
  const name = nameOf(one)
  one.unmount()
  const next = bar()
  expect(nameOf(next)).toBe(name)
  next.unmount()
  other.unmount()
})
