import { describe, expect, it } from 'vitest'
import { readStudyFile, writeStudyFile } from '#shared/lab/studyFile.ts'

const study = { version: 1, kind: 'signal', interval: '1h', signal: 'a', name: null }

describe('a shared study', () => {
  it('is the document of the command line, under the name of the study', () => {
    const text = writeStudyFile('Carry', study)
    expect(JSON.parse(text)).toEqual({ ...study, name: 'Carry' })
    expect(readStudyFile(text, 'other.study.json')).toEqual({ name: 'Carry', study: { ...study, name: 'Carry' } })
  })

  it('takes the name of its file where it has none', () => {
    expect(readStudyFile(JSON.stringify(study), 'carry.study.json')).toMatchObject({ name: 'carry' })
    expect(readStudyFile(JSON.stringify(study), '.json')).toMatchObject({ name: 'Study' })
  })

  it.each([
    ['{', 'not JSON'],
    ['[]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    ['{"kind":"signal"}', 'version must be 1'],
    ['{"version":1,"kind":"dance"}', 'kind one of signal, events'],
  ])('%s is refused with its reason', (text, reason) => {
    expect(readStudyFile(text, 'x.json')).toEqual({ problem: expect.stringContaining(reason) as string })
  })
})
