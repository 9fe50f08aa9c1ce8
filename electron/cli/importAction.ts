import type { Client } from '#shared/contract/client.ts'
import { action, exit, type Action } from './command.ts'
import { readGivenText } from './givenText.ts'

interface ImportAction<Answer> {
  text: { summary: string; args: { FILE: string } }
  /** Maximum length of the file. */
  mostCharacters: number
  send(core: Client, text: string): Promise<Answer>
  line(answer: Answer): string
  /** Returns notes on the file, which go to stderr. */
  notes?(answer: Answer): readonly string[]
}

/** Creates an action that reads a text file, sends it to the core and prints what was imported. */
export const importAction = <Answer>({ text, mostCharacters, send, line, notes }: ImportAction<Answer>): Action =>
  action({
    name: 'import',
    summary: text.summary,
    args: [{ name: 'FILE', description: text.args.FILE, path: true, reads: true }],
    async run({ client, args: [path], out }) {
      const core = await client()
      const answer = await send(core, readGivenText(path, mostCharacters))
      for (const note of notes?.(answer) ?? []) out.note(note)
      out.result(answer, () => [line(answer)])
      return exit.done
    },
  })
