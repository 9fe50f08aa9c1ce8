import { requirePublishingAccess } from '#core/policy.ts'
import { release } from 'node:os'
import type { HandlersByArea } from '#core/dispatch.ts'
import type { ValidationPool } from '#core/downloads/validationPool.ts'
import type { Network } from '#core/network.ts'
import type { Ports, WindowHost } from '#core/ports.ts'
import type { LocalApiState } from '#core/record/localApiState.ts'
import type { createServices } from '#core/services.ts'
import type { Storage } from '#core/storage.ts'
import type { Caching, Downloading } from '#core/transfers.ts'

interface AreaDeps {
  storage: Storage
  network: Network
  validationPool: ValidationPool
  downloading: Downloading
  caching: Caching
  services: ReturnType<typeof createServices>
  localApi: LocalApiState
  startProcess: Ports['startProcess']
  hasPageSandbox: Ports['hasPageSandbox']
  /** Called when a window shows its first screen. */
  onShown(): void
}

/** Connects the calls of the contract with their handlers, area by area. */
export function handlersByArea(deps: AreaDeps): HandlersByArea {
  return { ...userDataAreas(deps), ...downloadAreas(deps), ...researchAreas(deps) }
}

/**
 * Creates the handlers of the app itself and of what the user enters or provides: settings, workspaces, lists, files,
 * connections and keys.
 */
function userDataAreas({ storage, network, downloading, caching, services, ...deps }: AreaDeps) {
  const { store, clock, bus, keyring } = storage
  const { received } = caching
  const connections = async () => {
    const { connectionHandlers } = await import('#core/handlers/connections.ts')
    return connectionHandlers({ ...network, store, clock, ...downloading, bus })
  }
  return {
    app: async () => {
      const { appHandlers } = await import('#core/handlers/app.ts')
      return appHandlers(await appHandlerDeps({ storage, network, caching, services, ...deps }))
    },
    connections,
    keys: connections,
    data: async () => (await import('#core/handlers/data.ts')).dataHandlers(await services.ownData(), received),
    files: async () => (await import('#core/handlers/files.ts')).fileHandlers(received),
    funding: async () =>
      (await import('#core/handlers/funding.ts')).fundingHandlers({ store, series: services.series, bus }),
    instruments: async () => (await import('#core/handlers/instruments.ts')).instrumentHandlers(store, bus),
    lists: async () => (await import('#core/handlers/lists.ts')).listHandlers(store.lists, store, bus),
    returns: async () => {
      const [{ returnsHandlers }, { createOwnReturns }] = await Promise.all([
        import('#core/handlers/returns.ts'),
        import('#core/record/ownReturns.ts'),
      ])
      const ownReturns = createOwnReturns(store.returns, clock, () => bus.emit('returns.changed', {}))
      return returnsHandlers({ store: store.returns, own: ownReturns, open: network.openPortfolio, received, bus })
    },
    settings: async () =>
      (await import('#core/handlers/settings.ts')).settingsHandlers(store.settings, bus, services.alarms),
    vault: async () => (await import('#core/handlers/vault.ts')).vaultHandlers(keyring, bus),
  } satisfies Partial<HandlersByArea>
}

/** Creates the publisher to shared stores; the publisher's code is loaded on first use. */
async function loadPublisher({ store, clock, log, config }: AreaDeps['storage'], { stores }: AreaDeps['network']) {
  const { createPublisher } = await import('#core/sharedStore/publisher.ts')
  const { dataDir, policy = null } = config
  return createPublisher({
    store,
    stores,
    dataDir,
    clock,
    log,
    requirePublishingAccess: () => requirePublishingAccess(policy),
  })
}

