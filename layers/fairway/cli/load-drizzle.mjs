// For each module that it loads, Node parses the package.json around it, and for each import of a package that of the package. The
// one of drizzle-orm has 180 kB, and its hundred modules took most of a second. Their relative imports are always modules, so this
// hook skips the package.json. Imports of drizzle-orm from one folder lead to one place, so it looks that up once.
import nodeModule from 'node:module'

const found = new Map()

nodeModule.registerHooks?.({
  resolve(specifier, context, next) {
    const { parentURL = '', conditions } = context
    const isImport = conditions.includes('import')
    if (isImport && /^\.{1,2}\/.*\.js$/.test(specifier) && /[\\/]drizzle-orm[\\/]/.test(parentURL))
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
    if (!isImport || !/^drizzle-orm(\/|$)/.test(specifier)) return next(specifier, context)
    const key = `${specifier} ${parentURL.slice(0, parentURL.lastIndexOf('/'))}`
    if (!found.has(key)) found.set(key, { ...next(specifier, context), shortCircuit: true })
    return found.get(key)
  },
})
