/** Generates the HTML page of the API's description from the OpenAPI document, without scripts. */
import { createHash } from 'node:crypto';
import { escapeHtml } from '../http/escape-html.ts';
import type { JsonSchema, OpenApiDocument, OpenApiOperation } from './openapi.ts';

const style = `
:root{color-scheme:light dark;--ground:#f5f6f2;--card:#fff;--ink:#1b2320;--soft:#55605a;--line:#d9ddd4;--accent:#0b6653}
@media(prefers-color-scheme:dark){:root{--ground:#14191d;--card:#1c2328;--ink:#e9eded;--soft:#a4b0b2;--line:#2f383e;--accent:#7fd1b9}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,'Segoe UI',sans-serif}
main{max-width:880px;margin:0 auto;padding:48px 20px 80px}
h1{margin:0 0 8px;font-size:28px}h2{margin:48px 0 12px;font-size:20px;text-transform:capitalize}
p{margin:0 0 12px;color:var(--soft)}a{color:var(--accent)}
code,pre{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}
details{margin:0 0 10px;border:1px solid var(--line);border-radius:10px;background:var(--card)}
summary{display:flex;flex-wrap:wrap;gap:4px 14px;align-items:baseline;padding:12px 16px;cursor:pointer;border-radius:10px}
summary:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
summary b{min-width:58px;color:var(--accent);font:600 13px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}
summary code{overflow-wrap:anywhere}
summary span{margin-left:auto;color:var(--soft);font-size:13px}
summary small{flex-basis:100%;color:var(--soft);font-size:14px}
.inside{padding:4px 16px 16px;border-top:1px solid var(--line)}
h3{margin:18px 0 6px;font-size:14px}
pre{margin:0;padding:12px;overflow:auto;border-radius:8px;background:var(--ground)}
.table{overflow-x:auto}table{width:100%;border-collapse:collapse;font-size:14px}
td{padding:6px 12px 6px 0;border-top:1px solid var(--line);vertical-align:top}td:first-child{white-space:nowrap}
@media(max-width:600px){tr{display:grid;grid-template-columns:auto 1fr;border-top:1px solid var(--line)}td{border:0;overflow-wrap:anywhere}td:last-child{grid-column:1/-1;padding-top:0}}
`;

/** The page's policy: no resources are loaded, and the style sheet is allowed by its hash. */
export const apiPagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const accessLabels = { public: 'everyone', member: 'members', admin: 'administrators' };

export function renderApiPage(api: OpenApiDocument): string {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const areas = Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? '');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(api.info.title)}</title><style>${style}</style></head>
<body><main>
<h1>${escapeHtml(api.info.title)}</h1>
<p>${withCode(api.info.description)} For programs: <a href="openapi.json">openapi.json</a>.</p>
${[...areas].map(([area, entries]) => `<h2>${escapeHtml(area)}</h2>\n${entries.map(renderOperation).join('\n')}`).join('\n')}
</main></body></html>
`;
}

function renderOperation(entry: { path: string; method: string; operation: OpenApiOperation }): string {
  const { path, method, operation } = entry;
  const { parameters, requestBody, responses } = operation;
  const { 200: done, ...errors } = responses;
  const scope = operation.security.find((one) => 'personalToken' in one)?.['personalToken']?.[0];
  return `<details><summary><b>${escapeHtml(method.toUpperCase())}</b><code>${escapeHtml(path)}</code><span>${escapeHtml(operation['x-permission'] ?? accessLabels[operation['x-access']])}</span><small>${escapeHtml(operation.summary)}</small></summary>
<div class="inside">
${parameters.length > 0 ? `<h3>Parameters</h3>${table(parameters.map((one) => [one.name, `${one.in}${one.required ? '' : ', optional'}`, `${one.schema ? outline(one.schema) : 'JSON text'}. ${one.description ?? ''}`]))}` : ''}
${requestBody ? `<h3>Request</h3><pre tabindex="0">${escapeHtml(outline(requestBody.content['application/json']?.schema ?? {}))}</pre>` : ''}
<h3>Response</h3><pre tabindex="0">${escapeHtml(responseOutline(done?.content ?? {}))}</pre>
${scope ? `<p>With an access token: scope <code>${escapeHtml(scope)}</code>.</p>` : ''}
<h3>Errors</h3>${table(Object.entries(errors).flatMap(([status, { content }]) => errorRows(status, content)))}
</div></details>`;
}

function errorRows(
  status: string,
  content: OpenApiOperation['responses'][string]['content'],
): [string, string, string][] {
  const examples = content['application/json']?.examples ?? {};
  return Object.entries(examples).map(([code, { value }]) => [
    status,
    code,
    (value as { message: string }).message,
  ]);
}

function table(rows: [string, string, string][]): string {
  const cells = ([first, second, third]: [string, string, string]) =>
    `<tr><td>${escapeHtml(first)}</td><td><code>${escapeHtml(second)}</code></td><td>${escapeHtml(third)}</td></tr>`;
  return `<div class="table"><table>${rows.map(cells).join('')}</table></div>`;
}

function responseOutline(content: OpenApiOperation['responses'][string]['content']): string {
  const json = content['application/json'];
  return json ? outline(json.schema) : `a stream: ${Object.keys(content).join(' | ')}`;
}

/** Formats a schema in TypeScript notation. */
function outline(schema: JsonSchema, indent = ''): string {
  const { type, properties, required, items, anyOf, minimum, maximum, maxLength } = schema as {
    type?: string | string[];
    properties?: Record<string, JsonSchema>;
    required?: string[];
    items?: JsonSchema;
    anyOf?: JsonSchema[];
    minimum?: number;
    maximum?: number;
    maxLength?: number;
  };
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ');
  if (anyOf) return anyOf.map((one) => outline(one, indent)).join(' | ');
  if (type === 'array') return `${outline(items ?? {}, indent)}[]`;
  if (type === 'object') {
    const inner = `${indent}  `;
    const lines = Object.entries(properties ?? {}).map(
      ([name, value]) => `${inner}${name}${required?.includes(name) ? '' : '?'}: ${outline(value, inner)}`,
    );
    return `{\n${lines.join('\n')}\n${indent}}`;
  }
  const name =
    typeof schema['format'] === 'string' ? schema['format'] : [type ?? 'anything'].flat().join(' | ');
  const limits = [
    minimum === undefined ? '' : `from ${minimum}`,
    maximum === undefined ? '' : `to ${maximum}`,
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    schema['default'] === undefined ? '' : `default ${JSON.stringify(schema['default'])}`,
  ].filter(Boolean);
  return limits.length > 0 ? `${name} (${limits.join(', ')})` : name;
}

const withCode = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
