import { startSandbox, type Sandbox, type SandboxOptions } from '../../electron/sandbox/server.ts'
import { openCachedWorkThread } from './cachedWorkThread.ts'

/** Time of the sandbox in tests: monthly and daily files both exist before it, and the day is half over. */
export const testNowMs = Date.parse('2026-09-15T12:34:56.000Z')

export interface Answer {
  status: number
  headers: Headers
  bytes: Uint8Array
  text: string
  json: <T = Record<string, unknown>>() => T
}

export async function get(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const response = await fetch(url, { headers, method, redirect: 'manual' })
  const bytes = new Uint8Array(await response.arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  return { status: response.status, headers: response.headers, bytes, text, json: <T>() => JSON.parse(text) as T }
}

export interface OfferedFile {
  period?: string
  year: number
  month: number
  day?: number
  url: string
}

export interface FileRequest {
  bucket: string
  interval?: string
  timestamp?: string
  exchange?: string
  symbol?: string
  start: string
  end?: string
  tier?: keyof Sandbox['keys']
}

interface RawDataFile {
  period: string
  url: string
  size: number
}

export interface TestSandbox extends Sandbox {
  /** Sends a GET request below `/api/v1` with the key of a tier. */
  api: (path: string, tier?: keyof Sandbox['keys']) => Promise<Answer>
  data: (request: FileRequest) => Promise<Answer>
  /** Lists the metric files of a request. */
  files: (request: FileRequest) => Promise<OfferedFile[]>
  /** Lists the metric files of a request and downloads the first one. */
  file: (request: FileRequest) => Promise<Uint8Array>
  rawFiles: (
    request: Omit<FileRequest, 'bucket'> & { dataset: string },
  ) => Promise<{ files: OfferedFile[]; missing_periods: string[] }>
  /** Asks for the raw files of a request at `/data/raw`. */
  rawData: (request: Omit<FileRequest, 'bucket'> & { dataset: string }) => Promise<Answer>
  /** Lists the raw files of a request at `/data/raw`. */
  rawDataFiles: (request: Omit<FileRequest, 'bucket'> & { dataset: string }) => Promise<RawDataFile[]>
}

const BTC = 'perpetual-BTC-USDT:USDT'

/** Starts a sandbox that reuses generated files of other tests in this run, for tests of its clients. */
export const startCachedSandbox = (options: SandboxOptions = {}): Promise<TestSandbox> =>
  startTestSandbox({ openThread: openCachedWorkThread, ...options })

/** Starts a sandbox on free ports with a fixed clock; the test closes it. */
export async function startTestSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await startSandbox({ nowMs: testNowMs, ...options })
  const api: TestSandbox['api'] = (path, tier = '3') =>
    get(`${sandbox.url}/api/v1${path}`, { 'x-api-key': sandbox.keys[tier] })
  const query = ({ exchange = 'venuea-futures', symbol = BTC, start, end = start }: Omit<FileRequest, 'bucket'>) => ({
    exchange,
    symbol,
    start_date: start,
    end_date: end,
  })
  const data: TestSandbox['data'] = (request) => {
    const { bucket, interval = '1h', timestamp = 'exchange', tier } = request
    return api(`/data/${bucket}?${new URLSearchParams({ interval, timestamp, ...query(request) })}`, tier)
  }
  const files: TestSandbox['files'] = async (request) => (await data(request)).json<{ files: OfferedFile[] }>().files
  const rawData: TestSandbox['rawData'] = (request) =>
    api(`/data/raw/${request.dataset}?${new URLSearchParams(query(request))}`, request.tier)
  return {
    ...sandbox,
    api,
    data,
    files,
    file: async (request) => {
      const [first] = await files(request)
      const answer = await get(first.url)
      if (answer.status !== 200) throw new Error(answer.text)
      return answer.bytes
    },
    rawData,
    rawDataFiles: async (request) => (await rawData(request)).json<{ files: RawDataFile[] }>().files,
    rawFiles: async (request) =>
      (await api(`/raw/files?${new URLSearchParams({ dataset: request.dataset, ...query(request) })}`)).json(),
  }
}
