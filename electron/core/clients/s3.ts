import { setTimeout as pause } from 'node:timers/promises'
import { AppError, type ErrorCode, toAppError } from '#shared/contract/errors.ts'
import type { HttpClient, HttpRequest, OpenResponse } from './http.ts'
import { isWorthRetrying, RequestError, retryDelayMs } from './httpErrors.ts'
import type { RequestContent } from './httpRequest.ts'

/** A bucket of an S3-compatible service. Object keys are plain text; only this file encodes them. */
export interface S3Bucket {
  /** Lists all objects and common prefixes directly below a prefix. */
  list(prefix: string, signal: AbortSignal): Promise<S3Listing>
  get(key: string, maxBytes: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
  put(key: string, content: S3Content, signal: AbortSignal): Promise<void>
  remove(key: string, signal: AbortSignal): Promise<void>
}

interface S3Listing {
  objects: S3Object[]
  prefixes: string[]
}

interface S3Object {
  key: string
  sizeBytes: number
  etag: string
  changedAtMs: number
}

interface S3Content extends RequestContent {
  /** Checksum, which the service compares with what it receives. */
  sha256: string
}

interface S3Access {
  bucket: string
  /** Address of the service; empty for Amazon S3. */
  endpoint: string
  /** True if the user allowed plain http to another machine. */
  plainHttp: boolean
  /** Access key; null for a public bucket. */
  key: { id: string; secret: string } | null
}

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const DEFAULT_REGION = 'us-east-1'
const MOST_ATTEMPTS = 4
const MOST_LISTING_BYTES = 16 * 1024 * 1024
/** Limits of one listing, far above what any series needs: a faulty service could otherwise send pages forever. */
const MOST_PAGES = 1000
const MOST_OBJECTS = 200_000
/** Timeout without any response; a service that stores a large object responds only when it is done. */
const SILENCE_MS = 120_000

interface S3Request {
  key?: string
  query?: Record<string, string>
  put?: S3Content
  remove?: boolean
  maxBytes?: number
  signal: AbortSignal
}

export function createS3Bucket(http: Pick<HttpClient, 'open'>, access: S3Access): S3Bucket {
  let region: string | null = null

  async function send(request: S3Request): Promise<OpenResponse> {
    let hasChangedRegion = false
    for (let attempt = 1; ; attempt++) {
      try {
        return await http.open(await signedRequest(access, region, request))
      } catch (thrown) {
        request.signal.throwIfAborted()
        const error = toAppError(thrown)
        const otherRegion = regionOf(error)
        if (otherRegion !== null && otherRegion !== region && !hasChangedRegion) {
          hasChangedRegion = true
          region = otherRegion
        } else if (attempt < MOST_ATTEMPTS && isTransient(error)) {
          const requestedMs = error instanceof RequestError ? error.retryAfterMs : null
          await pause(retryDelayMs(attempt, requestedMs, Math.random()), null, { signal: request.signal })
        } else throw s3Error(error, access, region)
      }
    }
  }

  async function complete(request: S3Request): Promise<void> {
    const { body } = await send({ maxBytes: MOST_LISTING_BYTES, ...request })
    for await (const chunk of body) void chunk
  }

  async function loadPage(query: Record<string, string>, signal: AbortSignal): Promise<string> {
    const chunks: Uint8Array[] = []
    const { body } = await send({ query, signal, maxBytes: MOST_LISTING_BYTES })
    for await (const chunk of body) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }

  return {
    async list(prefix, signal) {
      const listing: S3Listing = { objects: [], prefixes: [] }
      const query: Record<string, string> = { 'list-type': '2', delimiter: '/', 'encoding-type': 'url', prefix }
      for (let pages = 0; pages < MOST_PAGES; pages++) {
        const nextToken = addPage(listing, await loadPage(query, signal), access.bucket)
        if (nextToken === null) return listing
        if (listing.objects.length + listing.prefixes.length > MOST_OBJECTS) break
        query['continuation-token'] = nextToken
      }
      throw new AppError('too-large', `The listing of bucket ${access.bucket} does not end.`)
    },
    get: async (key, maxBytes, signal) => (await send({ key, maxBytes, signal })).body,
    put: (key, put, signal) => complete({ key, put, signal }),
    remove: (key, signal) => complete({ key, remove: true, signal }),
  }
}

async function signedRequest(access: S3Access, region: string | null, request: S3Request): Promise<HttpRequest> {
  const { key = '', query = {}, put, remove, maxBytes, signal } = request
  const search = Object.entries(query).map((pair) => pair.map(encoded).join('='))
  const url = `${baseOf(access, region)}/${key.split('/').map(encoded).join('/')}${search.length > 0 ? `?${search.join('&')}` : ''}`
  const headers: Record<string, string> = {
    'accept-encoding': 'identity',
    'x-amz-content-sha256': put?.sha256 ?? EMPTY_SHA256,
    ...(put && { 'content-length': String(put.sizeBytes) }),
  }
  return {
    ...{ url, signal, isSigned: true, plainHttp: access.plainHttp },
    ...(maxBytes !== undefined && { maxBytes }),
    ...(put && { put, silenceMs: SILENCE_MS }),
    ...(remove && { remove }),
    headers: access.key
      ? await signatureHeaders(access.key, region, put ? 'PUT' : remove ? 'DELETE' : 'GET', url, headers)
      : headers,
  }
}

async function signatureHeaders(
  { id, secret }: { id: string; secret: string },
  region: string | null,
  method: string,
  url: string,
  headers: Record<string, string>,
): Promise<Record<string, string>> {
  const { AwsV4Signer } = await import('aws4fetch')
  const signerOptions = { accessKeyId: id, secretAccessKey: secret, service: 's3', ...(region !== null && { region }) }
  const result = await new AwsV4Signer({ method, url, headers, ...signerOptions }).sign()
  // Content-Length is not signed, and the signer leaves it as it is.
  return Object.fromEntries(result.headers)
}

/**
 * Returns the address with the bucket in its path; in the host name, a bucket name with dots would not match the
 * certificate.
 */
function baseOf({ endpoint, bucket }: S3Access, region: string | null): string {
  const serviceUrl =
    endpoint === '' ? `https://s3.${region ?? DEFAULT_REGION}.amazonaws.com` : endpoint.replace(/\/+$/, '')
  return `${serviceUrl}/${bucket}`
}

const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * Tells whether to send a request again. One that timed out is not sent again, because it would probably take as long
 * once more.
 */
const isTransient = (error: AppError) =>
  (isWorthRetrying(error) && error.code !== 'timeout') || error.service?.status === 409

/** Reads the region of the bucket from an error response; null if it names none. */
function regionOf(error: AppError): string | null {
  if (!(error instanceof RequestError) || !error.refusal) return null
  const { bodyStart, headers } = error.refusal
  const regionText = headers.get('x-amz-bucket-region') ?? textOfElement(bodyStart, 'Region')
  return regionText !== null && /^[a-z0-9-]{1,40}$/.test(regionText) ? regionText : null
}

type Meaning = [codes: RegExp, code: ErrorCode, message: (access: S3Access) => string]
const meanings: readonly Meaning[] = [
  [/^InvalidAccessKeyId$/, 'login', () => 'it does not know the ID of the key'],
  [/^SignatureDoesNotMatch$/, 'login', () => 'the secret of the key is wrong'],
  [/^(ExpiredToken|InvalidToken)$/, 'login', () => 'the key has expired'],
  [/^NoSuchBucket$/, 'not-found', ({ bucket }) => `there is no bucket ${bucket}`],
  [/^NoSuchKey$/, 'not-found', () => 'the object is gone'],
  [
    /^(SlowDown|TooManyRequests|ServiceUnavailable)$/,
    'rate-limited',
    () => 'there were too many requests; try again later',
  ],
  [/^EntityTooLarge$/, 'too-large', () => 'the file is too large for one upload'],
  [/^(XAmzContentSHA256Mismatch|BadDigest|IncompleteBody)$/, 'network', () => 'the file was altered in transit'],
  [/^(QuotaExceeded|XMinioStorageFull|InsufficientStorage)$/, 'disk-full', () => 'the storage is full'],
  [/^AccessDenied$/, 'rejected', deniedMessage],
]

function deniedMessage({ key, bucket }: S3Access): string {
  return key === null
    ? `bucket ${bucket} needs a key; set it with “perpscope key set NAME --service store”`
    : `the key does not permit this in bucket ${bucket}`
}

/** Explains an error from the service, and attaches the service's own message. */
function s3Error(error: AppError, access: S3Access, region: string | null): AppError {
  const where = `S3 at ${access.endpoint || 'Amazon'}`
  if (!(error instanceof RequestError) || !error.refusal) return error
  const { bodyStart, headers } = error.refusal
  const status = error.service?.status ?? 0
  const code = textOfElement(bodyStart, 'Code') ?? ''
  const options = { cause: error, ...(error.service && { service: error.service }) }
  if (code === 'RequestTimeTooSkewed') {
    const date = Date.parse(headers.get('date') ?? '')
    const serverTime = Number.isNaN(date) ? '' : `; the server has ${new Date(date).toISOString()}`
    return new AppError(
      'rejected',
      `${where}: the clock of this machine is off by more than 15 minutes${serverTime}. Set it.`,
      options,
    )
  }
  if (isElsewhere(status, code)) {
    const bucketRegion = regionOf(error) ?? region
    const hint = bucketRegion === null ? '' : ` in region ${bucketRegion}`
    return new AppError(
      'rejected',
      `${where}: bucket ${access.bucket} is at another address${hint}; set that address with --store-endpoint`,
      options,
    )
  }
  const found = meanings.find(([pattern]) => pattern.test(code))
  if (found) return new AppError(found[1], `${where}: ${found[2](access)}`, options)
  if (status === 401 || status === 403) return new AppError('rejected', `${where}: ${deniedMessage(access)}`, options)
  return new AppError(error.code, `${where}: status ${status}${code && ` (${code})`}`, options)
}

const isElsewhere = (status: number, code: string) =>
  (status >= 300 && status < 400) || /^(PermanentRedirect|TemporaryRedirect|AuthorizationHeaderMalformed)$/.test(code)

/**
 * Adds the objects and prefixes of a page to a listing.
 * @returns the token of the next page; null at the end
 */
function addPage(listing: S3Listing, text: string, bucket: string): string | null {
  const badListingError = () =>
    new AppError('bad-answer', `The listing of bucket ${bucket} is not a response of an S3-compatible service.`)
  if (!/<ListBucketResult[\s>]/.test(text)) throw badListingError()
  const isEncoded = textOfElement(text, 'EncodingType') === 'url'
  const keyOf = (value: string): string => {
    try {
      return isEncoded ? decodeURIComponent(value.replaceAll('+', ' ')) : value
    } catch {
      throw badListingError()
    }
  }
  for (const item of elements(text, 'Contents')) {
    const key = textOfElement(item, 'Key')
    const sizeBytes = Number(textOfElement(item, 'Size') ?? NaN)
    if (key === null || !Number.isSafeInteger(sizeBytes)) continue
    listing.objects.push({
      key: keyOf(key),
      sizeBytes,
      etag: (textOfElement(item, 'ETag') ?? '').replaceAll('"', ''),
      changedAtMs: Date.parse(textOfElement(item, 'LastModified') ?? ''),
    })
  }
  for (const item of elements(text, 'CommonPrefixes')) {
    const prefix = textOfElement(item, 'Prefix')
    if (prefix !== null) listing.prefixes.push(keyOf(prefix))
  }
  if (textOfElement(text, 'IsTruncated') !== 'true') return null
  const nextToken = textOfElement(text, 'NextContinuationToken')
  if (nextToken === null) throw badListingError()
  return nextToken
}

/**
 * Yields the contents of all elements with this name. A regular expression would take quadratic time if closing tags
 * are missing.
 */
function* elements(text: string, name: string): Generator<string> {
  const [opening, closing] = [`<${name}>`, `</${name}>`]
  for (let position = text.indexOf(opening); position >= 0; position = text.indexOf(opening, position)) {
    const end = text.indexOf(closing, position)
    if (end < 0) return
    yield text.slice(position + opening.length, end)
    position = end + closing.length
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Reads the text of the first element with this name; null if there is none. Attributes are not supported, because S3
 * has none on the elements read here.
 */
function textOfElement(text: string, name: string): string | null {
  const start = text.indexOf(`<${name}>`)
  const end = text.indexOf(`</${name}>`, start)
  if (start < 0 || end < 0) return null
  return text
    .slice(start + name.length + 2, end)
    .replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,4}));/gi, (entity, hex, decimal, name: string) => {
      if (name) return entities[name] ?? entity
      const point = hex ? parseInt(hex as string, 16) : Number(decimal)
      return point <= 0x10ffff ? String.fromCodePoint(point) : entity
    })
}
