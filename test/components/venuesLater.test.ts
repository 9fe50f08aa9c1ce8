import { flushPromises } from '@vue/test-utils'
import { expect, it } from 'vitest'
import type { Component } from 'vue'
import type { BoardDocument } from '#shared/contract/areas/boards.ts'
import type { CallOutput } from '#shared/contract/calls.ts'
import { AppError } from '#shared/contract/errors.ts'
import { useDiscovery } from '../../renderer/stores/discovery.ts'
import BoardStart from '../../renderer/views/boards/BoardStart.vue'
import StudyList from '../../renderer/views/lab/StudyList.vue'
import QueryStart from '../../renderer/views/sql/QueryStart.vue'
import { useWorkbenchActions } from '../../renderer/views/workbench/useWorkbenchActions.ts'
import { mountWithHost } from './mountWithHost.ts'

type Venues = CallOutput<'connections.venues'>

const venues: Venues = [{ id: 'near', short: 'near', sizes: 'base', exchangeTimes: 'measured', basis: {} } as never]

const refusalOf = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(new AppError('cancelled'))))

/** Mounts a screen whose host tells the venues only when it is asked to. */
async function openBeforeVenues(screen: Component) {
  const { promise, resolve } = Promise.withResolvers<Venues>()
  const mounted = await mountWithHost(screen, {}, (host) => {
    host.answer('connections.venues', (_input, { signal }) => Promise.race([promise, refusalOf(signal!)]))
    host.answer('documents.list', () => [])
    host.answer('discovery.symbols', () => ({ symbols: [], freshness: null }) as never)
  })
  await flushPromises()
  const choose = (name: string) =>
    mounted.wrapper
      .findAll('li button')
      .find((each) => each.text().startsWith(name))!
      .trigger('click')
  const tellVenues = async () => {
    resolve(venues)
    await flushPromises()
  }
  return { ...mounted, choose, tellVenues }
}

it.each([
  ['a ready-made board', BoardStart, 'Morning look', 'createReadyBoard'],
  ['a ready-made board with a study', BoardStart, 'Study at a glance', 'createReadyBoard'],
  ['a playbook', BoardStart, 'Order flow', 'choosePlaybook'],
  ['a ready-made study', StudyList, 'Toxicity deciles', 'createReadyStudy'],
  ['an example query', QueryStart, 'Volatility by hour', 'createExample'],
])('makes %s for the first venue, also where it is chosen before the venues are known', async (...given) => {
  const [, screen, name, event] = given
  const { wrapper, choose, tellVenues } = await openBeforeVenues(screen)
  await choose(name)
  await flushPromises()
  expect(wrapper.emitted(event)).toBeUndefined()
  await tellVenues()
  const [[chosen]] = wrapper.emitted(event) as [[{ document?: BoardDocument }]]
  expect(JSON.stringify(chosen)).toContain('near')
})

it('opens the dialogs of series on the first venue, also where they are asked for before the venues are known', async () => {
  let actions!: ReturnType<typeof useWorkbenchActions>
  const { tellVenues } = await openBeforeVenues({
    setup: () => void (actions = useWorkbenchActions()),
    render: () => null,
  })
  actions.promptSeries(null)
  expect(actions.dialog.value).toBeNull()
  await tellVenues()
  expect(actions.dialog.value).toMatchObject({ kind: 'series', initialSource: { exchange: 'near' } })
  actions.promptCompare()
  expect(actions.dialog.value).toMatchObject({ kind: 'compare', initialSource: { exchange: 'near' } })
})

it('waits for the venues also where they are asked for anew meanwhile', async () => {
  const { tellVenues, host } = await openBeforeVenues({ render: () => null })
  const discovery = useDiscovery()
  const known = discovery.venuesLoaded().then(() => discovery.firstVenue)
  host.emit('data.changed', {})
  await tellVenues()
  expect(await known).toBe('near')
})
