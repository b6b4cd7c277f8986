import type { ReactNode } from 'react';
import './facts.css';

export type Fact = { name: string; value: ReactNode };

/** Definition list. */
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

export function CardRow({ children }: { children: ReactNode }) {
  return <div className="card-row">{children}</div>;
}
