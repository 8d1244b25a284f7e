// Node reads the package.json of each module that it loads, and that of drizzle-orm has 180 kB: parsed for each of its hundred
// modules, it took most of a second. What one of them imports beside itself is a module as well.
import nodeModule from 'node:module'

nodeModule.registerHooks?.({
  resolve(specifier, context, next) {
    const isBeside = /^\.{1,2}\/.*\.js$/.test(specifier) && context.conditions.includes('import')
    if (!isBeside || !/[\\/]drizzle-orm[\\/]/.test(context.parentURL ?? '')) return next(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
  },
})
