/** Maps objects to one property, for example to the ids for `any($1)` and `unnest`. */
export const valuesOf = <One, Name extends keyof One>(all: readonly One[], name: Name): One[Name][] =>
  all.map((one) => one[name]);
