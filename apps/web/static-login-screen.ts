import { i18n, type Messages } from '@lingui/core';
import { languageOfRequest } from '@vestibule/contract/rules/language';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { Plugin, Rolldown } from 'vite';
import { LoginScreen } from './src/ui/shell/login-screen.tsx';
import { pageModules, compileTexts, languages, type CollectedTexts } from './texts.ts';

type Bundle = Rolldown.OutputBundle;

/**
 * Renders the login screen into index.html, so that it is painted before any script is loaded. Each language has a page, such as
 * `index.de.html` (English: `index.html`), with the texts that its scripts need before sign-in.
 */
export function staticLoginScreen(collected: CollectedTexts): Plugin {
  // Language of the last page request; sufficient because a development server has one user.
  let requestedLanguage = languages[0] ?? '';
  return {
    name: 'static-login-screen',
    configureServer({ middlewares }) {
      middlewares.use(({ headers }, _, imported) => {
        if (headers.accept?.includes('text/html')) requestedLanguage = languageOfRequest(headers, languages);
        imported();
      });
    },
    transformIndexHtml: {
      order: 'post',
      handler: async (html, { server }) =>
        server ? renderPage(requestedLanguage, html, await compileTexts(requestedLanguage, collected)) : html,
    },
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const page = bundle['index.html'];
        if (page?.type !== 'asset') return;
        const template = String(page.source);
        const quoted = new Set(signedOutCode(bundle).split(/["'`]/));
        for (const language of languages) {
          const all = Object.entries(await compileTexts(language, collected));
          const needed = all.filter(([id]) => quoted.has(id));
          const source = renderPage(language, template, Object.fromEntries(needed), Object.fromEntries(all));
          if (language === languages[0]) page.source = source;
          else this.emitFile({ type: 'asset', fileName: `index.${language}.html`, source });
        }
      },
    },
  };
}

/** Returns the page in a language: its login screen, and `texts` for its scripts as a block of data. */
function renderPage(language: string, template: string, texts: Messages, all: Messages = texts): string {
  i18n.loadAndActivate({ locale: language, messages: all });
  const screen = renderToStaticMarkup(createElement(LoginScreen));
  const data = JSON.stringify(texts).replaceAll('<', String.raw`\u003c`);
  return template
    .replace('<html lang="en">', `<html lang="${language}">`)
    .replace('<!--login-screen-->', () => screen)
    .replace('<!--texts-->', () => `<script type="application/json" id="texts">${data}</script>`);
}

/** Returns the code that runs before sign-in: the entry and passkey chunks with their imports, except the application and the texts. */
function signedOutCode(bundle: Bundle): string {
  const chunks = new Map(
    Object.values(bundle).flatMap((output) =>
      output.type === 'chunk' ? [[output.fileName, output] as const] : [],
    ),
  );
  const visited = new Set<string>();
  const visit = (file: string): void => {
    const chunk = chunks.get(file);
    if (
      !chunk ||
      visited.has(file) ||
      chunk.moduleIds.some((id) => /application\.tsx$|\0texts:[a-z-]+~/.test(id))
    )
      return;
    visited.add(file);
    for (const imported of [...chunk.imports, ...chunk.dynamicImports]) visit(imported);
  };
  for (const [file, { isEntry, moduleIds }] of chunks)
    if (isEntry || moduleIds.some((id) => pageModules.test(id))) visit(file);
  return [...visited].map((file) => chunks.get(file)?.code).join('\n');
}
