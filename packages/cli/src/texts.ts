/**
 * `vestibule texts`: extracts the texts of each extension into the files of its languages, extensions/<name>/locales/<language>.po.
 * A language begins with an empty file of that name. Missing translations are shown in English.
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Portal } from './project.ts';

export async function updateTexts(portal: Portal): Promise<number> {
  const { getCatalogs } = await import('@lingui/cli/api');
  const { getConfig } = await import('@lingui/conf');
  const config = getConfig({ configPath: path.join(portal.webPackage, 'lingui.config.ts') });
  let missing = 0;
  for (const name of readdirSync(portal.extensions)) {
    const directory = path.join(portal.extensions, name);
    const locales = path.join(directory, 'locales');
    if (!existsSync(locales)) continue;
    const languages = readdirSync(locales)
      .filter((file) => file.endsWith('.po'))
      .map((file) => path.basename(file, '.po'));
    const catalogs = await getCatalogs({
      ...config,
      rootDir: portal.directory,
      locales: languages,
      catalogs: [
        { path: path.join(locales, '{locale}'), include: [directory], exclude: ['**/*.{test,journey}.*'] },
      ],
    });
    for (const catalog of catalogs) {
      await catalog.make({ clean: true, overwrite: false, locale: languages, orderBy: 'message' });
      for (const language of languages)
        for (const { translation, message } of Object.values(await catalog.read(language)))
          if (!translation) {
            missing += 1;
            console.log(`extensions/${name}/locales/${language}.po: not translated: ${message}`);
          }
    }
  }
  console.log(missing === 0 ? 'All texts are translated.' : `${missing} texts are not translated.`);
  return 0;
}
