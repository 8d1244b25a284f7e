import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { languageOf } from '#fairway/server/kernel/messages'
import { listTopics, switchTopics, topicsOf } from './topics'

const topicSchema = z.object({ topic: z.string(), name: z.string(), isOn: z.boolean() })

export default defineOperations({
  'list-mail-topics': operation({
    description: 'Lists the topics of emails that you can switch off.',
    method: 'GET',
    path: '/_fw/account/mail',
    input: z.object({ language: z.string().max(35).optional() }),
    output: z.object({ topics: z.array(topicSchema) }),
    run: async ({ language }, { app, session }) => ({
      topics: await listTopics(app, session.email, languageOf(language)),
    }),
  }),
  'switch-mail-topic': operation({
    description: 'Switches a topic of emails on or off for you.',
    method: 'PUT',
    path: '/_fw/account/mail/:topic',
    input: z.object({ topic: z.string().max(100), isOn: z.boolean() }),
    audit: ['topic', 'isOn'],
    async run({ topic, isOn }, { app, session }) {
      if (!topicsOf(app).includes(topic)) throw new AppError('not-found')
      await switchTopics(app, session.email, { [isOn ? 'on' : 'off']: [topic] })
    },
  }),
})
