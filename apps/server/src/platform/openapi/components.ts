/** Moves named schemas and repeated error responses of the OpenAPI document to its components. Generators of clients name types after them. */
import type { JsonSchema, OpenApiDocument } from './openapi.ts';

/** `named` lists the candidates for components. The first name of a schema is used, with a number if it is taken. */
export function shareComponents(api: OpenApiDocument, named: [name: string, schema: JsonSchema][]): object {
  const names = new Map(named.toReversed().map(([name, schema]) => [JSON.stringify(schema), name]));
  const schemas = createComponents('schemas', api.components.schemas);
  const responses = createComponents('responses', {});

  function share(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(share);
    if (typeof value !== 'object' || value === null) return value;
    const content = JSON.stringify(value);
    const name = names.get(content);
    const shareParts = () => mapValues(value, share);
    return name === undefined ? shareParts() : schemas.refer(content, name, shareParts);
  }

  const paths = mapValues(api.paths, (methods) =>
    mapValues(methods, (operation) => ({
      ...(share(operation) as object),
      responses: mapValues(operation.responses, (response, status) =>
        status === '200'
          ? share(response)
          : responses.refer(JSON.stringify(response), `Error${status}`, () => response),
      ),
    })),
  );
  return {
    ...api,
    paths,
    components: { ...api.components, schemas: schemas.parts, responses: responses.parts },
  };
}

function createComponents(kind: string, existing: Record<string, unknown>) {
  const parts = { ...existing };
  const nameOfContent = new Map<string, string>();
  return {
    parts,
    /** Returns a reference to the component with this content, which is created at its first use. */
    refer(content: string, wanted: string, create: () => unknown) {
      let name = nameOfContent.get(content);
      if (name === undefined) {
        name = wanted;
        for (let number = 2; name in parts; number += 1) name = `${wanted}_${number}`;
        nameOfContent.set(content, name);
        parts[name] = create();
      }
      return { $ref: `#/components/${kind}/${name}` };
    },
  };
}

const mapValues = <Value, Result>(
  values: Record<string, Value> | object,
  map: (value: Value, key: string) => Result,
) => Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value as Value, key)]));
