import { applicationStartPath } from '@vestibule/contract/applications';
import { useEffect } from 'react';
import { Skeleton } from '../../ui/states.tsx';

/** Continues to an application after the sign-in. The query names the application; the fragment is that of the application's page. */
export function OpenApplicationScreen() {
  useEffect(() => {
    const { search, hash } = window.location;
    const query = new URLSearchParams(search);
    query.set('signedIn', '1');
    if (hash) query.set('fragment', hash);
    window.location.replace(`${applicationStartPath}?${query}`);
  }, []);
  return <Skeleton />;
}
