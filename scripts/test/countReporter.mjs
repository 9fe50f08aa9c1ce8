/** A vitest reporter that writes the counts, the reasons of skipped tests and the seconds per folder to PERPSCOPE_TEST_REPORT. */
import { writeFileSync } from 'node:fs'
import { countModules, secondsByFolder } from './counts.mjs'

export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const report = { ...countModules(modules, unhandledErrors), folders: secondsByFolder(modules) }
    writeFileSync(process.env.PERPSCOPE_TEST_REPORT, JSON.stringify(report))
  }
}
