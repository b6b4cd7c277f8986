/** As much of js-yaml as tests use; its own types are a package apart. */
declare module 'js-yaml' {
  export function load(text: string): unknown;
  export function loadAll(text: string): unknown[];
}
