/** Tiles of the applications that the user may open. */
import { t } from '@lingui/core/macro';
import type { listMyApplications } from '@vestibule/contract/applications/open';
import type { RouteResult } from '@vestibule/contract/route';
import { useState } from 'react';
import { matchesWords } from '../../lib/matches-words.ts';
import { LetterMark } from '../../ui/marks/letter-mark.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { countOf, hostOf } from './application-texts.ts';
import '../../ui/fields/fields.css';
import './applications.css';

/** Number of tiles from which on the search field is shown. */
const searchFrom = 7;

type Rows = RouteResult<typeof listMyApplications>['rows'];

export default function ApplicationTiles({ rows }: { rows: Rows }) {
  const [search, setSearch] = useState('');
  const shown = rows.filter(({ name, address }) => matchesWords(search, `${name} ${address}`));
  return (
    <Card
      title={t`Applications`}
      actions={
        rows.length >= searchFrom && (
          <input
            type="search"
            className="field-input application-search"
            aria-label={t`Search applications`}
            placeholder={t`Search`}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        )
      }
    >
      <ul className="application-tiles">
        {shown.map((application) => (
          <li key={application.id}>
            <a className="application-tile" href={application.address}>
              {application.iconUrl ? (
                <img src={application.iconUrl} alt="" />
              ) : (
                <LetterMark id={application.id} name={application.name} />
              )}
              <span>
                {application.name}
                <small>{hostOf(application)}</small>
              </span>
            </a>
          </li>
        ))}
      </ul>
      <output className={shown.length > 0 ? 'visually-hidden' : 'quiet'}>
        {search && (shown.length > 0 ? countOf(shown.length) : t`No application matches.`)}
      </output>
    </Card>
  );
}
