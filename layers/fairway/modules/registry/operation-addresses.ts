// Where a page calls an operation by a literal name, the build writes the address beside it: so no page loads the addresses of all.
import { addVitePlugin } from '@nuxt/kit'
import type { FoundOperation } from './operation-files'

const CALL = /\b(callOperation|useOperation|operationPath)\((\s*)(["'`])([a-z][a-z-]*)\3/g

// Without `g`: such a pattern remembers where its last test has ended.
const CALLS = new RegExp(CALL.source)

/** The code of a page with `name path METHOD` for each name of an operation that it calls; the same where it calls none. */
export function withAddresses(code: string, addresses: ReadonlyMap<string, string>): string {
  return code.replaceAll(CALL, (whole, call: string, space: string, quote: string, name: string) => {
    const address = addresses.get(name)
    return address ? `${call}(${space}${quote}${name} ${address}${quote}` : whole
  })
}

/** Lets the build of pages write the addresses of these operations. Development, and names that are computed, look them up. */
export function writeAddresses(found: readonly FoundOperation[]): void {
  const addresses = new Map(found.map(({ name, path, method }) => [name, `${path} ${method}`]))
  addVitePlugin(
    {
      name: 'fairway:operation-addresses',
      apply: 'build',
      enforce: 'post',
      transform: { filter: { code: CALLS }, handler: code => ({ code: withAddresses(code, addresses), map: null }) },
    },
    { server: false },
  )
}