/** Creates the handlers of the areas that deal with services, what they offer, and the files downloaded from them. */
function downloadAreas({ storage, network, validationPool, downloading, caching, localApi }: AreaDeps) {
  const { store, clock, bus, config } = storage
  const { http, connections, openPortfolio } = network
  return {
    cache: async () => (await import('#core/handlers/cache.ts')).cacheHandlers({ cache: caching.cache, store, bus }),
    coverage: async () => (await import('#core/handlers/coverage.ts')).coverageHandlers(store, clock),
    discovery: async () => {
      const { discoveryHandlers } = await import('#core/handlers/discovery.ts')
      return discoveryHandlers({ open: network.openDiscovery, store: store.coverage, venues: store.venues, bus, clock })
    },
    downloads: async () => {
      const { downloadHandlers } = await import('#core/handlers/downloads.ts')
      return downloadHandlers({
        store,
        clock,
        bus,
        connections,
        openDiscovery: network.openDiscovery,
        ...downloading,
        publisher: await loadPublisher(storage, network),
      })
    },
    network: async () => {
      const { networkHandlers } = await import('#core/handlers/network.ts')
      return networkHandlers({ state: network.state, tryAgain: http.probeUnreachable, localApi: localApi.read })
    },
    portfolio: async () => {
      const [{ portfolioHandlers }, { createPortfolioSeriesStore }] = await Promise.all([
        import('#core/handlers/portfolio.ts'),
        import('#core/portfolio/portfolioSeries.ts'),
      ])
      const { commit } = validationPool
      const { version } = config
      const series = createPortfolioSeriesStore({ store, commit, clock, open: openPortfolio, version })
      return portfolioHandlers({ open: openPortfolio, store: store.portfolio, series, bus })
    },
    requests: async () => (await import('#core/handlers/requests.ts')).requestHandlers(network.requests),
    sample: async () => (await import('#core/handlers/sample.ts')).sampleHandlers(caching.sample, bus),
  } satisfies Partial<HandlersByArea>
}

/**
 * Creates the handlers of the areas for research: those that read the cached rows and compute with them, and those for
 * its documents, reports and checks.
 */
function researchAreas({ storage, network, validationPool, caching, services, startProcess }: AreaDeps) {
  const { store, clock, bus, config } = storage
  const { dataDir, version } = config
  const { commit } = validationPool
  const { received, onFilesChanged } = caching
  const testedSeries = async () => {
    const { createTestedSeriesStore } = await import('#core/lab/portfolio/testedSeries.ts')
    return createTestedSeriesStore({ store, commit, clock })
  }
  return {
    boards: async () => {
      const { boardHandlers } = await import('#core/handlers/boards.ts')
      return boardHandlers(services.reports, store.documents)
    },
    book: async () =>
      (await import('#core/handlers/book.ts')).bookHandlers({
        store,
        clock,
        open: network.openPortfolio,
        series: () => services.series(),
        bus,
      }),
    documents: async () => {
      const { documentHandlers } = await import('#core/handlers/documents.ts')
      const onRemoved = { study: async (id: string) => (await testedSeries()).release(id) }
      return documentHandlers({ documents: store.documents, received, bus, onRemoved })
    },
    folder: async () => {
      const { folderHandlers } = await import('#core/handlers/folder.ts')
      const series = await testedSeries()
      return folderHandlers({
        service: await services.documents(),
        bus,
        releaseStudy(id) {
          if (!store.documents.study.list().some((study) => study.id === id)) series.release(id)
        },
      })
    },
    inbox: async () => {
      const { inboxHandlers } = await import('#core/handlers/inbox.ts')
      const { checkRuns: service, alarms } = services
      return inboxHandlers({ dataDir, checks: store.checks, service, alarms, bus })
    },
    lab: async () => {
      const [{ labHandlers }, { createPortfolioPanels }] = await Promise.all([
        import('#core/handlers/lab.ts'),
        import('#core/lab/portfolioPanel.ts'),
      ])
      return labHandlers({
        studies: store.documents.study,
        answers: store.studyAnswers,
        lab: await services.lab(),
        ledger: await services.ledgerService(),
        version,
        series: await testedSeries(),
        panels: createPortfolioPanels({ dataDir, openPortfolio: network.openPortfolio, clock }),
        received,
        clock,
        bus,
      })
    },
    ledger: async () => {
      const { ledgerHandlers } = await import('#core/handlers/ledger.ts')
      return ledgerHandlers({ ledger: await services.ledgerService(), forward: services.forward, received, bus })
    },
    quality: async () => {
      const { qualityHandlers } = await import('#core/handlers/quality.ts')
      return qualityHandlers({ service: await services.quality(), store, clock, bus })
    },
    raw: async () => {
      const [{ rawHandlers }, { createImports }] = await Promise.all([
        import('#core/handlers/raw.ts'),
        import('#core/raw/imports.ts'),
      ])
      const inspection = await services.inspection()
      const imports = createImports({ received, store, inspection, commit, clock, onImported: onFilesChanged })
      const [rawEvents, series] = [await services.rawEvents(), await services.series()]
      return rawHandlers({ imports, rawEvents, series, store, commit, clock, bus, startProcess, ...network })
    },
    report: async () => (await import('#core/handlers/report.ts')).reportHandlers(await services.reports(), store),
    series: async () => {
      const { seriesHandlers } = await import('#core/handlers/series.ts')
      const publisher = await loadPublisher(storage, network)
      return seriesHandlers({ service: await services.series(), store, clock, version, publisher })
    },
    sql: async () => {
      const { sqlHandlers } = await import('#core/handlers/sql.ts')
      const { createResultSeriesStore } = await import('#core/sql/resultSeries.ts')
      const service = await services.sql()
      const series = createResultSeriesStore({ store, commit, clock, service, version })
      return sqlHandlers({ store, service, series, dataDir, version, clock, bus })
    },
    watch: async () => {
      const { watchHandlers } = await import('#core/handlers/watch.ts')
      return watchHandlers({ store, clock, series: await services.series(), quality: await services.quality() })
    },
  } satisfies Partial<HandlersByArea>
}

