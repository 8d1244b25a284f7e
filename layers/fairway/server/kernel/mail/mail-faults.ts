// The build runs this check, so it imports no code that needs the application's modules.
import { z } from 'zod'
import { isCatalog } from '../locale-files'
import type { Mail } from './define-mail'
import { platformMails } from './platform-mails'

const PLACEHOLDER = /\{(\w+)\}/g

/** Returns the faults of a mail besides those in the texts of its catalog. */
export function mailFaults(name: string, mail: Mail, mails: unknown): string[] {
  const texts = mailTextsSchema.safeParse(isCatalog(mails) ? mails[name] : undefined).data
  if (!texts) return [`it has no texts: add mails.${name} with a subject to app/locales/en/mails.json`]
  const platform = new Map<string, Mail>(Object.entries(platformMails)).get(name)
  const refused = platform && !mail.data.safeParse(platform.example).success
  const known = new Set([...Object.keys(mail.data.shape), 'product'])
  // The result of `values` is known only when a mail is sent.
  const shown = mail.values ? [] : [texts.subject, texts.action ?? '', ...texts.lines, ...texts.notes]
  const unknown = shown
    .flatMap(text => [...text.matchAll(PLACEHOLDER)])
    .flatMap(([, key = '']) => (known.has(key) ? [] : key))
  return [
    ...(refused
      ? [
          `it stands for the platform’s mail ${name} and must take its data: ${Object.keys(platform.data.shape).join(', ')}`,
        ]
      : []),
    ...unknown.map(key => `its texts show {${key}}, which is not in its data`),
    ...(mail.href && !texts.action ? ['it has a href, and its texts no action to put on the button'] : []),
  ]
}

const mailTextsSchema = z.object({
  subject: z.string(),
  lines: z.array(z.string()).default([]),
  action: z.string().optional(),
  notes: z.array(z.string()).default([]),
})
