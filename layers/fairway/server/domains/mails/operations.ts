import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { switchInboxTopic } from '#fairway/server/domains/people'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { languageOf } from '#fairway/server/kernel/messages'
import { listTopicsOf, switchTopics, topicsOf } from './topics'

const topicSchema = z.object({
  topic: z.string(),
  name: z.string(),
  /** Whether you get mails of it. */
  isOn: z.boolean(),
  /** Whether it appears in your inbox. */
  isInInbox: z.boolean(),
})

export default defineOperations({
  'list-mail-topics': operation({
    description: 'Lists the topics that you can turn off, by email and in your inbox.',
    method: 'GET',
    path: '/_fw/account/mail',
    openIn: ['setup', 'view'],
    input: z.object({ language: z.string().max(35).optional() }),
    output: z.object({ topics: z.array(topicSchema) }),
    run: async ({ language }, { app, session }) => ({
      topics: await listTopicsOf(app, session, languageOf(language)),
    }),
  }),
  'switch-mail-topic': operation({
    description: 'Turns a topic on or off for you, by email, in your inbox, or both.',
    method: 'PUT',
    path: '/_fw/account/mail/:topic',
    openIn: ['setup'],
    input: z
      .object({ topic: z.string().max(100), isOn: z.boolean().optional(), isInInbox: z.boolean().optional() })
      .refine(({ isOn, isInInbox }) => isOn !== undefined || isInInbox !== undefined, {
        path: ['isOn'],
        error: 'give isOn, isInInbox, or both',
      }),
    audit: ['topic', 'isOn', 'isInInbox'],
    async run({ topic, isOn, isInInbox }, { app, session }) {
      if (!topicsOf(app).includes(topic)) throw new AppError('not-found')
      if (isOn !== undefined) await switchTopics(app, session.email, { [isOn ? 'on' : 'off']: [topic] })
      if (isInInbox !== undefined) await switchInboxTopic(app, session.userId, topic, isInInbox)
    },
  }),
})
