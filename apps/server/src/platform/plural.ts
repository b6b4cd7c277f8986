/** Returns the English plural of a type of objects: tickets, companies, addresses. */
export const pluralOf = (type: string) =>
  /[^aeiou]y$/.test(type)
    ? type.replace(/y$/, 'ies')
    : `${type}${/(?:[sxz]|[cs]h)$/.test(type) ? 'es' : 's'}`;
