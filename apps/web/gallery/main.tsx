/** The UI components on two screens, for tests and manual inspection. Not part of the application. */
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { IconHome, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { chooseLanguage } from '../src/language/language.ts';
import { loadGrid } from '../src/ui/grid/load-grid.ts';
import { Shell } from '../src/ui/shell/shell.tsx';
import { startThemeSwitch } from '../src/ui/themes/theme-switch.ts';
import { ToastRegion } from '../src/ui/toast/toast.tsx';
import { GridScreen } from './grid-screen.tsx';
import { galleryThemes } from './gallery-themes.ts';
import { PartsScreen } from './parts-screen.tsx';

const wanted = new URLSearchParams(window.location.search);
startThemeSwitch({ initial: wanted.get('theme') });
Object.assign(window, { galleryThemes });
// If loading the grid fails, the grid screen shows the error.
void loadGrid(wanted.get('key'));

const menu = [
  { to: 'parts', label: 'Parts', icon: <IconHome size={20} stroke={1.75} /> },
  { to: 'grid', label: 'People', icon: <IconUsers size={20} stroke={1.75} /> },
];

function Gallery() {
  const [path, setPath] = useState(wanted.get('screen') ?? 'parts');
  return (
    <>
      <Shell
        productName="Vestibule"
        menu={menu}
        routePath={path}
        person={{ name: 'Ada Lovelace', email: 'ada@example.com' }}
        onProfile={() => {}}
        onSignOut={() => {}}
        renderLink={({ to, className, onClick, children }) => (
          <a
            key={to}
            href={`?screen=${to}`}
            className={className}
            aria-current={to === path ? 'page' : undefined}
            onClick={(event) => {
              event.preventDefault();
              onClick?.();
              setPath(to);
            }}
          >
            {children}
          </a>
        )}
      >
        {path === 'grid' ? <GridScreen /> : <PartsScreen />}
      </Shell>
      <ToastRegion />
    </>
  );
}

const root = document.querySelector('#root');
await chooseLanguage(wanted.get('language') === 'de' ? 'de' : 'en');
if (root)
  createRoot(root).render(
    <I18nProvider i18n={i18n}>
      <Gallery />
    </I18nProvider>,
  );
