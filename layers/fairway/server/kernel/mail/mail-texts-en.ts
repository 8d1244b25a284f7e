import type { MailCatalog, MailTexts } from './mail-texts'

const askedFrom = (values: { askedFrom: string }): string => `It was asked for in ${values.askedFrom}.`
const UNEXPECTED = 'If you did not ask for it, there is nothing to do. Nobody gets in without opening the link.'

const notice = (what: string): MailTexts<{ product: string }> => ({
  subject: ({ product }) => `${what} (${product})`,
  lines: [({ product }) => `${what} at ${product}.`],
  action: 'Look at my settings',
  notes: [
    'If this was you, there is nothing to do. If it was not, end the sessions you do not know and change your password.',
  ],
})

/** What mails say in English. */
export const englishMails: MailCatalog = {
  'magic-link': {
    subject: ({ product }) => `Sign in to ${product}`,
    lines: [({ product }) => `Open this link to sign in to ${product}.`],
    action: 'Sign in',
    notes: ['It works once, for ten minutes.', askedFrom, UNEXPECTED],
  },
  verification: {
    subject: ({ product }) => `Confirm your address for ${product}`,
    lines: [
      ({ product }) => `Somebody, hopefully you, made an account at ${product} with this address and a password.`,
    ],
    action: 'Confirm my address',
    notes: [
      'The link works once, for 24 hours.',
      askedFrom,
      'If that was not you, do not open the link: it would let them in.',
    ],
  },
  'password-reset': {
    subject: ({ product }) => `Set a new password for ${product}`,
    lines: ['Open this link to choose a new password. You are then signed in here and signed out everywhere else.'],
    action: 'Choose a new password',
    notes: ['It works once, for 30 minutes.', askedFrom, UNEXPECTED],
  },
  'no-account': {
    subject: ({ product }) => `There is no account at ${product} with this address`,
    lines: [
      ({ product }) =>
        `Somebody asked for a new password for this address, but there is no account with it at ${product}.`,
      'Perhaps you signed up with another address.',
    ],
    action: 'Go to the sign-in page',
    notes: [askedFrom, 'If that was not you, there is nothing to do.'],
  },
  'account-exists': {
    subject: ({ product }) => `You already have an account at ${product}`,
    lines: [
      ({ product }) =>
        `Somebody, perhaps you, wanted to make an account at ${product} with this address. There is one already.`,
    ],
    action: 'Sign in',
    notes: [askedFrom, 'If you forgot your password, the sign-in page lets you choose a new one.'],
  },
  invitation: {
    // Nothing that people chose: a subject is read by everybody who gets the mail, before they know whom it is from.
    subject: ({ product }) => `You are invited to an organization in ${product}`,
    lines: [
      ({ product, invitedBy, organization, role }) =>
        `${invitedBy} invites you to ${organization} in ${product}, as ${role}.`,
    ],
    action: 'Accept or decline',
    notes: [
      ({ email }) =>
        `The link is for ${email} only and works for seven days. If you expected no invitation, there is nothing to do.`,
    ],
  },
  'new-device': {
    subject: ({ product }) => `New sign-in to ${product}`,
    lines: [
      ({ product }) => `Somebody signed in to your account at ${product} on a device that was not used for it before.`,
      ({ when }) => `When: ${when}`,
      ({ device }) => `Device: ${device}`,
      ({ address }) => `Address: ${address}`,
      ({ how }) => `How: ${how}`,
      'If this was you, there is nothing to do. If it was not you, end that session and change your password.',
    ],
    action: 'Look at my devices',
    notes: [],
  },
  'password-changed': notice('The password of your account was changed'),
  'passkey-added': notice('A passkey was added to your account'),
  'passkey-removed': notice('A passkey was removed from your account'),
  'two-factor-on': notice('Two-factor sign-in was switched on for your account'),
  'two-factor-off': notice('Two-factor sign-in was switched off for your account'),
}
