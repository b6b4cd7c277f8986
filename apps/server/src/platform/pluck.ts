/** One property of each, in their order: the ids of rows, or what a parameter of `any($1)` and `unnest` is made of. */
export const pluck = <One, Name extends keyof One>(all: readonly One[], name: Name): One[Name][] =>
  all.map((one) => one[name]);
