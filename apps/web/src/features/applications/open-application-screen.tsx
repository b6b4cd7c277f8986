import { useEffect } from 'react';
import { Skeleton } from '../../ui/states.tsx';

/**
 * Continues to an application after the sign-in, at the address of the server that gives access to it. The query names the application;
 * the fragment is that of the application's page, which browsers keep during redirects.
 */
export function OpenApplicationScreen() {
  useEffect(() => {
    const query = new URLSearchParams(window.location.search);
    query.set('signedIn', '1');
    if (window.location.hash) query.set('fragment', window.location.hash);
    window.location.replace(`/applications/start?${query}`);
  }, []);
  return <Skeleton />;
}
