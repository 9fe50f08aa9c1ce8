/**
 * This parser serves lint rules that need types, in components too. One TypeScript program has all sources, with the script of
 * each component as the parser of components passes it on, because a program per component would take minutes.
 */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import ts from 'typescript'
import tseslint from 'typescript-eslint'
import vue from 'eslint-plugin-vue'

/** Parser of components, as the rules for components bring it. */
const vueParser = vue.configs['flat/base'].find(({ languageOptions }) => languageOptions?.parser).languageOptions.parser
const isComponent = (file) => file.endsWith('.vue')

/** Thrown with the script of a component, so that nothing else of it is parsed. */
class ScriptFound extends Error {
  constructor(script) {
    super('the script was found')
    this.script = script
  }
}

/**
 * Number of files that are linted in a program of themselves and what they import, as after a small change. For more,
 * one program of all sources takes less time. None where all files are linted, as the run says by its environment.
 */
const FEW_FILES = process.env.PERPSCOPE_LINT_ALL === '1' ? 0 : 5

/** Options with which the parser of components asks for types; it drops `project` where it parses only a part. */
const wantsTypes = ({ project }) => Boolean(project)

/** Returns the script of a component as the parser of components would pass it on for linting. */
function scriptOf(file, text) {
  const scriptParser = {
    parseForESLint(code, options) {
      if (wantsTypes(options)) throw new ScriptFound(code)
      return tseslint.parser.parseForESLint(code, options)
    },
  }
  try {
    vueParser.parseForESLint(text, { parser: scriptParser, project: true, sourceType: 'module', filePath: file })
  } catch (thrown) {
    if (thrown instanceof ScriptFound) return thrown.script
  }
  return ''
}

/** Creates a parser whose program has the files of a tsconfig.json, and the components in the same folders. */
export function createTypedParser(configFile) {
  /** Texts that replace files on disk, in an editor or a test. */
  const textByFile = new Map()
  let program = null
  /** All sources, once they are listed, and those of which the program was made. */
  let names = null
  let roots = []
  let options = {}

  function readSources() {
    const { config } = ts.readConfigFile(configFile, ts.sys.readFile)
    const components = { extension: '.vue', isMixedContent: true, scriptKind: ts.ScriptKind.Deferred }
    const folder = dirname(configFile)
    const parsed = ts.parseJsonConfigFileContent(config, ts.sys, folder, {}, configFile, undefined, [components])
    names = parsed.fileNames
    // Declarations hold everywhere, although nothing imports them.
    roots = names.filter((name) => name.endsWith('.d.ts'))
    options = { ...parsed.options, composite: false, incremental: false, allowNonTsExtensions: true, noEmit: true }
    delete options.tsBuildInfoFile
  }

  function createProgram() {
    const host = ts.createCompilerHost(options, true)
    const { getSourceFile } = host
    host.getSourceFile = (file, target, ...rest) => {
      const replaced = textByFile.get(file)
      if (replaced === undefined && !isComponent(file)) return getSourceFile(file, target, ...rest)
      const text = replaced ?? scriptOf(file, readFileSync(file, 'utf8'))
      return ts.createSourceFile(file, text, target, true, ts.ScriptKind.TS)
    }
    program = ts.createProgram(roots, options, host, program ?? undefined)
  }

  /** Returns the program in which a file has this text. */
  function programWith(file, text) {
    if (!names) readSources()
    const source = program?.getSourceFile(file)
    if (source?.text === text) return program
    textByFile.set(file, text)
    if (!source) roots = textByFile.size > FEW_FILES ? [...new Set([...names, ...roots, file])] : [...roots, file]
    createProgram()
    return program
  }

  return {
    meta: { name: 'perpscope-typed-parser', version: '1' },
    parseForESLint(code, { project, ...parserOptions }) {
      if (!wantsTypes({ project })) return tseslint.parser.parseForESLint(code, parserOptions)
      const programs = [programWith(resolve(parserOptions.filePath), code)]
      return tseslint.parser.parseForESLint(code, { ...parserOptions, programs })
    },
  }
}
