// Types of fields that JSON Schema has no word for.
import { z } from 'zod'
import { minorUnits } from '../../shared/money'

/** An amount of money: a whole number of the currency's smallest units, as `integer()` columns hold it. Takes an ISO 4217 code. */
export const moneySchema = (currency: string) =>
  z.int().meta({
    currency,
    description: `An amount in ${currency}. Whole number of its smallest units: ${minorUnits(currency)} is 1 ${currency}.`,
  })

const MOST_JSON = 20_000

/** An object of any shape, up to 20,000 characters of JSON, as `text(…, { mode: 'json' })` columns hold it. */
export const jsonSchema = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  if (JSON.stringify(value).length > MOST_JSON)
    context.addIssue({ code: 'too_big', origin: 'string', maximum: MOST_JSON, input: value, message: '' })
})
