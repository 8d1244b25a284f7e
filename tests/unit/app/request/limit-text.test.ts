import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createTexts } from '#fairway/app/language/texts'
import { limitText, planTitle } from '#fairway/app/request/limit-text'
import { compileTexts } from '#fairway/modules/texts/compile-texts'
import { limitFacts } from '#fairway/server/kernel/config/plans-config'

const plans = {
  limits: { quotes: { counts: 'quotes', title: 'Quotes' } },
  features: {},
  default: 'free',
  plans: {
    free: { title: 'Free', limits: { quotes: 1200 }, features: [] },
    pro: { title: 'Pro', limits: { quotes: 10_000 }, features: [] },
    all: { title: 'All', limits: {}, features: [] },
  },
}
const facts = (plan: string) => JSON.parse(JSON.stringify(limitFacts(plans, 'quotes', plan))) as object
const own = { planTitles: { plans: { pro: 'Profi' }, limits: { quotes: 'Angebote' } } }

function textsOf(code: string, more: object = {}) {
  const texts = createTexts({})
  const catalog = JSON.parse(readFileSync(`layers/fairway/app/locales/${code}/frame.json`, 'utf8')) as object
  texts.add(code, compileTexts({ ...catalog, ...more }))
  texts.locale.value = code
  return texts
}

describe('planTitle', () => {
  it('is the text of the application for a price, else the one in fw.config.ts', () => {
    const prices = { planTitles: { prices: { pro: '20 € im Monat' } } }
    const price = { name: 'pro', title: '€20 a month' }
    expect(planTitle('prices', price, textsOf('de', prices))).toBe('20 € im Monat')
    expect(planTitle('prices', price, textsOf('en'))).toBe('€20 a month')
  })
})

describe('a refusal at a limit of the plan', () => {
  it('says its numbers in the language of the person, with the titles of the application', () => {
    expect(limitText(facts('free'), textsOf('en'))).toBe('Quotes: 1,200 of 1,200 on the plan Free. Pro has 10,000.')
    expect(limitText(facts('free'), textsOf('de', own))).toBe(
      'Angebote: 1.200 von 1.200 im Tarif Free. Profi hat 10.000.',
    )
    expect(limitText(facts('free'), textsOf('ar'))).toMatch(/^Quotes: .+ من .+ في الخطة Free\. تتيح الخطة Pro .+\.$/)
  })

  it('says how much is used, and that the next plan has no limit', () => {
    expect(limitText({ ...facts('pro'), used: 9999 }, textsOf('en'))).toBe(
      'Quotes: 9,999 of 10,000 on the plan Pro. All has no limit.',
    )
  })

  it('says nothing without its facts', () => {
    for (const problem of [undefined, null, {}, { max: '3' }]) expect(limitText(problem, textsOf('en'))).toBeUndefined()
  })
})
