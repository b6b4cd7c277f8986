/** Protected applications (statements S1 to S5). */
import type { Area } from '../../platform/area.ts';
import type { CoreDeps } from '../../platform/database/database.ts';
import { applicationRoutes, serveIcons } from './application-routes.ts';

export function applications(deps: CoreDeps & { publicUrl: string }): Area {
  return {
    routes: applicationRoutes(deps),
    plugin: (app) => serveIcons(app, deps.database),
  };
}
