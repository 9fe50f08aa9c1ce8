import { fileURLToPath } from 'node:url'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'
import { nodeProblem } from './scripts/project.mjs'

// Without this check an older Node hangs: the SQLite binding ends each worker without a message.
const problem = nodeProblem()
if (problem) {
  console.error(problem)
  process.exit(1)
}

const nodeSuites = ['unit', 'contract', 'migrations', 'integration', 'security', 'conformance', 'electron']
const globalSetup = 'test/runFolder.ts'
/** Timeout for conditions that a test waits for, the same for `expect.poll`, `vi.waitFor` and `vi.waitUntil`. */
const waiting = { setupFiles: 'test/waitingTime.ts', expect: { poll: { timeout: 30_000 } } }
const fakeElectron = fileURLToPath(new URL('test/fakes/electron.ts', import.meta.url))

export default defineConfig({
  test: {
    // By default vitest leaves one core to its main process, which has little to do; of two cores, that is half.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'node',
          environment: 'node',
          globalSetup,
          include: nodeSuites.map((suite) => `test/${suite}/**/*.test.ts`),
          ...waiting,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        plugins: [vue()],
        test: {
          name: 'components',
          environment: 'happy-dom',
          include: ['test/components/**/*.test.ts'],
          ...waiting,
          setupFiles: [waiting.setupFiles, 'test/components/setup.ts'],
          testTimeout: 60_000,
        },
      },
      {
        // These tests drive the built app in real Chromium, one window at a time, because a second one would distort
        // the timings.
        test: {
          name: 'e2e',
          environment: 'node',
          // Without Electron's program, the desktop layer runs on a fake of Electron.
          alias: { electron: fakeElectron },
          globalSetup,
          include: ['test/e2e/**/*.test.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          ...waiting,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        // Tests that compare results with other programs, which `npm run test:peers` installs first.
        test: {
          name: 'peers',
          environment: 'node',
          globalSetup,
          include: ['test/peers/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
      {
        // Compares a screenshot of every screen of the built app with its reference.
        test: {
          name: 'pictures',
          environment: 'node',
          alias: { electron: fakeElectron },
          globalSetup,
          include: ['test/pictures/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 1_800_000,
          hookTimeout: 120_000,
        },
      },
      {
        // Tests of the built app in real Electron, if it is installed: one at a time, because they share the display.
        test: {
          name: 'electronReal',
          environment: 'node',
          globalSetup,
          include: ['test/electronReal/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
