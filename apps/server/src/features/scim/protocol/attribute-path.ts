/**
 * Parses attribute names in filters, PATCH paths and keys: in any case, with an optional schema prefix, and with an optional value filter
 * in brackets (RFC 7644, section 3.10 and figure 1).
 */
import { normalizeText } from '@vestibule/contract/rules/clean-text';
import { badRequest } from './scim-failure.ts';

export type AttributePath = {
  /** In lower case, without the schema: `name.familyname`. */
  attribute: string;
  /** Comparisons in the brackets, joined by `and`: `type eq "work"`. Empty without brackets. */
  selected: Selector[];
};
type Selector = { attribute: string; value: string | boolean };

/** In characters, for paths and filters. */
export const filterMaximum = 1_000;

/** Stored attributes, without their sub-attributes. */
const stored = new Set(['username', 'externalid', 'displayname', 'name', 'active', 'emails', 'members']);

const schemaPrefix = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/;
const pathPattern =
  /^(?<attribute>[a-z][\w.:$-]*)(?:\[(?<selectors>(?:"(?:[^"\\]|\\.)*"|[^"[\]])+)\](?:\.(?<sub>[a-z][\w$-]*))?)?$/i;
const selectorPattern =
  /\s*(?<attribute>[a-z][\w.$-]*)\s+eq\s+(?<literal>"(?:[^"\\]|\\.)*"|[^\s"()]+)\s*(?:$|\band\s)/iy;

/**
 * Parses a path. Accepts any path to attributes that are not stored, since directories send attributes of many schemas. Throws an
 * error for a malformed path to a stored attribute.
 */
export function readPath(text: string): AttributePath {
  const path = text.trim();
  const name = withoutSchema(path);
  if (!stored.has(name.split(/[.[\s]/, 1)[0] ?? '')) return { attribute: name, selected: [] };
  const { attribute, selectors, sub } =
    (path.length <= filterMaximum && pathPattern.exec(path)?.groups) || {};
  if (attribute === undefined)
    throw badRequest('invalidPath', 'This path is malformed or not supported here.');
  return {
    attribute: withoutSchema(attribute) + (sub === undefined ? '' : `.${sub.toLowerCase()}`),
    selected: selectors === undefined ? [] : readSelectors(selectors),
  };
}

export const withoutSchema = (name: string) => name.toLowerCase().replace(schemaPrefix, '');

function readSelectors(text: string): Selector[] {
  const selectors: Selector[] = [];
  for (let at = 0; at < text.length; at = selectorPattern.lastIndex) {
    selectorPattern.lastIndex = at;
    const { attribute, literal } = selectorPattern.exec(text)?.groups ?? {};
    if (attribute === undefined || literal === undefined)
      throw badRequest(
        'invalidPath',
        'In brackets only comparisons by eq, joined by and, are supported here.',
      );
    selectors.push({ attribute: attribute.toLowerCase(), value: readLiteral(literal) });
  }
  return selectors;
}

/** Returns whether the path selects the stored address: the work or primary one. */
export const isStored = ({ selected }: AttributePath): boolean =>
  selected.every(({ attribute, value }) => {
    const text = String(value).toLowerCase();
    return attribute === 'type' ? text === 'work' : attribute === 'primary' && text === 'true';
  });

/** Parses a filter value, normalized like stored texts. Entra ID's documentation also has texts without quotation marks, scripts use single ones. */
export function readLiteral(source: string): string | boolean {
  const text = normalizeText(source);
  if (text.startsWith('"'))
    try {
      return normalizeText(JSON.parse(text) as string);
    } catch {
      throw badRequest('invalidFilter', 'A value of the filter is no JSON text.');
    }
  return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text.replace(/^'(.*)'$/s, '$1');
}
