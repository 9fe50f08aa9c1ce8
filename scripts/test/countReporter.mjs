/** A vitest reporter that leaves the counts, and why tests were skipped, in the file that PERPSCOPE_TEST_REPORT names. */
import { writeFileSync } from 'node:fs'
import { countModules } from './counts.mjs'

export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    writeFileSync(process.env.PERPSCOPE_TEST_REPORT, JSON.stringify(countModules(modules, unhandledErrors)))
  }
}
