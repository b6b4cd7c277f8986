import type { ReactNode } from 'react';
import { formatNumber } from '../../language/formats.ts';
import './chart.css';

/** One number that matters, to be read at a glance: the content of a link, whose class is `tile`. */
export function Tile({
  label,
  value,
  note,
  tone = 'neutral',
}: {
  label: string;
  value: number;
  note?: ReactNode;
  /** `danger` where the number asks for something to be done. */
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

/** Tiles beside each other, as many as there is room for. */
export function TileRow({ label, children }: { label: string; children: readonly ReactNode[] }) {
  return (
    <ul className="tile-row" aria-label={label}>
      {children.map((tile, index) => (
        <li key={index}>{tile}</li>
      ))}
    </ul>
  );
}
