import { settingsAndConnections } from './0010-settings-and-connections.ts'
import { leases } from './0020-leases.ts'
import { files } from './0030-files.ts'
import { coverage } from './0040-coverage.ts'
import { jobs } from './0050-jobs.ts'
import { portfolioAnswers } from './0060-portfolio-answers.ts'
import { rawConditions } from './0070-raw-conditions.ts'
import { workspaces } from './0080-workspaces.ts'
import { pinnedFiles } from './0090-pinned-files.ts'
import { runnableJobs } from './0100-runnable-jobs.ts'
import { wordsOfSeries } from './0110-words-of-series.ts'
import { instruments } from './0120-instruments.ts'
import { studies } from './0130-studies.ts'
import type { Migration } from './migration.ts'

/** In the order they run. */
export const migrations: readonly Migration[] = [
  settingsAndConnections,
  leases,
  files,
  coverage,
  jobs,
  portfolioAnswers,
  rawConditions,
  workspaces,
  pinnedFiles,
  runnableJobs,
  wordsOfSeries,
  instruments,
  studies,
]
