/**
 * Serves a file of about 300 KB (a day of 15s rows with six columns) for every requested day; all files are made before
 * the first request. Usage: `fileServer.ts <first day> <days> <latency in ms>`.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addDays } from '../../shared/time.ts'
import { fileOf } from './dayFile.ts'

const [firstDay, days, latencyMs] = process.argv.slice(2)

const files = new Map(
  Array.from({ length: Number(days) }, (_, at) => addDays(firstDay, at)).map((day) => [day, fileOf(day)]),
)
/** File for requests that name no day, such as those of curl. */
const anyFile = files.get(firstDay)!

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const answer = () => {
    if (url.pathname.startsWith('/file/')) {
      const bytes = files.get(url.pathname.slice('/file/'.length)) ?? anyFile
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-length': bytes.length,
        etag: '"1"',
      })
      return response.end(bytes)
    }
    const { port } = server.address() as AddressInfo
    const listed = []
    const end = url.searchParams.get('end_date') ?? ''
    for (let day = url.searchParams.get('start_date') ?? end; day <= end; day = addDays(day, 1)) {
      const [year, month, number] = day.split('-').map(Number)
      listed.push({ year, month, day: number, url: `http://127.0.0.1:${port}/file/${day}` })
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ files: listed }))
  }
  if (latencyMs === '0') answer()
  else setTimeout(answer, Number(latencyMs))
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
