/** Cookie with the language that the person has chosen. It remains after a sign-out. */
export const languageCookie = 'language';

/** Language of the texts in the code, and the fallback. */
export const sourceLanguage = 'en';

/** Returns the first wanted language that is available (`de` for `de-AT`), or null if none is available. */
export function matchLanguage<Language extends string>(
  wanted: readonly string[],
  languages: readonly Language[],
): Language | null {
  for (const tag of wanted) {
    const found = languages.find((language) => language === tag.trim().toLowerCase().split('-')[0]);
    if (found !== undefined) return found;
  }
  return null;
}

/** Like `matchLanguage`, with English as the fallback. */
export const findLanguage = (wanted: readonly string[], languages: readonly string[]): string =>
  matchLanguage(wanted, languages) ?? sourceLanguage;

/** Returns the language of the cookie, or the language that Accept-Language prefers (RFC 9110, section 12.5.4). */
export function languageOfRequest(
  headers: { cookie?: string | undefined; 'accept-language'?: string | undefined },
  languages: readonly string[],
): string {
  const chosen = new RegExp(`(?:^|;\\s*)${languageCookie}=([\\w-]{1,35})`).exec(headers.cookie ?? '')?.[1];
  return findLanguage(
    [...(chosen ? [chosen] : []), ...acceptedLanguages(headers['accept-language'])],
    languages,
  );
}

/** Returns the tags of Accept-Language, the preferred one first. */
export const acceptedLanguages = (header = ''): string[] =>
  header
    .slice(0, 1_000)
    .split(',')
    .map((part) => {
      const [tag = '', quality] = part.split(';');
      return { tag, weight: Number(quality?.split('=')[1] ?? 1) || 0 };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
