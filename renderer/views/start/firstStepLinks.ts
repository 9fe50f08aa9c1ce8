import type { FirstStep } from '#shared/contract/areas/settings.ts'
import { startText } from '../../text/start.ts'

const { steps: t } = startText

/** The first steps, each with the screen on which it is taken. */
export const firstStepLinks: readonly { step: FirstStep; title: string; to: string }[] = [
  { step: 'coverage', title: t.coverage, to: '/coverage' },
  { step: 'download', title: t.download, to: '/downloads/new' },
  { step: 'portfolio', title: t.portfolio, to: '/portfolios' },
  { step: 'connect', title: t.connect, to: '/settings/connections' },
]
