import { transformAsync, type Visitor } from '@babel/core';
import type { ExtractorType } from '@lingui/conf';

/**
 * Finds the texts of modules without macros: every `message` of an error definition by its `code`, what schemas say about
 * values that they refuse, and `name` of the themes. Such modules are loaded and what they export is looked through.
 */
export const knownTexts: ExtractorType = {
  match: (file) =>
    /packages\/contract\/src\/[\w/-]+\.ts$|\/ui\/themes\/themes\.ts$/.test(file) && !file.includes('.test.'),
  async extract(file, _, onText) {
    const found = new Map<string, string>();
    look(await import(file), found, new Set());
    for (const [id, text] of found)
      onText({ id, message: text, origin: [file, 1], ...(id !== text && { comment: text }) });
  },
};

/** Modules of the server whose sentences administrators read; they cannot all be loaded, so their literals are looked at. */
const serverModules =
  /server\/src\/features\/(?:invitations\/(?:inviting\/check-rows|life\/(?:explain-invitation|life-cycle))|people\/person-changes|mail\/mail-advice|settings\/(?:smtp-advice|mails))\.ts$/;

/** Finds whole sentences in the server's modules. What stands in the gaps of a template is {0}, {1}. */
export const serverTexts: ExtractorType = {
  match: (file) => serverModules.test(file),
  async extract(file, code, onText) {
    const tell = (text: string) => {
      if (/^[A-Z].* .*[.}]$/s.test(text) && !/\n|\{\D/.test(text))
        onText({ id: text, message: text, origin: [file, 1] });
    };
    await transformAsync(code, {
      filename: file,
      babelrc: false,
      configFile: false,
      code: false,
      parserOpts: { plugins: ['typescript'] },
      plugins: [
        {
          visitor: {
            StringLiteral: ({ node }) => tell(node.value),
            TemplateLiteral: ({ node }) =>
              tell(
                node.quasis
                  .map(({ value }, at) => value.cooked + (at < node.quasis.length - 1 ? `{${at}}` : ''))
                  .join('')
                  .trim(),
              ),
          },
        } satisfies { visitor: Visitor },
      ],
    });
  },
};

/** Parts of a route that people do not write themselves, and its errors, which are exported by themselves. */
const forPrograms = new Set(['query', 'params', 'headers', 'selection', 'answer', 'errors']);

/** Adds the texts in `value`, and in everything it holds, by their ids. */
function look(value: unknown, found: Map<string, string>, seen: Set<unknown>): void {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) return;
  seen.add(value);
  const one = value as Record<string, unknown>;
  const { code, message, error, name, kind } = one;
  if (typeof code === 'string' && typeof message === 'string') found.set(code, message);
  // A schema's check holds its sentence as a function without parameters.
  if (typeof error === 'function' && error.length === 0) {
    const text: unknown = error();
    if (typeof text === 'string') found.set(text, text);
  }
  if (typeof name === 'string' && (kind === 'light' || kind === 'dark')) found.set(name, name);
  // A schema keeps what it is made of in `_zod`, which does not show among its keys.
  for (const key of [...Object.keys(one), '_zod']) {
    if (forPrograms.has(key)) continue;
    // Getters of a schema, such as the shape of an object, are asked too; some only answer in their place.
    try {
      look(one[key], found, seen);
    } catch {
      continue;
    }
  }
}
