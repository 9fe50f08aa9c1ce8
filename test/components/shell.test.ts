import { flushPromises, mount } from '@vue/test-utils'
import { createPinia } from 'pinia'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Component, createApp, defineComponent, h, nextTick, ref } from 'vue'
import type { AppInfo } from '#shared/contract/areas/app.ts'
import { commandIds } from '#shared/contract/commandIds.ts'
import { AppError } from '#shared/contract/errors.ts'
import ErrorBoundary from '../../renderer/components/ErrorBoundary.vue'
import { keyCaps } from '../../renderer/components/keyCaps.ts'
import MenuButton from '../../renderer/components/MenuButton.vue'
import NavRail from '../../renderer/shell/NavRail.vue'
import CommandPalette from '../../renderer/shell/CommandPalette.vue'
import { paletteEntries } from '../../renderer/shell/palette.ts'
import { nextZoom, connectionCommands, shellCommands } from '../../renderer/shell/shellCommands.ts'
import { createWindowRouter, startWindow } from '../../renderer/router.ts'
import { screens } from '../../renderer/screens.ts'
import { useCommands } from '../../renderer/stores/commands.ts'
import NotFoundView from '../../renderer/views/NotFoundView.vue'
import AppearanceSection from '../../renderer/views/settings/AppearanceSection.vue'
import DownloadsSection from '../../renderer/views/settings/DownloadsSection.vue'
import SelfCheck from '../../renderer/views/settings/SelfCheck.vue'
import { useWorkbenchCommands, type WorkbenchHandlers } from '../../renderer/views/workbench/useWorkbenchCommands.ts'
import { fakeConnection } from '../fakes/fakeWindowHost.ts'
import { button, mountWithHost } from './mountWithHost.ts'

// The window waits for idle time before some work; this environment has no such function.
globalThis.requestIdleCallback ??= (work) => Number(setTimeout(work))
afterEach(() => document.body.replaceChildren())

describe('a screen that crashes', () => {
  it('leaves the rest alive, says so and can be loaded again', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const isBroken = ref(true)
    const Screen = defineComponent(() => () => {
      if (isBroken.value) throw new Error('no such column')
      return h('p', 'all is well')
    })
    const wrapper = mount(() => h('div', ['rail', h(ErrorBoundary, () => h(Screen))]))
    await nextTick()
    expect(wrapper.text()).toContain('rail')
    expect(wrapper.text()).toContain('This screen stopped working')
    expect(wrapper.text()).toContain('no such column')
    isBroken.value = false
    await button(wrapper, 'Reload this screen').trigger('click')
    expect(wrapper.text()).toBe('railall is well')
  })
})

