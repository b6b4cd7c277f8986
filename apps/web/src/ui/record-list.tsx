import { Fragment, type ReactNode } from 'react';
import './record-list.css';
import { ScrollRegion } from './shell/scroll-region.tsx';

type RecordEntry = {
  id: string | number;
  text: ReactNode;
  detail: ReactNode;
  /** Shown at the end of the line. */
  badges?: ReactNode;
};

/** List of records. With a `label` it is a scroll region with that name. */
export function RecordList({
  label,
  entries,
  empty,
}: {
  label?: string;
  entries: readonly RecordEntry[];
  /** Text for an empty list. */
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

/** Facts separated by dots. Skips false and null. */
export function DotSeparated({ facts }: { facts: readonly ReactNode[] }) {
  const shown = facts.filter((fact) => fact !== false && fact !== null);
  return shown.map((fact, index) => (
    // The facts are never reordered.
    <Fragment key={index}>
      {index > 0 && ' · '}
      <bdi>{fact}</bdi>
    </Fragment>
  ));
}
