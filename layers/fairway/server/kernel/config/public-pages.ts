import { z } from 'zod'
import type { Orm } from '../database/client'

/** An address of a public page that the build cannot know, because its path has parameters. */
export interface SitemapEntry {
  /** The path, for example `/blog/hello`. */
  path: string
  /** The time of the page's latest change. */
  changedAt?: Date | string
}

interface SitemapContext {
  db: Orm
  now(): Date
}

type SitemapSource = (context: SitemapContext) => readonly SitemapEntry[] | Promise<readonly SitemapEntry[]>

/** A page of this application by its path, or an https address; on this machine also http. */
export const pageUrl = z
  .string()
  .regex(
    /^(?:(?:https:\/\/|http:\/\/localhost[:/])[^\s"<>]+|\/(?![/\\])[^\s"<>]*)$/,
    'must be a path or an https address',
  )

/** The `publicPages` of `defineFwConfig`. */
export const publicPagesOption = z
  .strictObject({
    /**
     * The languages with separate addresses for public pages, of those that the application offers. The default language is
     * always one. Default: `languages`, or English and the languages with texts in the application's `app/locales`.
     */
    languages: z.array(z.string().min(2)).optional(),
    /** Adds addresses of pages with parameters to sitemap.xml. */
    sitemap: z
      .custom<SitemapSource>(value => typeof value === 'function', 'must be a function')
      .nullable()
      .default(null),
  })
  .prefault({})

const entriesSchema = z.array(
  z.object({
    path: z.string().startsWith('/'),
    changedAt: z
      .union([z.date(), z.string().refine(text => !Number.isNaN(Date.parse(text)), 'must be a time')])
      .optional(),
  }),
)

/** Returns the addresses that the application adds to its sitemap; throws for a malformed one. */
export const sitemapEntries = async (source: SitemapSource | null, context: SitemapContext): Promise<SitemapEntry[]> =>
  entriesSchema.parse((await source?.(context)) ?? [])