type AppAreaDeps = Pick<AreaDeps, 'storage' | 'network' | 'caching' | 'services' | 'hasPageSandbox' | 'onShown'>

async function appHandlerDeps({ storage, network, caching, services, hasPageSandbox, onShown }: AppAreaDeps) {
  const { config, store, clock, keyring, crashes } = storage
  const { dataDir, version } = config
  const [{ createSelfChecks }, { packInThread }, { createStagedRestores }] = await Promise.all([
    import('#core/diagnosis/checks.ts'),
    import('#core/store/backup/backupThread.ts'),
    import('#core/store/backup/stagedRestore.ts'),
  ])
  const info = createAppInfo(storage)
  return {
    info,
    onShown,
    selfChecks: createSelfChecks(dataDir, store, keyring, hasPageSandbox),
    diagnostics: createDiagnostics(info, storage, network),
    crashes,
    restores: createStagedRestores({ ...storage, dataDir }),
    received: caching.received,
    async pack(signal: AbortSignal) {
      const ledger = await services.ledgerService()
      ledger.syncCopy()
      const nowMs = clock.nowMs()
      return { ...(await packInThread({ dataDir, app: version, nowMs }, signal)), nowMs }
    },
  }
}

const createAppInfo = ({ config, store, clock }: Storage) => ({
  version: config.version,
  platform: `${process.platform} ${process.arch}`,
  nodeVersion: process.versions.node,
  sqliteVersion: store.sqliteVersion,
  dataDir: config.dataDir,
  startedAt: clock.nowMs(),
  notices: store.notices,
  policy: config.policy ?? null,
})

/** Creates the function that writes the diagnostics, a text without secrets to paste into a bug report. */
function createDiagnostics(
  info: ReturnType<typeof createAppInfo>,
  { store, keyring, redactor, log, clock }: Storage,
  { connections, requests }: Network,
) {
  return async (host: WindowHost['kind']) => {
    const { writeReport } = await import('#core/diagnosis/report.ts')
    return redactor.text(
      writeReport({
        info: { ...info, host },
        systemRelease: release(),
        nowMs: clock.nowMs(),
        settings: store.settings.read(),
        connections: await connections.list(),
        vault: await keyring.vaultStatus(false),
        requests: requests.newestFirst(1000),
        logLines: log.lines,
      }),
    )
  }
}
