/** Path of the guide for extensions, for messages: from the checkout, or from a portal that has installed the package. */
export const guide = import.meta.dirname.includes('node_modules')
  ? 'node_modules/@vestibule/server/docs/build-a-portal.md'
  : 'docs/build-a-portal.md';
