// For each module that it loads, Node parses the package.json around it, and that of drizzle-orm has 180 kB. Its hundred modules
// took most of a second. Their relative imports are always modules, so this hook skips the package.json.
import nodeModule from 'node:module'

nodeModule.registerHooks?.({
  resolve(specifier, context, next) {
    const isBeside = /^\.{1,2}\/.*\.js$/.test(specifier) && context.conditions.includes('import')
    if (!isBeside || !/[\\/]drizzle-orm[\\/]/.test(context.parentURL ?? '')) return next(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
  },
})
