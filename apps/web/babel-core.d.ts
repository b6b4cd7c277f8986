/** Types of the Babel API that texts.ts uses; the package has none. */
declare module '@babel/core' {
  type Literal = { type: string; value?: unknown };
  export type ObjectExpression = {
    leadingComments?: { value: string }[] | null;
    properties: { type: string; key?: { name?: string }; value?: Literal }[];
  };
  export type Visitor = {
    ObjectExpression?: (path: { node: ObjectExpression }) => void;
  };
  export function transformAsync(
    code: string,
    options: object,
  ): Promise<{ code: string; map: import('vite').Rolldown.SourceMapInput } | null>;
}
