/** Parses PATCH bodies (RFC 7644, section 3.5.2), with the deviations of Entra ID and Okta, into single changes. */
import { normalizeText } from '@vestibule/contract/rules/clean-text';
import { withoutSchema } from './attribute-path.ts';
import { badRequest } from './scim-failure.ts';

export type AttributeChange = { op: 'add' | 'replace' | 'remove'; path: string; value: unknown };

const operationsMaximum = 1_000;

/** An operation without a path has an object of attributes. Each attribute becomes a separate change. */
export function readPatch(body: unknown): AttributeChange[] {
  const operations = findAttribute(requireObject(body), 'operations');
  // Microsoft's SCIM validator sends an empty list, which changes nothing.
  if (!Array.isArray(operations)) throw badRequest('invalidSyntax', 'A PATCH has a list of Operations.');
  if (operations.length > operationsMaximum)
    throw badRequest('tooMany', `A PATCH has at most ${operationsMaximum} operations.`);
  return operations.flatMap((entry) => {
    const operation = requireObject(entry);
    const op = findAttribute(operation, 'op');
    const path = findAttribute(operation, 'path') ?? '';
    const value = findAttribute(operation, 'value');
    // Entra ID sends Add, Replace and Remove.
    const kind = typeof op === 'string' ? op.toLowerCase() : '';
    if (kind !== 'add' && kind !== 'replace' && kind !== 'remove')
      throw badRequest('invalidSyntax', 'An operation is add, replace or remove.');
    if (typeof path !== 'string') throw badRequest('invalidPath', 'A path is a text.');
    if (path.trim() !== '' && !isCoreSchema(path.trim())) return { op: kind, path, value };
    if (kind === 'remove') throw badRequest('noTarget', 'Say in path what is to be removed.');
    return changesOf(kind, singleValueOf(complexValuesOf(value), 'value'));
  });
}

/** Attributes can also be in an object below the name of their schema (RFC 7644, section 3.10). */
export const changesOf = (op: 'add' | 'replace', value: unknown): AttributeChange[] =>
  Object.entries(requireObject(value))
    .flatMap((entry) => (isCoreSchema(entry[0]) ? Object.entries(requireObject(entry[1] ?? {})) : [entry]))
    .map(([path, attribute]) => ({ op, path, value: attribute }));

const isCoreSchema = (path: string) => withoutSchema(`${path}:`) === '';

export function requireObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('invalidSyntax', 'A JSON object is missing here.');
  return value as Record<string, unknown>;
}

/** Returns the values of a multi-valued attribute, which may be sent without a list. Null means no value (RFC 7643, section 2.5). */
function listOf(value: unknown): unknown[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one) => one !== null && one !== undefined);
}

/**
 * Returns the values of an attribute whose values are objects. SCIM for Keycloak and clients of its library send an object or a list as JSON
 * text (scim-for-keycloak, issue 133).
 */
export const complexValuesOf = (value: unknown): unknown[] => listOf(parseJsonText(value)).map(parseJsonText);

function parseJsonText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Returns the value of a single-valued attribute, which some directories send as a list; null for none. */
export function singleValueOf(value: unknown, name: string): unknown {
  const values = listOf(value);
  if (values.length > 1) throw badRequest('invalidValue', `${name} has one value.`);
  return values[0] ?? null;
}

/** Entra ID also sends simple values as `[{ "$ref": null, "value": "…" }]`. */
function scalarOf(value: unknown, name: string): unknown {
  const only = singleValueOf(value, name);
  return typeof only === 'object' && only !== null && !Array.isArray(only)
    ? (findAttribute(only as Record<string, unknown>, 'value') ?? null)
    : only;
}

/** Matches names in any case. */
export function findAttribute(object: Record<string, unknown>, name: string): unknown {
  for (const [key, value] of Object.entries(object)) if (key.toLowerCase() === name) return value;
  return undefined;
}

/** Entra ID allows 256 characters in names of people and groups. */
const textMaximum = 256;

/** Returns a line of text, or null for none. */
export function readText(sent: unknown, name: string): string | null {
  const value = scalarOf(sent, name);
  if (value === null || value === '') return null;
  if (typeof value !== 'string') throw badRequest('invalidValue', `${name} is a text.`);
  const text = normalizeText(value.trim().replaceAll('\t', ' '));
  if (text.length > textMaximum)
    throw badRequest('invalidValue', `${name} has at most ${textMaximum} characters.`);
  if (/[\p{Cc}\u2028\u2029]/u.test(text)) throw badRequest('invalidValue', `${name} is one line of text.`);
  return text;
}

/** Entra ID sends "True" and "False". */
export function readBoolean(sent: unknown, name: string): boolean | null {
  const value = scalarOf(sent, name);
  if (value === null || value === '') return null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  throw badRequest('invalidValue', `${name} is true or false.`);
}
