import type { ReactNode } from 'react';
import { formatNumber } from '../../language/formats.ts';
import './chart.css';

/** A single number. Contents of a link with the class `tile`. */
export function Tile({
  label,
  value,
  note,
  tone = 'neutral',
}: {
  label: string;
  value: number;
  note?: ReactNode;
  /** `danger` if the number requires attention. */
  tone?: 'neutral' | 'danger';
}) {
  return (
    <>
      <span className="tile-label">{label}</span>
      <span className={`tile-value tile-${tone}`}>{formatNumber(value)}</span>
      {note && <span className="small-print">{note}</span>}
    </>
  );
}

export function TileRow({ label, children }: { label: string; children: readonly ReactNode[] }) {
  return (
    <ul className="tile-row" aria-label={label}>
      {children.map((tile, index) => (
        <li key={index}>{tile}</li>
      ))}
    </ul>
  );
}
