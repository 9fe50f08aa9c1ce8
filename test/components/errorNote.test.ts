import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import ErrorNote from '../../renderer/components/ErrorNote.vue'

const noteOf = (message: string) => {
  const service = { message, status: 403, requestId: null }
  return mount(ErrorNote, { props: { error: new AppError('forbidden', null, { service }) } })
}

it('shows the page of plans that a service names as a link, and any other message as text', () => {
  const note = noteOf('Not in your plan Plans: https://a.example/plans')
  expect(note.get('q').text()).toBe('Not in your plan Plans: https://a.example/plans')
  expect(note.get('a').attributes()).toMatchObject({ href: 'https://a.example/plans', rel: 'noreferrer noopener' })
  expect(noteOf('No javascript:alert(1)').find('a').exists()).toBe(false)
})
