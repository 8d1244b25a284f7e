import type { Resource } from './resource'
import { fieldsComponent } from './resource-form'
import { itemPage } from './resource-item'
import { listPage } from './resource-list'
import { serverFiles } from './resource-server'
import { testFile } from './resource-test'
import { textFile } from './resource-texts'

/** All files of a resource by their paths, but for its migration; texts in these languages. */
export const resourceFiles = (resource: Resource, languages: readonly string[]): Map<string, string> =>
  new Map([
    ...serverFiles(resource),
    [`app/components/${resource.pascal}Fields.vue`, fieldsComponent(resource)],
    [`app/pages/${resource.plural}/index.vue`, listPage(resource)],
    [`app/pages/${resource.plural}/[id].vue`, itemPage(resource)],
    ...languages.map(
      language => [`app/locales/${language}/${resource.plural}.json`, textFile(resource, language)] as const,
    ),
    [`tests/${resource.plural}.test.ts`, testFile(resource)],
  ])
