import { expect, test } from 'vitest'
import { axeFindings } from './axe.ts'
import { openShell, useBrowser } from './harness.ts'

useBrowser()

test('the guide opens from the rail and from the sheet of shortcuts, is searched, and leads on', async () => {
  const { page } = await openShell()
  await page.getByRole('link', { name: 'Guide' }).click()
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
  expect(await axeFindings(page)).toEqual([])

  await page.getByRole('searchbox', { name: 'Search the guide' }).fill('duckdb hive')
  const hits = page.getByRole('navigation', { name: 'Sections of the guide' }).getByRole('link')
  await hits.filter({ hasText: 'Outgrowing the laptop' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Outgrowing the laptop' }).waitFor()
  expect(page.url()).toContain('#/guide/outgrowing?q=duckdb')
  expect(await axeFindings(page)).toEqual([])

  await page.getByRole('link', { name: 'data folder' }).click()
  await page.getByRole('heading', { name: 'Where your data is stored' }).waitFor()

  await page.getByRole('link', { name: 'Data', exact: true }).click()
  await page.keyboard.press('?')
  await page.getByRole('link', { name: 'user guide' }).click()
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
})

test('the licences of everything in the program are in the settings, from the build itself', async () => {
  const { page } = await openShell()
  await page.evaluate(() => (location.hash = '#/settings/about'))
  await page.getByText('Packages and their licences').click()
  const entry = page.getByRole('listitem').filter({ hasText: 'better-sqlite3' }).first()
  await entry.waitFor()
  await entry.getByText('better-sqlite3').click()
  await entry.getByText('Permission is hereby granted').waitFor()
  expect(await axeFindings(page)).toEqual([])
})
