import type { Command } from '../command.ts'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { zshScript } from './zsh.ts'

/** Made from the same data as parsing and help, so that none of them can lag behind. */
export const completionScripts: Readonly<Record<'bash' | 'zsh' | 'fish', (commands: readonly Command[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}
