import { action, exit, type Command } from '../command.ts'
import { completionScripts } from '../completion/scripts.ts'

export const command: Command = {
  verb: 'completion',
  summary: 'print a completion script for a shell',
  description: ['Completes commands, actions, options and their values. Load it in the shell’s start-up file.'],
  examples: [
    'source <(perpscope completion bash)',
    'perpscope completion zsh > "${fpath[1]}/_perpscope"',
    'perpscope completion fish > ~/.config/fish/completions/perpscope.fish',
  ],
  actions: [
    action({
      name: '',
      summary: 'print the script',
      args: [{ name: 'SHELL', description: 'The shell.', values: ['bash', 'zsh', 'fish'] }],
      async run({ args: [shell], out, allCommands }) {
        const script = completionScripts[shell as keyof typeof completionScripts](await allCommands())
        out.result({ shell, script }, () => [script])
        return exit.done
      },
    }),
  ],
}
