import { completionText as text } from '../text/commands.ts'
import { soleAction, exit, type CliCommand } from '../command.ts'
import { completionScripts } from '../completion/scripts.ts'

export const command: CliCommand = {
  verb: 'completion',
  summary: text.summary,
  description: text.description,
  examples: [
    'source <(perpscope completion bash)',
    'perpscope completion zsh > "${fpath[1]}/_perpscope"',
    'perpscope completion fish > ~/.config/fish/completions/perpscope.fish',
  ],
  actions: [
    soleAction({
      summary: text.run.summary,
      args: [{ name: 'SHELL', description: text.run.args.SHELL, values: ['bash', 'zsh', 'fish'] }],
      async run({ args: [shell], out, allCommands }) {
        const script = completionScripts[shell as keyof typeof completionScripts](await allCommands())
        out.result({ shell, script }, () => [script])
        return exit.done
      },
    }),
  ],
}
