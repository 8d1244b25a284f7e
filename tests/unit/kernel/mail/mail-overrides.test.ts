import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { defineFwConfig, type FwConfigInput } from '#fairway/server/kernel/config/fw-config'
import { knownLanguages, messagesOf } from '#fairway/server/kernel/messages'
import { createMemo } from '#fairway/server/kernel/app-context'
import { mailContent } from '#fairway/server/kernel/mail/mail-content'

const faultOf = (mails: unknown): string => {
  try {
    defineFwConfig({ mails } as FwConfigInput)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'accepted'
}

const contentOf = (mails: FwConfigInput['mails'], language?: 'en' | 'de') => {
  const { mails: accepted } = defineFwConfig({ name: 'Larch', mails })
  const app = {
    config: { name: 'Larch', baseUrl: 'https://app.example.test', mails: accepted },
    memo: createMemo(),
  } as unknown as Parameters<typeof mailContent>[0]
  const values = { askedFrom: 'Firefox on Linux (127.0.0.1)', device: 'Firefox on Linux' }
  return mailContent(app, 'magic-link', { values, href: 'https://app.example.test/link', language })
}

// The sample adds a mail to the platform's.
const ofPlatform = (names: string[]) => names.filter(name => name !== 'contact-message')

describe('mail texts', () => {
  it('come from the platform in the requested language', () => {
    expect(contentOf(undefined).subject).toBe('Sign in to Larch')
    expect(contentOf(undefined, 'de')).toMatchObject({ language: 'de', subject: 'Bei Larch anmelden' })
    expect(contentOf(undefined, 'de').facts).toEqual([{ label: 'Gerät', value: 'Firefox on Linux' }])
  })

  it('come from the application for each overridden part and language', () => {
    const mails = {
      'magic-link': {
        en: { subject: 'Your way in', lines: ['Hello.', ({ product }: { product: string }) => `This is ${product}.`] },
      },
    }
    expect(contentOf(mails)).toMatchObject({
      subject: 'Your way in',
      lines: ['Hello.', 'This is Larch.'],
      action: { label: 'Sign in', href: 'https://app.example.test/link' },
    })
    expect(contentOf(mails, 'de').subject).toBe('Bei Larch anmelden')
  })

  it('fall back to English for an unknown language', () => {
    const app = {
      config: { name: 'Larch', baseUrl: 'https://app.example.test', mails: {} },
      memo: createMemo(),
    } as unknown as Parameters<typeof mailContent>[0]
    const mailIn = (language?: string) => mailContent(app, 'two-factor-off', { values: {}, href: '/', language })
    const subject = 'Two-factor authentication was turned off for your account (Larch)'
    expect(mailIn()).toMatchObject({ language: 'en', subject })
    expect(mailIn('tlh').subject).toBe(subject)
    expect(mailIn('ar')).toMatchObject({ language: 'ar', subject: 'أُوقفت المصادقة الثنائية لحسابك (Larch)' })
  })

  it.each([
    [
      { 'magik-link': { en: { subject: 'x' } } },
      /mails\.magik-link: there is no such mail; there are magic-link, .*two-factor-off/,
    ],
    [
      { 'magic-link': { fr: { subject: 'x' } } },
      /mails\.magic-link: this mail is not sent in “fr”, but in en, de, and ar/,
    ],
    [{ invitation: { en: { subjekt: 'x' } } }, /mails\.invitation: en: .*subjekt/],
    [{ invitation: { en: { subject: 5 } } }, /en\.subject: must be a text, or a function/],
    [{ invitation: { en: { lines: [] } } }, /en\.lines: /],
    [{ invitation: { en: { lines: ['Come in.'] } } }, /en\.lines: must say invitedBy, which it is given/],
    [
      { invitation: { en: { lines: [({ orgName }: { orgName: string }) => orgName] } } },
      /en\.lines: cannot be made: it gives no text/,
    ],
    [
      { 'magic-link': { en: { notes: [(values: { none: { deep: string } }) => values.none.deep] } } },
      /en\.notes: cannot be made: /,
    ],
    [
      { 'new-device': { en: { subject: ({ when }: Record<string, string>) => `At ${when}` } } },
      /en\.subject: must say device, which it is given/,
    ],
    ['text', /mails: must be an object of mails/],
  ])('are refused with the name of the mail: %j', (mails, fault) => expect(faultOf(mails)).toMatch(fault))

  it('exist for every mail in every language', () => {
    const mailsIn = (language: string) => ofPlatform(Object.keys(messagesOf(language).mails))
    expect(mailsIn('en')).toHaveLength(38)
    for (const { code } of knownLanguages) expect(mailsIn(code)).toEqual(mailsIn('en'))
  })

  it('are listed in the brand guide, each mail with its values', () => {
    const guide = readFileSync(new URL('../../../../docs/guides/brand.md', import.meta.url), 'utf8')
    const rows = [...guide.matchAll(/^\| `([a-z-]+)` \| [^|]+ \| `product`[^|]* \| ([^|]+) \|$/gm)]
    expect(rows.map(([, name]) => name)).toEqual(ofPlatform(Object.keys(messagesOf('en').mails)))
  })
})
