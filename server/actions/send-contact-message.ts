import { checkForm, defineAction, emailSchema, formCheckInput, sendMail } from '#fw'
import { z } from 'zod'
import { contactEmail } from '../../fw.config'

export default defineAction({
  description: 'Sends a message from the contact page by email.',
  public: true,
  mcp: false,
  maxBodyBytes: 32 * 1024,
  input: z.object({
    name: z.string().trim().min(1).max(100),
    email: emailSchema,
    message: z.string().trim().min(1).max(2000),
    check: formCheckInput,
  }),
  output: z.object({ isQueued: z.boolean() }),
  async run({ check, ...message }, { db }) {
    await checkForm(check)
    const state = await sendMail(db, 'contact-message', { to: contactEmail, data: message })
    return { isQueued: state === 'queued' }
  },
})
