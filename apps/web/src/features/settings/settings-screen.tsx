import { t } from '@lingui/core/macro';
import { IconChevronDown } from '@tabler/icons-react';
import { getRouteApi, Link, Outlet, useParams } from '@tanstack/react-router';
import { areasFor, type Area } from './sections.ts';
import { useUnsaved } from './unsaved-sections.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu/menu.tsx';
import { Page } from '../../ui/shell/page.tsx';
import './settings.css';

const route = getRouteApi('/_signed-in/layout/settings');

export function SettingsScreen() {
  const { session } = route.useRouteContext();
  const { section } = useParams({ strict: false });
  const navigate = route.useNavigate();
  const areas = areasFor(session.configuration.Ways);
  const current = areas.find(({ id }) => id === section)?.title;
  const unsaved = useUnsaved(areas.map(({ id }) => id)).split(',');
  return (
    <Page
      title={t`Settings`}
      part={current}
      description={t`Changes here take effect immediately, for everyone.`}
    >
      <div className="settings">
        <div className="settings-side">
          <nav aria-label={t`Settings`} className="settings-nav">
            {areas.map((area) => (
              <AreaLink key={area.id} {...area} isUnsaved={unsaved.includes(area.id)} />
            ))}
          </nav>
          {/* Shown instead of the list above on narrow screens. */}
          <div className="settings-choice">
            <Menu
              items={areas.map(({ id, title }) => ({
                label: unsaved.includes(id) ? `${title} (${t`Not saved`})` : title,
                onSelect: () => navigate({ to: '/layout/settings/$section', params: { section: id } }),
              }))}
            >
              <Button>
                <span className="visually-hidden">{t`Section:`} </span>
                {current}
                <IconChevronDown size={18} stroke={1.75} aria-hidden="true" />
              </Button>
            </Menu>
          </div>
        </div>
        <Outlet />
      </div>
    </Page>
  );
}

function AreaLink({ id, title, isUnsaved }: Area & { isUnsaved: boolean }) {
  return (
    <Link
      to="/layout/settings/$section"
      params={{ section: id }}
      className="nav-link settings-link apart"
      activeOptions={{ includeSearch: false }}
    >
      {title}
      {isUnsaved && <span className="settings-unsaved">{t`Not saved`}</span>}
    </Link>
  );
}
