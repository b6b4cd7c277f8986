/** Cell of an export. Times are in UTC. */
export type ExportCell = string | number | Date | null;

/** Column of an export. `width` in characters, for the spreadsheet. */
export type ExportColumn = { label: string; width: number };
