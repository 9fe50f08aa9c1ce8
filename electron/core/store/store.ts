import { openCacheFolder, type CacheFolder } from './cacheFolder.ts'
import { type ArrivalStore, createArrivalStore } from './arrivalStore.ts'
import { createForwardScoreStore, type ForwardScoreStore } from './forwardScoreStore.ts'
import { createUnavailableStore, type UnavailableStore } from './unavailableStore.ts'
import { createCacheUse, type CacheUse } from './cacheUse.ts'
import { createCacheIndex, type CacheIndex, createConditionStore, type ConditionStore } from './cacheIndex.ts'
import { createCheckStore, type CheckStore } from './checkStore.ts'
import { createConnectionStore, type ConnectionStore } from './connectionStore.ts'
import { createDocumentFileStore, type DocumentFileStore } from './documentFileStore.ts'
import { createEngineStore, type EngineStore } from './engineStore.ts'
import { createCoverageStore, type CoverageStore } from './coverageStore.ts'
import { openDatabase, type Database, type DatabaseDeps } from './database.ts'
import { createFundingDefaultStore, type FundingDefaultStore } from './fundingDefaultStore.ts'
import { createOrderRuleStore, type OrderRuleStore } from './orderRuleStore.ts'
import { createFileStore, type FileStore } from './fileStore.ts'
import { createFundingStore, type FundingStore } from './fundingStore.ts'
import { createInstrumentStore, type InstrumentStore } from './instrumentStore.ts'
import { createListStore, type ListStore } from './listStore.ts'
import { createOwnDataStore, type OwnDataStore } from './ownDataStore.ts'
import { withOwnFiles } from './ownFiles.ts'
import { createPauseStore, type PauseStore } from './pauseStore.ts'
import { createJobStore, type JobStore } from './jobStore.ts'
import { createPartStore, type PartStore } from './partStore.ts'
import { createPortfolioStore, type PortfolioStore } from './portfolioStore.ts'
import { createRowArrivals, type RowArrivals } from './rowArrivals.ts'
import { createReturnsStore, type ReturnsStore } from './returnsStore.ts'
import { createSeriesIndex } from './seriesIndex.ts'
import { createKeptFiles, type KeptFiles } from './keptFiles.ts'
import { createQuerySeriesStore, type QuerySeriesStore } from './querySeriesStore.ts'
import { createQueryHistory, type QueryHistory } from './queryHistory.ts'
import { createDocuments, type Documents } from './documentStore.ts'
import { createStudyAnswers, type StudyAnswers } from './studyAnswers.ts'
import { createStudyRunStore, type StudyRunStore } from './studyStore.ts'
import { createSetStore, type SetStore } from './setStore.ts'
import { createServiceAnswers, type ServiceAnswers } from './serviceAnswers.ts'
import { createQueryRows, type QueryRows } from './queryRows.ts'
import { createQualityStore, type QualityStore } from './qualityStore.ts'
import { createVenueStore, type VenueStore } from './venueStore.ts'
import { createWatchStore, type WatchStore } from './watchStore.ts'
import { createSettingsStore, type SettingsStore } from './settingsStore.ts'

/** Everything that this machine stores. */
export interface Store {
  settings: SettingsStore
  connections: ConnectionStore
  engines: EngineStore
  files: FileStore
  arrivals: ArrivalStore
  rowArrivals: RowArrivals
  forwardScores: ForwardScoreStore
  conditions: ConditionStore
  cacheUse: CacheUse
  unavailable: UnavailableStore
  coverage: CoverageStore
  serviceAnswers: ServiceAnswers
  cacheIndex: CacheIndex
  jobs: JobStore
  pauses: PauseStore
  sets: SetStore
  instruments: InstrumentStore
  funding: FundingStore
  fundingDefaults: FundingDefaultStore
  orderRules: OrderRuleStore
  lists: ListStore
  returns: ReturnsStore
  ownData: OwnDataStore
  parts: PartStore
  folder: CacheFolder
  kept: KeptFiles
  portfolio: PortfolioStore
  documents: Documents
  studyRuns: StudyRunStore
  studyAnswers: StudyAnswers
  queryHistory: QueryHistory
  documentFiles: DocumentFileStore
  queryRows: QueryRows
  querySeries: QuerySeriesStore
  quality: QualityStore
  checks: CheckStore
  venues: VenueStore
  watch: WatchStore
  database: Database
  /** Messages for the user about opening and reading the store, each once. */
  notices: string[]
  sqliteVersion: string
  close(): void
}

export function openStore(deps: DatabaseDeps): Store {
  const database = openDatabase(deps)
  const { notices } = database
  const notice = (message: string) => {
    if (notices.includes(message)) return
    notices.push(message)
    deps.log.write('warn', message)
  }
  const seriesIndex = createSeriesIndex(database.reads, database.writes)
  const folder = openCacheFolder(deps.dataDir)
  const rowArrivals = createRowArrivals(database)
  const ownData = createOwnDataStore(database, rowArrivals)
  const files = withOwnFiles(createFileStore(database, seriesIndex), ownData, folder.root)
  const instruments = createInstrumentStore(database)
  const connections = createConnectionStore(database)
  const documents = createDocuments(database, deps.clock)
  return {
    settings: createSettingsStore(database, notice),
    connections,
    engines: createEngineStore(database),
    files,
    arrivals: createArrivalStore(database),
    rowArrivals,
    forwardScores: createForwardScoreStore(database),
    conditions: createConditionStore(database, seriesIndex),
    cacheUse: createCacheUse(database, seriesIndex),
    unavailable: createUnavailableStore(database, seriesIndex),
    coverage: createCoverageStore(database),
    serviceAnswers: createServiceAnswers(database),
    cacheIndex: createCacheIndex(database.reads, seriesIndex),
    jobs: createJobStore(database, seriesIndex),
    pauses: createPauseStore(database),
    sets: createSetStore(documents.set),
    instruments,
    funding: createFundingStore(database),
    fundingDefaults: createFundingDefaultStore(database),
    orderRules: createOrderRuleStore(database),
    lists: createListStore(database, documents.list, instruments),
    returns: createReturnsStore(database),
    ownData,
    parts: createPartStore(database, seriesIndex, folder),
    folder,
    kept: createKeptFiles(deps.dataDir),
    portfolio: createPortfolioStore(database, rowArrivals),
    documents,
    studyRuns: createStudyRunStore(database, deps.clock),
    studyAnswers: createStudyAnswers(database, documents),
    queryHistory: createQueryHistory(database),
    documentFiles: createDocumentFileStore(database),
    queryRows: createQueryRows(database),
    querySeries: createQuerySeriesStore(database),
    quality: createQualityStore(database),
    checks: createCheckStore(database, documents.check, deps.clock),
    venues: createVenueStore(database, connections),
    watch: createWatchStore(database),
    database,
    notices,
    sqliteVersion: database.sqliteVersion,
    close() {
      files.flushTouches()
      database.close()
    },
  }
}