describe('the palette', () => {
  const openPalette = async (providers = true) => {
    const mounted = await mountWithHost(CommandPalette)
    const commands = useCommands()
    const ran: string[] = []
    commands.register(
      ['Workbench', 'Catalog', 'Coverage'].map((title) => ({
        id: title,
        title,
        group: 'Go to' as const,
        run: () => ran.push(title),
      })),
    )
    if (providers) {
      commands.provide({
        heading: 'Symbols',
        find: async (query) => [
          {
            id: 's1',
            title: `${query}-USDT`,
            hint: 'perpetual',
            isExact: query === 'work',
            run: () => ran.push(query),
          },
        ],
      })
    }
    await flushPromises()
    const input = document.querySelector<HTMLInputElement>('[role=combobox]')!
    const type = async (text: string) => {
      input.value = text
      input.dispatchEvent(new Event('input'))
      await flushPromises()
    }
    const press = async (key: string) => {
      input.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
      await flushPromises()
    }
    const selected = () => document.querySelector('[aria-selected=true] .title')?.textContent
    return { ...mounted, ran, input, type, press, selected }
  }

  it('is a combobox: arrows go round, what is marked is announced, Enter runs it', async () => {
    const { input, press, selected, ran } = await openPalette()
    expect(selected()).toBe('Workbench')
    await press('ArrowUp')
    expect(selected()).toBe('Coverage')
    await press('ArrowDown')
    await press('ArrowDown')
    expect(selected()).toBe('Catalog')
    const active = document.getElementById(input.getAttribute('aria-activedescendant')!)
    expect(active?.textContent).toContain('Catalog')
    await press('Enter')
    expect(ran).toEqual(['Catalog'])
    expect(useCommands().recent).toEqual(['Catalog'])
  })

  it('also finds what providers know, after the commands', async () => {
    const { type, press, selected, ran } = await openPalette()
    await type('BTC')
    expect(selected()).toBe('BTC-USDT')
    await press('Enter')
    expect(ran).toEqual(['BTC'])
  })

  it('shows what a query names before every command that holds its letters, and waits for it', async () => {
    const { type, press, ran } = await openPalette()
    await type('work')
    expect(document.querySelector('[role=listbox] .heading')?.textContent).toBe('Best match')
    await press('Enter')
    expect(ran).toEqual(['work'])
  })

  it('runs what changes something only by its name or by a second Enter', async () => {
    const { type, press, ran } = await openPalette(false)
    useCommands().register([
      { id: 'dark', title: 'Dark theme', group: 'View', changesState: true, run: () => ran.push('dark') },
    ])
    await type('dark')
    await press('Enter')
    expect(ran).toEqual([])
    expect(document.querySelector('[aria-selected=true]')?.textContent).toContain('Press Enter again to run')
    await press('Enter')
    expect(ran).toEqual(['dark'])
  })

  it('with Enter waits for what the words find, and does not run what the letters before found', async () => {
    const { input, type, press, ran } = await openPalette(false)
    const answers: (() => void)[] = []
    useCommands().provide({
      heading: 'Symbols',
      find: (query) =>
        new Promise((resolve) => {
          answers.push(() =>
            resolve([{ id: query, title: query, hint: '', isExact: false, run: () => ran.push(query) }]),
          )
        }),
    })
    await type('BT')
    answers[0]()
    await flushPromises()
    await type('BTX')
    await press('Enter')
    expect(ran).toEqual([])
    answers[1]()
    await flushPromises()
    expect(ran).toEqual(['BTX'])
    expect(input.value).toBe('BTX')
  })

  it('keeps the mark on its entry while more is found, and says that nothing is found only once it has looked', async () => {
    const { type, press, selected, ran } = await openPalette(false)
    const found: ((titles: string[]) => void)[] = []
    useCommands().provide({
      heading: 'Symbols',
      find: () =>
        new Promise((resolve) => {
          found.push((titles) =>
            resolve(
              titles.map((title) => ({ id: title, title, hint: '', isExact: false, run: () => ran.push(title) })),
            ),
          )
        }),
    })
    await type('BT')
    expect(document.body.textContent).not.toContain('Nothing is called')
    found[0](['BTA', 'BTC', 'BTZ'])
    await flushPromises()
    await type('BTC')
    await press('ArrowDown')
    expect(selected()).toBe('BTC')
    found[1](['BTC', 'BTCB'])
    await flushPromises()
    expect(selected()).toBe('BTC')
    await press('Enter')
    expect(ran).toEqual(['BTC'])
  })

  it('says when nothing is found, and Enter then does nothing', async () => {
    const { type, press, ran } = await openPalette(false)
    await type('qqq')
    expect(document.body.textContent).toContain('No results for “qqq”')
    await press('Enter')
    expect(ran).toEqual([])
  })
})

it('opens a menu by key, moves in it, chooses, and gives the focus back', async () => {
  const wrapper = mount(MenuButton, {
    attachTo: document.body,
    props: {
      label: 'Connection',
      items: [
        { id: 'a', title: 'Sandbox', checked: true },
        { id: 'b', title: 'Desk', checked: false },
      ],
    },
    slots: { default: () => 'Sandbox' },
  })
  const opener = wrapper.find('.opener')
  await opener.trigger('keydown', { key: 'ArrowDown' })
  await nextTick()
  expect(document.activeElement?.textContent).toContain('Sandbox')
  await wrapper.find('[role=menu]').trigger('keydown', { key: 'ArrowDown' })
  expect(document.activeElement?.textContent).toContain('Desk')
  await wrapper.find('[role=menu]').trigger('keydown', { key: 'Escape' })
  expect(document.activeElement).toBe(opener.element)
  await opener.trigger('click')
  await wrapper.findAll('[role=menuitemradio]')[1].trigger('click')
  expect(wrapper.emitted('choose')).toEqual([['b']])
  wrapper.unmount()
})

