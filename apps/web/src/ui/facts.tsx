import type { ReactNode } from 'react';
import './facts.css';

export type Fact = { name: string; value: ReactNode };

/** Names and values under each other, such as who somebody is. */
export function Facts({ items }: { items: readonly Fact[] }) {
  return (
    <dl className="facts">
      {items.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Cards beside each other where there is room. */
export function CardRow({ children }: { children: ReactNode }) {
  return <div className="card-row">{children}</div>;
}
