import { flushPromises } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import ConnectionCard from '../../renderer/views/settings/ConnectionCard.vue'
import ConnectionForm from '../../renderer/views/settings/ConnectionForm.vue'
import ConnectionsSection from '../../renderer/views/settings/ConnectionsSection.vue'
import KeyField from '../../renderer/views/settings/KeyField.vue'
import KeychainState from '../../renderer/views/settings/KeychainState.vue'
import { useConnections } from '../../renderer/stores/connections.ts'
import { fakeConnection } from '../fakes/fakeWindowHost.ts'
import { button, mountWithHost } from './mountWithHost.ts'

describe('the form of a connection', () => {
  it('says what is wrong beside each field, and asks the core nothing', async () => {
    const { host, wrapper } = await mountWithHost(ConnectionForm, { connection: null })
    await wrapper.find('[name=metricsUrl]').setValue('http://example.com')
    await wrapper.find('form').trigger('submit')
    expect(wrapper.findAll('.error').map((each) => each.text())).toEqual([
      'must not be empty',
      'must be an https address (http only for 127.0.0.1 or localhost), without query or user name',
    ])
    expect(document.activeElement).toBe(wrapper.find('[name=name]').element)
    expect(wrapper.find('[name=name]').attributes('aria-invalid')).toBe('true')
    expect(host.calls.some(([name]) => name === 'connections.add')).toBe(false)
  })

  it('sends trimmed fields and tells what was saved', async () => {
    const saved = fakeConnection({ id: 'new' })
    const { host, wrapper } = await mountWithHost(ConnectionForm, { connection: null }, (host) =>
      host.answer('connections.add', () => saved),
    )
    await wrapper.find('[name=name]').setValue('  Desk ')
    await wrapper.findAll('input[type=radio]')[3].setValue()
    await wrapper.find('form').trigger('submit')
    await flushPromises()
    expect(host.calls.at(-1)).toEqual([
      'connections.add',
      {
        name: 'Desk',
        metricsUrl: '',
        portfolioUrl: '',
        catalogLocation: '',
        tier: 2,
        privateStorage: false,
        store: '',
        storeEndpoint: '',
        storePlainHttp: false,
        preview: false,
      },
    ])
    expect(wrapper.emitted('done')).toEqual([[saved]])
  })

  it('asks for the service only of a bucket, for a confirmation of plain http, and shows a refusal beside the field', async () => {
    const { host, wrapper } = await mountWithHost(ConnectionForm, { connection: fakeConnection() }, (host) =>
      host.answer('connections.edit', () => {
        throw new AppError('bad-input', 'store: /share does not exist; create the folder first')
      }),
    )
    expect(wrapper.find('[name=storeEndpoint]').exists()).toBe(false)
    await wrapper.find('[name=store]').setValue('s3://research/perpscope')
    await wrapper.find('[name=storeEndpoint]').setValue('http://10.0.0.7:9000')
    expect(wrapper.text()).toContain('Use this store without encryption')
    await wrapper.find('[name=store]').setValue('/share')
    expect(wrapper.text()).not.toContain('without encryption')
    await wrapper.find('form').trigger('submit')
    await flushPromises()
    expect(host.calls.at(-1)?.[1]).toMatchObject({ store: '/share', storeEndpoint: '', storePlainHttp: false })
    expect(wrapper.find('.error').text()).toBe('/share does not exist; create the folder first')
  })

  it('asks whether another address is the same service before files are kept', async () => {
    const before = fakeConnection({ metricsUrl: 'https://old.example' })
    const { host, wrapper } = await mountWithHost(ConnectionForm, { connection: before }, (host) =>
      host.answer('connections.edit', () => before),
    )
    expect(wrapper.text()).not.toContain('same service')
    await wrapper.find('[name=metricsUrl]').setValue('https://new.example')
    expect(wrapper.text()).toContain('Same service at a new address')
    await wrapper.find('input[type=checkbox]').setValue(true)
    await wrapper.find('form').trigger('submit')
    await flushPromises()
    expect(host.calls.at(-1)?.[1]).toMatchObject({ metricsUrl: 'https://new.example', sameService: true })
  })

  it('keeps what was typed and shows the core’s refusal in full', async () => {
    const { wrapper } = await mountWithHost(ConnectionForm, { connection: fakeConnection() }, (host) =>
      host.answer('connections.edit', () => {
        throw new AppError('conflict', 'A connection named “Desk” already exists.')
      }),
    )
    await wrapper.find('[name=name]').setValue('Other')
    await wrapper.find('form').trigger('submit')
    await flushPromises()
    const message = wrapper.find('[role=alert]').text()
    expect(message).toContain('The change conflicts with something that already exists.')
    expect(message).toContain('A connection named “Desk” already exists.')
    expect(message).toContain('Resolve the conflict, then try again.')
    expect(wrapper.find<HTMLInputElement>('[name=name]').element.value).toBe('Other')
  })
})