describe('settings', () => {
  it('change at the touch of a choice', async () => {
    const { host, wrapper } = await mountWithHost(AppearanceSection)
    await wrapper.findAll('input[type=radio]')[1].setValue()
    expect(host.calls.at(-1)).toEqual(['settings.change', { theme: 'dark' }])
  })

  it('take numbers that make sense, say what is wrong with others, and know what empty means', async () => {
    const { host, wrapper } = await mountWithHost(DownloadsSection)
    const [files, ofOneService, rate] = wrapper.findAll('input[inputmode=decimal]')
    const enter = async (field: typeof files, text: string) => {
      await field.setValue(text)
      await field.trigger('blur')
      await flushPromises()
    }
    await enter(files, '99')
    expect(wrapper.text()).toContain('must be from 1 to 32')
    await enter(files, 'many')
    expect(wrapper.text()).toContain('must be a whole number')
    expect(host.calls.some(([name]) => name === 'settings.change')).toBe(false)
    await enter(files, '12')
    await enter(ofOneService, '4')
    await enter(rate, '2,5')
    await enter(rate, '')
    expect(host.calls.filter(([name]) => name === 'settings.change').map(([, patch]) => patch)).toEqual([
      { downloadConcurrency: 12 },
      { downloadHostConcurrency: 4 },
      { downloadRateCapMb: 2.5 },
      { downloadRateCapMb: null },
    ])
    expect(wrapper.find('.error').exists()).toBe(false)
  })
})

describe('the self-check', () => {
  it('shows how far it is and can be cancelled', async () => {
    const { wrapper } = await mountWithHost(SelfCheck, {}, (host) =>
      host.answer('app.check', (_input, { signal, onProgress }) => {
        onProgress?.({ done: 1, total: 3, message: 'Index' })
        return new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(new AppError('cancelled'))),
        )
      }),
    )
    await button(wrapper, 'Run self-check').trigger('click')
    await flushPromises()
    expect(wrapper.text()).toContain('Index')
    expect(wrapper.find('progress').attributes()).toMatchObject({ value: '1', max: '3' })
    await button(wrapper, 'Cancel').trigger('click')
    await flushPromises()
    expect(wrapper.text()).toContain('Cancelled.')
    button(wrapper, 'Run self-check')
  })

  it('tells good from bad by more than a colour', async () => {
    const { wrapper } = await mountWithHost(SelfCheck, {}, (host) =>
      host.answer('app.check', () => [
        { name: 'Data folder', ok: true, message: 'can be written' },
        { name: 'Keychain', ok: false, message: 'no session' },
      ]),
    )
    await button(wrapper, 'Run self-check').trigger('click')
    await flushPromises()
    expect(wrapper.findAll('li').map((each) => each.text())).toEqual([
      expect.stringContaining('passed: can be written'),
      expect.stringContaining('failed: no session'),
    ])
  })
})

it('knows every command that a menu outside the window may choose, each id and each shortcut once', async () => {
  const { router } = await mountWithHost(AppearanceSection)
  const commands = shellCommands({ router, hasOwnWindow: true, openPalette: () => {}, openShortcuts: () => {} })
  const ids = commands.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining([...commandIds]))
  expect(new Set(ids).size).toBe(ids.length)
  const shortcuts = commands.flatMap((command) => command.shortcuts ?? [])
  expect(new Set(shortcuts).size).toBe(shortcuts.length)
})

it.each([
  ['watchlist', 'go.watch'],
  ['backtest', 'go.lab'],
  ['lead-lag', 'go.lab'],
  ['universe', 'go.portfolios'],
  ['api key', 'go.settings'],
  ['light', 'theme.toggle'],
])('finds what an analyst calls “%s”', async (words, id) => {
  const { router } = await mountWithHost(AppearanceSection)
  const commands = shellCommands({ router, hasOwnWindow: true, openPalette: () => {}, openShortcuts: () => {} })
  expect(paletteEntries(commands, words, []).map(({ entry }) => entry.id)).toContain(id)
})

