import { defineCommand } from 'citty'
import { CHECK_NAMES } from './names'
import { endWith } from './terminal'

/** `fw doctor`: checks everything that this application requires; exits with 1 when there is a fault. */
export const doctorCommand = defineCommand({
  meta: { name: 'doctor', description: 'Look at everything that this application needs, and say what to do.' },
  args: {
    only: { type: 'string', description: `Only these, comma separated: ${CHECK_NAMES.join(', ')}.` },
    json: { type: 'boolean', description: 'Write one JSON object.', default: false },
    'send-to': { type: 'string', description: 'Send one mail to this address.' },
  },
  run: ({ args }) => endWith(async () => (await import('./doctor/diagnose')).doctor(args)),
})
