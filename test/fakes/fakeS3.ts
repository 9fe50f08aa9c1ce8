import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export const s3Key = { id: 'TEAM-KEY-ID', secret: 'canary/secret+of=the-store' }

interface StoredBytes {
  bytes: Buffer
  etag: string
  changedAt: string
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void

export interface FakeS3 {
  url: string
  /** Objects of the bucket by key, for a test to look at and to damage. */
  objects: Map<string, StoredBytes>
  requests: string[]
  /** Makes `answer` respond to the next `times` requests. */
  answerNext(times: number, answer: Answer): void
  /** Makes `answer` respond to all requests for which `matches` is true. */
  answerWhere(matches: (request: IncomingMessage) => boolean, answer: Answer): void
  put(key: string, bytes: Uint8Array): void
}

/** Starts an S3-compatible server with one bucket, which verifies the signature of every request by itself. */
export async function fakeS3({ bucket = 'research', region = 'us-east-1', pageSize = 1000 } = {}): Promise<FakeS3> {
  const objects: FakeS3['objects'] = new Map()
  const requests: string[] = []
  let special: { left: number; answer: Answer } | null = null
  let conditionalAnswer: { matches(request: IncomingMessage): boolean; answer: Answer } | null = null
  const put = (key: string, bytes: Uint8Array) =>
    void objects.set(key, {
      bytes: Buffer.from(bytes),
      etag: createHash('md5').update(bytes).digest('hex'),
      changedAt: new Date().toISOString(),
    })

  function refuse(response: ServerResponse, status: number, code: string, more = ''): void {
    response.writeHead(status, { 'content-type': 'application/xml' })
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code} it is</Message>${more}</Error>`)
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const url = new URL(request.url!, 'http://s3')
    requests.push(`${request.method} ${request.url}`)
    if (special && special.left-- > 0) return special.answer(request, response)
    if (conditionalAnswer?.matches(request)) return conditionalAnswer.answer(request, response)
    const problem = signatureProblem(request, region)
    if (problem === 'region') return refuse(response, 400, 'AuthorizationHeaderMalformed', `<Region>${region}</Region>`)
    if (problem) return refuse(response, 403, problem)
    const hash = createHash('sha256').update(body).digest('hex')
    if (request.headers['x-amz-content-sha256'] !== hash) return refuse(response, 400, 'XAmzContentSHA256Mismatch')
    const [, name, ...rest] = url.pathname.split('/').map(decodeURIComponent)
    if (name !== bucket) return refuse(response, 404, 'NoSuchBucket')
    const key = rest.join('/')
    if (request.method === 'PUT') {
      put(key, body)
      return void response.writeHead(200, { etag: `"${objects.get(key)!.etag}"` }).end()
    }
    if (request.method === 'DELETE') {
      objects.delete(key)
      return void response.writeHead(204).end()
    }
    if (key === '') return void response.writeHead(200).end(listing(url.searchParams, objects, pageSize))
    const found = objects.get(key)
    if (!found) return refuse(response, 404, 'NoSuchKey')
    response.writeHead(200, { 'content-length': found.bytes.length, etag: `"${found.etag}"` }).end(found.bytes)
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    requests,
    put,
    answerWhere: (matches, way) => void (conditionalAnswer = { matches, answer: way }),
    answerNext: (left, way) => void (special = { left, answer: way }),
  }
}

/** Checks the signature of a request as Amazon documents it. @returns the code of the refusal, or null */
function signatureProblem(request: IncomingMessage, region: string): string | null {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const [, id, day, signedRegion, names, signature] = pattern.exec(request.headers.authorization ?? '') ?? []
  if (!id) return 'AccessDenied'
  if (id !== s3Key.id) return 'InvalidAccessKeyId'
  if (signedRegion !== region) return 'region'
  const date = String(request.headers['x-amz-date'])
  const [path, query = ''] = request.url!.split('?', 2)
  const canonical = [
    request.method,
    path,
    query.split('&').filter(Boolean).toSorted().join('&'),
    ...names.split(';').map((name) => `${name}:${String(request.headers[name]).replace(/\s+/g, ' ')}`),
    '',
    names,
    request.headers['x-amz-content-sha256'],
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', date, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer | string>(
    (before, part) => createHmac('sha256', before).update(part).digest(),
    `AWS4${s3Key.secret}`,
  )
  return createHmac('sha256', key).update(text).digest('hex') === signature ? null : 'SignatureDoesNotMatch'
}

function listing(query: URLSearchParams, objects: FakeS3['objects'], pageSize: number): string {
  const prefix = query.get('prefix') ?? ''
  const after = query.get('continuation-token') ?? ''
  const slashAfterPrefix = (key: string) => key.slice(prefix.length).indexOf('/')
  const named = [...objects.keys()].filter((key) => key.startsWith(prefix))
  const prefixes = named
    .filter((key) => slashAfterPrefix(key) >= 0)
    .map((key) => key.slice(0, prefix.length + slashAfterPrefix(key) + 1))
  const items = [...new Set([...prefixes, ...named.filter((key) => slashAfterPrefix(key) < 0)])].toSorted()
  const page = items.filter((key) => key > after).slice(0, pageSize)
  const contents = page.map((key) => {
    const object = objects.get(key)
    if (!object) return `<CommonPrefixes><Prefix>${encodeURIComponent(key)}</Prefix></CommonPrefixes>`
    const { bytes, etag, changedAt } = object
    return `<Contents><Key>${encodeURIComponent(key)}</Key><LastModified>${changedAt}</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>${bytes.length}</Size></Contents>`
  })
  const isCut = page.length > 0 && page.at(-1) !== items.at(-1)
  return `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType><IsTruncated>${isCut}</IsTruncated>${isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''}${contents.join('')}</ListBucketResult>`
}
