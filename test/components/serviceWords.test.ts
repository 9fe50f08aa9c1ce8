import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import ServiceWords from '../../renderer/components/ServiceWords.vue'

it.each([
  ['Not yours (raw_not_in_plan) Plans: https://plans.example/raw', 'https://plans.example/raw'],
  ['See https://plans.example/raw, or ask', 'https://plans.example/raw'],
  ['Nothing to see', null],
  ['javascript:alert(1)', null],
])('the words “%s” link to %s', (words, address) => {
  const shown = mount(ServiceWords, { props: { words } })
  expect(shown.text()).toBe(words)
  expect(shown.find('a').exists() ? shown.get('a').attributes('href') : null).toBe(address)
})
