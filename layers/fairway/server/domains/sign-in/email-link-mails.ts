import type { MailContent } from '#fairway/server/domains/mail'

interface MailInput {
  product: string
  href: string
  /** Where it was asked for, in words. */
  askedFrom: string
}

const askedFrom = (input: MailInput): string => `It was asked for in ${input.askedFrom}.`
const UNEXPECTED = 'If you did not ask for it, there is nothing to do. Nobody gets in without opening the link.'

export const magicLinkMail = (input: MailInput): MailContent => ({
  subject: `Sign in to ${input.product}`,
  lines: [`Open this link to sign in to ${input.product}.`],
  action: { label: 'Sign in', href: input.href },
  notes: ['It works once, for ten minutes.', askedFrom(input), UNEXPECTED],
})

export const verificationMail = (input: MailInput): MailContent => ({
  subject: `Confirm your address for ${input.product}`,
  lines: [`Somebody, hopefully you, made an account at ${input.product} with this address and a password.`],
  action: { label: 'Confirm my address', href: input.href },
  notes: [
    'The link works once, for 24 hours.',
    askedFrom(input),
    'If that was not you, do not open the link: it would let them in.',
  ],
})

export const passwordResetMail = (input: MailInput): MailContent => ({
  subject: `Set a new password for ${input.product}`,
  lines: ['Open this link to choose a new password. You are then signed in here and signed out everywhere else.'],
  action: { label: 'Choose a new password', href: input.href },
  notes: ['It works once, for 30 minutes.', askedFrom(input), UNEXPECTED],
})

/** To an address that nobody has an account with: its owner learns why nothing else comes, and nobody else learns anything. */
export const noAccountMail = (input: MailInput): MailContent => ({
  subject: `There is no account at ${input.product} with this address`,
  lines: [
    `Somebody asked for a new password for this address, but there is no account with it at ${input.product}.`,
    'Perhaps you signed up with another address.',
  ],
  action: { label: 'Go to the sign-in page', href: input.href },
  notes: [askedFrom(input), 'If that was not you, there is nothing to do.'],
})

export const accountExistsMail = (input: MailInput): MailContent => ({
  subject: `You already have an account at ${input.product}`,
  lines: [
    `Somebody, perhaps you, wanted to make an account at ${input.product} with this address. There is one already.`,
  ],
  action: { label: 'Sign in', href: input.href },
  notes: [askedFrom(input), 'If you forgot your password, the sign-in page lets you choose a new one.'],
})
