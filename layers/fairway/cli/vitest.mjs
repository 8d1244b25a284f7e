import { createJiti } from 'jiti'

// Plain Node loads no TypeScript below node_modules.
const { aliases } = await createJiti(import.meta.url).import('../modules/registry/roots.ts')
export { aliases }
