/** SQL conditions of filters by attribute and operator. */
import { badRequest } from './scim-failure.ts';

export type FilterOperator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'pr' | 'gt' | 'ge' | 'lt' | 'le';

export type FilterAttribute = {
  /** `$n` is the parameter. */
  conditions: Partial<Record<FilterOperator, string>>;
  /** Throws `invalidFilter` for an invalid value. */
  toParameter: (value: string | boolean) => unknown;
};

/** `column` and `value` are SQL: an attribute without distinction of case has `lower(…)` in both. */
export function textAttribute(
  column: string,
  {
    value = '$n',
    toParameter = String,
  }: { value?: string; toParameter?: (value: string | boolean) => string } = {},
): FilterAttribute {
  const text = value.replace('$n', '$n::text');
  return {
    conditions: {
      eq: `${column} = ${value}`,
      ne: `${column} is distinct from ${value}`,
      co: `strpos(${column}, ${text}) > 0`,
      sw: `starts_with(${column}, ${text})`,
      ew: `right(${column}, length(${text})) = ${text}`,
      pr: `${column} is not null`,
    },
    toParameter,
  };
}

/** An attribute that has the same value in all resources. */
export const constantAttribute = (constant: string): FilterAttribute => ({
  conditions: { eq: `$n::text = '${constant}'`, ne: `$n::text <> '${constant}'`, pr: 'true' },
  toParameter: toLowerCase,
});

export const booleanAttribute = (column: string): FilterAttribute => ({
  conditions: { eq: `${column} = $n`, ne: `${column} <> $n`, pr: 'true' },
  toParameter: (value) => toLowerCase(value) === 'true',
});

export const timeAttribute = (column: string): FilterAttribute => ({
  conditions: {
    eq: `${column} = $n`,
    ne: `${column} <> $n`,
    gt: `${column} > $n`,
    ge: `${column} >= $n`,
    lt: `${column} < $n`,
    le: `${column} <= $n`,
    pr: 'true',
  },
  toParameter: toTime,
});

export const toLowerCase = (value: string | boolean) => String(value).toLowerCase();

/** Reads an address. A space was a plus sign that the client has not encoded: addresses have no spaces. */
export const toAddress = (value: string | boolean) =>
  String(value).replace(/^[^@]* [^@]*(?=@[^\s@]+$)/, (local) => local.replaceAll(' ', '+'));

/** Reads a time of RFC 3339. Without a zone it is in UTC. The sign of the zone may be a plus sign that the client has not encoded. */
function toTime(value: string | boolean): Date {
  const {
    day,
    time = 'T00:00',
    zone = 'Z',
  } = /^(?<day>\d{4}-\d\d-\d\d)(?<time>T[\d:.]+)?(?<zone>Z|[-+ ]\d\d:?\d\d)?$/i.exec(String(value))?.groups ??
  {};
  const date = new Date(`${day}${time}${zone.replace(' ', '+')}`);
  if (Number.isNaN(date.getTime()))
    throw badRequest('invalidFilter', 'Write times as in "2030-12-31T23:59:59Z".');
  return date;
}
