/**
 * Names of attributes as directories write them, in filters, in PATCH and as keys: in any case, with or without the schema in
 * front, and values of several kept ones by a filter of their own (RFC 7644, section 3.10 and figure 1).
 */
import { normalizeText } from '@vestibule/contract/rules/clean-text';
import { wrong, type ScimType } from './scim-failure.ts';

export type AttributePath = {
  /** In lower case, without the schema: `name.familyname`, `emails`, `members`. */
  attribute: string;
  /** What stands in brackets: `type`, `work`. */
  selected: { attribute: string; value: string | boolean } | null;
};

/** The longest path or filter that is read. */
export const filterMaximum = 1_000;

const ours = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/;
const pathPattern =
  /^(?<attribute>[a-z][\w.:$-]*)(?:\[\s*(?<selector>[a-z][\w.$-]*)\s+eq\s+(?<selected>"(?:[^"\\]|\\.)*"|[^\s"[\]]+)\s*\](?:\.(?<sub>[a-z][\w$-]*))?)?$/i;

/** Throws what SCIM calls `problem` for what is no path. Attributes that nobody knows are paths all the same. */
export function readPath(text: string, problem: ScimType = 'invalidPath'): AttributePath {
  const { attribute, selector, selected, sub } =
    (text.length <= filterMaximum && pathPattern.exec(text)?.groups) || {};
  if (attribute === undefined) throw wrong(problem, 'This path is none, or one that is not understood here.');
  const name = attribute.toLowerCase().replace(ours, '');
  return {
    attribute: sub === undefined ? name : `${name}.${sub.toLowerCase()}`,
    selected:
      selector === undefined || selected === undefined
        ? null
        : { attribute: selector.toLowerCase(), value: readLiteral(selected) },
  };
}

/** Whether values are meant that are kept here: of addresses, the one of work or the primary one. */
export function isKept({ selected }: AttributePath): boolean {
  if (selected === null) return true;
  const value = String(selected.value).toLowerCase();
  return selected.attribute === 'type'
    ? value === 'work'
    : selected.attribute === 'primary' && value === 'true';
}

/** A value of a filter, normalised like stored texts. Entra ID's documentation has texts without quotation marks, too. */
export function readLiteral(given: string): string | boolean {
  const text = normalizeText(given);
  if (text.startsWith('"'))
    try {
      return normalizeText(JSON.parse(text) as string);
    } catch {
      throw wrong('invalidFilter', 'A value of the filter is no JSON text.');
    }
  return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text;
}
