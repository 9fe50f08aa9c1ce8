import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createRouter, createMemoryHistory } from 'vue-router'
import { mount } from '@vue/test-utils'
import { formulaFunctions } from '#shared/formula/functionTable.ts'
import { commandLines } from '#shared/contract/commandLines.ts'
import { createWindowRouter } from '../../renderer/router.ts'
import { screenNames } from '#shared/contract/screenNames.ts'
import { screens } from '../../renderer/screens.ts'
import { resampleText } from '#shared/catalog/columnText.ts'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { playbooksFor } from '#shared/contract/playbooks/playbooks.ts'
import { findGuidePages } from '../../renderer/views/guide/findGuidePages.ts'
import { guide } from '../../renderer/views/guide/guide.ts'
import { jobPageOf } from '../../renderer/views/guide/jobPages.ts'
import { picturesOf } from '../../renderer/views/guide/pictures.ts'
import GuideView from '../../renderer/views/guide/GuideView.vue'
import { searchGuide, textOfBlock, inlineParts } from '../../renderer/views/guide/guideSection.ts'
import { useHost } from '../../renderer/stores/host.ts'
import { fakeWindowHost } from '../fakes/fakeWindowHost.ts'

beforeEach(() => {
  setActivePinia(createPinia())
  useHost().provide(fakeWindowHost())
})

const textOf = (id: string) =>
  guide
    .find((section) => section.id === id)!
    .blocks.map(textOfBlock)
    .join('\n')

describe('the guide', () => {
  test('has a section for every screen, and one address for every section', () => {
    expect(guide.flatMap((section) => section.screens ?? []).sort()).toEqual(screens.map(({ name }) => name).sort())
    expect(new Set(guide.map(({ id }) => id)).size).toBe(guide.length)
  })

  test('names every command of the command line', () => {
    const text = textOf('command-line')
    for (const verb of Object.keys(commandLines)) expect(text).toContain(`perpscope ${verb}`)
  })

  test('explains every function of formulas, as the language has it', () => {
    const text = textOf('formulas')
    for (const { name, description } of formulaFunctions) {
      expect(text).toContain(`${name}(`)
      expect(text).toContain(description)
    }
  })

  test('says of every column whether resampling it is exact, how far off it may be, or that it is not possible', () => {
    const { blocks } = guide.find(({ id }) => id === 'resampling')!
    const below = (heading: string) => {
      const at = blocks.findIndex(
        (block) => typeof block === 'object' && 'heading' in block && block.heading === heading,
      )
      return textOfBlock(blocks[at + 1])
    }
    const [exact, approximate, impossible] = ['Exact', 'Approximate, with error bound', 'Not possible'].map(below)
    for (const { id, columns } of metricDatasets) {
      for (const { name, resample } of columns) {
        const part = resample.how === 'none' ? impossible : resample.approximation ? approximate : exact
        expect(part).toContain(`${id}.${name} ${resampleText(resample)}.`)
      }
    }
    expect(approximate).toContain(
      'run_structure.buy_run_max_len Maximum of the rows; approximation (off by up to 50 % on reference days, 58 % on uneven days)',
    )
    expect(exact).toContain('updownticks.uptick_count ')
  })

  test('leads to each screen by the name that links know', () => {
    expect(screens.map(({ name }) => name)).toEqual(screenNames)
  })

  test('links only to screens that exist', () => {
    const router = createWindowRouter()
    const sections = guide.map(({ id }) => id)
    const links = guide.flatMap(({ blocks }) =>
      inlineParts(JSON.stringify(blocks)).flatMap(({ address }) => address ?? []),
    )
    expect(links.length).toBeGreaterThan(10)
    for (const address of links) {
      const { name, params } = router.resolve(address)
      expect(name, address).not.toBe('not-found')
      if (name === 'guide' && params.section) expect(sections).toContain(params.section)
    }
  })

  test('names the data folder of each system as the code does', () => {
    const places = textOf('data-folder')
    const code = readFileSync('electron/core/dataDir.ts', 'utf8')
    for (const part of ['Application Support', 'APPDATA', '.local']) {
      expect(code).toContain(part)
      expect(places).toContain(part)
    }
  })
})

