import { resultText } from '../text/messages.ts'
import { serveText as text } from '../text/commands.ts'
import { join } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
import { startWebHost } from '../../web/server.ts'
import { followLocalApiSetting } from '../../localApi/followSetting.ts'
import { openInBrowser } from '../browser.ts'
import type { App } from '#core/app.ts'
import { soleAction, exit, type CliCommand, type ExitStatus, type Invocation } from '../command.ts'
import { SERVE_UNIT, serveFile } from '#core/record/scheduleFiles.ts'
import { runSystemCommands, ownProgram, userFolders, thisPlatform, writeEntry } from '../systemEntry.ts'
import { findConnection } from '../connections.ts'
import { UsageError } from '../usageError.ts'
import { version } from '../version.ts'
import { portOption } from '../seriesOptions.ts'
import { Failure } from '../failure.ts'
import { rendererDir } from '../rendererDir.ts'
import { steadyPort } from '../steadyPort.ts'

export const command: CliCommand = {
  verb: 'serve',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope serve --open', 'perpscope serve --port 8765 --json', 'perpscope serve --api --json'],
  actions: [
    soleAction({
      summary: text.run.summary,
      options: {
        port: portOption(text.run.options.port),
        open: {
          type: 'flag',
          description: text.run.options.open,
        },
        install: { type: 'flag', description: text.run.options.install },
        api: { type: 'flag', description: text.run.options.api },
      },
      async run(invocation) {
        const { app, dataDir, options, out, signal } = invocation
        if (options.install) return installUnit(invocation)
        if (options.api) return serveLocalApi(invocation)
        const incomingDir = join(dataDir, 'incoming')
        const core = await app()
        const host = await startWebHost({
          app: core,
          port: options.port ?? steadyPort(dataDir),
          isPortOptional: options.port === undefined,
          rendererDir,
          incomingDir,
          onFault: (message, thrown) => core.reportFault('browser host', message, thrown),
        }).catch(throwFailure)
        const { url, port, token } = host
        const localApi = followLocalApiSetting({ app: core, version, dataDir, onFault: localApiFault(core) })
        out.result({ url, port, token }, () => [resultText.ready(url)])
        // Downloads start after the address is printed, so that they do not delay it.
        core.runDownloads()
        core.watchDocuments()
        void core.firstScreen.then(core.fetchSampleOnce)
        const opened = options.open ? await openInBrowser(url, dataDir) : null
        const { replacedIndex } = core
        if (replacedIndex !== null) out.problem(replacedIndex)
        if (opened && !opened.isStarted) out.note(opened.message)
        try {
          await untilAborted(signal)
        } finally {
          opened?.close()
          await localApi.close()
          await host.close()
        }
        return exit.done
      },
    }),
  ],
}

/** Writes and starts a systemd user unit that serves the app or the local API. */
async function installUnit({
  connection,
  dataDir,
  options: { api, open, port = DEFAULT_UNIT_PORT },
  out,
}: Invocation & { options: { api: boolean; open: boolean; port: number | undefined } }): Promise<ExitStatus> {
  if (open) throw new UsageError(text.run.noWindow)
  if (thisPlatform() !== 'linux') throw new Failure(text.run.noSystemd)
  const folders = userFolders(dataDir)
  const connectionOption = connection === undefined ? [] : ['--connection', connection]
  const args = [
    'serve',
    ...(api ? ['--api'] : []),
    '--port',
    String(port),
    '--data-dir',
    folders.dataDir,
    ...connectionOption,
  ]
  const file = serveFile(ownProgram(args), folders)
  writeEntry(file, 'linux')
  const refusal = await runSystemCommands([
    ['systemctl', '--user', 'daemon-reload'],
    ['systemctl', '--user', 'enable', '--now', SERVE_UNIT],
  ])
  out.result({ installed: refusal === null, file: file.path, port }, () => [text.run.unitWritten(file.path, port)])
  if (refusal === null) return exit.done
  out.problem(text.run.unitRefused(refusal))
  return exit.partial
}

const DEFAULT_UNIT_PORT = 8765

/** Serves the local API until the user interrupts the command; it downloads nothing and serves no windows. */
async function serveLocalApi({
  app,
  client,
  connection,
  dataDir,
  options,
  out,
  signal,
}: Invocation & { options: { port: number | undefined; open: boolean } }): Promise<ExitStatus> {
  if (options.open) throw new UsageError(text.run.noWindow)
  const [{ startLocalApi }, { createLocalApiAnswers }] = await Promise.all([
    import('../../localApi/server.ts'),
    import('../../localApi/answers.ts'),
  ])
  const core = await app()
  const id = connection === undefined ? '' : (await findConnection(await client(), connection)).id
  const answers = createLocalApiAnswers(core, version, id)
  const onFault = localApiFault(core)
  const localApi = await startLocalApi({ answers, version, dataDir, port: options.port ?? 0, onFault }).catch(
    throwFailure,
  )
  const { url, port, tokenFile } = localApi
  out.result({ url, port, tokenFile }, () => [text.run.localApiReady(url, tokenFile)])
  try {
    await untilAborted(signal)
  } finally {
    await localApi.close()
  }
  return exit.done
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

function throwFailure(thrown: unknown): never {
  if (thrown instanceof AppError && thrown.code === 'conflict' && thrown.detail) throw new Failure(thrown.detail)
  throw thrown
}

const localApiFault = (core: App) => (message: string, thrown: unknown) =>
  core.reportFault('local API', message, thrown)