it('goes to an address that is given while the first screen is still loading', async () => {
  const typed = new HashChangeEvent('hashchange', { newURL: 'http://localhost/#/nowhere' })
  // Unlike browsers, happy-dom also fires hashchange for addresses that the router sets itself.
  const onlyTyped = (event: Event) => event !== typed && event.stopImmediatePropagation()
  window.addEventListener('hashchange', onlyTyped)
  // Another test file in this process may have left its address.
  window.location.hash = ''
  const router = createWindowRouter()
  const app = createApp({ template: '<i />' }).use(createPinia()).use(router)
  onTestFinished(() => {
    app.unmount()
    window.removeEventListener('hashchange', onlyTyped)
    window.location.hash = ''
  })
  window.dispatchEvent(typed)
  await router.isReady()
  expect(router.currentRoute.value.fullPath).toBe('/workbench')
  const isThere = () => expect(router.currentRoute.value.fullPath).toBe('/nowhere')
  await vi.waitFor(isThere, { timeout: 30_000 })
})

it('names the window after the screen that is shown, not after one that another navigation overtook', async () => {
  const router = createWindowRouter()
  await router.push('/settings')
  const overtaken = router.push('/coverage')
  await router.push('/settings')
  await overtaken
  expect(router.currentRoute.value.path).toBe('/settings')
  expect(document.title).toBe('Settings · Perpscope')
})

it.each([
  ['/downloads/queue', '/downloads', 'Downloads'],
  ['/workbench/chart', '/workbench', 'Workbench'],
  ['/lab/studies', '/lab', 'Lab'],
])('opens the first tab at %s, as its name is typed', async (typed, path, title) => {
  const router = createWindowRouter()
  await router.push(typed)
  expect([router.currentRoute.value.path, document.title]).toEqual([path, `${title} · Perpscope`])
})

it.each([
  ['/raw/zzz', 'Raw events has no such page', '/raw'],
  ['/quality/x/y', 'Quality has no such page', '/quality'],
  ['/rawest/zzz', 'There is no such screen', '/workbench'],
])('leads on from the unknown address %s', async (address, title, to) => {
  const { wrapper, router } = await mountWithHost(NotFoundView, { screens })
  await router.push(address)
  await flushPromises()
  expect(wrapper.find('h1, h2').text()).toBe(title)
  expect(wrapper.find('a').attributes('href')).toBe(to)
})

it('names a menu button once where its content is its label', () => {
  const nameOf = (isLabelled: boolean, content: string) =>
    mount(MenuButton, { props: { label: 'Saved scans', items: [], isLabelled }, slots: { default: content } })
      .find('button')
      .text()
  expect(nameOf(true, 'Saved scans')).toBe('Saved scans')
  expect(nameOf(false, 'hourly')).toBe('Saved scans:hourly')
})

it('goes where a link leads and does what a menu says', async () => {
  const { host, router } = await mountWithHost(AppearanceSection)
  host.answer('app.info', () => ({ version: '1', host: 'desktop' }) as AppInfo)
  await startWindow(host, router)
  host.emit('links.opened', { address: '#/coverage' })
  await flushPromises()
  expect(router.currentRoute.value.path).toBe('/coverage')
  const run = vi.fn()
  useCommands().register([{ id: 'help.about', title: 'About', group: 'Help', run }])
  host.emit('menu.chosen', { command: 'help.about' })
  host.emit('menu.chosen', { command: 'no.such' })
  expect(run).toHaveBeenCalledOnce()
})

it('tells the host when its first screen is shown, and does not mind a host that is gone by then', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  vi.stubGlobal('requestIdleCallback', (work: () => void) => work())
  try {
    const { host, router } = await mountWithHost(AppearanceSection)
    host.answer('app.info', () => ({ version: '1', host: 'desktop' }) as AppInfo)
    const shown = vi.fn(() => {
      throw new AppError('disconnected')
    })
    host.answer('app.shown', shown)
    await startWindow(host, router)
    await router.push('/catalog')
    await flushPromises()
    expect(shown).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1000)
    await flushPromises()
    expect(shown).toHaveBeenCalledOnce()
  } finally {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  }
})

