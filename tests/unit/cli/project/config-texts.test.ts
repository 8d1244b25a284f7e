import { describe, expect, it } from 'vitest'
import { readNuxtConfig } from '#fairway/cli/project/config-texts'

const extended = (text: string) => readNuxtConfig(text, 'nuxt-fairway').extended

describe('readNuxtConfig', () => {
  it.each([
    ['export default defineNuxtConfig({})\n', "export default defineNuxtConfig({ extends: ['nuxt-fairway'] })\n"],
    ['export default { ssr: true }', "export default { extends: ['nuxt-fairway'], ssr: true }"],
    ["export default { extends: './base' }", "export default { extends: ['./base', 'nuxt-fairway'] }"],
    [
      "export default { extends: ['./a', ['gh:b/c', { install: true }],] }",
      "export default { extends: ['./a', ['gh:b/c', { install: true }], 'nuxt-fairway'] }",
    ],
    ['export default { extends: [] }', "export default { extends: ['nuxt-fairway'] }"],
    [
      'const config = { a: 1 }\n// mine\nexport default defineNuxtConfig({\n\ta: 1, // one\n})\n',
      "const config = { a: 1 }\n// mine\nexport default defineNuxtConfig({\n\textends: ['nuxt-fairway'],\n\ta: 1, // one\n})\n",
    ],
  ])('adds the layer to %s', (text, expected) => {
    expect(extended(text)).toBe(expected)
  })

  it.each(["export default { extends: ['nuxt-fairway'] }", 'export default { extends: "nuxt-fairway" }'])(
    'keeps an existing layer in place: %s',
    text => {
      expect(extended(text)).toBe(text)
    },
  )

  it.each(['export default defineNuxtConfig(() => ({}))', 'const c = {}\nexport default c', 'export default make()'])(
    'returns undefined for a configuration that is not a plain object: %s',
    text => {
      expect(extended(text)).toBeUndefined()
    },
  )
})
