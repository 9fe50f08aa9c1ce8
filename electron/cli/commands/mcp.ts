import { createLocalApiAnswers } from '../../localApi/answers.ts'
import { answerResources } from '../../mcp/answerResources.ts'
import { boundedLines } from '../../mcp/lines.ts'
import { createAssistantServer } from '../../mcp/protocol.ts'
import { createTools } from '../../mcp/tools.ts'
import { type CliCommand, exit, soleAction } from '../command.ts'
import { findConnection } from '../connections.ts'
import { openStdin } from '../stdin.ts'
import { mcpText as text } from '../text/recordCommands.ts'
import { version } from '../version.ts'

/** Time that running calls have to finish after the client has closed the input. */
const LAST_CALLS_MS = 2500

export const command: CliCommand = {
  verb: 'mcp',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope mcp', 'perpscope mcp --allow-downloads'],
  actions: [
    soleAction({
      summary: text.summary,
      options: { 'allow-downloads': { type: 'flag', description: text.options['allow-downloads'] } },
      async run({ app, client: openClient, connection, dataDir, options, out, signal }) {
        const [core, client] = [await app(), await openClient()]
        const { id } = await findConnection(client, connection)
        const allowDownloads = options['allow-downloads']
        if (allowDownloads) core.runDownloads()
        const answers = createLocalApiAnswers(core, version, id)
        const server = createAssistantServer({
          resources: answerResources(dataDir),
          tools: createTools({ answers, client, connectionId: id, dataDir, allowDownloads }),
          version,
          instructions: text.instructions,
          send: (message) => out.data(`${message}\n`),
          onFault: (thrown) => core.reportFault('MCP server', 'a tool failed', thrown),
        })
        const pending = new Set<Promise<void>>()
        const input = openStdin()
        const interrupt = () => {
          input.destroy()
          server.stop()
        }
        signal.addEventListener('abort', interrupt, { once: true })
        try {
          for await (const line of boundedLines(input)) {
            if (line === null) {
              server.refuseLong()
              continue
            }
            const answer = server.receive(line).finally(() => pending.delete(answer))
            pending.add(answer)
          }
        } catch (thrown) {
          if (!signal.aborted) throw thrown
        }
        // Stdin has ended, so the client wants no more or is gone: calls that go on for long would outlive it.
        const lastCallsTimer = setTimeout(() => server.stop(), LAST_CALLS_MS)
        await Promise.all(pending)
        clearTimeout(lastCallsTimer)
        return exit.done
      },
    }),
  ],
}
