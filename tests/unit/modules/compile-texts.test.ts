import { describe, expect, it } from 'vitest'
import { createTexts } from '#fairway/app/language/texts'
import { compileTexts } from '#fairway/modules/texts/compile-texts'

describe('compileTexts', () => {
  it('leaves texts without syntax as they are, and the others say the same once they are parsed', () => {
    const catalog = { plan: { title: 'Plan', named: 'Plan of {name}', count: 'no plans | one plan | {count} plans' } }
    const compiled = compileTexts(catalog) as typeof catalog
    expect(compiled.plan.title).toBe('Plan')
    expect(typeof compiled.plan.named).toBe('object')
    const { t } = createTexts(compiled)
    expect(t('plan.named', { name: 'Ada' })).toBe('Plan of Ada')
    expect([0, 1, 7].map(count => t('plan.count', count))).toEqual(['no plans', 'one plan', '7 plans'])
  })

  it('names the key of a text that cannot be read', () => {
    expect(() => compileTexts({ plan: { named: 'Plan of {name' } })).toThrow(/^The text plan\.named .*cannot be read/)
  })
})
