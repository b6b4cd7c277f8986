import type { RouteDefinition } from '@vestibule/contract/route';

const composed = 'Caf\u00e9';
const decomposed = 'Cafe\u0301';

type Schema = {
  safeParse(value: unknown): { success: boolean; data?: unknown };
  def: Record<string, unknown> & { type: string };
};

/** Returns the names of fields in the body and query whose text is not normalized. */
export function findUnchangedTexts({ body, query }: RouteDefinition): string[] {
  const unchanged = new Set<string>();
  const seen = new Set<unknown>();
  function visit(value: unknown, name: string): void {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (!('safeParse' in value)) {
      for (const [key, part] of Object.entries(value)) visit(part, Array.isArray(value) ? name : key);
      return;
    }
    const schema = value as Schema;
    const { checks: _checks, error: _error, ...parts } = schema.def;
    if (parts.type === 'string') {
      const { success, data } = schema.safeParse(decomposed);
      if (success && data !== composed) unchanged.add(name);
    }
    for (const [key, part] of Object.entries(parts)) visit(part, key === 'shape' ? key : name);
  }
  visit([body, query], '');
  return [...unchanged];
}
