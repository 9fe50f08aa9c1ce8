import { randomUUID } from 'node:crypto'
import type { ValidationPool } from '#core/downloads/validationPool.ts'
import type { FindFunding } from '#core/funding/instrumentFunding.ts'
import { createPanelCheck } from '#core/lab/panelCheck.ts'
import type { Network } from '#core/network.ts'
import { createOnDemand } from '#core/onDemand.ts'
import type { Ports } from '#core/ports.ts'
import { type ChangedFiles, createChangedFiles } from '#core/series/changedFiles.ts'
import type { Storage } from '#core/storage.ts'
import { createLease } from '#core/store/lease.ts'
import { noteUnchanged } from '#core/store/unchangedFiles.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { Store } from '#core/store/store.ts'

interface LedgerOnDemand {
  open(): Ledger
  /** Reopens the files at the next use, because another thread replaced them. */
  reopen(): void
}

/** Creates a function that creates the services which read the files of a store. */
const createReaders =
  (
    storage: Storage,
    { openPortfolio }: Network,
    validationPool: ValidationPool,
    ledger: LedgerOnDemand,
    startProcess: Ports['startProcess'],
  ) =>
  /** @param changedFiles detects files changed outside the app; null to read the files as they are */
  (store: Store, changedFiles: ChangedFiles | null) => {
    const { clock, config } = storage
    const { dataDir } = config
    const panelCheck = createPanelCheck(validationPool.checkTable)
    const series = createOnDemand(async () => {
      const { createSeriesService } = await import('#core/series/seriesService.ts')
      return createSeriesService(store, clock, changedFiles)
    })
    const findFunding: FindFunding = async (request, signal) => {
      const { fundingOf } = await import('#core/funding/instrumentFunding.ts')
      return fundingOf((await series()).deps, request, signal)
    }
    const fundingOf = async (connectionId: string, signal?: AbortSignal) => {
      const { allFunding } = await import('#core/funding/instrumentFunding.ts')
      return allFunding((await series()).deps, connectionId, signal)
    }
    const labDeps = { ...storage, store, dataDir, changedFiles, panelCheck, openPortfolio, fundingOf: findFunding }
    return {
      series,
      lab: createOnDemand(async () => {
        const [{ createLab }, { createStudyService }] = await Promise.all([
          import('#core/lab/lab.ts'),
          import('#core/lab/studyService.ts'),
        ])
        const studies = createStudyService({ ...labDeps, ledger: ledger.open, startProcess })
        const tests = createOnDemand(async () => {
          const { createPortfolioTestService } = await import('#core/lab/portfolio/portfolioTestService.ts')
          return createPortfolioTestService(ledger.open, panelCheck, labDeps, startProcess)
        })
        const blends = createOnDemand(async () => {
          const { createBlendService } = await import('#core/lab/book/blendService.ts')
          return createBlendService({ store, openPortfolio, clock, ledger: ledger.open, startProcess })
        })
        return createLab(studies, tests, blends, store.studyRuns)
      }),
      sql: createOnDemand(async () => {
        const { createSqlService } = await import('#core/sql/sqlService.ts')
        const validate = (path: string) => validationPool.validate(path, undefined, true)
        return createSqlService({ ...storage, store, dataDir, ledger: ledger.open, startProcess, validate, fundingOf })
      }),
    }
  }

/** Creates the services that read and compute; each loads its code and threads on first use. */
export function createServices(
  storage: Storage,
  network: Network,
  validationPool: ValidationPool,
  ledger: LedgerOnDemand,
  startProcess: Ports['startProcess'],
) {
  const { store, clock, config } = storage
  const { dataDir, version } = config
  const changedFiles = createChangedFiles(
    (path, deep) => validationPool.validate(path, undefined, deep),
    (files) => noteUnchanged(store, files),
  )
  const readersOf = createReaders(storage, network, validationPool, ledger, startProcess)
  const { series, lab, sql } = readersOf(store, changedFiles)
  const inspection = createOnDemand(async () => {
    const { createGuardedInspection } = await import('#core/raw/guardedInspection.ts')
    return createGuardedInspection(startProcess)
  })
  const rawEvents = createOnDemand(async () => {
    const [{ createRawThreads }, { createRawEventService }] = await Promise.all([
      import('#core/raw/rawThreads.ts'),
      import('#core/raw/rawEventService.ts'),
    ])
    const [tables, work] = [createRawThreads(changedFiles, 1), createRawThreads(changedFiles)]
    const close = () => Promise.all([tables.close(), work.close()])
    return { ...createRawEventService(store, tables, work), close }
  })
  const ownData = createOnDemand(async () => {
    const { createOwnData } = await import('#core/own/ownData.ts')
    return createOwnData({ ...storage, startProcess, ledger: ledger.open })
  })
  const ledgerService = createOnDemand(async () => {
    const { createLedgerService } = await import('#core/lab/ledger/ledgerService.ts')
    return createLedgerService({ ...storage, dataDir, ...ledger })
  })
  const forward = createOnDemand(async () => {
    const { createForwardService } = await import('#core/lab/forward/forwardService.ts')
    return createForwardService({ dataDir, clock, openPortfolio: network.openPortfolio })
  })
  const quality = createOnDemand(async () => {
    const { createQualityService } = await import('#core/quality/qualityService.ts')
    return createQualityService({ ...storage, changedFiles })
  })
  const alarms = createOnDemand(async () => {
    const { createAlarms } = await import('#core/record/alarms.ts')
    return createAlarms({ dataDir, store, http: network.http, log: storage.log })
  })
  const documentsLease = createLease({ database: store.database, clock, name: 'documents', holder: randomUUID() })
  const documents = createOnDemand(async () => {
    const { createDocumentFolder } = await import('#core/documents/documentFolder.ts')
    return createDocumentFolder({ ...storage, dataDir, lease: documentsLease })
  })
  return {
    series,
    documents,
    documentsLease,
    lab,
    sql,
    inspection,
    ownData,
    rawEvents,
    ledgerService,
    forward,
    quality,
    reports: createOnDemand(async () => {
      const [{ createRecordService }, { createOriginalsRunner }] = await Promise.all([
        import('#core/record/recordService.ts'),
        import('#core/record/originalFiles.ts'),
      ])
      return createRecordService({
        store,
        clock,
        dataDir,
        version,
        series: await series(),
        lab: await lab(),
        sql: await sql(),
        ledger: ledger.open,
        forward,
        openPortfolio: network.openPortfolio,
        runOnOriginals: createOriginalsRunner(store, async (originals) => {
          const readers = readersOf(originals, null)
          return {
            services: {
              series: await readers.series(),
              lab: await readers.lab(),
              sql: await readers.sql(),
            },
            async close() {
              await Promise.all(Object.values(readers).map((reader) => reader.close()))
            },
          }
        }),
      })
    }),
    checkRuns: createOnDemand(async () => {
      const { createCheckService } = await import('#core/record/checkService.ts')
      const { sound } = await alarms()
      return createCheckService({ store, series: await series(), sql: await sql(), sound })
    }),
    alarms,
    async close() {
      await sql.close()
      await quality.close()
      await rawEvents.close()
      await inspection.close()
      await ownData.close()
      await series.close()
      await lab.close()
      await ledgerService.close()
      await forward.close()
    },
  }
}
