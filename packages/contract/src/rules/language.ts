/** Which language a page is written in, from what the browser sends: one rule for the server and the development server. */

/** The cookie that keeps a person's choice in the browser: it survives log-out, and the server reads it too. */
export const languageCookie = 'language';

/** The language of the code, and of whoever wants none of those that there are. */
export const sourceLanguage = 'en';

/** The first of the wanted languages that there is, such as `de` for `de-AT`; else English. */
export function findLanguage(wanted: readonly string[], languages: readonly string[]): string {
  for (const tag of wanted) {
    const found = languages.find((language) => language === tag.trim().toLowerCase().split('-')[0]);
    if (found !== undefined) return found;
  }
  return sourceLanguage;
}

/** The language for a request: the cookie, else what the browser prefers (RFC 9110, section 12.5.4). */
export function languageOfRequest(
  headers: { cookie?: string | undefined; 'accept-language'?: string | undefined },
  languages: readonly string[],
): string {
  const chosen = new RegExp(`(?:^|;\\s*)${languageCookie}=([\\w-]{1,35})`).exec(headers.cookie ?? '')?.[1];
  const accepted = (headers['accept-language'] ?? '')
    .slice(0, 1_000)
    .split(',')
    .map((part) => {
      const [tag = '', quality] = part.split(';');
      return { tag, weight: Number(quality?.split('=')[1] ?? 1) || 0 };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight);
  return findLanguage([...(chosen ? [chosen] : []), ...accepted.map(({ tag }) => tag)], languages);
}
