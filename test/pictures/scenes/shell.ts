import { cell, chart, dark, dialog, escape, light, press, visit, type Scene } from './scene.ts'

const section = (name: string, view: typeof dark): Scene => ({
  name: `settings-${name}`,
  views: [view],
  open: visit(`settings/${name}`, 'main h1'),
})

export const settings: readonly Scene[] = [
  section('connections', dark),
  section('appearance', light),
  section('time', dark),
  section('downloads', light),
  section('cache', dark),
  {
    name: 'settings-requests',
    mask: '[role=gridcell][aria-colindex="6"]',
    async open({ client, reload }) {
      await client.call('requests.clear', {})
      await client.call('discovery.catalog', { refresh: true })
      await client.call('discovery.rawCatalog', { refresh: true })
      await reload('settings/requests', cell)
    },
  },
  section('about', light),
]

export const shell: readonly Scene[] = [
  { name: 'guide', open: visit('guide', 'main h1') },
  { name: 'guide-formulas', views: [light], open: visit('guide/formulas', 'main h1') },
  { name: 'common-parts', views: [dark, light], showsCommonParts: true, open: visit('nowhere', 'main h1') },
  {
    name: 'palette',
    views: [dark, light],
    async open(stage) {
      await stage.reload('workbench', chart)
      await press(stage, 'Control+k', dialog)
    },
  },
  {
    name: 'palette-search',
    async open({ page }) {
      await page.keyboard.type('funding')
    },
    close: escape,
  },
  { name: 'shortcuts', views: [light], open: (stage) => press(stage, '?', dialog), close: escape },
  {
    name: 'offline',
    async open({ client, reload }) {
      await client.call('settings.change', { offline: true })
      await reload('workbench', chart)
    },
  },
]
