/** Checks the set-up of an application by requesting it at its public address, as a visitor without a sign-in. */
import type { SetupStep } from '@vestibule/contract/applications';
import { setupTexts } from '@vestibule/contract/applications/setup-texts';
import { createMessage, type Message } from '@vestibule/contract/texts/text';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { failureReason, type OutboundHttp } from '../../platform/http/outbound-http.ts';
import { readReserved } from './original-request.ts';
import { reservedPath } from './return-path.ts';

const timeoutMs = 8_000;
const toleratedClockMs = 30_000;
/** Marks requests of the check, and in the response lists the identity headers that arrived. Contains no secret. */
export const checkHeader = 'vestibule-set-up-check';

/**
 * Identity headers that many applications do not distinguish from the ones of `identity-headers.ts`. Those with hyphens are not checked:
 * proxies replace them by the headers of the response, which are always present.
 */
const forgedHeaders = ['Remote_User', 'Remote_Groups', 'X_Vestibule_Assertion'];

/** Returns the forged headers that a request to the check has, for the response; null without the mark. */
export const receivedForgedHeaders = ({ headers }: FastifyRequest): string | null =>
  headers[checkHeader] === undefined
    ? null
    : forgedHeaders.filter((name) => headers[name.toLowerCase()] !== undefined).join(', ') || 'none';

type Step = { step: SetupStep; state: 'ok' | 'failed' | 'unknown'; message: Message | null };

/** Returns the steps of the contract, in order. */
export type CheckSetup = (address: string) => Promise<Step[]>;

/** Response of `/.vestibule/set-up`: how this site sees the request. */
type Seen = { site: string; isTrusted: boolean; address: string | null };

/** Answers through the proxy of an application, to all callers: the response says only what the proxy sends. */
export function mountCheck(
  app: FastifyInstance,
  deps: { publicUrl: string; isTrustedProxy: (request: FastifyRequest) => boolean },
): void {
  app.get(`${reservedPath}/set-up`, async (request, reply) => {
    const seen: Seen = {
      site: deps.publicUrl,
      isTrusted: deps.isTrustedProxy(request),
      address: readReserved(request)?.address ?? null,
    };
    return reply.header('cache-control', 'no-store').send(seen);
  });
}

export function createSetupCheck({
  outboundHttp,
  publicUrl,
  hasSessions,
  now,
}: {
  outboundHttp: Pick<OutboundHttp, 'fetch'>;
  publicUrl: string;
  /** Whether a sign-in method other than Azure AD B2C, which starts no session, is configured. */
  hasSessions: boolean;
  now: () => number;
}): CheckSetup {
  const get = (address: string, path: string, headers: Record<string, string>) =>
    outboundHttp.fetch(address + path, {
      headers: { 'user-agent': 'Vestibule', ...headers },
      signal: AbortSignal.timeout(timeoutMs),
    });

  const signIn = hasSessions ? ok('signIn') : failed('signIn', createMessage(setupTexts.onlyB2c));

  return async (address) => {
    let page: Response;
    try {
      page = await get(address, '/', { accept: 'text/html', 'sec-fetch-mode': 'navigate' });
    } catch (error) {
      const message = createMessage(setupTexts[failureReason(error) ?? 'unreachable']);
      return complete([failed('reachable', message), signIn]);
    }
    const steps: Step[] = [ok('reachable')];
    const [seen, forged] = await Promise.all([
      get(address, `${reservedPath}/set-up`, { accept: 'application/json' })
        .then((response) => readSeen(response, publicUrl))
        .catch(() => null),
      get(address, '/', {
        accept: '*/*',
        [checkHeader]: '1',
        ...Object.fromEntries(forgedHeaders.map((name) => [name, 'vestibule-check'])),
      }).catch(() => null),
    ]);
    const proxy = seen && checkProxy(seen, address);
    steps.push(
      seen ? ok('path') : failed('path', createMessage(setupTexts.pathMissing)),
      ...(proxy ? [proxy] : []),
      // Requests that this site does not trust are refused: the step before says why.
      ...(proxy?.state === 'failed' && page.status >= 400 ? [] : [checkProtection(page, address)]),
      checkHeaders(forged?.headers.get(checkHeader) ?? null),
      checkClock(page.headers.get('date'), now()),
      signIn,
    );
    return complete(steps);
  };
}

const ok = (step: SetupStep): Step => ({ step, state: 'ok', message: null });
const failed = (step: SetupStep, message: Message): Step => ({ step, state: 'failed', message });
const unknown = (step: SetupStep, message: Message | null): Step => ({ step, state: 'unknown', message });

const order: SetupStep[] = ['reachable', 'path', 'proxy', 'protection', 'headers', 'clock', 'signIn'];

/** Adds the steps that could not be checked. */
const complete = (steps: Step[]): Step[] =>
  order.map((name) => steps.find(({ step }) => step === name) ?? unknown(name, null));

async function readSeen(response: Response, publicUrl: string): Promise<Seen | null> {
  const seen = (await response.json()) as Partial<Seen> | null;
  return seen?.site === publicUrl ? (seen as Seen) : null;
}

function checkProxy({ isTrusted, address: seen }: Seen, address: string): Step {
  if (!isTrusted) return failed('proxy', createMessage(setupTexts.proxyUntrusted));
  if (seen === address) return ok('proxy');
  return failed('proxy', createMessage(setupTexts.addressDiffers, { seen: seen ?? '–', expected: address }));
}

function checkProtection(page: Response, address: string): Step {
  const location = URL.parse(page.headers.get('location') ?? '', address)?.href ?? '';
  if (location.startsWith(`${address}${reservedPath}/start`)) return ok('protection');
  return page.status < 300
    ? failed('protection', createMessage(setupTexts.unprotected))
    : failed('protection', createMessage(setupTexts.unexpectedStatus, { status: page.status }));
}

function checkHeaders(received: string | null): Step {
  if (received === null) return unknown('headers', createMessage(setupTexts.headersNotVisible));
  if (received === 'none') return ok('headers');
  return failed('headers', createMessage(setupTexts.headersKept, { headers: received }));
}

function checkClock(date: string | null, now: number): Step {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return unknown('clock', createMessage(setupTexts.noDate));
  const seconds = Math.round(Math.abs(theirs - now) / 1000);
  return seconds * 1000 <= toleratedClockMs
    ? ok('clock')
    : failed('clock', createMessage(setupTexts.clockDiffers, { seconds }));
}
