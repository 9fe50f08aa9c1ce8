import { expect, it } from 'vitest'
import { kindSchema } from '#shared/lab/describeFields.ts'
import { fieldsWithin, valueAt } from '#shared/lab/kinds/field.ts'
import { kindFacts, labKinds } from '#shared/lab/kinds.ts'
import { parseDocument } from '#shared/lab/parseStudy.ts'
import { readStudyFile } from '#shared/lab/studyFile.ts'
import { commentedDocument, studyTemplate } from '#shared/lab/studyTemplate.ts'
import { withoutComments } from '#shared/units/jsonComments.ts'

const place = { venue: 'heron-perps', nowMs: Date.UTC(2026, 7, 15) }

it.each(labKinds)('prints a template of kind %s that explains each field and can be run as it is', (kind) => {
  const document = studyTemplate(kind, place)
  const text = commentedDocument(kind, document).join('\n')
  expect(JSON.parse(withoutComments(text))).toEqual(document)
  expect(readStudyFile(text, 'a.json')).toMatchObject({ study: document })
  expect(parseDocument(document, { fromCache: true })).toMatchObject(document)
  const spoken = text.replace(/\n *\/\/ /g, ' ')
  for (const { path, help } of fieldsWithin(kindFacts(kind).fields))
    if (valueAt(document, path) !== undefined) expect(spoken).toContain(help)
})

it('reads the first venue, the symbols that it lists and the last full months', () => {
  expect(studyTemplate('signal', place)).toMatchObject({ source: { exchanges: ['heron-perps'] }, end: '2026-07-31' })
  const listed = Array.from({ length: 60 }, (_, at) => `perpetual-X${at}-USDC:USDC`)
  const { source } = studyTemplate('signal', { ...place, listed, leader: listed[0] })
  expect((source as { symbols: string[] }).symbols).toEqual(listed.slice(1, 42))
  expect(studyTemplate('signal', { ...place, venue: null })).toMatchObject({ source: { exchanges: [] } })
})

it('reads comments as blanks, and leaves texts that look like one', () => {
  expect(withoutComments('{"a": "x // y", // z "\n"b\\"//": 1}')).toBe('{"a": "x // y",       \n"b\\"//": 1}')
})

it('describes the documents of one kind as a schema', () => {
  expect(kindSchema('signal')).toMatchObject({ type: 'object', required: ['version', 'kind', 'interval', 'signal'] })
})
