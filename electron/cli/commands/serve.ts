import { resultText } from '../text/messages.ts'
import { serveText as text } from '../text/commands.ts'
import { join } from 'node:path'
import { stackOf } from '#core/diagnosis/crashReports.ts'
import { createFileLog } from '#core/log/fileLog.ts'
import { AppError } from '#shared/contract/errors.ts'
import { startWebHost } from '../../web/server.ts'
import { openInBrowser } from '../browser.ts'
import { soleAction, exit, type Command } from '../command.ts'
import { portOption } from '../seriesOptions.ts'
import { Failure } from '../failure.ts'
import { rendererDir } from '../rendererDir.ts'

export const command: Command = {
  verb: 'serve',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope serve --open', 'perpscope serve --port 8765 --json'],
  actions: [
    soleAction({
      summary: text.run.summary,
      options: {
        port: portOption(text.run.options.port),
        open: {
          type: 'flag',
          description: text.run.options.open,
        },
      },
      async run({ app, dataDir, options, out, signal }) {
        const incomingDir = join(dataDir, 'incoming')
        const log = createFileLog(dataDir)
        const core = await app()
        const host = await startWebHost({
          app: core,
          port: options.port ?? 0,
          rendererDir,
          incomingDir,
          onFault(message, thrown) {
            log.write('error', `${message}: ${describeFault(thrown)}`)
            core.crashes.write({ process: 'browser host', reason: 'a request failed inside', detail: stackOf(thrown) })
          },
        }).catch((thrown: unknown) => {
          if (thrown instanceof AppError && thrown.code === 'conflict' && thrown.detail)
            throw new Failure(thrown.detail)
          throw thrown
        })
        const { url, port, token } = host
        out.result({ url, port, token }, () => [resultText.ready(url)])
        // Downloads start after the address is printed, so that they do not delay it.
        core.runDownloads()
        void core.firstScreen.then(core.fetchSampleOnce)
        const opened = options.open ? await openInBrowser(url, dataDir) : null
        if (opened && !opened.shown) out.note(opened.message)
        try {
          await new Promise<void>((resolve) => {
            if (signal.aborted) resolve()
            signal.addEventListener('abort', () => resolve(), { once: true })
          })
        } finally {
          opened?.close()
          await host.close()
        }
        return exit.done
      },
    }),
  ],
}

const describeFault = (thrown: unknown) => (thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))
