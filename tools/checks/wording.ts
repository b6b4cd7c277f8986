/** Counts lines that contain phrases which the writing rules of CONTRIBUTING.md exclude. Part of the static checks. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * Maximum number of lines with excluded phrases. Lower it whenever the count falls; never raise it. The remaining lines contain stored
 * values, texts and API fields of released versions.
 */
const maximum = 7;

const phrases = [
  'who(?:m)?ever|somebody|anybody|nobody',
  'anew|mend(?:s|ed|ing)?|under way',
  '(?:is|are|was|were) told|tells? of|hears? of',
  '(?:goes|go|went) on|by (?:itself|themselves)|of (?:its|their|our) own',
  'stands? (?:in|on|at|by|for|beside|under|above|before|there|here|below)',
  'takes? (?:away|back|in)|comes? (?:in|back|by)|leads? (?:in|to|there|back)',
  'what (?:stands|comes|becomes|goes)',
  '(?:is|are) inside|(?:behind|at) the door',
];
const phrasePattern = new RegExp(String.raw`\b(?:${phrases.join('|')})\b`, 'i');
/** Comments that start with a relative clause instead of a verb or a noun. */
const clausePattern = /(?:\/\*\*|^\s*\*|\/\/) (?:What|Whoever|Whom|Whose|Where|How|Nobody|Somebody) /;

const isText = /\.(?:ts|tsx|mjs|js|sql|sh|css|md|ya?ml)$/;
/** Generated files, translations, quotations of the specification, and this list with its test. */
const isExcluded = /\.gen\.ts$|\/locales\/|^docs\/specification\.md$|^tools\/checks\/wording(?:\.test)?\.ts$/;

/** Returns the lines with excluded phrases as `file:line: text`. */
export function findWording(files: Iterable<readonly [file: string, text: string]>): string[] {
  return [...files].flatMap(([file, text]) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        phrasePattern.test(line) || clausePattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
      ),
  );
}

/** Returns a problem if more lines are found than allowed. */
export function checkWordingCount(found: string[], limit = maximum): string[] {
  if (found.length <= limit) return [];
  return [
    `${found.length} lines use wording that CONTRIBUTING.md excludes, at most ${limit} are allowed. List them: node tools/checks/wording.ts`,
  ];
}

/** Reads all text files that Git tracks. */
export async function readTrackedTexts(root: string): Promise<[file: string, text: string][]> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z'], { cwd: root, maxBuffer: 2 ** 24 });
  const files = stdout.split('\0').filter((file) => isText.test(file) && !isExcluded.test(file));
  const texts = files.map(async (file): Promise<[string, string]> => [
    file,
    await readFile(path.join(root, file), 'utf8').catch(() => ''),
  ]);
  return Promise.all(texts);
}

if (import.meta.main) {
  const found = findWording(await readTrackedTexts(path.join(import.meta.dirname, '..', '..')));
  console.log([...found, `${found.length} lines`].join('\n'));
}
