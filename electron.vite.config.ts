import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'electron-vite'
import { createCoreChunks } from './scripts/coreChunks.ts'
import { shippedPackages } from './scripts/shippedPackages.ts'

const at = (path: string) => resolve(import.meta.dirname, path)

// Chunks lie flat beside their entries, so that `new URL('./worker.js', import.meta.url)` finds the worker from every
// chunk.
const flatModules = { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' } as const

// The code a window starts with is bundled into two files, because each file is a request before the first screen.
const firstFiles = {
  groups: [
    { name: 'packages', tags: ['$initial' as const], test: /node_modules/, priority: 1 },
    { name: 'window', tags: ['$initial' as const] },
  ],
}

const workers = {
  computeWorker: at('electron/core/compute/computeWorker.ts'),
  computeProcess: at('electron/core/compute/computeProcess.ts'),
  labWorker: at('electron/core/lab/labWorker.ts'),
  screenWorker: at('electron/core/lab/screenWorker.ts'),
  portfolioWorker: at('electron/core/lab/portfolio/portfolioWorker.ts'),
  blendWorker: at('electron/core/lab/book/blendWorker.ts'),
  ledgerWorker: at('electron/core/lab/ledger/ledgerWorker.ts'),
  forwardWorker: at('electron/core/lab/forward/forwardWorker.ts'),
  inspectWorker: at('electron/core/lab/inspectWorker.ts'),
  validationProcess: at('electron/core/downloads/validationProcess.ts'),
  validationWorker: at('electron/core/downloads/validationWorker.ts'),
  sandboxWorker: at('electron/sandbox/files/sandboxWorker.ts'),
  storeFolderProcess: at('electron/core/sharedStore/storeFolderProcess.ts'),
  inspectProcess: at('electron/core/raw/inspectProcess.ts'),
  jsonProcess: at('electron/core/clients/jsonProcess.ts'),
  sqlEngine: at('electron/sqlEngine/sqlEngine.ts'),
  backupWorker: at('electron/core/store/backup/backupWorker.ts'),
  integrityWorker: at('electron/core/store/integrityWorker.ts'),
  ownWorker: at('electron/core/own/ownWorker.ts'),
  rawWorker: at('electron/core/raw/rawWorker.ts'),
  exportWorker: at('electron/core/export/exportWorker.ts'),
  qualityWorker: at('electron/core/quality/qualityWorker.ts'),
  readerWorker: at('electron/core/series/readerWorker.ts'),
}

const entries = {
  core: 'electron/core/app.ts',
  desktop: 'electron/main/index.ts',
  cli: 'electron/cli/index.ts',
  commands: readdirSync(at('electron/cli/commands')).map((file) => `electron/cli/commands/${file}`),
  workers: Object.values(workers),
  externals: ['better-sqlite3', 'undici', 'keytar', '@duckdb'],
}

// The renderer is built last, because it writes the license list of all three bundles.
const packages = shippedPackages(import.meta.dirname)

export default defineConfig({
  main: {
    plugins: [packages.record()],
    // Fixed at build time, so that no environment of the running program can name another publisher.
    define: { 'process.env.PERPSCOPE_UPDATE_KEY': JSON.stringify(process.env.PERPSCOPE_UPDATE_KEY ?? '') },
    build: {
      externalizeDeps: { include: ['keytar'] },
      rolldownOptions: {
        // Areas of the contract load on first use in one program and at the start in another, which is intended.
        checks: { ineffectiveDynamicImport: false },
        input: { index: at('electron/main/index.ts'), cli: at('electron/cli/index.ts'), ...workers },
        output: {
          ...flatModules,
          // Without blanks and comments the code is a third smaller to download and read; the names stay, so that
          // reports of errors can be read.
          minify: { compress: false, mangle: false, codegen: true },
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: [{ name: createCoreChunks(import.meta.dirname, entries), debugName: 'core' }],
          },
        },
      },
    },
  },
  preload: {
    plugins: [packages.record()],
    build: {
      // A sandboxed preload is one CommonJS file that requires nothing but electron.
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: at('electron/preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: at('renderer'),
    plugins: [vue(), packages.write()],
    html: { cspNonce: '__CSP_NONCE__' },
    build: {
      minify: true,
      rolldownOptions: { input: { index: at('renderer/index.html') }, output: { codeSplitting: firstFiles } },
    },
  },
})
