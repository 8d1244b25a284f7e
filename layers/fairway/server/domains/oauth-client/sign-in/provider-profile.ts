import { z } from 'zod'
import type { ProviderProfile } from '#fairway/server/domains/people'

const emailSchema = z.string().trim().toLowerCase().pipe(z.email().max(254))
const MOST_CHARACTERS_OF_A_NAME = 100
const MOST_CHARACTERS_OF_AN_IMAGE = 2048

interface Claimed {
  provider: string
  accountId: string
  email: unknown
  emailVerified: boolean
  name: unknown
  image: unknown
}

/** Cleans what a provider says of a person; an address that is none counts as not verified. */
export function toProfile({ provider, accountId, emailVerified, ...claimed }: Claimed): ProviderProfile {
  const email = emailSchema.safeParse(claimed.email)
  const address = email.success ? email.data : ''
  return {
    provider,
    accountId,
    email: address,
    emailVerified: email.success && emailVerified,
    name: toName(claimed.name) || address.split('@', 1)[0] || 'Unnamed',
    image: toImage(claimed.image),
  }
}

function toName(value: unknown): string {
  if (typeof value !== 'string') return ''
  const plain = value.replaceAll(/\p{Cc}+/gu, ' ').trim()
  return [...plain].slice(0, MOST_CHARACTERS_OF_A_NAME).join('').trim()
}

function toImage(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MOST_CHARACTERS_OF_AN_IMAGE) return null
  return URL.canParse(value) && new URL(value).protocol === 'https:' ? value : null
}
