// The platform's own mails. An application replaces one with a file of the same name in server/mails, or only its texts in its
// catalogs.
import { h } from 'vue'
import { z } from 'zod'
import { defineMail, type MailDataOf } from './define-mail'

/** The address of the button; every mail has something to open. */
const link = z.string()
const LINK = 'https://example.com/'

const notice = (description: string) =>
  defineMail({
    description,
    data: z.object({ link }),
    example: { link: LINK },
    href: data => data.link,
    because: 'account',
  })

/** When and where something was done or requested; empty outside requests. */
const occasion = { when: z.string().default(''), device: z.string().default(''), address: z.string().default('') }
const OCCASION = { when: '20 May 2031 at 09:00 UTC', device: 'Firefox on Linux', address: '192.0.2.7' }

/** A change that the account’s owner, or someone in their session, has made. */
const change = (description: string) =>
  defineMail({
    description,
    data: z.object({ link, email: z.string().default(''), ...occasion }),
    example: { link: LINK, email: 'ada@example.com', ...OCCASION },
    href: data => data.link,
    facts: ['email', 'when', 'device', 'address'],
    because: 'account',
  })

const ASKED_FROM = 'Firefox on Linux (192.0.2.7)'
/** The request and its origin, in words. */
const requestedMail = (description: string) =>
  defineMail({
    description,
    data: z.object({ link, askedFrom: z.string(), ...occasion }),
    example: { link: LINK, askedFrom: ASKED_FROM, ...OCCASION },
    href: data => data.link,
    facts: ['when', 'device', 'address'],
    because: 'requested',
  })
const ofAddress = (description: string) =>
  defineMail({
    description,
    data: z.object({ link, askedFrom: z.string(), email: z.string(), ...occasion }),
    example: { link: LINK, askedFrom: ASKED_FROM, email: 'ada@example.com', ...OCCASION },
    href: data => data.link,
    facts: ['when', 'device', 'address'],
    because: 'requested',
  })
const ofWebhook = (description: string) =>
  defineMail({
    description,
    data: z.object({ link, address: z.string() }),
    example: { link: LINK, address: 'hooks.example.com' },
    href: data => data.link,
    because: 'webhook',
  })