it('leads back to where one was on a screen, and from there to its beginning', async () => {
  const { host, router, wrapper } = await mountWithHost(NavRail, { hasOwnWindow: false })
  host.answer('app.info', () => ({ version: '1', host: 'desktop' }) as AppInfo)
  for (const name of ['portfolios', 'downloads', 'catalog', 'coverage'])
    router.addRoute({ name, path: `/${name}/:rest*`, component: { template: '<i />' } })
  await startWindow(host, router)
  await router.push('/portfolios/weights?portfolio=a.20')
  await router.push('/downloads/new?start=2026-01-01')
  await router.push('/catalog')
  await nextTick()
  const address = (title: string) => wrapper.find(`a[title^="${title}"]`).attributes('href')
  expect(address('Portfolios')).toBe('/portfolios/weights?portfolio=a.20')
  expect(address('Downloads')).toBe('/downloads')
  expect(address('Data')).toBe('/catalog')
  await router.push('/coverage/metrics')
  await router.push(address('Portfolios')!)
  await nextTick()
  expect(address('Portfolios')).toBe('/portfolios')
  // A place of several screens leads back to the one that was shown last.
  expect(address('Data')).toBe('/coverage/metrics')
})

it('leads back to where one was also while the screen in between is loading', async () => {
  const { host, router, wrapper } = await mountWithHost(NavRail, { hasOwnWindow: false })
  host.answer('app.info', () => ({ version: '1', host: 'desktop' }) as AppInfo)
  const loading = Promise.withResolvers<Component>()
  router.addRoute({ name: 'portfolios', path: '/portfolios/:rest*', component: { template: '<i />' } })
  router.addRoute({ name: 'settings', path: '/settings', component: () => loading.promise })
  await startWindow(host, router)
  await router.push('/portfolios/weights?portfolio=a.20')
  const link = (title: string) => wrapper.find(`a[title^="${title}"]`)
  await link('Settings').trigger('click')
  await flushPromises()
  await link('Portfolios').trigger('click')
  loading.resolve({ template: '<i />' })
  await flushPromises()
  expect(router.currentRoute.value.fullPath).toBe('/portfolios/weights?portfolio=a.20')
})

it('offers to use each connection that is not in use', async () => {
  await mountWithHost(AppearanceSection, {}, (host) =>
    host.answer('connections.list', () => [fakeConnection({ active: true }), fakeConnection({ id: 'b', name: 'B' })]),
  )
  expect(connectionCommands().map(({ title }) => title)).toEqual(['Use connection: B'])
  expect(connectionCommands().every(({ changesState }) => changesState)).toBe(true)
})

it('marks the commands of the workbench that change something', async () => {
  const handlers = new Proxy({}, { get: () => () => {} }) as WorkbenchHandlers
  await mountWithHost(
    defineComponent(() => {
      useWorkbenchCommands(handlers)
      return () => h('i')
    }),
  )
  const changingIds = ['workspace.new', 'workspace.rename', 'workspace.duplicate', 'workspace.remove']
  const marked = useCommands().offered.flatMap(({ id, changesState }) => (changesState ? id : []))
  expect(marked.filter((id) => changingIds.includes(id))).toEqual(changingIds)
})

it('zooms in steps and stays at the ends', () => {
  expect([nextZoom(1, 1), nextZoom(1, -1), nextZoom(2, 1), nextZoom(0.5, -1), nextZoom(0.93, 1)]).toEqual([
    1.1, 0.9, 2, 0.5, 1,
  ])
})

it('writes shortcuts as the caps of the keyboard', () => {
  expect(keyCaps('g w')).toEqual([['G'], ['W']])
  expect(keyCaps('Mod+=')).toEqual([['Ctrl', '+']])
  expect(keyCaps('?')).toEqual([['?']])
})
