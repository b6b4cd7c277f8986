/** A fake B2C provider for tests, with one configurable fault at a time. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderFinding } from '@vestibule/contract/settings/provider-check';
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { providerJwk, testIssuer } from '../../test/test-app.ts';

type Json = Record<string, unknown>;

export type FakeProvider = {
  metadata: (policy: string, base: string) => Json;
  metadataStatus: (policy: string) => number;
  keys: Json;
  date: () => number;
  /** Returns the response to an authorization request. */
  authorize: (parameters: URLSearchParams) => { location?: string; body?: string; status?: number };
  /** Handles requests before all others; returns false to pass them on. */
  instead?: (request: IncomingMessage, response: ServerResponse) => boolean;
};

export const originOf = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

export const answered = (redirect: string, more: Record<string, string>): string =>
  `${redirect}?${new URLSearchParams(more).toString()}`;

export function createCorrectProvider(date: () => number): FakeProvider {
  return {
    metadata: (policy, origin) => ({
      issuer: testIssuer,
      authorization_endpoint: `${origin}/${policy}/oauth2/v2.0/authorize`,
      token_endpoint: `${origin}/${policy}/oauth2/v2.0/token`,
      jwks_uri: `${origin}/${policy}/discovery/v2.0/keys`,
      response_types_supported: ['code', 'id_token'],
      id_token_signing_alg_values_supported: ['RS256'],
    }),
    metadataStatus: () => 200,
    keys: { keys: [providerJwk] },
    date,
    authorize: (parameters) => ({
      location: answered(parameters.get('redirect_uri') ?? '', {
        error: 'interaction_required',
        error_description: 'AADB2C90077: User does not have an existing session.',
      }),
    }),
  };
}

export function respondAsProvider(
  fake: FakeProvider,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (fake.instead?.(request, response)) return;
  const base = `http://${request.headers.host}`;
  const url = new URL(request.url ?? '/', base);
  const send = (status: number, body: string, headers: Record<string, string> = {}) =>
    response.writeHead(status, { date: new Date(fake.date()).toUTCString(), ...headers }).end(body);
  const [, tenantOrPolicy = '', policy = ''] = url.pathname.split('/');
  if (url.pathname.endsWith('/.well-known/openid-configuration')) {
    send(
      tenantOrPolicy === 'contoso.onmicrosoft.com' ? fake.metadataStatus(policy) : 404,
      JSON.stringify(fake.metadata(policy, base)),
    );
    return;
  }
  if (url.pathname.endsWith('/keys')) {
    send(200, JSON.stringify(fake.keys));
    return;
  }
  const { location, body = '', status } = fake.authorize(url.searchParams);
  send(status ?? (location ? 302 : 200), body, location ? { location } : {});
}

/** English findings, keyed by topic. */
export type Findings = Record<
  string,
  { outcome: ProviderFinding['outcome']; found: string; expected: string; remedy: string | null }
>;

export const remedyOf = ({ remedy }: ProviderFinding) => remedy;

export function toEnglish(findings: ProviderFinding[]): Findings {
  return Object.fromEntries(
    findings.map((finding) => [
      finding.topic.message,
      {
        outcome: finding.outcome,
        found: finding.found.message,
        expected: finding.expected.message,
        remedy: remedyOf(finding)?.message ?? null,
      },
    ]),
  );
}

/** Expected finding with a remedy. */
export const failed = (remedy: RegExp, found: RegExp = /./) => ({
  outcome: 'failed',
  found: expect.stringMatching(found),
  remedy: expect.stringMatching(remedy),
});

/** Forwards requests to the site. */
export async function sendResponse(
  app: FastifyInstance,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const published = await app.inject({ url: request.url ?? '/' });
  response.writeHead(published.statusCode, { 'content-type': 'application/json' }).end(published.payload);
}
