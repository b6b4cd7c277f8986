import { Fragment, type ReactNode } from 'react';
import './record-list.css';
import { ScrollRegion } from './shell/scroll-region.tsx';

/** One line of a `RecordList`. */
type RecordEntry = {
  id: string | number;
  text: ReactNode;
  /** Small print under the text. */
  detail: ReactNode;
  /** Badges at the end of the line. */
  badges?: ReactNode;
};

/** What happened or what there is, one under the other. With a `label` a long list scrolls by itself and is called so. */
export function RecordList({
  label,
  entries,
  empty,
}: {
  label?: string;
  entries: readonly RecordEntry[];
  /** Said where there is none. */
  empty?: string;
}) {
  if (entries.length === 0) return empty && <p>{empty}</p>;
  const list = (
    <ul className="record-list">
      {entries.map(({ id, text, detail, badges }) => (
        <li key={id} className="apart">
          <span>
            {text}
            <small>{detail}</small>
          </span>
          {badges}
        </li>
      ))}
    </ul>
  );
  if (!label) return list;
  return (
    <ScrollRegion className="record-scroll" label={label}>
      {list}
    </ScrollRegion>
  );
}

/** Small facts in a line, with dots between them; what is false or null is none. */
export function Dotted({ facts }: { facts: readonly ReactNode[] }) {
  const shown = facts.filter((fact) => fact !== false && fact !== null);
  return shown.map((fact, index) => (
    // They have no order of their own to change.
    <Fragment key={index}>
      {index > 0 && ' · '}
      <bdi>{fact}</bdi>
    </Fragment>
  ));
}
