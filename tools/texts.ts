/** `npm run texts`: extracts the texts of the code and updates the files of all languages. `npm test` checks the same without writing. */
import path from 'node:path';
import { getCatalogs } from '@lingui/cli/api';
import { getConfig } from '@lingui/conf';

const root = path.dirname(import.meta.dirname);

export async function findTextProblems(): Promise<string[]> {
  const config = getConfig({ configPath: path.join(root, 'apps', 'web', 'lingui.config.ts') });
  const problems: string[] = [];
  for (const catalog of await getCatalogs(config)) {
    const codeMessages = (await catalog.collect()) ?? {};
    for (const language of config.locales) {
      const file = path.relative(root, catalog.getFilename(language));
      const catalogMessages = await catalog.read(language);
      const missing = Object.keys(codeMessages).filter((id) => catalogMessages[id] === undefined);
      const gone = Object.keys(catalogMessages).filter((id) => codeMessages[id] === undefined);
      if (missing.length > 0 || gone.length > 0)
        problems.push(
          `${file}: ${missing.length} texts of the code are missing, ${gone.length} are no longer in the code. Run "npm run texts", then translate.`,
        );
      for (const [id, { message, translation }] of Object.entries(catalogMessages)) {
        const source = codeMessages[id]?.message ?? message ?? id;
        if (codeMessages[id] === undefined) continue;
        if (!translation) problems.push(`${file}: not translated: ${source}`);
        else if (
          findPlaceholders(translation).some((placeholder) => !findPlaceholders(source).includes(placeholder))
        )
          problems.push(`${file}: has an unknown placeholder: ${translation}`);
      }
    }
  }
  return problems;
}

/** Returns the placeholder names of a text; nested plural and select branches are skipped. */
function findPlaceholders(text: string): string[] {
  const plain = text.replaceAll(/, (?:plural|select),(?:[^{}]*\{(?:[^{}]|\{\w+\})*\})*/g, '');
  return [...plain.matchAll(/\{(\w+)/g)].map(([, placeholder = '']) => placeholder);
}

if (import.meta.main) {
  const config = getConfig({ configPath: path.join(root, 'apps', 'web', 'lingui.config.ts') });
  for (const catalog of await getCatalogs(config))
    await catalog.make({ clean: true, overwrite: false, locale: config.locales, orderBy: 'message' });
  const problems = await findTextProblems();
  console.log(problems.length === 0 ? 'All texts are translated.' : problems.join('\n'));
}
