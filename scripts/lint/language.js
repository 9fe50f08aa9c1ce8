/**
 * Lists names and phrases that the project no longer uses, with their replacements: exact identifiers, endings of
 * identifiers with exceptions, and exact phrases in messages. Comments are not checked. `npm run shape -- --list words`
 * shows what is left; `language/names` and `language/phrases` are the lint rules.
 */

import { pathOf } from './zones.js'

/** Forbidden identifiers and what to say instead; `names` are compared exactly, including case. */
const forbiddenNames = [
  { say: 'message, label or text', names: ['words', 'wordsOf', 'wordsFor', 'wordsIn', 'Words', 'asWords'] },
  {
    say: 'range',
    names: [
      'stretch',
      'stretches',
      'Stretch',
      'stretchOf',
      'stretchesOf',
      'span',
      'spans',
      'spanOf',
      'spansOf',
      'Span',
    ],
  },
  {
    say: 'paused connections, pause reason',
    names: [
      'hold',
      'holds',
      'held',
      'Hold',
      'Holds',
      'Held',
      'isHeld',
      'onHold',
      'createHolds',
      'DownloadHold',
      'tellHolds',
      'toldHolds',
      'unstoredHolds',
      'mayHold',
      'heldOf',
    ],
  },
  { say: 'orphan parts', names: ['strays', 'Strays', 'createStrays', 'STRAYS'] },
  {
    say: 'validation, validateParquet, validationPool',
    names: [
      'proof',
      'proofs',
      'prove',
      'proven',
      'Proof',
      'ProofPool',
      'proofPool',
      'createProofPool',
      'proveFile',
      'ProofTask',
      'ProofResult',
      'PROOF_THREADS',
    ],
  },
  {
    say: 'import, commit, downloaded',
    names: [
      'takeIn',
      'takeInFile',
      'TakeIn',
      'TakeInTask',
      'TakeInStep',
      'came',
      'arrived',
      'Arrived',
      'isArrivalKept',
    ],
  },
  {
    say: 'events, changes',
    names: [
      'news',
      'News',
      'createNews',
      'useNews',
      'gatherNews',
      'catalogNews',
      'coverageNews',
      'requestNews',
      'networkNews',
      'createNetworkNews',
      'NewsName',
      'TellNews',
      'NewsNote',
      'told',
      'Told',
      'isTold',
      'untold',
      'settingsTold',
      'connectionsTold',
      'workspacesTold',
      'setsTold',
      'heard',
    ],
  },
  {
    say: 'repair, verify, issue',
    names: [
      'mend',
      'mendUnread',
      'mendFilesPlace',
      'lookThrough',
      'lookSometimes',
      'FileFinding',
      'contentFindings',
      'columnFindings',
      'placeFindings',
      'withPlaceFindings',
      'typeFindings',
      'datasetFindings',
      'conditionFindings',
    ],
  },
  { say: 'write batcher (a ledger is the list of trials of the Lab)', names: ['createLedger'] },
  { say: 'recover settings', names: ['salvage', 'salvaged', 'Salvaged'] },
  { say: 'size estimate', names: ['usualSize', 'UsualSize', 'createUsualSize', 'usualBytes'] },
  {
    say: 'timeout, stall detection',
    names: ['patience', 'patienceMs', 'patienceEndsMs', 'createPatience', 'PATIENCE_MS'],
  },
  {
    say: 'filtered rows, summary cache, persistedRef',
    names: [
      'keptRows',
      'keptSummaries',
      'KeptSummaries',
      'createKeptSummaries',
      'keptRef',
      'keptPages',
      'keptNear',
      'keptWithin',
      'fromKept',
      'Kept',
      'KEPT',
      'KEPT_AS',
    ],
  },
  {
    say: 'series service, raw event service',
    names: ['desk', 'seriesDesk', 'SeriesDesk', 'createSeriesDesk', 'rawDesk', 'RawDesk', 'createRawDesk'],
  },
  {
    say: 'quota enforcer, lease renewal',
    names: [
      'keeper',
      'limitKeeper',
      'LimitKeeper',
      'createLimitKeeper',
      'leaseKeeper',
      'LeaseKeeper',
      'createLeaseKeeper',
    ],
  },
  { say: 'chart style, default column', names: ['looks', 'looksOf', 'tellingColumn', 'telling'] },
  {
    say: 'parse response, freshness, refresh if stale',
    names: [
      'understood',
      'Understood',
      'learned',
      'Learned',
      'learnedOf',
      'learnedNote',
      'PortfolioLearned',
      'freshEnough',
    ],
  },
  { say: 'suggestion', names: ['meant'] },
  { say: 'copied', names: ['brought'] },
  { say: 'concurrency counts', names: ['busy', 'Busy', 'createBusy'] },
  {
    say: 'request, query',
    names: [
      'wish',
      'wishes',
      'Wish',
      'wished',
      'wishOf',
      '_wish',
      'FetchWishes',
      'HistoryWish',
      'PeriodsWish',
      'question',
      'questions',
      'Question',
      'questionOf',
      'asked',
      'Asked',
      'askedOn',
      'askedMs',
      'askedDays',
      'isAsked',
      'notAsked',
      'isAskedAgain',
      'AskedDays',
      'AskedRange',
    ],
  },
]

