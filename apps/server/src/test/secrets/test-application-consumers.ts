/** Addresses that accept secrets of protected applications. */
import { envoyMethods } from '../../features/applications/forward-auth.ts';
import { ask, callback, startWith } from './test-application-kinds.ts';
import type { Consumer, SecretSite } from './test-secret-kinds.ts';

export const applicationConsumers = (site: SecretSite): Consumer[] => [
  {
    route: 'GET /applications/start',
    accepts: ['cookie of a session'],
    opens: async (session) => (await startWith(site, session)) !== null,
  },
  {
    route: 'GET /.vestibule/callback',
    accepts: ['code of an application'],
    opens: async (code) => (await callback(site, code)).statusCode === 302,
  },
  ...[
    'GET /forward-auth',
    'GET /forward-auth/nginx',
    'GET /forward-auth/optional',
    'GET /forward-auth/nginx/optional',
    ...envoyMethods.map((method) => `${method} /forward-auth/envoy/*`),
  ].map((route): Consumer => ({
    route,
    accepts: ['cookie of an application'],
    async opens(cookie) {
      const [method = '', url = ''] = route.split(' ');
      const { headers } = await ask(site, method, url.replace('*', 'page'), cookie);
      return Boolean(headers['remote-user']);
    },
  })),
  {
    route: 'GET /.vestibule/denied',
    accepts: ['cookie of an application'],
    opens: async (cookie) => (await ask(site, 'GET', '/.vestibule/denied', cookie)).statusCode === 302,
  },
  {
    route: 'GET /.vestibule/sign-out',
    accepts: ['cookie of an application'],
    opens: async (cookie) => (await ask(site, 'GET', '/.vestibule/sign-out', cookie)).statusCode === 200,
  },
  {
    route: 'POST /.vestibule/sign-out',
    accepts: ['cookie of an application'],
    async opens(cookie) {
      const count = async () => (await site.t.select('select from sessions')).length;
      const before = await count();
      await ask(site, 'POST', '/.vestibule/sign-out', cookie);
      return (await count()) < before;
    },
  },
];
