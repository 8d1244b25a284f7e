import { type Migration, QUOTED_OR_COMMENT, splitStatements } from '../../server/kernel/database/migrations'

const NAME = String.raw`(?:(?:main|temp)\s*\.\s*)?(\`[^\`]+\`|"[^"]+"|\[[^\]]+\]|[\w$]+)`
const OBJECT = String.raw`(?:(?:temp|temporary|virtual|unique)\s+)*(?:table|view|index)\s+(?:if\s+(?:not\s+)?exists\s+)?`
const CHANGE = new RegExp(String.raw`^\s*(?:create|alter|drop)\s+${OBJECT}${NAME}`, 'i')
const RENAMING = new RegExp(String.raw`\brename\s+to\s+${NAME}\s*;?\s*$`, 'i')

/** The tables, views and indexes that a migration makes, changes, renames or drops. */
export const namesInSql = (migration: Migration): string[] => [
  ...new Set(splitStatements(migration).map(withoutTexts).flatMap(namesIn)),
]

function namesIn(statement: string): string[] {
  const changed = CHANGE.exec(statement)?.[1]
  if (!changed) return []
  const renamed = RENAMING.exec(statement)?.[1]
  return [changed, ...(renamed ? [renamed] : [])].map(name => name.replace(/^[`"[]|[`"\]]$/g, ''))
}

const withoutTexts = (statement: string): string =>
  statement.replace(QUOTED_OR_COMMENT, part => (/^['\-/]/.test(part) ? ' ' : part))