describe('a connection', () => {
  it('shows the end and the place of its key, accepts a new one and forgets what was typed', async () => {
    const keys = {
      metrics: { set: true, ending: 'ab3f', kept: 'run' },
      portfolio: { set: false, ending: null, kept: null },
    } as const
    const { host, wrapper } = await mountWithHost(ConnectionCard, { connection: fakeConnection({ keys }) }, (host) =>
      host.answer('keys.set', () => keys.metrics),
    )
    expect(wrapper.text()).toContain('set, ends in …ab3f, for this run only')
    await button(wrapper, 'Replace').trigger('click')
    const input = wrapper.find('input[type=password]')
    await input.setValue('two words')
    await wrapper.find('form').trigger('submit')
    expect(wrapper.text()).toContain('must be one word of printable ASCII characters')
    await input.setValue(' canary-key ')
    await wrapper.find('form').trigger('submit')
    await flushPromises()
    expect(host.calls.at(-1)).toEqual(['keys.set', { connectionId: 'desk', service: 'metrics', key: 'canary-key' }])
    expect(wrapper.find('input[type=password]').exists()).toBe(false)
    expect(wrapper.html()).not.toContain('canary')
  })

  it('shows its shared store, and takes the key of a bucket as ID:SECRET', async () => {
    const none = { set: false, ending: null, kept: null } as const
    const bucket = { store: 's3://research/perpscope', keys: { metrics: none, portfolio: none, store: none } }
    const { host, wrapper } = await mountWithHost(ConnectionCard, { connection: fakeConnection(bucket) }, (host) =>
      host.answer('keys.set', () => none),
    )
    expect(wrapper.text()).toContain('Shared stores3://research/perpscope at Amazon S3')
    const field = wrapper.findAllComponents(KeyField).find((each) => each.props('service') === 'store')!
    await field.find('button').trigger('click')
    await field.find('input').setValue('without-a-colon')
    await field.find('form').trigger('submit')
    expect(field.text()).toContain('must be ID:SECRET, with the colon')
    await field.find('input').setValue('team-id:canary-secret')
    await field.find('form').trigger('submit')
    await flushPromises()
    expect(host.calls.at(-1)).toEqual([
      'keys.set',
      { connectionId: 'desk', service: 'store', key: 'team-id:canary-secret' },
    ])
    expect(wrapper.html()).not.toContain('canary')
  })

  it('forgets a key only when asked twice', async () => {
    const keys = {
      metrics: { set: true, ending: null, kept: 'keychain' },
      portfolio: { set: false, ending: null, kept: null },
    } as const
    const { host, wrapper } = await mountWithHost(ConnectionCard, { connection: fakeConnection({ keys }) }, (host) =>
      host.answer('keys.remove', () => keys.portfolio),
    )
    await button(wrapper, 'Remove key').trigger('click')
    expect(host.calls.some(([name]) => name === 'keys.remove')).toBe(false)
    await button(wrapper, 'Remove this key').trigger('click')
    await flushPromises()
    expect(host.calls).toContainEqual(['keys.remove', { connectionId: 'desk', service: 'metrics' }])
  })

  it('tells service by service what a test found', async () => {
    const { wrapper } = await mountWithHost(ConnectionCard, { connection: fakeConnection() }, (host) =>
      host.answer('connections.test', () => [
        { service: 'metrics', outcome: 'ok', message: 'Answered in 20 ms.' },
        { service: 'portfolio', outcome: 'refused', message: 'The key was refused.' },
        { service: 'catalog', outcome: 'not-set', message: 'No location is set.' },
      ]),
    )
    await button(wrapper, 'Test connection').trigger('click')
    await flushPromises()
    expect(wrapper.findAll('.results li').map((each) => each.text().replace(/\s+/g, ' '))).toEqual([
      'MetricsworksAnswered in 20 ms.',
      'PortfoliorefusedThe key was refused.',
      'Raw-event catalognot setNo location is set.',
    ])
  })

  it('can stop a test that takes long', async () => {
    let signal: AbortSignal | undefined
    const { wrapper } = await mountWithHost(ConnectionCard, { connection: fakeConnection() }, (host) =>
      host.answer('connections.test', (_input, options) => {
        signal = options.signal
        return new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(new AppError('cancelled'))),
        )
      }),
    )
    await button(wrapper, 'Test connection').trigger('click')
    await button(wrapper, 'Cancel test').trigger('click')
    await flushPromises()
    expect(signal?.aborted).toBe(true)
    expect(wrapper.find('[role=alert]').exists()).toBe(false)
    button(wrapper, 'Test connection')
  })

  it('shows the service’s own words when the test fails as a whole', async () => {
    const service = { message: 'maintenance until noon', status: 503, requestId: 'r-7' }
    const { wrapper } = await mountWithHost(ConnectionCard, { connection: fakeConnection() }, (host) =>
      host.answer('connections.test', () => {
        throw new AppError('service', null, { service })
      }),
    )
    await button(wrapper, 'Test connection').trigger('click')
    await flushPromises()
    expect(wrapper.find('[role=alert]').text().replace(/\s+/g, ' ')).toContain(
      'The service (status 503, request r-7): maintenance until noon',
    )
  })

  it('that is built in can be neither edited nor removed', async () => {
    const { wrapper } = await mountWithHost(ConnectionCard, { connection: fakeConnection({ builtIn: true }) })
    expect(wrapper.findAll('button').map((each) => each.text())).toEqual(['Use', 'Test connection', 'Set server'])
    expect(wrapper.text()).toContain('synthetic data')
  })
})

