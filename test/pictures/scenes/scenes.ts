import { downloads, explore, raw } from './data.ts'
import { portfolios } from './portfolios.ts'
import { lab, research } from './research.ts'
import type { Scene } from './scene.ts'
import { settings, shell } from './shell.ts'
import { firstStart, workbench } from './workbench.ts'

export const scenes: readonly Scene[] = [
  ...firstStart,
  ...workbench,
  ...explore,
  ...downloads,
  ...portfolios,
  ...raw,
  ...lab,
  ...research,
  ...settings,
  ...shell,
]
