// When a page calls an operation by a literal name, the build appends the address to the name. So no page loads the addresses of
// all operations.
import { addVitePlugin } from '@nuxt/kit'
import type { FoundOperation } from './operation-files'

const CALL = /\b(callOperation|useOperation|operationPath)\((\s*)(["'`])([a-z][a-z-]*)\3/g

// Without `g`: a global pattern remembers the end of its previous match.
const CALLS = new RegExp(CALL.source)

/** The code of a page with `name path METHOD` for each operation name that it calls. Returns it unchanged if there is none. */
export function withAddresses(code: string, addresses: ReadonlyMap<string, string>): string {
  return code.replaceAll(CALL, (whole, call: string, space: string, quote: string, name: string) => {
    const address = addresses.get(name)
    return address ? `${call}(${space}${quote}${name} ${address}${quote}` : whole
  })
}

/** Lets the build of pages append the addresses of these operations. Development and computed names look them up instead. */
export function writeAddresses(operations: readonly FoundOperation[]): void {
  const addresses = new Map(operations.map(({ name, path, method }) => [name, `${path} ${method}`]))
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
