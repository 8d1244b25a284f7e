/** @jsxImportSource vue */
import { defineMail } from '#fw'
import { z } from 'zod'

export default defineMail({
  description: 'A message from the contact page.',
  data: z.object({ name: z.string(), email: z.string(), message: z.string() }),
  example: { name: 'Maria Ortiz', email: 'maria@example.com', message: 'Could you show us the product next week?' },
  mostPerHour: 200,
  body: ({ message }) => (
    <div>
      {message.split(/\n+/).map(line => (
        <p>{line}</p>
      ))}
    </div>
  ),
})
