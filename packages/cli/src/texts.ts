/**
 * `vestibule texts`: extracts the texts of each extension into the files of its languages, extensions/<name>/locales/<language>.po.
 * A language begins with an empty file of that name. Missing translations are shown in English.
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Portal } from './project.ts';

export async function updateTexts(
  portal: Pick<Portal, 'directory' | 'extensions' | 'webPackage'>,
): Promise<number> {
  const { getCatalogs } = await import('@lingui/cli/api');
  const { getConfig } = await import('@lingui/conf');
  const config = getConfig({ configPath: path.join(portal.webPackage, 'lingui.config.ts') });
  const supported = config.locales.filter((language) => language !== config.sourceLocale);
  const problems: string[] = [];
  for (const name of readdirSync(portal.extensions)) {
    const directory = path.join(portal.extensions, name);
    if (!existsSync(path.join(directory, 'extension.ts')) && !existsSync(path.join(directory, 'screens.tsx')))
      continue;
    const fileOf = (language: string) => `extensions/${name}/locales/${language}.po`;
    const hasFile = (language: string) => existsSync(path.join(portal.directory, fileOf(language)));
    for (const language of supported.filter((each) => !hasFile(each)))
      problems.push(
        `${fileOf(language)} does not exist. To translate the texts, create it empty and repeat.`,
      );
    const languages = supported.filter(hasFile);
    const catalogs = await getCatalogs({
      ...config,
      rootDir: portal.directory,
      locales: languages,
      catalogs: [
        {
          path: path.join(directory, 'locales', '{locale}'),
          include: [directory],
          exclude: ['**/*.{test,journey}.*'],
        },
      ],
    });
    for (const catalog of catalogs) {
      const codeMessages = (await catalog.collect()) ?? {};
      await catalog.make({ clean: true, overwrite: false, locale: languages, orderBy: 'message' });
      for (const language of languages)
        for (const [id, { translation, message }] of Object.entries(await catalog.read(language)))
          if (!translation)
            problems.push(
              `${fileOf(language)}: not translated: ${codeMessages[id]?.message ?? message ?? id}`,
            );
    }
  }
  console.log(problems.length === 0 ? 'All texts are translated.' : problems.join('\n'));
  return 0;
}
