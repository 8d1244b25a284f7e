import { describe, expect, it } from 'vitest'
import { createTexts } from '#fairway/app/language/texts'
import { compileTexts } from '#fairway/modules/texts/compile-texts'

describe('compileTexts', () => {
  it('keeps plain texts and compiles the others without changing what they say', () => {
    const catalog = { plan: { title: 'Plan', named: 'Plan of {name}', count: 'no plans | one plan | {count} plans' } }
    const compiled = compileTexts(catalog) as typeof catalog
    expect(compiled.plan.title).toBe('Plan')
    expect(typeof compiled.plan.named).toBe('object')
    const { t } = createTexts(compiled)
    expect(t('plan.named', { name: 'Ada' })).toBe('Plan of Ada')
    expect([0, 1, 7].map(count => t('plan.count', count))).toEqual(['no plans', 'one plan', '7 plans'])
  })

  it('names the key of an invalid text', () => {
    expect(() => compileTexts({ plan: { named: 'Plan of {name' } })).toThrow(/^The text plan\.named .*cannot be read/)
  })
})