/** Forbidden endings of identifiers; `but` lists idiomatic names with that ending. */
const forbiddenEndings = [
  { ending: 'Words', say: 'message, label or text', but: [] },
  { ending: 'WORDS', say: 'MESSAGE, LABEL or TEXT', but: [] },
  {
    ending: 'Parts',
    say: '…Deps for injected things',
    but: [
      'formatToParts',
      'SymbolParts',
      'symbolParts',
      'inlineParts',
      'keyParts',
      'returnParts',
      'weightParts',
      'orphanParts',
      'OrphanParts',
      'createOrphanParts',
    ],
  },
  { ending: 'Question', say: 'request or query', but: ['CircleQuestionMark'] },
  { ending: 'Stretch', say: 'range', but: [] },
  { ending: 'Span', say: 'range', but: ['colSpan', 'rowSpan'] },
]

/**
 * Forbidden names that are allowed below some paths: as public keys (of `--json`, of the contract's events, of tables),
 * or because they are technical terms there (`held` positions).
 */
const allowedNames = [
  { names: ['words', 'asked', 'learned', 'holds'], paths: ['electron/cli/', 'shared/contract/'], isKey: true },
  { names: ['words', 'asked', 'holds', 'came'], paths: ['electron/core/store/'], isKey: true },
  { names: ['words'], paths: ['scripts/shape.mjs'], isKey: true },
  {
    names: ['held'],
    paths: ['electron/sandbox/portfolio/', 'renderer/views/portfolios/', 'shared/portfolio/'],
    isKey: false,
  },
]

/** Folder of the released migrations, whose text never changes. */
const RELEASED_MIGRATIONS = 'electron/core/store/migrations/'

const isAllowed = (name, path, isKey) =>
  path.startsWith(RELEASED_MIGRATIONS) ||
  allowedNames.some(
    (allowed) =>
      allowed.names.includes(name) &&
      (isKey || !allowed.isKey) &&
      allowed.paths.some((below) => path.startsWith(below)),
  )

/** Forbidden phrases, compared exactly in string literals, templates and the text of components. */
const forbiddenPhrases = [
  ['local door', 'local API'],
  ['assistant door', 'MCP server'],
  ['perhaps not existing', 'may not exist'],
  ['not open for this key', 'not included in your plan'],
  ['its days are not over yet', 'No complete days in this range yet'],
  ['Looking what is missing', 'Checking for new files …'],
  ['Downloads stand still', 'Downloads paused'],
  ['What was downloaded or cancelled stands here', 'Finished and cancelled downloads appear here'],
  ['files came', 'files downloaded'],
  ['is no symbol', '"…" is not a symbol'],
  ['No symbol known here is like this', 'No matching symbol'],
  ['window is not let in', 'This session link has expired'],
  ['No such line? Start it anew with', 'Not running any more? Restart with'],
  ['Start it anew', 'Restart'],
  ['Nothing stands at', 'Page not found: …'],
  ['Neither the documents nor this connection know', 'Unknown dataset …'],
  ['Drop to hand the files to Perpscope', 'Drop files to import'],
  ['Nothing would go', 'Nothing to remove: the cache is already smaller'],
  ['cannot come in', 'cannot be imported'],
  ['that nobody looked at yet', 'not checked yet'],
  ['nobody looked at', 'not checked'],
  ['as it should be', 'no problems found'],
  ['has no such thing', 'not applicable'],
  ['Put the first steps away', 'Hide the first steps'],
  ['keeps and gives back', 'read and write OK'],
  ['Reads as large', 'High when'],
  ['A row is made of', 'Computed from'],
  ['is no rate', 'Enter an annual rate in %, for example 4.5'],
  ['per cent a year', '% a year'],
]

