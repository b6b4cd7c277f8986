import { listMyApplications } from '@vestibule/contract/applications/open';
import { lazy, Suspense } from 'react';
import { loadTexts } from '../../language/language.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';

const ApplicationTiles = lazy(async () => {
  const [tiles] = await Promise.all([import('./application-tiles.tsx'), loadTexts('more')]);
  return tiles;
});

/** Applications that the user may open, on the dashboard. Shows nothing if there are none. */
export function MyApplicationsCard() {
  const { data } = useApiQuery(listMyApplications, { key: ['my applications'] });
  if (!data || data.rows.length === 0) return null;
  return (
    <Suspense>
      <ApplicationTiles rows={data.rows} />
    </Suspense>
  );
}
