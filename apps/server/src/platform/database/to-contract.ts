/** Converts rows of the database to values of the contract, whose names are the same in camelCase. */
import { sqlName, type SnakeCase } from './define-table.ts';

/** Value of a row in the contract's format: times in ISO 8601, bytes in hexadecimal. */
type ContractValue<Value> = [Value] extends [Date | null]
  ? string | Extract<Value, null>
  : Value extends Buffer
    ? string
    : Value;

/** The fields `Names` whose columns the row has. */
type ContractValues<R, Names extends string> = {
  [N in Names as SnakeCase<N> extends keyof R ? N : never]: ContractValue<R[SnakeCase<N> & keyof R]>;
};

/** Returns a function that converts rows to a contract schema. Fields whose columns a row lacks are omitted. */
export function toContract<Names extends string>(schema: { shape: Record<Names, unknown> }) {
  const pairs = Object.keys(schema.shape).map((name) => [name, sqlName(name)] as const);
  return <R extends object>(row: R): ContractValues<R, Names> => {
    const contractValue: Record<string, unknown> = {};
    for (const [name, sql] of pairs) {
      if (!(sql in row)) continue;
      const value = row[sql as keyof R] as unknown;
      contractValue[name] =
        value instanceof Date ? value.toISOString() : Buffer.isBuffer(value) ? value.toString('hex') : value;
    }
    return contractValue as ContractValues<R, Names>;
  };
}
