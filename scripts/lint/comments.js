/**
 * Lint rule for comments: the first sentence must be complete, and clear without the lines around it. A comment on a
 * field, parameter, constant or type may be a noun phrase. `npm run shape -- --list comments` lists the violations.
 */

/** Words with which a comment must not begin, because they refer to something outside the comment. */
const forbiddenOpenerList =
  'of what that which each it where how whether only as for why who whom whose whoever whatever its they them their he she so thus hence'
const forbiddenOpeners = new Set(forbiddenOpenerList.split(' '))

/** First words of fragments. A text without a verb that begins with another word is a noun phrase. */
const fragmentOpenerList =
  'in on from between before after with without by at under over up down into out through until since when while if because also not nor and or but to than then first last once again half quick empty null nothing something everything anything more less most both'
const fragmentOpeners = new Set(fragmentOpenerList.split(' '))

/** First words of phrases that nobody understands alone; without a verb they are forbidden even on a field. */
const phraseFragmentPattern =
  /^(the same|those|such|inside|outside|until|till|by|at|in place|in addition|instead|empty|null|included|not included|when|while|absent|both|none|otherwise|besides?)\b/
const clauseOpenerPattern = /^(where|if|that|which|who|when|while|because|until|as|so|besides|unless)$/

const auxiliaries = new Set(
  'is are was were has have had can cannot may might must will would should shall could does do did needs'.split(' '),
)

const verbs =
  'abort accept add adjust adopt aggregate agree align allow annualise answer append apply arrange arrive ask assign assume average avoid await become begin believe belong bind block break bring buffer build bump cache calculate call cancel carry cause centre change charge chart check choose classify clean clear click close collect combine come commit compare compile compose compress compute concatenate confirm connect consist contain continue control convert copy correct correlate cost count cover create cross cut deal decide declare decode decompress decrypt defer define delete deliver depend derive describe detach detect differ disappear discard dispatch distribute divide download drag draw drop emit enable encode encrypt end enforce ensure enter erase escape estimate evaluate examine exceed exist exit expand expect expire explain export extend extract fail fall feed fetch fill filter find finish fire fit fix flag flatten flush focus fold follow forbid force forget format forward frame free gather generate get give go group grow guard guess hand handle happen hash have hear help hide hold hover identify ignore imply import include index infer inherit insert inspect install interpolate interpret interrupt invalidate invent iterate join judge jump keep kill know label lack lay lead learn leave lend let lie limit link list listen live load locate lock log look lose make manage map mark match matter mean measure meet merge migrate mind mirror miss mount move name need normalise note notice notify number occur offer omit open order overlap override overwrite own pace pack paint pair parse pass pause pay pick pin pivot place plan play point poll post prefer prepare preserve press prevent print process produce profile promise protect prove provide prune publish pull push put query queue quote raise rank reach react read rebase rebuild receive recognise recompute record recover recreate redirect redraw reduce refer refresh refuse register reject relate release reload rely remain remember remind remove rename render reopen repaint repair repeat replace reply report represent request require reread rerun rescale resend reserve reset resize resolve respond rest restart restore restrict resume retry return reuse reveal revoke rewrite rise roll round run sample save say scale scan schedule score scroll search see seek seem select send separate serve set settle share shed shift show shrink shut sign skip sleep slice slide slow smooth sort speak spell split spread stall stand start state stay step stick stop store stream strip subscribe substitute succeed suffice sum summarise supply support suppose survive swap switch sync take talk tell tend terminate test thin throw tick tie time toggle touch track transfer transform translate treat trigger trim trust try turn underline unload unlock unmount unpack unregister update upgrade use validate vary verify visit wait wake walk want warn watch wear weigh win wipe withdraw work wrap write yield zoom'.split(
    ' ',
  )
const thirdPerson = (verb) => {
  if (/(s|x|z|ch|sh|o)$/.test(verb)) return `${verb}es`
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`
}
const baseForms = new Set(verbs)
const thirdPersons = new Set(verbs.map(thirdPerson))

/**
 * Verb forms that are often plural nouns; inside a sentence they count as verbs only after “it”, “that”, “which” or
 * “who”.
 */
const alsoNouns = new Set(
  'answers averages backs bars calls changes controls copies costs counts days downloads ends estimates exports files groups imports indexes labels lasts lies limits links lists locks logs looks marks means names needs notes numbers orders pairs pins pivots places plans plays points posts prints queries queues ranks reads records reports requests rests results returns rows runs samples scores shares starts states steps stops streams sums tests ticks times turns uses values weighs windows works writes'.split(
    ' ',
  ),
)

/** Returns the part of a comment that the rule checks: its first sentence, without tags. */
export function firstSentence(text) {
  return text.split(/(?<=[.!?])\s+(?=[A-Z`“"'0-9])|\n\s*\n|\s@(?=[a-z])/)[0].replace(/\s+/g, ' ')
}

