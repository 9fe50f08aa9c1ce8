import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { exit, soleAction, type CliCommand } from '../command.ts'
import { messageOf } from '../failure.ts'
import { rendererDir } from '../rendererDir.ts'
import { selfCheckText as text } from '../text/terminalTexts.ts'
import { version } from '../version.ts'

/** Name of the check that may fail: a key can also come from the environment. */
const KEYCHAIN = 'Keychain'

export const command: CliCommand = {
  verb: 'self-check',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope self-check', 'perpscope self-check --json'],
  actions: [
    soleAction({
      summary: text.summary,
      async run({ client, out, signal }) {
        const core = await client()
        const isWindowThere = existsSync(join(rendererDir, 'index.html'))
        const engine = await core.call('sql.plan', { sql: 'SELECT 42', parameters: {} }, { signal }).then(
          (answer) =>
            'problem' in answer
              ? { ok: false, message: answer.problem.message }
              : { ok: true, message: text.engineWorks },
          (thrown: unknown) => {
            signal.throwIfAborted()
            return { ok: false, message: messageOf(thrown) }
          },
        )
        const results = [
          { name: text.program, ok: true, message: text.runsOn(version, process.versions.node) },
          {
            name: text.window,
            ok: isWindowThere,
            message: isWindowThere ? text.windowThere : text.windowGone(rendererDir),
          },
          { name: text.engine, ...engine },
          ...(await core.call('app.check', {}, { signal, onProgress: out.progress })),
        ]
        out.result(results, () =>
          results.map(({ name, ok, message }) =>
            !ok && name === KEYCHAIN ? text.note(name, message) : text.line(ok, name, message),
          ),
        )
        return results.every(({ ok, name }) => ok || name === KEYCHAIN) ? exit.done : exit.failed
      },
    }),
  ],
}
