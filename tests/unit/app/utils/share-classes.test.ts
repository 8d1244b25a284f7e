import { createTV } from 'tailwind-variants'
import { describe, expect, it } from 'vitest'
import { shareClasses } from '#fairway/app/share-classes'

type Tv = Parameters<typeof shareClasses>[0]

const plain = createTV({ twMerge: true }) as unknown as Tv
const tv = shareClasses(plain)
const theme = {
  slots: { base: 'rounded-md p-2', label: 'truncate' },
  variants: { size: { sm: { base: 'text-xs p-1' }, lg: { base: 'text-lg p-3' } }, block: { true: { base: 'w-full' } } },
  defaultVariants: { size: 'sm' },
}
type Slots = Record<'base' | 'label', (props?: object) => string>
const slotsOf = (build: Tv, config: object, props?: Record<string, unknown>) =>
  build({ extend: theme, ...config })(props) as Slots

describe('shareClasses', () => {
  it.each([
    [{}, undefined],
    [{}, { size: 'lg', block: true }],
    [{ slots: { base: 'p-9' } }, { size: undefined }],
    [{ defaultVariants: { size: 'lg' } }, { block: false }],
  ])('returns the same classes as Nuxt UI for %j and %j', (config, props) => {
    const [shared, own] = [slotsOf(tv, config, props), slotsOf(plain, config, props)]
    for (const name of ['base', 'label'] as const) {
      expect(shared[name]()).toBe(own[name]())
      expect(shared[name]({ class: ['p-7', 'font-bold'] })).toBe(own[name]({ class: ['p-7', 'font-bold'] }))
    }
  })

  it('computes classes once for equal settings and variants, and separately for others', () => {
    const settings = () => ({ slots: { base: 'mt-1' } })
    const first = slotsOf(tv, settings(), { size: 'lg' })
    expect(slotsOf(tv, settings(), { size: 'lg' })).toBe(first)
    expect(slotsOf(tv, settings(), { size: 'sm' })).not.toBe(first)
    expect(slotsOf(tv, { slots: { base: 'mt-2' } }, { size: 'lg' }).base()).toContain('mt-2')
  })

  it('computes classes again when the settings contain a function', () => {
    const settings = { slots: { base: 'mt-1' }, choose: () => undefined }
    expect(slotsOf(tv, settings)).not.toBe(slotsOf(tv, settings))
  })
})