function tokensOf(sentence) {
  const plain = sentence.replace(/`[^`]*`/g, 'Name').replace(/[“"][^”"]*[”"]/g, 'Name')
  return plain
    .split(/[^A-Za-z'’]+/)
    .filter(Boolean)
    .map((word) => word.toLowerCase().replace('’', "'"))
}

const isVerbAfter = (word, before) => {
  if (auxiliaries.has(word) || word.endsWith("n't")) return true
  if (thirdPersons.has(word) && (!alsoNouns.has(word) || /^(it|that|which|who)$/.test(before))) return true
  if (!baseForms.has(word)) return false
  if (/^(they|we|you|i|never|always)$/.test(before)) return true
  return /[^s]s$/.test(before) && !/^(its|this|as|always|less)$/.test(before)
}

function hasVerb([first, second, ...rest]) {
  if (first === undefined) return true
  const opensWithVerb = thirdPersons.has(first) || baseForms.has(first)
  if (opensWithVerb && second !== 'of' && second !== 'that') return true
  const others = second === undefined ? [] : [second, ...rest]
  return others.some((word, index) => isVerbAfter(word, index === 0 ? first : others[index - 1]))
}

/** Returns the words of a sentence before its first subordinate clause. */
function mainClause(tokens) {
  const end = tokens.findIndex((word, index) => index > 0 && clauseOpenerPattern.test(word))
  return end < 0 ? tokens : tokens.slice(0, end)
}

const isDirective = (text) => /^(@|eslint|v8 |vite-|#|<reference)/.test(text)

/**
 * Returns what is wrong with a comment: 'hangs' if its first sentence cannot be understood by itself, 'phrase' if it is
 * a noun phrase where a sentence is required, null if it is fine. `allowsPhrase` is true for a comment on a field,
 * parameter, constant or type.
 */
export function judgeComment(text, allowsPhrase) {
  if (text === '' || isDirective(text)) return null
  const sentence = firstSentence(text)
  const tokens = tokensOf(sentence)
  if (tokens.length === 0) return null
  const startsWithName = /^\s*[`“"]/.test(sentence)
  if (!startsWithName && forbiddenOpeners.has(tokens[0])) return 'hangs'
  if (/^(this|these|those)$/.test(tokens[0]) && auxiliaries.has(tokens[1])) return 'hangs'
  if (phraseFragmentPattern.test(tokens.join(' ')) && !hasVerb(mainClause(tokens))) return 'hangs'
  if (allowsPhrase || hasVerb(tokens)) return null
  return fragmentOpeners.has(tokens[0]) ? 'hangs' : 'phrase'
}

/** Removes the comment markers from each line. */
export function commentText(raw) {
  return raw
    .replace(/^\/\*+|\*\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(\*|\/\/)? ?/, '').trim())
    .join('\n')
    .trim()
}

const phraseParents = new Set([
  'TSPropertySignature',
  'TSMethodSignature',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'PropertyDefinition',
  'Property',
  'ClassDeclaration',
  'TSUnionType',
])

const isFunction = (node) => node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression'

/** Returns the largest syntax node that begins right after a comment, or null. */
function documentedNode(sourceCode, comment) {
  const token = sourceCode.getTokenAfter(comment)
  if (!token) return null
  let node = sourceCode.getNodeByRangeIndex(token.range[0])
  while (node?.parent && node.parent.type !== 'Program' && node.parent.range[0] === node.range[0]) node = node.parent
  return node
}

function nodeAllowsPhrase(node) {
  const declared = node?.type === 'ExportNamedDeclaration' ? node.declaration : node
  if (declared?.type === 'VariableDeclaration') return !isFunction(declared.declarations[0].init)
  return phraseParents.has(declared?.type)
}

const messages = {
  hangs: 'The first sentence hangs in the air: give it a subject, a verb and the noun that one would search for.',
  phrase: 'A function is described by a sentence with a verb.',
}

const sentences = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    const { sourceCode } = context
    return {
      Program() {
        const groups = groupLines(sourceCode.getAllComments(), sourceCode)
        for (const { first, raw } of groups) {
          const fault = judgeComment(commentText(raw), nodeAllowsPhrase(documentedNode(sourceCode, first)))
          if (fault) context.report({ loc: first.loc, message: messages[fault] })
        }
      },
    }
  },
}

/** Joins line comments on consecutive lines into one comment. */
function groupLines(all, sourceCode) {
  const groups = []
  for (const comment of all) {
    const lastGroup = groups.at(-1)
    const raw = sourceCode.getText().slice(...comment.range)
    const continues =
      lastGroup?.first.type === 'Line' && comment.type === 'Line' && comment.loc.start.line === lastGroup.line + 1
    if (continues) Object.assign(lastGroup, { raw: `${lastGroup.raw}\n${raw}`, line: comment.loc.end.line })
    else groups.push({ first: comment, raw, line: comment.loc.end.line })
  }
  return groups
}

export const comments = { rules: { sentences } }
