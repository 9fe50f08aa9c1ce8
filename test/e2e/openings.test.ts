import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { workspaceFile } from '#shared/workspace/workspaceFile.ts'
import { app, fakeEvent } from '../fakes/electron.ts'
import { FakeWindow } from '../fakes/electronWindow.ts'
import { startOnFake } from '../fakes/startedDesktop.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { servePages } from './bridge/bridgeHost.ts'
import { face, openWindow, rendererDir, useBrowser } from './harness.ts'

useBrowser()

it('opens the workspace whose file started the desktop app, in place of the sample, and the link of a second start', async ({
  skip,
}) => {
  skip(face === 'electron', 'it joins the fake of Electron to Chromium')
  const file = join(temporaryFolder(), 'Funding desk.PERPSCOPE')
  writeFileSync(file, workspaceFile.write('Funding desk', emptyDocument()))
  await startOnFake([file])
  const [window] = FakeWindow.open
  const pages = await servePages(rendererDir, () => window)
  onTestFinished(pages.close)
  // The app was started with the file, before there was a page that could receive it.
  const { page } = await openWindow(pages.url, { through: 'bridge' })
  window.finishLoading()
  await page.getByRole('button', { name: 'Remove sample data' }).waitFor()
  await page.getByRole('button', { name: /Funding desk/ }).waitFor()
  expect(new URL(page.url()).hash).toBe('#/workbench')
  app.emit('second-instance', fakeEvent(), ['/electron', '/app', 'PERPSCOPE://sql'], '/')
  await expect.poll(() => new URL(page.url()).hash).toBe('#/sql')
  await expect.poll(() => page.title()).toBe('SQL · Perpscope')
})