it('says why the keychain cannot be used, and looks again when asked', async () => {
  const { wrapper } = await mountWithHost(KeychainState, {}, (host) =>
    host.answer('vault.status', ({ probeAgain }) => ({
      available: probeAgain,
      name: 'Secret Service',
      message: probeAgain ? null : 'No D-Bus session is running.',
    })),
  )
  await flushPromises()
  expect(wrapper.text()).toContain('No D-Bus session is running.')
  await button(wrapper, 'Check again').trigger('click')
  await flushPromises()
  expect(wrapper.text()).toContain('Keys are stored in Secret Service.')
})

describe('the focus, after work whose end comes late', () => {
  /** Opens the connections, adds one, and returns what its card and the end of adding it are. */
  async function addSlowly() {
    const desk = fakeConnection({ id: 'added', name: 'New desk', portfolioUrl: 'https://portfolio.example.com' })
    const { promise, resolve } = Promise.withResolvers<typeof desk>()
    const { host, wrapper } = await mountWithHost(ConnectionsSection, {}, (host) => {
      host.answer('connections.add', () => promise)
      host.answer('connections.engine', () => null)
    })
    await button(wrapper, 'Add connection').trigger('click')
    await wrapper.find('[name=name]').setValue('New desk')
    await wrapper.find('[name=metricsUrl]').setValue('https://desk.example.com')
    await wrapper.find('form').trigger('submit')
    host.emit('connections.changed', [...useConnections().list, desk])
    await flushPromises()
    const end = async () => {
      resolve(desk)
      await flushPromises()
    }
    return { host, wrapper, card: wrapper.get('#connection-added'), end }
  }

  it('goes from the form to the new connection', async () => {
    const { wrapper, card, end } = await addSlowly()
    wrapper.find<HTMLInputElement>('[name=name]').element.focus()
    await end()
    expect(document.activeElement).toBe(card.element)
  })

  it('stays where the user has gone meanwhile', async () => {
    const { host, wrapper, card, end } = await addSlowly()
    const [metrics, portfolio] = wrapper.findAllComponents(KeyField)
    await metrics.get('button').trigger('click')
    const field = metrics.get<HTMLInputElement>('input')
    expect(document.activeElement).toBe(field.element)
    await end()
    expect(document.activeElement).toBe(field.element)
    expect(wrapper.find('[name=name]').exists()).toBe(false)

    const stored = Promise.withResolvers<{ set: boolean; ending: string; kept: 'keychain' }>()
    host.answer('keys.set', () => stored.promise)
    await field.setValue('a-long-enough-key')
    await metrics.get('form').trigger('submit')
    await portfolio.get('button').trigger('click')
    stored.resolve({ set: true, ending: null as never, kept: 'keychain' })
    await flushPromises()
    expect(metrics.find('input').exists()).toBe(false)
    expect(document.activeElement).toBe(portfolio.get('input').element)
    expect(card.element.contains(document.activeElement)).toBe(true)
  })
})
