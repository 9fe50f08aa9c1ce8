/** Serves one file for every day of any request: `fileServer.ts <file> <latency in ms>`. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addDays } from '../../shared/time.ts'

const [path, latencyMs] = process.argv.slice(2)
const bytes = readFileSync(path)

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const answer = () => {
    if (url.pathname.startsWith('/file/')) {
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-length': bytes.length,
        etag: '"1"',
      })
      return response.end(bytes)
    }
    const { port } = server.address() as AddressInfo
    const files = []
    const end = url.searchParams.get('end_date') ?? ''
    for (let day = url.searchParams.get('start_date') ?? end; day <= end; day = addDays(day, 1)) {
      const [year, month, number] = day.split('-').map(Number)
      files.push({ year, month, day: number, url: `http://127.0.0.1:${port}/file/${day}` })
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ files }))
  }
  if (latencyMs === '0') answer()
  else setTimeout(answer, Number(latencyMs))
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