describe('the pages of jobs', () => {
  const playbooks = playbooksFor({ venue: null, symbol: '', portfolio: '', nowMs: 0 })

  test.each(playbooks.map(({ id, name }) => [name, id]))('explain the playbook “%s” with a picture', (name, id) => {
    const page = guide.find((section) => section.id === jobPageOf(id))!
    expect(page.title).toBe(`Job: ${name.toLowerCase()}`)
    const pictures = page.blocks.flatMap((block) =>
      typeof block === 'object' && 'picture' in block ? block.picture : [],
    )
    expect(pictures).toHaveLength(1)
    for (const address of Object.values(picturesOf(pictures[0]))) {
      const file = readFileSync(join('renderer', address.replace(/^\/renderer/, '')))
      expect(file.subarray(8, 12).toString()).toBe('WEBP')
    }
    expect(textOf(page.id)).toContain(`--from ${id}`)
  })

  test('are found from the palette by what one would call the job', async () => {
    expect(findGuidePages('cost of holding').map(({ id }) => id)).toEqual(['job-funding'])
    expect(findGuidePages('squeeze')[0].id).toBe('job-crowding')
    expect(findGuidePages('')).toEqual([])
  })
})

describe('its search', () => {
  test.each([
    ['duckdb', 'outgrowing'],
    ['keychain linux', 'connections'],
    ['ZSCORE', 'formulas'],
    ['z-score', 'formulas'],
    ['compare clocks', 'workbench'],
    ['proxy', 'troubleshooting'],
    ['perpscope prune', 'command-line'],
    ['tear sheet', 'portfolios'],
    ['CVaR', 'portfolios'],
    ['Clock-Lens', 'workbench'],
  ])('“%s” leads to %s', (query, id) => {
    expect(searchGuide(guide, query).map(({ section }) => section.id)).toContain(id)
  })

  test('shows where the words stand, and everything where there are none', () => {
    expect(searchGuide(guide, 'clickhouse')[0].excerpt.toLowerCase()).toContain('clickhouse')
    expect(searchGuide(guide, '  ')).toHaveLength(guide.length)
    expect(searchGuide(guide, 'nowhere-to-be-found')).toEqual([])
  })
})

test('the screen searches while one types, and opens the first hit', async () => {
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [
      { path: '/guide/:section?', component: GuideView },
      { path: '/:rest(.*)*', component: GuideView },
    ],
  })
  await router.push('/guide')
  const wrapper = mount(GuideView, { global: { plugins: [router] } })
  expect(wrapper.get('h1').text()).toBe(guide[0].title)
  await wrapper.get('input').setValue('spark clickhouse')
  expect(wrapper.findAll('nav a').map((link) => link.get('span').text())).toEqual(['Outgrowing the laptop'])
  await wrapper.get('form').trigger('submit')
  await flushPromises()
  expect(router.currentRoute.value.fullPath).toContain('/guide/outgrowing')
  expect(wrapper.get('h1').text()).toBe('Outgrowing the laptop')
  await wrapper.get('input').setValue('qqqq')
  expect(wrapper.get('[role=status]').text()).toContain('No section')
})

test('a section lists its headings, which one click reaches, and opens its screen', async () => {
  const router = createWindowRouter()
  await router.push('/guide/sql')
  const wrapper = mount(GuideView, { attachTo: document.body, global: { plugins: [router] } })
  onTestFinished(() => wrapper.unmount())
  const beside = wrapper.get('aside')
  expect(beside.get('a').text()).toBe('Open SQL')
  expect(beside.get('a').attributes('href')).toBe('#/sql')
  await beside
    .findAll('button')
    .find((each) => each.text() === 'Units')!
    .trigger('click')
  expect(document.activeElement?.outerHTML).toMatch(/^<h2[^>]*>Units<\/h2>$/)
  await router.push('/guide/first-steps')
  await flushPromises()
  expect(wrapper.find('aside').exists()).toBe(false)
  expect(wrapper.text()).not.toContain('Section not found')
})
