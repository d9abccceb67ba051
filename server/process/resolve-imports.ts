import { registerHooks } from 'node:module'

/**
 * Resolves relative imports by joining addresses. Node also looks for the file, follows links and reads package scopes for
 * each of them: half of what it takes to load a package of many small modules (Kysely: 215 ms of processor time, 120 with
 * this). An ES module always names the file that it imports in full, so that nothing else can be meant.
 */
registerHooks({
  resolve: (specifier, context, next) => {
    const isRelative = specifier.startsWith('./') || specifier.startsWith('../')
    if (!isRelative || !context.parentURL?.startsWith('file:') || !context.conditions.includes('import')) {
      return next(specifier, context)
    }
    return { url: new URL(specifier, context.parentURL).href, shortCircuit: true }
  },
})