const sayByName = new Map(forbiddenNames.flatMap(({ names, say }) => names.map((name) => [name, say])))

/** Returns what to say instead of an identifier, or null if it is allowed; `isKey` is true for the name of a field. */
export function insteadOfName(name, path = '', isKey = false) {
  if (isAllowed(name, path, isKey)) return null
  const endingRule = forbiddenEndings.find(({ ending, but }) => name.endsWith(ending) && !but.includes(name))
  return sayByName.get(name) ?? endingRule?.say ?? null
}

/** Patterns of the forbidden phrases, whose words may also be separated by line breaks. */
const phrasePatterns = forbiddenPhrases.map(([phrase, say]) => {
  const escaped = phrase.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return { phrase, say, pattern: new RegExp(escaped.replaceAll(' ', '\\s+')) }
})

/** Finds the forbidden phrases in a text; `at` is the offset of the first occurrence. */
export function phrasesIn(text, path = '') {
  if (path === 'scripts/lint/language.js') return []
  return phrasePatterns.flatMap(({ phrase, say, pattern }) => {
    const at = text.search(pattern)
    return at < 0 ? [] : [{ phrase, say, at }]
  })
}

const nameMessage = (name, say) => `“${name}” is not a name we use; say: ${say}.`
const phraseMessage = ({ phrase, say }) => `“${phrase}” is not how we say it; say: ${say}.`

/**
 * Yields the new names in one property of a destructuring pattern: `b` in `{ a: b }`. The shorthand `{ a }` has none,
 * because its variable takes the name of the property.
 */
function* bindingsOfProperty(property) {
  if (!property.shorthand) yield* bindingsOf(property.value ?? property.argument)
}

/** Yields the new names in a destructuring pattern: `c` in `{ a, b: [c] }`, but not the names of its properties. */
function* bindingsOf(pattern) {
  if (!pattern) return
  if (pattern.type === 'Identifier') yield pattern
  else if (pattern.type === 'ObjectPattern')
    for (const property of pattern.properties) yield* bindingsOfProperty(property)
  else if (pattern.type === 'ArrayPattern') for (const element of pattern.elements) yield* bindingsOf(element)
  else if (pattern.type === 'AssignmentPattern') yield* bindingsOf(pattern.left)
  else if (pattern.type === 'RestElement') yield* bindingsOf(pattern.argument)
  else if (pattern.type === 'TSParameterProperty') yield* bindingsOf(pattern.parameter)
}

const names = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    const path = pathOf(context)
    const check = (id, isKey = false) => {
      if (id?.type !== 'Identifier') return
      const say = insteadOfName(id.name, path, isKey)
      if (say) context.report({ node: id, message: nameMessage(id.name, say) })
    }
    const checkKey = (node) => !node.computed && check(node.key, true)
    const checkFunction = (node) => {
      check(node.id)
      for (const parameter of node.params) for (const id of bindingsOf(parameter)) check(id)
    }
    return {
      VariableDeclarator: (node) => [...bindingsOf(node.id)].forEach((id) => check(id)),
      FunctionDeclaration: checkFunction,
      FunctionExpression: checkFunction,
      ArrowFunctionExpression: checkFunction,
      ClassDeclaration: (node) => check(node.id),
      TSInterfaceDeclaration: (node) => check(node.id),
      TSTypeAliasDeclaration: (node) => check(node.id),
      TSPropertySignature: checkKey,
      TSMethodSignature: checkKey,
      PropertyDefinition: checkKey,
      MethodDefinition: checkKey,
      Property: (node) => !node.shorthand && node.parent.type === 'ObjectExpression' && checkKey(node),
      ImportSpecifier: (node) => node.local.name !== node.imported.name && check(node.local),
    }
  },
}

const phrases = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    const path = pathOf(context)
    const check = (node, text) => {
      if (typeof text !== 'string') return
      for (const found of phrasesIn(text, path)) context.report({ node, message: phraseMessage(found) })
    }
    const inScript = {
      Literal: (node) => check(node, node.value),
      TemplateElement: (node) => check(node, node.value.cooked),
    }
    const { defineTemplateBodyVisitor } = context.sourceCode.parserServices
    if (!defineTemplateBodyVisitor) return inScript
    const inTemplate = {
      ...inScript,
      VText: (node) => check(node, node.value),
      VLiteral: (node) => check(node, node.value),
    }
    return defineTemplateBodyVisitor(inTemplate, inScript)
  },
}

export const language = { rules: { names, phrases } }
