/** Finds environment variables whose name is one typing error away from one of docs/configuration.md. */
import { isOneTypoFrom } from '../one-typo.ts';
import { variableNames } from './read-config.ts';

/** Shorter names are similar to variables of other programs. */
const minLength = 7;

/** Returns the id in a name such as `OIDC_ACME_ISSUER`: variables of a provider that is not listed are no mistake. */
const providerOf = (name: string) => /^OIDC_([A-Z0-9]+)_/.exec(name)?.[1];

/** Returns a warning for each. `ids` are the ids of OIDC providers. */
export function findMisspelledVariables(
  ids: readonly string[],
  env: Record<string, string | undefined> = process.env,
): string[] {
  const known = new Set(
    variableNames.flatMap((name) =>
      name.includes('<ID>') ? ids.map((id) => name.replace('<ID>', id.toUpperCase())) : name,
    ),
  );
  return Object.keys(env)
    .filter((name) => name.length >= minLength && !known.has(name))
    .flatMap((name) => {
      const meant = [...known].find(
        (one) => providerOf(one) === providerOf(name) && isOneTypoFrom(name, one),
      );
      return meant === undefined ? [] : `${name} is not a variable of this server. Did you mean ${meant}?`;
    });
}
