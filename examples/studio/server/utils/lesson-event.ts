import type { CalendarEvent } from '#fw'

interface Lesson {
  id: string
  title: string
  startsAt: Date
  minutes: number
}

/** The calendar entry of a lesson, with the studio as its organizer, which lets a later mail cancel it. */
export const lessonEvent = (lesson: Lesson, studio: { name: string; email: string }): CalendarEvent => ({
  id: lesson.id,
  title: `${lesson.title}, ${studio.name}`,
  start: lesson.startsAt,
  end: new Date(lesson.startsAt.getTime() + lesson.minutes * 60_000),
  organizer: { name: studio.name, email: studio.email },
})
