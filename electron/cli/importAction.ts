import type { Client } from '#shared/contract/client.ts'
import { action, exit, type Action } from './command.ts'
import { readGivenText } from './givenText.ts'

interface ImportAction<Answer extends { warnings?: readonly string[] }> {
  text: { summary: string; args: { FILE: string } }
  /** Maximum length of the file. */
  mostCharacters: number
  send(core: Client, text: string): Promise<Answer>
  line(answer: Answer): string
}

/** Creates an action that reads a text file, sends it to the core and prints what was imported. */
export const importAction = <Answer extends { warnings?: readonly string[] }>({
  text,
  mostCharacters,
  send,
  line,
}: ImportAction<Answer>): Action =>
  action({
    name: 'import',
    summary: text.summary,
    args: [{ name: 'FILE', description: text.args.FILE, path: true }],
    async run({ client, args: [path], out }) {
      const core = await client()
      const answer = await send(core, readGivenText(path, mostCharacters))
      for (const warning of answer.warnings ?? []) out.note(warning)
      out.result(answer, () => [line(answer)])
      return exit.done
    },
  })
