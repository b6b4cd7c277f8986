/** Cookie with the language that the person has chosen. It remains after a sign-out. */
export const languageCookie = 'language';

/** Language of the texts in the code, and the fallback. */
export const sourceLanguage = 'en';

/** Returns the first wanted language that is available (`de` for `de-AT`), or English if none is available. */
export function findLanguage(wanted: readonly string[], languages: readonly string[]): string {
  for (const tag of wanted) {
    const found = languages.find((language) => language === tag.trim().toLowerCase().split('-')[0]);
    if (found !== undefined) return found;
  }
  return sourceLanguage;
}

/** Returns the language of the cookie, or the language that Accept-Language prefers (RFC 9110, section 12.5.4). */
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
    .toSorted((a, b) => b.weight - a.weight);
  return findLanguage([...(chosen ? [chosen] : []), ...accepted.map(({ tag }) => tag)], languages);
}