export const platformMails = {
  'magic-link': requestedMail('A link that signs in.'),
  verification: requestedMail('A link that confirms the address of a new account.'),
  'password-reset': requestedMail('A link with which somebody chooses a new password.'),
  'no-account': requestedMail('To an address without an account, so that the sender of the form learns nothing.'),
  'account-exists': requestedMail('To somebody who signs up and has an account.'),
  invitation: defineMail({
    description: 'Invites a person to an organization.',
    data: z.object({
      link,
      invitedBy: z.string(),
      organization: z.string(),
      role: z.string(),
      email: z.string(),
    }),
    example: { link: LINK, invitedBy: 'Ada', organization: 'Larch', role: 'member', email: 'ben@example.com' },
    href: data => data.link,
    because: 'invited',
  }),
  'new-device': defineMail({
    description: 'Reports a sign-in on a new device.',
    data: z.object({ link, when: z.string(), device: z.string(), address: z.string(), how: z.string() }),
    example: { link: LINK, ...OCCASION, how: 'with a passkey' },
    href: data => data.link,
    facts: ['when', 'device', 'address', 'how'],
    because: 'account',
  }),
  'token-made': defineMail({
    description: 'Confirms a new API token.',
    data: z.object({ link, token: z.string(), expires: z.string() }),
    example: { link: LINK, token: 'Backup script', expires: '20 May 2032 at 09:00 UTC' },
    href: data => data.link,
    facts: ['token', 'expires'],
    because: 'account',
  }),
  'approval-requested': defineMail({
    description: 'Asks a person to approve a call of a connected app.',
    data: z.object({ link, host: z.string(), tool: z.string(), organization: z.string(), expires: z.string() }),
    example: {
      link: LINK,
      host: 'Claude',
      tool: 'delete-note',
      organization: 'Larch',
      expires: '20 May 2031 at 09:00 UTC',
    },
    href: data => data.link,
    facts: ['host', 'tool', 'organization', 'expires'],
    because: 'account',
  }),
  'password-changed': change('Tells of a new password.'),
  'passkey-added': change('Tells of a new passkey.'),
  'passkey-removed': change('Tells of a passkey that was removed.'),
  'two-factor-on': change('Tells that two-factor authentication is on.'),
  'two-factor-off': change('Tells that two-factor authentication is off.'),
  'two-factor-reset': notice('Tells that an operator reset two-factor authentication.'),
  'account-linked': change('Tells of an account at a provider that can sign in now.'),
  'account-unlinked': change('Tells of an account at a provider that can no longer sign in.'),
  'address-change-old': ofAddress('To the address that an account has; `email` is the one that it is to have.'),
  'address-change-new': ofAddress('To the address that an account is to have; `email` is the one that it has.'),
  'address-change-taken': requestedMail('Instead of the one before, where that address has an account.'),
  'address-changed': defineMail({
    description: 'To both addresses; `email` is the one that the account has now.',
    data: z.object({ link, email: z.string() }),
    example: { link: LINK, email: 'ada@example.com' },
    href: data => data.link,
    because: 'account',
  }),
  'account-suspended': defineMail({
    description: 'Reports that an operator suspended the account, with the reason and end.',
    data: z.object({ link, why: z.string(), until: z.string() }),
    example: { link: LINK, why: 'Unusual activity', until: '20 May 2031 at 09:00 UTC' },
    href: data => data.link,
    facts: ['why', 'until'],
    because: 'account',
  }),
  'account-viewed': defineMail({
    description: 'Reports that an operator is viewing the application as the person, with the reason and end.',
    data: z.object({ link, why: z.string(), until: z.string() }),
    example: { link: LINK, why: 'Your question about missing notes', until: '20 May 2031 at 09:00 UTC' },
    href: data => data.link,
    facts: ['why', 'until'],
    because: 'account',
  }),
  'account-reactivated': notice('Tells that a suspended account works again.'),
  'account-imported': notice('Tells a person that their account has moved here, with a link to the sign-in page.'),
  'account-deleted': notice('Tells that an account was deleted.'),
  'directory-joined': defineMail({
    description: 'Tells a person that the directory of an organization made them a member.',
    data: z.object({ link, organization: z.string() }),
    example: { link: LINK, organization: 'Larch' },
    href: data => data.link,
    because: 'account',
  }),
  'way-back': defineMail({
    description: 'To an owner whom a rule of the organization keeps out: a link that lifts it.',
    data: z.object({ link, organization: z.string() }),
    example: { link: LINK, organization: 'Larch' },
    href: data => data.link,
    because: 'owner',
  }),
  'way-back-used': defineMail({
    description: 'To all owners: one of them has lifted a rule that kept them out.',
    data: z.object({ link, organization: z.string(), who: z.string() }),
    example: { link: LINK, organization: 'Larch', who: 'ada@example.com' },
    href: data => data.link,
    because: 'owner',
  }),
  'setup-link': defineMail({
    description: 'To the IT contact of an organization: a page where they prepare single sign-on.',
    data: z.object({ link, invitedBy: z.string(), organization: z.string(), expires: z.string() }),
    example: { link: LINK, invitedBy: 'Ada', organization: 'Larch', expires: '20 May 2031 at 09:00 UTC' },
    href: data => data.link,
    because: 'invited',
  }),
  'setup-changed': defineMail({
    description: 'To owners: the IT contact has changed something by a setup link.',
    data: z.object({ link, organization: z.string(), who: z.string(), what: z.string() }),
    example: {
      link: LINK,
      organization: 'Larch',
      who: 'it@example.com',
      what: 'The domain example.com is proved.',
    },
    href: data => data.link,
    because: 'owner',
  }),
  'secret-ending': defineMail({
    description: 'To owners: the client secret of a connection ends in 30 or 7 days.',
    data: z.object({ link, connection: z.string(), ends: z.string() }),
    example: { link: LINK, connection: 'Larch login', ends: '20 May 2031' },
    href: data => data.link,
    because: 'owner',
  }),
  'service-key-ending': defineMail({
    description: 'To owners: a key of a service account ends soon, and no other key replaces it.',
    data: z.object({ link, account: z.string(), ends: z.string() }),
    example: { link: LINK, account: 'Nightly export', ends: '20 May 2031' },
    href: data => data.link,
    because: 'owner',
  }),
  'service-accounts-inherited': defineMail({
    description: 'To the member who became the owner of record of service accounts because somebody left.',
    data: z.object({ link, accounts: z.string() }),
    example: { link: LINK, accounts: 'Nightly export' },
    href: data => data.link,
    because: 'account',
  }),
  'unused-access': defineMail({
    description: 'To owners, once a month: connected apps and API tokens that did not use for 30 days what they may.',
    data: z.object({
      link,
      organization: z.string(),
      connections: z.array(
        z.object({
          app: z.string(),
          person: z.string(),
          unused: z.array(z.enum(['everything', 'write', 'delete', 'operator'])),
        }),
      ),
    }),
    example: {
      link: LINK,
      organization: 'Larch',
      connections: [
        { app: 'Claude', person: 'Ada', unused: ['delete'] },
        { app: 'Nightly export', person: 'Bob', unused: ['everything'] },
      ],
    },
    href: data => data.link,
    body: ({ connections }, { t, language }) =>
      h(
        'ul',
        connections.map(({ app, person, unused }) =>
          h(
            'li',
            t('connection', {
              app,
              person,
              unused: listIn(
                unused.map(part => t(part)),
                language,
              ),
            }),
          ),
        ),
      ),
    topic: 'unused-access',
    because: 'owner',
  }),
  'domain-lapsed': defineMail({
    description: 'To owners: a domain is no longer proved, because its DNS record is gone.',
    data: z.object({ link, domain: z.string() }),
    example: { link: LINK, domain: 'example.com' },
    href: data => data.link,
    because: 'owner',
  }),
  'webhook-failing': ofWebhook(
    'To owners and admins, or operators: a webhook is off because its host accepted nothing.',
  ),
  'webhook-orphaned': ofWebhook('To the managers of a webhook: it is off because its creator may no longer manage it.'),
}

function listIn(things: readonly string[], language: string): string {
  return new Intl.ListFormat(language, { type: 'unit' }).format(things)
}

export type PlatformMail = keyof typeof platformMails

/** The values that the texts of each mail may show. */
export type MailValues = {
  [Name in PlatformMail]: Omit<MailDataOf<(typeof platformMails)[Name]>, 'link'> & { product: string }
}
