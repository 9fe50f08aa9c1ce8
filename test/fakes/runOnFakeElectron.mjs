/** Runs a built main program (first argument) on the fake Electron and prints what it did as JSON. */
import { registerHooks } from 'node:module'
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const fake = new URL('./electron.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: fake, shortCircuit: true } : next(specifier, context),
})

const { app, desktop } = await import(fake)
const { FakeWindow } = await import(new URL('./electronWindow.ts', import.meta.url).href)
await import(pathToFileURL(process.argv[2]).href)
const stepsBeforeReady = [...desktop.steps]
const created = new Promise((resolve) => app.once('web-contents-created', resolve))
app.beReady()
await created
const [window] = FakeWindow.open
const page = await desktop.handlers.get('app')({ url: window.loaded[0] ?? 'app://perpscope/index.html', method: 'GET' })
console.log(
  JSON.stringify({
    stepsBeforeReady,
    preloadExists: existsSync(window.options.webPreferences.preload),
    pageStatus: page.status,
    policy: page.headers.get('Content-Security-Policy'),
    dialogs: desktop.dialogs,
  }),
)
app.quit()
