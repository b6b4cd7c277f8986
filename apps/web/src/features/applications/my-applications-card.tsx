import { listMyApplications } from '@vestibule/contract/applications/open';
import { lazy } from 'react';
import { loadTexts } from '../../language/language.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { LazyPart } from '../../ui/shell/lazy-part.tsx';

const ApplicationTiles = lazy(async () => {
  const [tiles] = await Promise.all([import('./application-tiles.tsx'), loadTexts('more')]);
  return tiles;
});

/** Applications that the user may open, on the dashboard. Shows nothing if there are none. */
export function MyApplicationsCard() {
  const { data } = useApiQuery(listMyApplications, { key: ['my applications'] });
  if (!data || data.rows.length === 0) return null;
  return (
    <LazyPart fallback={null}>
      <ApplicationTiles rows={data.rows} />
    </LazyPart>
  );
}
